// SPDX-License-Identifier: GPL-3.0-or-later
/* Whoever proves the end before the tree is asked gives nothing away there. */
#include "../field.h"

#include "player/player_internal.h"
#include "search/solver/solve.h"

#include <stdlib.h>

/* What the role gets with best play. */
static double value_of(const struct field *g, const struct state *s, uint32_t role)
{
    struct solve_options options = {.memory = (size_t)1 << 20};
    struct solve_result result;
    struct error error;
    assert_true(solve_run(g->reasoner, engine_code(g->engine), s, &options, &result, &error));
    assert_true(result.proved);
    double value = result.low[role];
    solve_result_done(&result);
    return value;
}

static bool step(const struct field *g, struct state *s, const uint32_t *joint)
{
    struct state next = {0};
    bool end;
    assert_true(g->reasoner->ops->next(g->reasoner, s, joint, &next));
    state_done(s);
    *s = next;
    assert_true(g->reasoner->ops->terminal(g->reasoner, s, &end));
    return !end;
}

/* Random moves, of the role a given one unless that is MOVE_NONE. */
static bool advance(const struct field *g, struct state *s, struct rng *rng, uint32_t role, uint32_t move)
{
    uint32_t joint[2];
    for (uint32_t r = 0; r < 2; r++) {
        struct list legal = {0};
        assert_true(g->reasoner->ops->legal(g->reasoner, s, r, &legal) && legal.n);
        joint[r] = r == role && move != MOVE_NONE ? move : legal.v[rng_below(rng, legal.n)];
        list_done(&legal);
    }
    return step(g, s, joint);
}

/* The move of a player that knows how long games last from here. */
static uint32_t move_by(const struct field *g, const char *spec, const struct state *s, uint32_t role,
                        struct budget budget)
{
    struct player_config config;
    struct error error = {0};
    uint32_t move;
    if (!player_config_parse(spec, &config, &error)) fail_msg("%s", error.text);
    struct player *p = player_new(&config, g->game, g->engine, role, 1, &error);
    assert_non_null(p);
    if (!player_goto(p, g->reasoner, s, &error)) fail_msg("%s", error.text);
    p->finish.length = 5;
    if (!player_think(p, &budget, &move, &error)) fail_msg("%s", error.text);
    player_free(p);
    return move;
}

/* In how many positions of random games, from that ply to the one with two empty cells, a move gives
 * something away. */
static uint32_t gifts(const struct field *g, const char *spec, uint32_t games, uint32_t from, uint32_t sims)
{
    uint32_t count = 0;
    struct rng rng;
    rng_init(&rng, 7);
    for (uint32_t k = 0; k < games; k++) {
        struct state s = {0};
        assert_true(g->reasoner->ops->initial(g->reasoner, &s));
        bool on = true;
        for (uint32_t ply = 0; on && ply < 8; ply++) {
            struct budget budget = {.simulations = sims + k % 8};
            uint32_t role = ply % 2, move = ply < from ? MOVE_NONE : move_by(g, spec, &s, role, budget);
            double before = ply < from ? 0 : value_of(g, &s, role);
            on = advance(g, &s, &rng, role, move);
            if (ply >= from) count += value_of(g, &s, role) < before;
        }
        state_done(&s);
    }
    return count;
}

static void nothing_is_given_away(void **unused)
{
    (void)unused;
    struct field g = open_field("ticTacToe");
    uint32_t with = gifts(&g, "champion,arm=off,finish=0.9", 60, 4, 16),
             without = gifts(&g, "champion,arm=off,finish=0,solver=e,scout=0", 60, 4, 16);
    if (with) fail_msg("%u gifts", with);
    /* the only move that was proved to keep a draw may be the image of the one that is left */
    uint32_t mirrored = gifts(&g, "champion,arm=off,finish=0.3,symmetry=on", 100, 1, 190);
    if (mirrored) fail_msg("%u gifts with symmetries", mirrored);
    assert_true(without > 0); /* so few simulations do not see everything */
    close_field(&g);
}

/* What was proved stays: asked again in the next move, the table knows. */
static void a_table_is_kept(void **unused)
{
    (void)unused;
    struct field g = open_field("ticTacToe");
    struct memo memo = {0};
    struct state s = {0};
    struct error error;
    uint64_t opened[2];
    assert_true(g.reasoner->ops->initial(g.reasoner, &s));
    for (int run = 0; run < 2; run++) {
        struct solve_options options = {.memory = (size_t)1 << 20, .memo = &memo, .turns_alone = true};
        struct solve_result result;
        assert_true(solve_run(g.reasoner, engine_code(g.engine), &s, &options, &result, &error));
        assert_true(result.proved && result.low[0] == 50 && result.high[0] == 50);
        opened[run] = result.opened;
        solve_result_done(&result);
    }
    assert_true(opened[1] * 10 < opened[0]);
    memo_done(&memo);
    state_done(&s);
    close_field(&g);
}

/* Where it is no game in turns with a constant sum, it gives up and says nothing. */
static void others_are_left_alone(void **unused)
{
    (void)unused;
    struct field g = open_field("chinook");
    struct state s = {0};
    struct error error;
    struct solve_options options = {
        .memory = (size_t)1 << 20, .budget = {.expansions = 100000}, .turns_alone = true};
    struct solve_result result;
    assert_true(g.reasoner->ops->initial(g.reasoner, &s));
    assert_true(solve_run(g.reasoner, engine_code(g.engine), &s, &options, &result, &error));
    assert_true(!result.proved && result.opened < 1000);
    assert_true(result.low[0] == 0 && result.high[0] == 100);
    solve_result_done(&result);
    state_done(&s);
    close_field(&g);
}

/* Where both may gain, what one can be sure of against an enemy is not what a position is worth. */
static void trust_is_not_proved_wrong(void **unused)
{
    (void)unused;
    struct field g = open_field_text(
        "(role me) (role you) (init (turn me))"
        "(<= (legal me safe) (true (turn me))) (<= (legal me trust) (true (turn me)))"
        "(<= (legal me noop) (not (true (turn me)))) (<= (legal you noop) (not (true (turn you))))"
        "(<= (legal you bad) (true (turn you))) (<= (legal you good) (true (turn you)))"
        "(<= (next (end s)) (does me safe)) (<= (next (turn you)) (does me trust))"
        "(<= (next (end b)) (does you bad)) (<= (next (end g)) (does you good)) (<= terminal (true (end ?x)))"
        "(<= (goal me 50) (true (end s))) (<= (goal you 50) (true (end s)))"
        "(<= (goal me 20) (true (end b))) (<= (goal you 80) (true (end b)))"
        "(<= (goal me 100) (true (end g))) (<= (goal you 100) (true (end g)))");
    struct state s = {0};
    struct list legal = {0};
    assert_true(g.reasoner->ops->initial(g.reasoner, &s));
    assert_true(g.reasoner->ops->legal(g.reasoner, &s, 0, &legal) && legal.n == 2);
    struct budget some = {.simulations = 200};
    uint32_t with = move_by(&g, "champion,arm=off,finish=0.9", &s, 0, some);
    assert_int_equal(with, move_by(&g, "champion,arm=off,finish=0", &s, 0, some));
    list_done(&legal);
    state_done(&s);
    close_field(&g);
}

/* Of a clock and a count whichever ends first. */
static void a_clock_counts_beside_a_count(void **unused)
{
    (void)unused;
    struct field g = open_field("connectFour");
    struct state s = {0};
    assert_true(g.reasoner->ops->initial(g.reasoner, &s));
    double began = clock_now();
    move_by(&g, "champion,arm=off,finish=0.9", &s, 0,
            (struct budget){.simulations = 1000000000, .deadline = began + 0.3});
    assert_true(clock_now() - began < 10); /* without: minutes */
    state_done(&s);
    close_field(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_given_away),         cmocka_unit_test(a_table_is_kept),
        cmocka_unit_test(others_are_left_alone),         cmocka_unit_test(trust_is_not_proved_wrong),
        cmocka_unit_test(a_clock_counts_beside_a_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
