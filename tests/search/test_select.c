// SPDX-License-Identifier: GPL-3.0-or-later
/* Selection is UCT with what is mixed in, action by action, however many are weighed at once. */
#include "../testing.h"

#include "search/driver_internal.h"

#include <math.h>
#include <string.h>

enum { MOST = 300, TRIES = 40 };

struct scene {
    struct mcts m;
    struct hand hand;
    uint32_t node;
};

static struct tree_node *node_of(const struct scene *s)
{
    return tree_node(s->m.tree, s->node);
}

static struct scene *open_scene(uint32_t actions)
{
    uint32_t moves[MOST];
    for (uint32_t i = 0; i < actions; i++) moves[i] = i;
    struct list legal[2] = {{moves, actions, actions}, {moves, 1, 1}};
    struct scene *s = aligned_alloc(TREE_LINE, (sizeof *s + TREE_LINE - 1) / TREE_LINE * TREE_LINE);
    uint64_t state = 7;
    memset(s, 0, sizeof *s);
    s->m = (struct mcts){.tree = tree_new(2, 1 << 20, true, false), .nroles = 2};
    s->m.opt.tree = true;
    s->m.opt.c = 40;
    s->hand.search = &s->m;
    s->node = tree_add(s->m.tree, NULL, &state, 1, 1, false, legal);
    return s;
}

static void close_scene(struct scene *s)
{
    tree_free(s->m.tree);
    free(s);
}

/* Everything tried or on its way; some never seen by RAVE, some proved to be out. */
static void fill(struct scene *s, struct rng *rng)
{
    struct tree_node *n = node_of(s);
    uint32_t count = node_actions(s->m.tree, n, 0);
    n->visits = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct tree_action *a = node_action(s->m.tree, n, 0) + i;
        a->n = rng_below(rng, 50);
        a->pending = a->n && rng_below(rng, 2) ? 0 : 1 + rng_below(rng, 5);
        a->mean = (float)rng_below(rng, 100000) / 1000;
        if (s->m.opt.solver == SOLVER_S && i && rng_below(rng, 4) == 0) a->pending |= ACTION_OUT;
        node_rave(s->m.tree, n, 0)[i] =
            (struct rave){(float)rng_below(rng, 100000) / 1000, rng_below(rng, 3) * rng_below(rng, 90)};
        n->visits += a->n;
    }
}

/* By the formulas: simulations on their way count as lost, RAVE is mixed with the mean or with all of it. */
static uint32_t best_by_formula(const struct scene *s)
{
    struct tree_node *n = node_of(s);
    const struct tree_action *a = node_action(s->m.tree, n, 0);
    const struct rave *rave = node_rave(s->m.tree, n, 0);
    uint32_t count = node_actions(s->m.tree, n, 0), visits = n->visits, best = 0;
    double top = -1e9;
    for (uint32_t i = 0; i < count; i++) visits += pending_of(&a[i]);
    double k = s->m.opt.rave,
           beta = s->m.opt.rave_mix == RAVE_SHORT ? k / (visits + k) : sqrt(k / (3.0 * visits + k));
    for (uint32_t i = 0; i < count; i++) {
        double tries = a[i].n + pending_of(&a[i]), mean = (double)a[i].mean * a[i].n / tries;
        bool mixed = s->m.opt.rave && rave[i].n, whole = s->m.opt.rave_mix == RAVE_THESIS;
        if (mixed && !whole) mean = beta * (double)rave[i].mean + (1 - beta) * mean;
        double value = mean + 40 * sqrt(log(visits) / tries);
        if (mixed && whole) value = beta * (double)rave[i].mean + (1 - beta) * value;
        if (!action_is(&a[i], ACTION_OUT) && value > top) top = value, best = i;
    }
    return best;
}

static void the_action_is_the_formulas(void **unused)
{
    (void)unused;
    static const uint32_t actions[] = {2, 3, 7, 128, 129, MOST};
    struct rng rng;
    rng_init(&rng, 11);
    for (size_t k = 0; k < sizeof actions / sizeof *actions; k++)
        for (uint32_t kind = 0; kind < 6; kind++) {
            struct scene *s = open_scene(actions[k]);
            s->m.opt.rave = kind % 3 ? 500 : 0;
            s->m.opt.rave_mix = kind % 3 == 1 ? RAVE_SHORT : RAVE_THESIS;
            s->m.opt.solver = kind < 3 ? SOLVER_OFF : SOLVER_S;
            for (int i = 0; i < TRIES; i++) {
                fill(s, &rng);
                struct situation where = {.nroles = 2};
                assert_int_equal(select_action(&s->hand, node_of(s), 0, &where), best_by_formula(s));
            }
            close_scene(s);
        }
}

/* Of equal actions each is taken as often. */
static void equal_actions_are_taken_at_random(void **unused)
{
    (void)unused;
    enum { ACTIONS = 200, EQUAL = 4, DRAWS = 4000 };
    struct scene *s = open_scene(ACTIONS);
    struct tree_node *n = node_of(s);
    uint32_t taken[ACTIONS] = {0};
    for (uint32_t i = 0; i < ACTIONS; i++)
        node_action(s->m.tree, n, 0)[i] =
            (struct tree_action){.move = i, .n = 3, .mean = i % 50 == 9 ? 70 : 40};
    n->visits = 3 * ACTIONS;
    rng_init(&s->hand.rng, 5);
    for (int i = 0; i < DRAWS; i++) {
        struct situation where = {.nroles = 2};
        taken[select_action(&s->hand, n, 0, &where)]++;
    }
    for (uint32_t i = 0; i < ACTIONS; i++) {
        if (i % 50 != 9)
            assert_int_equal(taken[i], 0);
        else
            assert_true(fabs((double)taken[i] / DRAWS - 1.0 / EQUAL) < 0.04);
    }
    close_scene(s);
}

/* Two choose at once, the first two moves, the second six: of the joint moves with the first's move 0 the
 * second's 1 and 3 are solved, and 5 is out. */
static void who_would_come_to_what_is_solved_tries_what_was_tried_least(void **unused)
{
    (void)unused;
    enum { FIRST = 2, SECOND = 6 };
    static const uint32_t n[SECOND] = {9, 1, 4, 0, 6, 0}, pending[SECOND] = {0, 0, 3, 0, 0, ACTION_OUT};
    uint32_t moves[SECOND] = {0, 1, 2, 3, 4, 5};
    struct list legal[2] = {{moves, FIRST, FIRST}, {moves, SECOND, SECOND}}, none[2] = {0};
    struct scene *s = open_scene(2);
    struct tree *t = s->m.tree;
    uint64_t state = 8;
    uint32_t node = tree_add(t, NULL, &state, 1, 2, false, legal);
    for (uint32_t i = 0; i < SECOND; i++) {
        struct tree_action *a = node_action(t, tree_node(t, node), 1) + i;
        a->n = n[i];
        a->pending = pending[i];
    }
    for (uint32_t i = 0; i < 4; i++) { /* children of moves 0 to 3, every other one solved */
        state = 9 + i;
        uint32_t child = tree_add(t, NULL, &state, 1, 3 + i, true, none);
        tree_link(t, node, (uint32_t[]){0, i}, child);
        assert_int_equal(tree_child(t, node, (uint32_t[]){0, i}), child);
        if (i % 2) node_set_flags(tree_node(t, child), NODE_SOLVED);
    }
    static const uint32_t goes[FIRST][SECOND] = {{0, 4, 2, 4, 4, 4}, {0, 1, 2, 3, 4, 3}};
    for (uint32_t one = 0; one < FIRST; one++)
        for (uint32_t two = 0; two < SECOND; two++) {
            uint32_t choice[] = {one, two};
            flight_avoid_solved(&s->hand, node, choice);
            assert_int_equal(choice[0], one);
            assert_int_equal(choice[1], goes[one][two]);
        }
    for (uint32_t i = 0; i < SECOND; i++) /* nothing else is left: it stays */
        action_mark(node_action(t, tree_node(t, node), 1) + i, ACTION_OUT);
    uint32_t choice[] = {0, 3};
    flight_avoid_solved(&s->hand, node, choice);
    assert_int_equal(choice[1], 3);
    close_scene(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_action_is_the_formulas),
        cmocka_unit_test(equal_actions_are_taken_at_random),
        cmocka_unit_test(who_would_come_to_what_is_solved_tries_what_was_tried_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
