// SPDX-License-Identifier: GPL-3.0-or-later
/* What is proved is true: every search against the oracle, on random games and on games of the library. */
#include "../../legal.h"

#include "game/engine.h"
#include "oracle.h"
#include "random_game.h"
#include "search/solver/solve.h"

#include <math.h>
#include <stdio.h>

struct table {
    struct game *game;
    struct engine *engine;
    struct reasoner *r;
    const struct code *code;
};

static struct table sit(struct game *game, bool circuit)
{
    struct error error;
    struct table t = {.game = game};
    assert_non_null(game);
    if (circuit) {
        t.engine = engine_start(game, NULL, &error);
        assert_int_equal(engine_wait(t.engine, -1), ENGINE_READY);
        t.code = engine_code(t.engine);
        t.r = reasoner_circuit(game, t.code, &error);
    } else
        t.r = reasoner_lifted(game, 0, &error);
    assert_non_null(t.r);
    return t;
}

static void rise(struct table *t)
{
    reasoner_free(t->r);
    engine_free(t->engine);
    game_free(t->game);
}

/* The line must be legal, and where it ends at an end the goals must be the value. */
static void check_line(struct table *t, const struct state *from, const struct solve_result *result)
{
    struct state s = {0}, next = {0};
    bool end;
    assert_true(state_copy(&s, from));
    for (uint32_t i = 0; i < result->steps; i++) {
        const uint32_t *joint = result->line + i * t->game->nroles;
        for (uint32_t role = 0; role < t->game->nroles; role++) {
            assert_true(legal_in(t->r, &s, role, joint[role]));
        }
        assert_true(t->r->ops->next(t->r, &s, joint, &next));
        assert_true(state_copy(&s, &next));
    }
    assert_true(t->r->ops->terminal(t->r, &s, &end));
    assert_int_equal(end, result->line_ends);
    for (uint32_t role = 0; end && role < t->game->nroles; role++) {
        int goal;
        assert_true(reasoner_goal(t->r, &s, role, &goal));
        assert_int_equal(goal, (int)result->low[role]);
    }
    state_done(&s);
    state_done(&next);
}

static bool random_constant = true; /* the game at hand has a constant sum: what is assumed is true */

static void check(struct table *t, struct oracle *o, const struct state *s, struct solve_options options)
{
    struct solve_result result;
    struct error error = {0};
    options.memory = (size_t)1 << 20;
    if (!solve_run(t->r, t->code, s, &options, &result, &error)) fail_msg("%s", error.text);
    const double *truth = oracle_values(o, s);
    bool constant = random_constant || !result.sum_assumed;
    if (truth && constant) {
        assert_true(result.proved);
        for (uint32_t role = 0; role < t->game->nroles; role++) {
            if (fabs(result.low[role] - truth[role]) > 2e-6 || fabs(result.high[role] - truth[role]) > 2e-6)
                fail_msg("%s: %s gets %f to %f by %s, in truth %f", t->game->name, t->game->role_names[role],
                         result.low[role], result.high[role], solve_method_names[result.method], truth[role]);
        }
    }
    if (result.proved && constant && !result.at_once && result.method != SOLVE_BACKWARD)
        check_line(t, s, &result);
    solve_result_done(&result);
}

static void random_games_are_solved(void **state)
{
    (void)state;
    static const enum solve_method methods[] = {SOLVE_AUTO, SOLVE_DEPTH_FIRST, SOLVE_PROOF_NUMBER,
                                                SOLVE_BACKWARD, SOLVE_MAX_N};
    uint32_t kinds[2] = {0, 0};
    for (uint32_t i = 0; i < 200; i++) {
        struct table t = sit(random_game_load(i), i % 3 != 0);
        struct state s = {0};
        assert_true(t.r->ops->initial(t.r, &s));
        struct oracle *o = oracle_new(t.r, 0);
        kinds[oracle_values(o, &s) != NULL]++;
        random_constant = random_game_kind(i).constant_sum;
        for (uint32_t m = 0; m < 5; m++) {
            if (methods[m] == SOLVE_MAX_N && random_game_kind(i).at_once) continue;
            check(&t, o, &s, (struct solve_options){.method = methods[m], .outlook = i % 2});
            check(&t, o, &s, (struct solve_options){.method = methods[m], .shortest = true});
        }
        oracle_free(o);
        state_done(&s);
        rise(&t);
    }
    random_constant = true;
    assert_true(kinds[1] > 190);
}

/* Limits of every size: what is claimed before the end encloses the truth. */
static void unfinished_searches_claim_nothing_false(void **state)
{
    (void)state;
    uint32_t unfinished = 0;
    for (uint32_t i = 0; i < 200; i++) {
        struct table t = sit(random_game_load(i), true);
        struct state s = {0};
        assert_true(t.r->ops->initial(t.r, &s));
        struct oracle *o = oracle_new(t.r, 0);
        const double *truth = oracle_values(o, &s);
        for (uint32_t opened = 1; truth && opened < 40; opened += 3)
            for (uint32_t m = SOLVE_AUTO; m <= SOLVE_BACKWARD; m++) {
                struct solve_options options = {
                    .method = m, .memory = (size_t)1 << 20, .outlook = i % 2, .budget.expansions = opened};
                struct solve_result result;
                struct error error = {0};
                if (!solve_run(t.r, t.code, &s, &options, &result, &error)) fail_msg("%s", error.text);
                bool constant = random_game_kind(i).constant_sum || !result.sum_assumed;
                for (uint32_t role = 0; role < t.game->nroles && constant && t.game->nroles <= 2; role++)
                    assert_true(result.low[role] <= truth[role] + 2e-6 &&
                                result.high[role] >= truth[role] - 2e-6);
                unfinished += !result.proved;
                solve_result_done(&result);
            }
        oracle_free(o);
        state_done(&s);
        rise(&t);
    }
    assert_true(unfinished > 500);
}

static void library_games_are_solved_as_by_full_search(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
        uint64_t positions;
    } games[] = {{"ticTacToe", 50, 5478}, {"nim", 0, 0}, {"goofspiel4", 50, 0}, {"goofspiel5", 50, 0}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct error error;
        struct table t = sit(game_load(games[i].name, 0, NULL, &error), true);
        struct state s = {0};
        assert_true(t.r->ops->initial(t.r, &s));
        struct oracle *o = oracle_new(t.r, 0);
        assert_true(fabs(oracle_values(o, &s)[0] - games[i].value) < 1e-6);
        if (games[i].positions) assert_int_equal(oracle_positions(o), games[i].positions);
        for (uint32_t m = SOLVE_AUTO; m <= SOLVE_BACKWARD; m++)
            check(&t, o, &s, (struct solve_options){.method = m, .outlook = true});
        oracle_free(o);
        state_done(&s);
        rise(&t);
    }
}

/* Which goals there can be, and that they add up, is known from the rules. */
static void outcomes_come_from_the_rules(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t n;
        bool constant;
    } games[] = {{"ticTacToe", 3, true}, {"connectFour", 3, true}, {"breakthrough", 2, true},
                 {"nim", 2, true},       {"goofspiel5", 3, true},  {"sheepAndWolf", 2, true},
                 {"clobber", 2, true},   {"othello", 3, true},     {"battle", 0, false},
                 {"runners", 0, false},  {"skirmish", 0, false}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct error error;
        struct table t = sit(game_load(games[i].name, 0, NULL, &error), true);
        struct outcomes *o = outcomes_new(t.game, t.code, OUTCOMES_THOROUGH),
                        *lifted = outcomes_new(t.game, NULL, 0);
        assert_non_null(o);
        print_message("%s: %u values, constant sum %d of %d after %lu splits\n", games[i].name, o->n[0],
                      o->constant_sum, o->sum, (unsigned long)o->assignments);
        assert_int_equal(o->constant_sum, games[i].constant);
        if (games[i].n) assert_int_equal(o->n[0], games[i].n);
        /* without the circuit there are at least these */
        for (uint32_t role = 0; role < o->nroles; role++)
            for (uint32_t k = 0; k < o->n[role]; k++) {
                uint32_t at = 0;
                while (at < lifted->n[role] && lifted->value[role][at] != o->value[role][k]) at++;
                assert_true(at < lifted->n[role]);
            }
        outcomes_free(o);
        outcomes_free(lifted);
        rise(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_games_are_solved),
        cmocka_unit_test(unfinished_searches_claim_nothing_false),
        cmocka_unit_test(library_games_are_solved_as_by_full_search),
        cmocka_unit_test(outcomes_come_from_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
