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

static uint32_t others; /* moves of the second role: with more than one, children hang on edges */

static uint32_t add(struct tree *t, uint64_t state)
{
    uint32_t moves[] = {0, 1, 2};
    struct list legal[2] = {{moves, 3, 3}, {moves, others, others}};
    uint32_t node = tree_add(t, &state, 1, hash_of(state), false, legal);
    if (node) tree_node(t, node)->visits = 1 + 1000 / ((uint32_t)state + 1);
    return node;
}

static struct tree *grow(size_t limit, uint64_t states)
{
    struct tree *t = tree_new(2, limit, false, false);
    assert_non_null(t);
    for (uint64_t i = 0; i < states; i++) {
        uint32_t node = add(t, i);
        if (i == 0) t->root = node;
        if (!node) break;
        if (i > 0) tree_link(t, find(t, (i - 1) / 3), (uint32_t[]){(uint32_t)((i - 1) % 3), 0}, node);
    }
    return t;
}

static bool below(uint64_t state, uint64_t root)
{
    while (state > root) state = (state - 1) / 3;
    return state == root;
}

/* Every node is found under its state, its children are the right ones, and numbers can be followed. */
static void check(const struct tree *t, uint32_t nodes)
{
    uint32_t seen = 0;
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size, seen++) {
        struct tree_node *n = tree_node(t, at);
        uint64_t state = node_state(n)[0];
        assert_int_equal(find(t, state), at);
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t child = tree_child(t, at, (uint32_t[]){k, 0});
            if (child) assert_int_equal(node_state(tree_node(t, child))[0], 3 * state + k + 1);
        }
    }
    assert_int_equal(seen, nodes);
    assert_int_equal(t->nodes, nodes);
}

static void what_the_root_reaches_is_kept(void **state)
{
    others = *(const uint32_t *)*state;
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

static void a_full_tree_drops_the_least_visited(void **state)
{
    others = *(const uint32_t *)*state;
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
    others = *(const uint32_t *)*state;
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
    others = *(const uint32_t *)*state;
    struct tree *t = grow((size_t)64 << 20, 20000);
    assert_true(tree_collect(t, 0.4, clock_now() - 1, &(struct budget){0}));
    tree_forget(t);
    assert_true(t->nodes >= 100 && t->nodes < 20000);
    for (uint64_t i = 0; i < 100; i++) assert_int_not_equal(find(t, i), 0);
    check(t, t->nodes);
    tree_free(t);
}

int main(void)
{
    static uint32_t one = 1, two = 2;
#define BOTH(test) cmocka_unit_test_prestate(test, &one), cmocka_unit_test_prestate(test, &two)
    const struct CMUnitTest tests[] = {
        BOTH(what_the_root_reaches_is_kept),
        BOTH(a_full_tree_drops_the_least_visited),
        BOTH(a_collection_without_time_changes_nothing),
        BOTH(a_hasty_collection_keeps_what_is_near_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
