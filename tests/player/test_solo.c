// SPDX-License-Identifier: GPL-3.0-or-later
/* The line of a player alone: kept through moves, engines and wrong claims. */
#include "../testing.h"

#include "player/player.h"

static struct game *game;
static struct engine *engine;
static struct reasoner *lifted, *circuit;
static struct state lifted_root, circuit_root;

static int set_up(void **state)
{
    struct error error;
    (void)state;
    game = game_load("hanoi", 0, NULL, &error);
    engine = game ? engine_start(game, NULL, &error) : NULL;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY) return 1;
    lifted = reasoner_lifted(game, 0, &error);
    circuit = reasoner_circuit(game, engine_code(engine), &error);
    return !lifted || !circuit || !lifted->ops->initial(lifted, &lifted_root) ||
           !circuit->ops->initial(circuit, &circuit_root);
}

static int tear_down(void **state)
{
    (void)state;
    state_done(&lifted_root);
    state_done(&circuit_root);
    reasoner_free(lifted);
    reasoner_free(circuit);
    engine_free(engine);
    game_free(game);
    return 0;
}

static const struct budget enough = {.steps = 3000000};

static void a_solution_is_played_to_its_end_without_another_search(void **state)
{
    struct solo *s = solo_new(SOLO_RACE, (size_t)64 << 20, 1);
    struct state here = {0}, next = {0};
    uint32_t move, made = 0;
    bool ended = false;
    (void)state;
    assert_true(state_copy(&here, &circuit_root));
    while (!ended) {
        assert_true(solo_think(s, circuit, engine_code(engine), &here,
                               made ? &(struct budget){.steps = 1} : &enough, &move));
        assert_true(solo_report(s)->solved);
        assert_true(circuit->ops->next(circuit, &here, &move, &next));
        assert_true(state_copy(&here, &next));
        assert_true(circuit->ops->terminal(circuit, &here, &ended));
        solo_moved(s, move);
        made++;
    }
    assert_int_equal(made, 31);
    state_done(&here);
    state_done(&next);
    solo_free(s);
}

static uint32_t states_met(const struct solo *s)
{
    uint32_t n = 0;
    assert_int_equal(sscanf(solo_report(s)->entrants[0].note, "%u states", &n), 1);
    return n;
}

static void what_is_open_stays_open_after_a_move(void **state)
{
    struct error error;
    struct game *sliding = game_load("eightPuzzle", 0, NULL, &error);
    struct engine *ready = engine_start(sliding, NULL, &error);
    assert_int_equal(engine_wait(ready, -1), ENGINE_READY);
    struct reasoner *r = reasoner_circuit(sliding, engine_code(ready), &error);
    struct solo *s = solo_new(SOLO_PLAN, (size_t)64 << 20, 1);
    struct state here = {0}, next = {0};
    uint32_t move, n, before = 0, made = 0;
    const uint32_t *moves;
    (void)state;
    assert_true(r->ops->initial(r, &here));
    while (solo_line(s, &moves, &n) < 90 && made < 40) {
        assert_true(solo_think(s, r, engine_code(ready), &here, &(struct budget){.steps = 200}, &move));
        assert_true(states_met(s) > before);
        before = states_met(s);
        assert_true(r->ops->next(r, &here, &move, &next));
        assert_true(state_copy(&here, &next));
        solo_moved(s, move);
        made++;
    }
    assert_true(made > 2); /* or there was nothing to be kept */
    assert_true(solo_line(s, &moves, &n) >= 90);
    state_done(&here);
    state_done(&next);
    solo_free(s);
    reasoner_free(r);
    engine_free(ready);
    game_free(sliding);
}

static void the_line_survives_a_change_of_engine(void **state)
{
    struct solo *s = solo_new(SOLO_BREADTH, (size_t)64 << 20, 1);
    uint32_t move, n;
    const uint32_t *moves;
    (void)state;
    assert_true(solo_think(s, lifted, NULL, &lifted_root, &enough, &move));
    assert_int_equal(solo_line(s, &moves, &n), 100);
    assert_int_equal(n, 31);
    solo_carry(s, lifted, circuit);
    assert_int_equal(solo_line(s, &moves, &n), 100);
    /* no time to find it again: it is played because it is kept, and because it holds */
    assert_true(
        solo_think(s, circuit, engine_code(engine), &circuit_root, &(struct budget){.steps = 1}, &move));
    assert_int_equal(solo_line(s, &moves, &n), 100);
    assert_int_equal(n, 31);
    assert_int_equal(move, moves[0]);
    solo_free(s);
}

static void a_line_that_does_not_hold_is_given_up(void **state)
{
    struct solo *s = solo_new(SOLO_IDA_START, (size_t)64 << 20, 1);
    struct list legal = {0};
    uint32_t wrong[2], move, n;
    const uint32_t *moves;
    (void)state;
    assert_true(circuit->ops->legal(circuit, &circuit_root, 0, &legal));
    wrong[0] = wrong[1] = legal.v[0];
    solo_moved(s, 0); /* the start is over: nothing is searched */
    solo_offer(s, 100, wrong, 2, "a liar");
    assert_int_equal(solo_line(s, &moves, &n), 100);
    assert_false(solo_think(s, circuit, engine_code(engine), &circuit_root, &enough, &move));
    assert_int_equal(solo_line(s, &moves, &n), -1);
    list_done(&legal);
    solo_free(s);
}

static void another_move_than_the_lines_ends_the_line(void **state)
{
    struct solo *s = solo_new(SOLO_RACE, (size_t)64 << 20, 1);
    uint32_t move, n;
    const uint32_t *moves;
    (void)state;
    assert_true(solo_think(s, circuit, engine_code(engine), &circuit_root, &enough, &move));
    solo_moved(s, move + 1);
    assert_int_equal(solo_line(s, &moves, &n), -1);
    assert_false(solo_report(s)->solved && solo_line(s, &moves, &n) >= 0);
    solo_free(s);
}

/* The whole player on the lifted engine: found once, played to the end. */
static void a_player_follows_its_line(void **state)
{
    struct error error = {0};
    struct player_config config;
    struct state here = {0}, next = {0};
    uint32_t joint, mine;
    bool ended = false;
    int goal;
    (void)state;
    assert_true(player_config_parse("champion,memory=64", &config, &error));
    struct player *p = player_new(&config, game, NULL, 0, 1, &error);
    assert_non_null(p);
    assert_true(state_copy(&here, &lifted_root));
    for (uint32_t made = 0; !ended; made++) {
        assert_true(player_think(p, made ? &(struct budget){.steps = 1} : &enough, &joint, &error));
        assert_true(reasoner_carry_move(lifted, player_reasoner(p), 0, joint, &mine));
        assert_true(player_advance(p, lifted, &mine, &error));
        assert_true(lifted->ops->next(lifted, &here, &mine, &next));
        assert_true(state_copy(&here, &next));
        assert_true(lifted->ops->terminal(lifted, &here, &ended));
    }
    assert_true(reasoner_goal(lifted, &here, 0, &goal));
    assert_int_equal(goal, 100);
    player_free(p);
    state_done(&here);
    state_done(&next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_is_played_to_its_end_without_another_search),
        cmocka_unit_test(what_is_open_stays_open_after_a_move),
        cmocka_unit_test(the_line_survives_a_change_of_engine),
        cmocka_unit_test(a_line_that_does_not_hold_is_given_up),
        cmocka_unit_test(another_move_than_the_lines_ends_the_line),
        cmocka_unit_test(a_player_follows_its_line),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
