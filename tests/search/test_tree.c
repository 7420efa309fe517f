// SPDX-License-Identifier: GPL-3.0-or-later
/* Collecting: what the root reaches stays, in whatever time there is. */
#include "../testing.h"

#include "base/hash.h"
#include "search/tree.h"

/* A tree of states 0, 1, 2 ...: state i has the moves 0, 1, 2 to states 3i + 1, 3i + 2, 3i + 3. */
static uint64_t hash_of(uint64_t state)
{
    return hash_bytes(&state, sizeof state);
}

static uint32_t find(const struct tree *t, uint64_t state)
{
    return tree_find(t, &state, 1, hash_of(state));
}

struct kind {
    uint32_t others; /* moves of the second role: with more than one, children hang on edges */
    bool folds;
};
static struct kind kind;

static uint32_t add(struct tree *t, uint64_t state)
{
    uint32_t moves[] = {0, 1, 2};
    struct list legal[2] = {{moves, 3, 3}, {moves, kind.others, kind.others}};
    uint32_t node = tree_add(t, NULL, &state, 1, hash_of(state), false, legal);
    if (!node) return 0;
    struct tree_node *n = tree_node(t, node);
    n->visits = 1 + 1000 / ((uint32_t)state + 1);
    assert_int_equal(node_is_folded(n), kind.folds);
    if (kind.folds) node_folded(t, n)[0] = (struct folded){1 + (uint32_t)(state % 3), (float)state};
    return node;
}

static struct tree *grow(size_t limit, uint64_t states)
{
    struct tree *t = tree_new(2, limit, false, false);
    assert_non_null(t);
    t->folds = kind.folds;
    for (uint64_t i = 0; i < states; i++) {
        uint32_t node = add(t, i);
        if (i == 0) t->root = node;
        if (!node) break;
        if (i == 0) continue;
        uint32_t parent = find(t, (i - 1) / 3);
        tree_unfold(t, tree_node(t, parent));
        tree_link(t, parent, (uint32_t[]){(uint32_t)((i - 1) % 3), 0}, node);
    }
    return t;
}

static bool below(uint64_t state, uint64_t root)
{
    while (state > root) state = (state - 1) / 3;
    return state == root;
}

/* It has its moves and, where it was folded, what it was told then. */
static void check_actions(const struct tree *t, struct tree_node *n, uint64_t state)
{
    const struct tree_action *a = node_action(t, n, 0);
    for (uint32_t i = 0; i < 3; i++) {
        bool taken = kind.folds && i == state % 3;
        assert_int_equal(node_is_folded(n) ? node_folded_moves(t, n)[i] : a[i].move, i);
        if (node_is_folded(n)) continue;
        assert_int_equal(a[i].n, taken ? n->visits : 0);
        assert_true(a[i].mean == (taken ? (float)state : 0));
    }
    if (node_is_folded(n)) assert_true(node_folded(t, n)->mean == (float)state);
}

/* Every node is found under its state, its children are the right ones, and numbers can be followed. */
static void check(const struct tree *t, uint32_t nodes)
{
    uint32_t seen = 0;
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size) {
        struct tree_node *n = tree_node(t, at);
        if (n->words == TREE_BLOCK) continue;
        uint64_t state = node_state(n)[0];
        seen++;
        assert_int_equal(find(t, state), at);
        check_actions(t, n, state);
        for (uint32_t k = 0; k < 3 && !node_is_folded(n); k++) {
            uint32_t child = tree_child(t, at, (uint32_t[]){k, 0});
            if (child) assert_int_equal(node_state(tree_node(t, child))[0], 3 * state + k + 1);
        }
    }
    assert_int_equal(seen, nodes);
    assert_int_equal(t->nodes, nodes);
    assert_true(t->used + (uint64_t)t->owed <= t->capacity);
}

static void what_the_root_reaches_is_kept(void **state)
{
    kind = *(const struct kind *)*state;
    struct tree *t = grow((size_t)64 << 20, 10000);
    check(t, 10000);
    uint32_t reached = 0, old = find(t, 100);
    for (uint64_t i = 0; i < 10000; i++) reached += below(i, 2);
    t->root = find(t, 2);
    assert_true(tree_collect(t, 0.4, 0, &(struct budget){0}));
    assert_int_equal(node_state(tree_node(t, t->root))[0], 2);
    assert_int_equal(tree_moved(t, old), below(100, 2) ? find(t, 100) : 0);
    tree_forget(t);
    check(t, reached);
    for (uint64_t i = 0; i < 10000; i++) assert_int_equal(find(t, i) != 0, below(i, 2));
    tree_free(t);
}

/* Where two choose at once and nobody else is at work, children are in a row: it is taken along. */
static void children_of_joint_choices_are_kept(void **state)
{
    kind = (struct kind){2, true};
    struct tree *t = grow((size_t)64 << 20, 1);
    uint32_t joint[] = {2, 1}, other[] = {1, 1}, far = add(t, 7);
    tree_unfold(t, tree_node(t, t->root));
    tree_link(t, t->root, joint, far);
    for (int i = 0; i < 3; i++) {
        assert_true(node_flags(tree_node(t, t->root)) & NODE_JOINT);
        assert_int_equal(tree_child(t, t->root, joint), far);
        assert_int_equal(tree_child(t, t->root, other), i ? find(t, 8) : 0);
        if (i == 0) tree_link(t, t->root, other, add(t, 8));
        assert_true(tree_tidy(t, &(struct budget){0}));
        assert_int_equal(t->nodes, 3);
        far = find(t, 7);
    }
    tree_free(t);
}

/* Again and again, and nodes are unfolded and added in between. */
static void a_tree_is_tidied_where_it_lies(void **state)
{
    kind = *(const struct kind *)*state;
    struct tree *t = grow((size_t)64 << 20, 10000);
    const uint64_t *space = t->space;
    uint64_t root = 0;
    for (uint64_t more = 30000; more < 30600; more += 100) {
        uint32_t reached = 0;
        root = 3 * root + 2;
        for (uint64_t i = 0; i < 10000; i++) reached += below(i, root);
        t->root = find(t, root);
        assert_true(tree_tidy(t, &(struct budget){0}));
        assert_ptr_equal(t->space, space);
        assert_int_equal(node_state(tree_node(t, t->root))[0], root);
        check(t, reached);
        for (uint64_t i = 0; i < 10000; i++) assert_int_equal(find(t, i) != 0, below(i, root));
        for (uint32_t i = 0; i < 100; i++) assert_int_not_equal(add(t, more + i), 0);
        for (uint64_t i = 0; i < 10000; i += 7)
            if (find(t, i)) tree_unfold(t, tree_node(t, find(t, i)));
        check(t, reached + 100);
    }
    tree_free(t);
}

static void a_full_tree_drops_the_least_visited(void **state)
{
    kind = *(const struct kind *)*state;
    struct tree *t = grow((size_t)1 << 20, 100000);
    assert_true(t->full);
    uint32_t before = t->nodes;
    assert_true(tree_collect(t, 0.4, 0, &(struct budget){0}));
    tree_forget(t);
    assert_false(t->full);
    assert_true(t->nodes < before && t->nodes > before / 10);
    for (uint64_t i = 0; i < 100; i++) assert_int_not_equal(find(t, i), 0); /* visited most */
    check(t, t->nodes);
    assert_int_not_equal(add(t, 1000000), 0);
    tree_free(t);
}

static void a_collection_without_time_changes_nothing(void **state)
{
    kind = *(const struct kind *)*state;
    for (int full = 0; full < 2; full++) {
        struct tree *t = grow(full ? (size_t)1 << 20 : (size_t)64 << 20, 20000);
        uint32_t nodes = t->nodes, root = t->root;
        struct budget late = {.deadline = clock_now() - 1};
        for (int again = 0; again < 3; again++) {
            assert_false(tree_collect(t, 0.4, 0, &late));
            assert_int_equal(t->root, root);
            check(t, nodes);
        }
        assert_true(tree_collect(t, 0.4, 0, &(struct budget){0})); /* the marks of the first do no harm */
        tree_forget(t);
        assert_int_equal(node_state(tree_node(t, t->root))[0], 0);
        if (!full) check(t, nodes);
        tree_free(t);
    }
}

static void a_hasty_collection_keeps_what_is_near_the_root(void **state)
{
    kind = *(const struct kind *)*state;
    struct tree *t = grow((size_t)64 << 20, 20000);
    assert_true(tree_collect(t, 0.4, clock_now() - 1, &(struct budget){0}));
    tree_forget(t);
    assert_true(t->nodes >= 100 && t->nodes < 20000);
    for (uint64_t i = 0; i < 100; i++) assert_int_not_equal(find(t, i), 0);
    check(t, t->nodes);
    tree_free(t);
}

/* Who made a node and is still on the way is pending once it is unfolded, where there was a choice. */
static void simulations_on_their_way_are_unfolded(void **unused)
{
    (void)unused;
    uint32_t moves[] = {4, 5, 6};
    struct list legal[2] = {{moves, 3, 3}, {moves, 1, 1}};
    struct tree *t = tree_new(2, 1 << 20, false, false);
    t->folds = true;
    for (uint64_t state = 0; state < 3; state++) {
        struct tree_node *n = tree_node(t, tree_add(t, NULL, &state, 1, hash_of(state), false, legal));
        for (uint32_t r = 0; r < 2 && state; r++) node_folded(t, n)[r].choice = r ? 1 : 2;
        n->visits = state == 2;
        tree_unfold(t, n);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(pending_of(node_action(t, n, 0) + i), state == 1 && i == 1);
            assert_int_equal(node_action(t, n, 0)[i].n, state == 2 && i == 1);
        }
        assert_int_equal(pending_of(node_action(t, n, 1)), 0);
    }
    tree_free(t);
}

int main(void)
{
    static struct kind one = {1, false}, two = {2, false}, one_folded = {1, true}, two_folded = {2, true};
#define ALL(test)                                                                 \
    cmocka_unit_test_prestate(test, &one), cmocka_unit_test_prestate(test, &two), \
        cmocka_unit_test_prestate(test, &one_folded), cmocka_unit_test_prestate(test, &two_folded)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulations_on_their_way_are_unfolded),
        cmocka_unit_test(children_of_joint_choices_are_kept),
        ALL(what_the_root_reaches_is_kept),
        ALL(a_tree_is_tidied_where_it_lies),
        ALL(a_full_tree_drops_the_least_visited),
        ALL(a_collection_without_time_changes_nothing),
        ALL(a_hasty_collection_keeps_what_is_near_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
