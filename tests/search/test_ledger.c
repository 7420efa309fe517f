// SPDX-License-Identifier: GPL-3.0-or-later
/* What hands count for themselves at hot nodes is what the tree knows in the end. */
#include "../testing.h"

#include "search/driver_internal.h"
#include "search/ledger.h"

#include <math.h>
#include <string.h>

enum { HANDS = 2, ACTIONS = 5, MOVES = 3 };

struct scene {
    struct mcts m;
    struct hand hands[HANDS];
    uint32_t node;
};

static struct tree_node *node_of(const struct scene *s)
{
    return tree_node(s->m.tree, s->node);
}

/* A node visited so often, each time by its first move, with a mean of 50. */
static struct scene *open_scene(uint32_t visits)
{
    uint32_t moves[] = {0, 1, 2};
    struct list legal[2] = {{moves, MOVES, MOVES}, {moves, ACTIONS - MOVES, ACTIONS - MOVES}};
    struct scene *s = aligned_alloc(TREE_LINE, sizeof *s);
    memset(s, 0, sizeof *s);
    s->m = (struct mcts){
        .tree = tree_new(2, 1 << 20, true, false), .nroles = 2, .hands = s->hands, .nhands = HANDS};
    uint64_t state = 7;
    s->node = tree_add(s->m.tree, NULL, &state, 1, 1, false, legal);
    struct tree_node *n = node_of(s);
    n->visits = visits;
    for (uint32_t role = 0; role < 2; role++) {
        *node_action(s->m.tree, n, role) = (struct tree_action){.n = visits, .mean = 50};
        *node_rave(s->m.tree, n, role) = (struct rave){50, visits};
    }
    tree_share(s->m.tree, HANDS);
    for (uint32_t i = 0; i < HANDS; i++) s->hands[i] = (struct hand){.search = &s->m, .ledger = ledger_new()};
    return s;
}

static void close_scene(struct scene *s)
{
    for (uint32_t i = 0; i < HANDS; i++) ledger_free(s->hands[i].ledger);
    tree_free(s->m.tree);
    free(s);
}

/* A simulation through an action of the first role, from its choice to its reward. */
static void count(struct scene *s, struct hand *h, uint32_t action, float reward)
{
    struct tree_node *n = node_of(s);
    tally_pending(h, n, 0, action, 1);
    struct tally t = tally_of(h, n);
    tally_add(&t, t.visits, 1);
    struct tree_action *a = &t.actions[action];
    tally_mean(&a->mean, reward, tally_add(&t, &a->n, 1));
    tally_mean(&t.rave[action].mean, reward, tally_add(&t, &t.rave[action].n, 1));
    tally_add(&t, &a->pending, (uint32_t)-1);
    if (t.copied) ledger_counted(h, n);
}

static void near(float is, double should)
{
    if (fabs((double)is - should) > 0.01) fail_msg("%.4f, not %.4f", (double)is, should);
}

static void cold_nodes_have_no_copy(void **unused)
{
    (void)unused;
    struct scene *s = open_scene(LEDGER_COOL - 1);
    count(s, &s->hands[0], 1, 100);
    assert_int_equal(node_of(s)->visits, LEDGER_COOL);
    assert_int_equal(node_action(s->m.tree, node_of(s), 0)[1].n, 1);
    close_scene(s);
}

/* Rewards of two hands, a different mean for each action, and one that none has tried before. */
static void all_is_told_in_the_end(void **unused)
{
    (void)unused;
    enum { BEFORE = 512, MORE = 12000 };
    struct scene *s = open_scene(BEFORE);
    const struct tree *t = s->m.tree;
    double sum[MOVES] = {50.0 * BEFORE};
    uint32_t n[MOVES] = {BEFORE}, most = 0;
    for (uint32_t i = 0; i < MORE; i++) {
        uint32_t action = i % 7 ? i % MOVES : 0;
        float reward = (float)((i * 37 + action * 20) % 101);
        count(s, &s->hands[i / 5 % HANDS], action, reward);
        sum[action] += (double)reward;
        n[action]++;
        uint32_t told = node_of(s)->visits, behind = BEFORE + i + 1 - told;
        assert_in_range(behind, 0, told / 8); /* of what the tree knew when they last told */
        if (behind > most) most = behind;
    }
    assert_in_range(most, 64, 128); /* they do keep something back, and not too much */
    for (uint32_t i = 0; i < HANDS; i++) ledger_close(&s->hands[i]);
    assert_int_equal(node_of(s)->visits, BEFORE + MORE);
    for (uint32_t i = 0; i < MOVES; i++) {
        const struct tree_action *a = node_action(t, node_of(s), 0) + i;
        assert_int_equal(a->n, n[i]);
        assert_int_equal(a->pending, 0);
        near(a->mean, sum[i] / n[i]);
        assert_int_equal(node_rave(t, node_of(s), 0)[i].n, n[i]);
        near(node_rave(t, node_of(s), 0)[i].mean, sum[i] / n[i]);
    }
    close_scene(s);
}

/* What is under way is known to the others once it is told, and what they have proved is seen then. */
static void hands_hear_of_each_other(void **unused)
{
    (void)unused;
    struct scene *s = open_scene(5000);
    struct hand *one = &s->hands[0], *two = &s->hands[1];
    struct tree_action *shared = node_action(s->m.tree, node_of(s), 0);
    tally_pending(one, node_of(s), 0, 2, 3);
    assert_int_equal(pending_of(&tally_of(one, node_of(s)).actions[2]), 3);
    assert_int_equal(pending_of(&shared[2]), 0);
    ledger_drop(one, node_of(s));
    assert_int_equal(pending_of(&tally_of(two, node_of(s)).actions[2]), 3);
    action_mark(&shared[1], ACTION_OUT);
    assert_false(action_is(&tally_of(two, node_of(s)).actions[1], ACTION_OUT));
    for (int i = 0; i < 100; i++) count(s, two, 0, 50);
    assert_true(action_is(&tally_of(two, node_of(s)).actions[1], ACTION_OUT));
    assert_int_equal(pending_of(&shared[2]), 3);
    tally_pending(one, node_of(s), 0, 2, -3);
    ledger_close(one);
    ledger_close(two);
    assert_int_equal(pending_of(&shared[2]), 0);
    assert_true(action_is(&shared[1], ACTION_OUT));
    close_scene(s);
}

/* Nodes as hot as each other, until one has no copy: by then all together have taken the share of the tree's
 * memory that is one hand's, as far as it goes; who has none counts in the tree. */
static void copies_have_a_memory_limit(void **unused)
{
    (void)unused;
    enum { NODES = 30, WIDE = 100, SHARE = 16 };
    uint32_t moves[WIDE] = {0};
    struct list legal[2] = {{moves, WIDE, WIDE}, {moves, 1, 1}};
    struct scene *s = open_scene(5000);
    struct tree *t = s->m.tree;
    size_t each = 2 * (WIDE + 1) * (sizeof(struct tree_action) + sizeof(struct rave)), bytes = 0;
    uint32_t without = 0;
    for (uint64_t i = 0; i < NODES; i++) {
        uint64_t state = 100 + i;
        uint32_t node = tree_add(t, NULL, &state, 1, 100 + i, false, legal);
        if (!node && tree_grow(t)) node = tree_add(t, NULL, &state, 1, 100 + i, false, legal);
        assert_true(node);
        struct tree_node *n = tree_node(t, node);
        struct tally tally;
        n->visits = 5000;
        bool copied = ledger_find(&s->hands[0], n, &tally);
        assert_true(copied == ledger_has(s->hands[0].ledger, node));
        bytes += copied ? each : 0;
        without += !copied;
        tally = tally_of(&s->hands[0], n);
        assert_true(copied || tally.visits == &n->visits);
    }
    assert_in_range(bytes, t->limit / SHARE / HANDS / 2, t->limit / SHARE / HANDS);
    assert_true(without > 0);
    close_scene(s);
}

/* In place of the scene's tree, one in which goals from 0 to 100 are proved. */
static struct tree *take_bounded_tree(struct scene *s)
{
    tree_free(s->m.tree);
    s->m.tree = tree_new(2, 1 << 20, true, false);
    assert_true(tree_bound(s->m.tree, (struct bound[]){{0, 100}, {0, 100}}));
    return s->m.tree;
}

/* A child is known to bring at most 30, but the means above it said 80: every hand that comes along sees it.
 */
static void a_mean_is_put_right_once_by_however_many_hands(void **unused)
{
    (void)unused;
    enum { VISITS = 5000 };
    uint32_t moves[] = {0, 1, 2};
    struct list legal[2] = {{moves, MOVES, MOVES}, {moves, 1, 1}};
    struct scene *s = open_scene(VISITS);
    struct driver *driver = calloc(1, sizeof *driver);
    struct tree *t = take_bounded_tree(s);
    uint64_t state[] = {7, 8};
    uint32_t node = tree_add(t, NULL, &state[0], 1, 1, false, legal),
             child = tree_add(t, NULL, &state[1], 1, 2, false, legal);
    struct tree_node *n = tree_node(t, node);
    n->visits = VISITS;
    for (uint32_t role = 0; role < 2; role++)
        *node_action(t, n, role) = (struct tree_action){.n = VISITS, .mean = role ? 20 : 80};
    uint32_t choice[] = {0, 0};
    tree_link(t, node, choice, child);
    node_bounds(t, tree_node(t, child))[0] = (struct bound){0, 30};
    node_set_flags(tree_node(t, child), NODE_BOUNDED);
    tree_share(t, HANDS);
    for (uint32_t i = 0; i < HANDS; i++) {
        s->hands[i].driver = driver;
        assert_true(tally_of(&s->hands[i], n).copied);
    }
    for (uint32_t i = 0; i < HANDS; i++)
        prove_path(&(struct flight){.hand = &s->hands[i], .tree_steps = 1, .path = &node, .choice = choice},
                   child);
    for (uint32_t i = 0; i < HANDS; i++) ledger_close(&s->hands[i]);
    near(node_action(t, n, 0)->mean, 30);
    near(node_action(t, n, 1)->mean, 20);
    prover_done(&driver->prover);
    free(driver);
    close_scene(s);
}

/* Of two moves at a child, the one that brought its mover 80 in 90 visits is refuted; the other brought 20 in
 * ten. What simulations brought the node above is no worse known than before: it stays. */
static void means_above_a_refuted_move_stay(void **unused)
{
    (void)unused;
    enum { VISITS = 100 };
    uint32_t moves[] = {0, 1, 2};
    struct list legal[] = {{moves, MOVES, MOVES}, {moves, 1, 1}}, answers[] = {{moves, 1, 1}, {moves, 2, 2}};
    struct scene *s = open_scene(VISITS);
    struct driver *driver = calloc(1, sizeof *driver);
    struct tree *t = take_bounded_tree(s);
    s->m.constant_sum = true;
    s->m.sum = 100;
    uint64_t state[] = {7, 8, 9};
    uint32_t path[] = {tree_add(t, NULL, &state[0], 1, 1, false, legal),
                       tree_add(t, NULL, &state[1], 1, 2, false, answers)};
    uint32_t end = tree_add(t, NULL, &state[2], 1, 3, true, legal), choice[] = {0, 0, 0, 0};
    struct tree_node *above = tree_node(t, path[0]), *n = tree_node(t, path[1]);
    node_set_goals(t, tree_node(t, end), (float[]){100, 0});
    prove_end(&s->m, end);
    above->visits = n->visits = VISITS;
    *node_action(t, above, 0) = (struct tree_action){.n = VISITS, .mean = 26};
    *node_action(t, above, 1) = (struct tree_action){.n = VISITS, .mean = 74};
    node_action(t, n, 1)[0].n = 90, node_action(t, n, 1)[0].mean = 80;
    node_action(t, n, 1)[1].n = 10, node_action(t, n, 1)[1].mean = 20;
    tree_link(t, path[0], choice, path[1]);
    tree_link(t, path[1], choice + 2, end);
    s->hands[0].driver = driver;
    prove_path(&(struct flight){.hand = &s->hands[0], .tree_steps = 2, .path = path, .choice = choice}, end);
    ledger_close(&s->hands[0]);
    near(node_action(t, n, 1)[0].mean, 0);
    assert_true(action_is(&node_action(t, n, 1)[0], ACTION_OUT));
    near(node_action(t, above, 0)->mean, 26);
    near(node_action(t, above, 1)->mean, 74);
    prover_done(&driver->prover);
    free(driver);
    close_scene(s);
}

/* Pieces of the space: nodes of two threads, and a walk over what they left. */
static void claims_leave_a_space_that_can_be_walked(void **unused)
{
    (void)unused;
    struct tree *t = tree_new(1, 1 << 24, false, false);
    struct tree_claim claims[HANDS] = {0};
    uint32_t moves[40] = {0}, added = 0, walked = 0;
    tree_share(t, HANDS);
    for (uint64_t i = 1; i < 3000; i++) {
        struct list legal = {moves, 1 + (uint32_t)(i * i % 40), 40};
        uint32_t node = tree_add(t, &claims[i % HANDS], &i, 1, i * 0x9e3779b97f4a7c15u, false, &legal);
        if (!node && t->tight) {
            assert_true(tree_grow(t));
            i--;
            continue;
        }
        assert_int_equal(node_actions(t, tree_node(t, node), 0), legal.n);
        added++;
    }
    for (uint32_t i = 0; i < HANDS; i++) tree_release(t, &claims[i]);
    assert_int_equal(t->nodes, added);
    uint32_t at = 1;
    for (; at < t->used && tree_node(t, at)->size; at += tree_node(t, at)->size)
        walked += tree_node(t, at)->words != TREE_BLOCK;
    assert_int_equal(at, t->used);
    assert_int_equal(walked, added);
    for (uint64_t i = 1; i < 3000; i++) assert_true(tree_find(t, &i, 1, i * 0x9e3779b97f4a7c15u));
    tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_nodes_have_no_copy),
        cmocka_unit_test(all_is_told_in_the_end),
        cmocka_unit_test(hands_hear_of_each_other),
        cmocka_unit_test(copies_have_a_memory_limit),
        cmocka_unit_test(a_mean_is_put_right_once_by_however_many_hands),
        cmocka_unit_test(means_above_a_refuted_move_stay),
        cmocka_unit_test(claims_leave_a_space_that_can_be_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
