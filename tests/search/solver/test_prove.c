// SPDX-License-Identifier: GPL-3.0-or-later
/* Bounds in the tree: at every moment, at every node, they enclose what looking at everything says. */
#include "../../testing.h"

#include "analysis/symmetry.h"
#include "game/engine.h"
#include "oracle.h"
#include "random_game.h"
#include "search/crew.h"
#include "search/driver.h"
#include "search/prove.h"
#include "search/solver/outcomes.h"

#include <stdio.h>

struct table {
    struct game *game;
    struct engine *engine;
    struct reasoner *r, *asked; /* the oracle has one of its own */
    const struct code *code;
    struct driver *driver;
    struct policy policy;
    struct mcts *m;
    struct oracle *oracle;
};

static struct table sit(struct game *game, struct mcts_options options, bool circuit)
{
    struct error error;
    struct table t = {.game = game};
    struct state s = {0};
    assert_non_null(game);
    if (circuit) {
        t.engine = engine_start(game, NULL, &error);
        assert_int_equal(engine_wait(t.engine, -1), ENGINE_READY);
        t.code = engine_code(t.engine);
        t.r = reasoner_circuit(game, t.code, &error);
        t.asked = reasoner_circuit(game, t.code, &error);
    } else {
        t.r = reasoner_lifted(game, 0, &error);
        t.asked = t.r; /* numbers of terms in states are the reasoner's own */
    }
    struct outcomes *o = outcomes_new(game, t.code, OUTCOMES_QUICK);
    options.tree = true;
    options.c = 40;
    options.discount = game->nroles == 1 ? 1 : 0.999f;
    options.outcomes = o;
    if (!options.memory) options.memory = (size_t)64 << 20;
    struct policy *policies[] = {&t.policy};
    t.m = mcts_new(&options, t.r, policies, 1, &error);
    t.driver = driver_new(t.r, t.code, options.lanes, &error);
    assert_non_null(t.m);
    assert_non_null(t.driver);
    outcomes_free(o);
    t.oracle = oracle_new(t.asked, 0);
    assert_true(t.r->ops->initial(t.r, &s));
    assert_true(mcts_root(t.m, &s, &(struct budget){0}, &error));
    state_done(&s);
    return t;
}

/* `t` may have been returned by value: what points into it is set here. */
static void think(struct table *t, uint64_t simulations)
{
    t->m->hands[0].policy = &t->policy;
    if (mcts_ready(t->m))
        driver_work(t->driver, &t->m->hands[0], &(struct budget){.simulations = simulations});
}

static void rise(struct table *t)
{
    oracle_free(t->oracle);
    mcts_free(t->m);
    driver_free(t->driver);
    if (t->asked != t->r) reasoner_free(t->asked);
    reasoner_free(t->r);
    engine_free(t->engine);
    game_free(t->game);
}

/* Every node of the tree; returns how many have moved from where bounds begin. */
static uint32_t check(struct table *t)
{
    struct tree *tree = t->m->tree;
    uint32_t moved = 0;
    for (uint32_t at = 1; at < tree->used; at += tree_node(tree, at)->size) {
        struct tree_node *n = tree_node(tree, at);
        struct state s = {.w = node_state(n), .words = n->words, .cap = n->words};
        const double *truth = oracle_values(t->oracle, &s);
        const struct bound *b = node_bounds(tree, n);
        if ((n->flags & NODE_TERMINAL) && !(n->flags & NODE_GOALS)) continue;
        moved += !(n->flags & NODE_TERMINAL) && (n->flags & NODE_BOUNDED);
        for (uint32_t role = 0; truth && role < t->game->nroles; role++)
            if ((double)b[role].low > truth[role] + 1e-3 || (double)b[role].high < truth[role] - 1e-3)
                fail_msg("%s: a node's bounds for %s are %f to %f, but its value is %f", t->game->name,
                         t->game->role_names[role], (double)b[role].low, (double)b[role].high, truth[role]);
    }
    return moved;
}

static void bounds_enclose_the_truth_at_every_moment(void **state)
{
    (void)state;
    uint32_t settled = 0, moved = 0;
    for (uint32_t i = 0; i < 200; i++)
        for (uint32_t how = 0; how < 4; how++) {
            struct mcts_options options = {.solver = how % 2 ? SOLVER_E : SOLVER_S,
                                           .lanes = how < 2 ? 1 : 16,
                                           .scout = how == 3 ? 2 : 0,
                                           .rave = i % 4 == 3 ? 100 : 0,
                                           .seed = i};
            struct table t = sit(random_game_load(i), options, i % 5 != 0);
            for (uint32_t round = 0; round < 25 && !t.m->settled; round++) {
                think(&t, 1 + round * 2);
                moved += check(&t);
            }
            settled += t.m->settled;
            rise(&t);
        }
    print_message("%u of 800 roots settled, %u bounded nodes looked at\n", settled, moved);
    assert_true(settled > 500);
    assert_true(moved > 5000);
}

/* With what lasts of positions, too; and it settles games earlier. */
static void bounds_from_what_lasts_enclose_the_truth(void **state)
{
    (void)state;
    static const char *const games[] = {"ticTacToe", "goofspiel4"};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t rounds[2] = {0};
        for (uint32_t on = 0; on < 2; on++) {
            struct error error;
            struct mcts_options options = {.solver = SOLVER_E, .lanes = 4, .scout = 1, .seed = i};
            struct table t = sit(game_load(games[i], 0, NULL, &error), options, true);
            if (on) t.m->opt.outlook = engine_outlook(t.engine, 0, NULL);
            assert_true(!on || t.m->opt.outlook);
            for (; !t.m->settled && rounds[on] < 400; rounds[on]++) {
                think(&t, 25);
                check(&t);
            }
            rise(&t);
        }
        print_message("%s: settled after %u simulations, %u without what lasts\n", games[i], 25 * rounds[1],
                      25 * rounds[0]);
        assert_true(rounds[1] < rounds[0]);
    }
}

static uint32_t left_at_root(const struct table *t)
{
    const struct tree *tree = t->m->tree;
    struct tree_node *n = tree_node(tree, tree->root);
    uint32_t left = 0;
    for (uint32_t i = 0; i < node_actions(tree, n, n->mover); i++)
        left += !action_is(node_action(tree, n, n->mover) + i, ACTION_OUT);
    return left;
}

static struct game *tic_tac_toe_and(const char *more)
{
    struct error error = {0};
    struct game *plain = game_load("ticTacToe", 0, NULL, &error);
    size_t size = plain->source->size + strlen(more) + 2;
    char *text = malloc(size);
    snprintf(text, size, "%.*s\n%s", (int)plain->source->size, plain->source->text, more);
    struct game *game = game_from_text("more", text, strlen(text), 0, NULL, &error);
    free(text);
    game_free(plain);
    return game;
}

/* Of moves that are each other's mirror images one is left, which proves as much: of nine first moves three;
 * where a corner is not like the others, those of one half of the board beside a diagonal; none where nothing
 * is alike. It settles the game earlier. */
static void bounds_without_mirror_images_enclose_the_truth(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        uint32_t left;
    } table[] = {{"", 3},
                 {"(<= (goal xplayer 100) (not (line x)) (true (cell 1 1 x)) (not (true (cell 1 1 x))))", 3},
                 {"(<= (next (cell 1 1 x)) (does xplayer (mark 3 3)))", 6},
                 {"(<= (next (cell 1 1 x)) (does xplayer (mark 3 2)))", 9}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t rounds[2] = {0};
        for (uint32_t on = 0; on < 2; on++) {
            struct error error;
            struct symmetry symmetry;
            struct state s = {0};
            struct mcts_options options = {.solver = SOLVER_E, .lanes = 4, .scout = 1, .seed = i};
            struct table t = sit(tic_tac_toe_and(table[i].more), options, true);
            symmetry_look(&symmetry, t.r, t.code->circuit, &(struct symmetry_limits){0});
            if (on && symmetry.n) t.m->opt.symmetry = &symmetry;
            tree_clear(t.m->tree); /* the root was added without it */
            assert_true(t.r->ops->initial(t.r, &s) && mcts_root(t.m, &s, &(struct budget){0}, &error));
            assert_int_equal(left_at_root(&t), on ? table[i].left : 9);
            for (; !t.m->settled && rounds[on] < 400; rounds[on]++) {
                think(&t, 25);
                check(&t);
            }
            state_done(&s);
            symmetry_done(&symmetry);
            rise(&t);
        }
        print_message("settled after %u simulations, %u with mirror images\n", 25 * rounds[1],
                      25 * rounds[0]);
        if (table[i].left < 6) assert_true(rounds[1] < rounds[0]);
    }
}

/* Root parallelisation: what one search proves of the root all of them know, also of moves they never tried.
 */
static void a_proof_in_one_search_is_a_proof_in_all(void **state)
{
    (void)state;
    uint32_t settled = 0, alone = 0;
    for (uint32_t i = 0; i < 120; i++) {
        struct error error;
        struct mcts_options options = {.solver = i % 2 ? SOLVER_E : SOLVER_S,
                                       .lanes = 1 + i % 3 * 4,
                                       .seed = i,
                                       .scout = i % 4 == 1 ? 3 : 0};
        struct table t = sit(random_game_load(i), options, true);
        struct mcts *first = t.m;
        struct outcomes *o = outcomes_new(t.game, t.code, OUTCOMES_QUICK);
        struct crew_options how = {.how = PARALLEL_ROOT, .threads = 3, .search = first->opt};
        struct policy policy[3] = {0}, *policies[] = {&policy[0], &policy[1], &policy[2]};
        struct state s = {0};
        how.search.outcomes = o;
        how.search.solver = options.solver;
        struct crew *c = crew_new(&how, t.r, t.code, policies, &error);
        assert_non_null(c);
        assert_true(t.r->ops->initial(t.r, &s));
        assert_true(crew_root(c, &s, &(struct budget){0}, &error));
        for (uint32_t round = 0; round < 12 && !c->searches[0]->settled; round++) {
            /* one works, and not the first; the first hears of it */
            uint32_t who = 1 + round % 2;
            driver_work(c->drivers[who], &c->searches[who]->hands[0], &(struct budget){.simulations = 60});
            bool proved = c->searches[who]->settled;
            alone += proved && !c->searches[0]->settled;
            crew_run(c, &(struct budget){.simulations = 6});
            if (proved) assert_true(c->searches[0]->settled);
            for (uint32_t k = 0; k < 3; k++) t.m = c->searches[k], check(&t);
        }
        settled += c->searches[0]->settled;
        if (c->searches[0]->settled && mcts_ready(c->searches[0])) {
            const double *truth = oracle_values(t.oracle, &s);
            for (uint32_t role = 0; truth && role < t.game->nroles; role++) {
                struct bound b = prove_root(c->searches[0], role);
                assert_true((double)b.low <= truth[role] + 1e-3 && (double)b.high >= truth[role] - 1e-3);
            }
        }
        t.m = first;
        state_done(&s);
        crew_free(c);
        outcomes_free(o);
        rise(&t);
    }
    print_message("%u of 120 roots settled, %u of them by another search\n", settled, alone);
    assert_true(settled > 60);
    assert_true(alone > 20);
}

/* A tree so small that it is collected all the time. */
static void bounds_survive_the_collector(void **state)
{
    (void)state;
    uint64_t collections = 0;
    struct error error;
    for (uint32_t i = 0; i < 12; i++) {
        struct mcts_options options = {
            .solver = SOLVER_S, .lanes = i % 2 ? 1 : 32, .memory = (size_t)400 << 10, .seed = i};
        struct table t = sit(game_load("ticTacToe", 0, NULL, &error), options, true);
        for (uint32_t round = 0; round < 20 && !t.m->settled; round++) {
            think(&t, 500);
            check(&t);
        }
        collections += t.m->tree->collections;
        rise(&t);
    }
    assert_true(collections > 20);
}

/* When it is settled, the value is the truth, and E-UCT does settle small games. */
static void small_games_are_settled(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        float value;
    } games[] = {{"ticTacToe", 50}, {"nim", 0}, {"goofspiel4", 50}, {"pmcTrap", -1}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct error error;
        struct table t = sit(game_load(games[i].name, 0, NULL, &error),
                             (struct mcts_options){.solver = SOLVER_E, .lanes = 1, .seed = 3}, true);
        think(&t, 200000);
        print_message("%s: sum %d, settled after %lu simulations, %lu nodes bounded\n", games[i].name,
                      t.m->constant_sum, (unsigned long)t.m->hands[0].stats.simulations,
                      (unsigned long)t.m->bounded);
        assert_true(t.m->settled);
        check(&t);
        if (games[i].value >= 0) assert_true(mcts_value(t.m, 0) == games[i].value);
        rise(&t);
    }
}

/* --- Mixtures */

static const char weapons[] =
    "(role left) (role right) (init fresh) (weapon rock) (weapon paper) (weapon scissors)"
    "(<= (legal ?r ?w) (role ?r) (weapon ?w)) (<= (next (shown ?r ?w)) (does ?r ?w))"
    "(<= terminal (not (true fresh))) (beats rock scissors 75) (beats paper rock 75) (beats scissors paper "
    "100)"
    "(<= (goal ?r ?v) (true (shown ?r ?a)) (true (shown ?s ?b)) (distinct ?r ?s) (beats ?a ?b ?v))"
    "(<= (goal left 25) (true (shown left ?a)) (true (shown right ?b)) (beats ?b ?a 75))"
    "(<= (goal right 25) (true (shown right ?a)) (true (shown left ?b)) (beats ?b ?a 75))"
    "(<= (goal left 0) (true (shown left ?a)) (true (shown right ?b)) (beats ?b ?a 100))"
    "(<= (goal right 0) (true (shown right ?a)) (true (shown left ?b)) (beats ?b ?a 100))"
    "(<= (goal ?r 50) (role ?r) (true (shown left ?a)) (true (shown right ?a)))";

/* How often a player plays what in a state, asked with many seeds. */
static void play_often(struct game *game, const struct code *code, struct reasoner *r, const struct state *s,
                       const struct mcts_options *how, uint64_t simulations, uint32_t seeds, double *share)
{
    struct error error;
    struct outcomes *o = outcomes_new(game, code, OUTCOMES_QUICK);
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct policy policy = {0}, *policies[] = {&policy};
        struct mcts_options options = *how;
        options.tree = true, options.c = 40, options.discount = 0.999f, options.lanes = 1;
        options.memory = (size_t)16 << 20, options.seed = seed * 7919, options.outcomes = o;
        struct mcts *m = mcts_new(&options, r, policies, 1, &error);
        struct driver *d = driver_new(r, code, 1, &error);
        uint32_t move = 0;
        assert_true(mcts_root(m, s, &(struct budget){0}, &error));
        driver_work(d, &m->hands[0], &(struct budget){.simulations = simulations});
        assert_true(mcts_best(m, 0, &move));
        struct tree_node *root = tree_node(m->tree, m->tree->root);
        for (uint32_t i = 0; i < node_actions(m->tree, root, 0); i++)
            if (node_action(m->tree, root, 0)[i].move == move) share[i] += 1.0 / seeds;
        driver_free(d);
        mcts_free(m);
    }
    outcomes_free(o);
}

/* What the first role gets when the second knows how it plays and does the best against it. */
static double exploited(struct game *game, const struct code *code, struct reasoner *r, const struct state *s,
                        const struct mcts_options *how, uint64_t simulations, uint32_t seeds)
{
    bool terminal;
    struct list legal[2] = {0};
    double share[16] = {0}, worst = 101;
    assert_true(r->ops->terminal(r, s, &terminal));
    if (terminal) {
        int goal;
        assert_true(reasoner_goal(r, s, 0, &goal));
        return goal;
    }
    for (uint32_t role = 0; role < 2; role++) assert_true(r->ops->legal(r, s, role, &legal[role]));
    if (legal[0].n == 1)
        share[0] = 1;
    else
        play_often(game, code, r, s, how, simulations, seeds, share);
    for (uint32_t b = 0; b < legal[1].n; b++) {
        double sum = 0;
        for (uint32_t a = 0; a < legal[0].n; a++) {
            struct state next = {0};
            if (share[a] == 0) continue;
            assert_true(r->ops->next(r, s, (uint32_t[]){legal[0].v[a], legal[1].v[b]}, &next));
            sum += share[a] * exploited(game, code, r, &next, how, simulations, seeds);
            state_done(&next);
        }
        if (sum < worst) worst = sum;
    }
    list_done(&legal[0]);
    list_done(&legal[1]);
    return worst;
}

static void exploit(struct game *game, uint64_t simulations, uint32_t seeds, double *solver, double *plain)
{
    struct error error;
    struct engine *engine = engine_start(game, NULL, &error);
    assert_int_equal(engine_wait(engine, -1), ENGINE_READY);
    struct reasoner *r = reasoner_circuit(game, engine_code(engine), &error);
    struct state s = {0};
    assert_true(r->ops->initial(r, &s));
    struct mcts_options e = {.solver = SOLVER_E}, off = {.solver = SOLVER_OFF};
    *solver = exploited(game, engine_code(engine), r, &s, &e, simulations, seeds);
    *plain = exploited(game, engine_code(engine), r, &s, &off, simulations, seeds);
    print_message("%s: against the best answer %.1f with the solver, %.1f without\n", game->name, *solver,
                  *plain);
    state_done(&s);
    reasoner_free(r);
    engine_free(engine);
    game_free(game);
}

static void the_equilibrium_cannot_be_exploited(void **state)
{
    (void)state;
    struct error error = {0};
    double solver, plain;
    /* drawn 400 times, shares are off by a few hundredths */
    exploit(game_from_text("weapons", weapons, strlen(weapons), 0, NULL, &error), 100, 400, &solver, &plain);
    assert_true(solver > 45);
    assert_true(plain < solver - 5);
    exploit(game_load("goofspiel4", 0, NULL, &error), 1500, 12, &solver, &plain);
    assert_true(solver > 45);
    assert_true(plain < solver - 5);
}

/* Two roles make any moves, so many steps long. False: the game was over before. */
static bool go_on(struct reasoner *r, struct state *s, uint32_t steps, uint64_t seed)
{
    struct rng rng;
    bool terminal = false;
    rng_init(&rng, seed);
    for (uint32_t i = 0; i < steps && !terminal; i++) {
        struct state next = {0};
        uint32_t joint[2];
        for (uint32_t role = 0; role < 2; role++) {
            struct list legal = {0};
            assert_true(r->ops->legal(r, s, role, &legal));
            joint[role] = legal.v[rng_below(&rng, legal.n)];
            list_done(&legal);
        }
        assert_true(r->ops->next(r, s, joint, &next));
        assert_true(r->ops->terminal(r, &next, &terminal));
        state_copy(s, &next);
        state_done(&next);
    }
    return !terminal;
}

/* What the first role gets by its shares against the best answer, when both play on without a fault; `least`:
 * the same for the worst move there is. */
static double answered(struct reasoner *r, struct oracle *oracle, const struct state *s, const double *share,
                       double *least)
{
    struct list legal[2] = {0};
    double worst = 101;
    *least = 101;
    for (uint32_t role = 0; role < 2; role++) assert_true(r->ops->legal(r, s, role, &legal[role]));
    for (uint32_t b = 0; b < legal[1].n; b++) {
        double sum = 0;
        for (uint32_t a = 0; a < legal[0].n; a++) {
            struct state next = {0};
            assert_true(r->ops->next(r, s, (uint32_t[]){legal[0].v[a], legal[1].v[b]}, &next));
            double value = oracle_values(oracle, &next)[0];
            sum += share[a] * value;
            if (value < *least) *least = value;
            state_done(&next);
        }
        if (sum < worst) worst = sum;
    }
    list_done(&legal[0]);
    list_done(&legal[1]);
    return worst;
}

/* Bids in Bidding Tic-Tac-Toe, with five cells left to mark. */
static void bids_cannot_be_exploited(void **state)
{
    (void)state;
    struct error error = {0};
    struct game *game = game_load("biddingTicTacToe", 0, NULL, &error);
    struct engine *engine = engine_start(game, NULL, &error);
    assert_int_equal(engine_wait(engine, -1), ENGINE_READY);
    const struct code *code = engine_code(engine);
    struct reasoner *r = reasoner_circuit(game, code, &error);
    struct oracle *oracle = oracle_new(r, 0);
    double solver = 0, plain = 0, worth = 0;
    uint32_t positions = 0, faults = 0;
    for (uint64_t seed = 1; positions < 12; seed++) {
        struct mcts_options e = {.solver = SOLVER_E}, off = {.solver = SOLVER_OFF};
        double drawn[16] = {0}, best[16] = {0}, least, value;
        struct state s = {0};
        assert_true(r->ops->initial(r, &s));
        bool open = go_on(r, &s, 8, seed);
        value = open ? oracle_values(oracle, &s)[0] : 0;
        if (open) answered(r, oracle, &s, drawn, &least);
        if (open && value < 100 && least < value) { /* there is something to lose, and to win */
            play_often(game, code, r, &s, &e, 40000, 2, drawn);
            play_often(game, code, r, &s, &off, 400, 10, best);
            double with = answered(r, oracle, &s, drawn, &least),
                   without = answered(r, oracle, &s, best, &least);
            assert_true(with > value - 1.01); /* nearly solved is to within a point */
            solver += with, plain += without, worth += value, positions++;
            faults += without < value - 1;
        }
        state_done(&s);
    }
    print_message(
        "bids in %u positions: worth %.1f; against the best answer %.1f with the solver, %.1f without, "
        "which loses something in %u\n",
        positions, worth / positions, solver / positions, plain / positions, faults);
    assert_true(plain < solver - positions);
    oracle_free(oracle);
    reasoner_free(r);
    engine_free(engine);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_enclose_the_truth_at_every_moment),
        cmocka_unit_test(bounds_from_what_lasts_enclose_the_truth),
        cmocka_unit_test(bounds_without_mirror_images_enclose_the_truth),
        cmocka_unit_test(a_proof_in_one_search_is_a_proof_in_all),
        cmocka_unit_test(bounds_survive_the_collector),
        cmocka_unit_test(small_games_are_settled),
        cmocka_unit_test(the_equilibrium_cannot_be_exploited),
        cmocka_unit_test(bids_cannot_be_exploited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
