// SPDX-License-Identifier: GPL-3.0-or-later
/* Games in lanes against the same games one state at a time. Run a second time with the argument `gpu` and a
 * driver library whose device is the processor: what its batches show can be read here like any memory. */
#include "../testing.h"

#include <ludens.h>

#include <stdio.h>
#include <stdlib.h>

struct table {
    struct ludens_game *game;
    struct ludens_engine *engine;
    struct ludens_batch *batch;
    struct ludens_state **states; /* one for each lane, played along */
    uint32_t lanes, roles;
    uint64_t draws;
};

static uint32_t draw(struct table *t, uint32_t n)
{
    t->draws = t->draws * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((t->draws >> 33) % n);
}

static enum ludens_device device;

/* On a device that is the processor, under a sanitizer, a step takes a hundred times as long. */
static bool is_slow(void)
{
    return SANITIZED && device == LUDENS_GPU;
}

static struct table *sit(const char *game, const struct ludens_batch_options *wishes)
{
    struct ludens_error error = {0};
    struct table *t = calloc(1, sizeof *t);
    struct ludens_batch_options with_device = *wishes, *options = &with_device;
    options->device = device;
    if (!(t->game = ludens_game_load(game, &error)) ||
        !(t->engine = ludens_engine_open(t->game, LUDENS_CIRCUIT, &error)) ||
        !(t->batch = ludens_batch_new(t->game, options, &error)))
        fail_msg("%s", error.text);
    t->lanes = options->lanes;
    t->roles = ludens_game_roles(t->game);
    t->states = calloc(t->lanes, sizeof *t->states);
    for (uint32_t i = 0; i < t->lanes; i++) t->states[i] = ludens_state_new(t->engine, &error);
    return t;
}

static void leave(struct table *t)
{
    for (uint32_t i = 0; i < t->lanes; i++) ludens_state_free(t->states[i]);
    free(t->states);
    ludens_batch_free(t->batch);
    ludens_engine_free(t->engine);
    ludens_game_free(t->game);
    free(t);
}

/* Everything the batch says of its lanes is what the states say. */
static void must_agree(struct table *t)
{
    uint32_t stride = ludens_batch_stride(t->batch), facts = ludens_engine_facts(t->engine);
    uint64_t *bits = calloc(facts / 64 + 1, 8);
    for (uint32_t role = 0; role < t->roles; role++) {
        const uint8_t *legal = ludens_batch_legal(t->batch, role, NULL);
        const uint32_t *counts = ludens_batch_counts(t->batch, role, NULL);
        assert_int_equal(ludens_batch_moves(t->batch, role), ludens_engine_moves(t->engine, role));
        for (uint32_t lane = 0; lane < t->lanes; lane++) {
            const uint32_t *moves;
            uint32_t n, sum = 0;
            bool over;
            assert_true(ludens_state_terminal(t->states[lane], &over, NULL));
            assert_true(ludens_state_moves(t->states[lane], role, &moves, &n, NULL));
            if (over) n = 0;
            assert_int_equal(counts[lane], n);
            for (uint32_t i = 0; i < n; i++) assert_int_equal(legal[moves[i] * stride + lane], 1);
            for (uint32_t m = 0; m < ludens_batch_moves(t->batch, role); m++) sum += legal[m * stride + lane];
            assert_int_equal(sum, n);
        }
    }
    const uint8_t *states = ludens_batch_states(t->batch);
    const uint64_t *packed = ludens_batch_packed(t->batch), *planes = ludens_batch_bit_planes(t->batch);
    uint32_t n = ludens_batch_planes(t->batch), words = (n + 63) / 64;
    for (uint32_t lane = 0; lane < t->lanes; lane++) {
        assert_int_equal(ludens_state_bits(t->states[lane], bits, facts / 64 + 1), (facts + 63) / 64);
        for (uint32_t i = 0; i < n; i++) {
            bool opposite;
            uint32_t fact = ludens_batch_plane_fact(t->batch, i, &opposite);
            unsigned want = (bits[fact / 64] >> fact % 64 & 1) ^ opposite;
            assert_int_equal(states[i * stride + lane], want);
            assert_int_equal(packed[lane * words + i / 64] >> i % 64 & 1, want);
            assert_int_equal(planes[i * (stride / 64) + lane / 64] >> lane % 64 & 1, want);
        }
        struct ludens_state *got = ludens_batch_get(t->batch, lane, t->engine, NULL);
        assert_true(ludens_state_equal(got, t->states[lane]));
        ludens_state_free(got);
    }
    free(bits);
}

/* A joint move of every lane, drawn by us and made by both. */
static void step(struct table *t, bool joint)
{
    int32_t *given = calloc((size_t)t->lanes * t->roles, sizeof *given);
    const uint8_t *player = ludens_batch_player(t->batch);
    struct ludens_error error = {0};
    for (uint32_t lane = 0; lane < t->lanes; lane++) {
        uint32_t moves[64];
        bool over;
        ludens_state_terminal(t->states[lane], &over, NULL);
        for (uint32_t role = 0; role < t->roles && !over; role++) {
            const uint32_t *legal;
            uint32_t n;
            assert_true(ludens_state_moves(t->states[lane], role, &legal, &n, NULL));
            if (n > 1 && !joint) assert_int_equal(player[lane], role);
            moves[role] = legal[draw(t, n)];
            if (joint) given[lane * t->roles + role] = (int32_t)moves[role];
        }
        if (over) continue;
        if (!joint) given[lane] = (int32_t)moves[player[lane]];
        if (!ludens_state_play(t->states[lane], moves, &error)) fail_msg("%s", error.text);
    }
    bool good =
        joint ? ludens_batch_step_joint(t->batch, given, &error) : ludens_batch_step(t->batch, given, &error);
    if (!good) fail_msg("%s", error.text);
    free(given);
}

/* Ended games have their goals; with `keep` they stay, else the lane is at the beginning. */
static uint32_t check_ends(struct table *t, bool keep)
{
    const uint8_t *ended = ludens_batch_ended(t->batch);
    const int16_t *goals = ludens_batch_goals(t->batch);
    const float *rewards = ludens_batch_rewards(t->batch);
    uint32_t stride = ludens_batch_stride(t->batch), n = 0;
    for (uint32_t lane = 0; lane < t->lanes; lane++) {
        bool over;
        assert_true(ludens_state_terminal(t->states[lane], &over, NULL));
        assert_int_equal(ended[lane], over);
        for (uint32_t role = 0; role < t->roles; role++) {
            int goal = LUDENS_NO_GOAL;
            if (over) assert_true(ludens_state_goal(t->states[lane], role, &goal, NULL));
            assert_int_equal(goals[role * stride + lane], goal);
            assert_true(rewards[role * stride + lane] == (goal > 0 ? (float)goal / 100 : 0));
        }
        n += over;
        if (!over || keep) continue;
        ludens_state_free(t->states[lane]);
        t->states[lane] = ludens_state_new(t->engine, NULL);
    }
    return n;
}

static void play_along(const char *game, const struct ludens_batch_options *options, bool joint, int steps)
{
    struct table *t = sit(game, options);
    uint32_t ends = 0;
    must_agree(t);
    for (int i = 0; i < steps; i++) {
        step(t, joint);
        ends += check_ends(t, options->keep);
        if (i % 7 == 0) must_agree(t);
    }
    assert_true(ends > 0);
    if (options->keep) assert_true(ends > t->lanes);
    leave(t);
}

static void lanes_play_what_states_play(void **state)
{
    play_along("ticTacToe", &(struct ludens_batch_options){.lanes = 70, .threads = 1}, false, 40);
    play_along("connectFour", &(struct ludens_batch_options){.lanes = 530, .threads = 2}, false,
               is_slow() ? 22 : 45);
    play_along("chineseCheckers3", &(struct ludens_batch_options){.lanes = 3, .threads = 1}, false, 150);
}

static void roles_may_choose_at_once(void **state)
{
    play_along("goofspiel5", &(struct ludens_batch_options){.lanes = 65}, true, 20);
    play_along("ticTacToe", &(struct ludens_batch_options){.lanes = 64}, true, 20);
}

static void ended_games_stay_when_they_are_to_be_kept(void **state)
{
    play_along("ticTacToe", &(struct ludens_batch_options){.lanes = 100, .keep = true}, false, 20);
}

static void only_one_role_of_those_who_choose_at_once_cannot_be_told(void **state)
{
    struct table *t = sit("goofspiel5", &(struct ludens_batch_options){.lanes = 2});
    struct ludens_error error = {0};
    assert_false(ludens_batch_step(t->batch, (int32_t[]){0, 0}, &error));
    assert_non_null(strstr(error.text, "several roles choose"));
    assert_true(ludens_batch_step(t->batch, NULL, &error));
    leave(t);
}

static void an_illegal_move_in_one_lane_moves_none(void **state)
{
    struct table *t = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 600});
    struct ludens_error error = {0};
    int32_t actions[600];
    const uint8_t *legal = ludens_batch_legal(t->batch, LUDENS_PLAYER, NULL);
    uint32_t stride = ludens_batch_stride(t->batch), move = 0;
    while (!legal[move * stride]) move++;
    for (int i = 0; i < 600; i++) actions[i] = (int32_t)move;
    for (int bad = 0; bad < 3; bad++) {
        actions[598] = bad == 0 ? 1000000 : bad == 1 ? -3 : INT32_MIN;
        assert_false(ludens_batch_step(t->batch, actions, &error));
        assert_int_equal(error.code, LUDENS_INPUT);
        assert_non_null(strstr(error.text, "lane 598"));
    }
    must_agree(t); /* still at the beginning */
    actions[598] = LUDENS_RANDOM;
    assert_true(ludens_batch_step(t->batch, actions, &error));
    assert_false(ludens_batch_step(t->batch, actions, &error)); /* the cell is taken */
    assert_non_null(strstr(error.text, "is not legal for oplayer"));
    leave(t);
}

/* A hash of all states after so many random steps. */
static uint64_t wander(uint32_t threads, uint64_t seed, int steps)
{
    struct table *t =
        sit("breakthrough", &(struct ludens_batch_options){.lanes = 1100, .threads = threads, .seed = seed});
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < steps; i++) assert_true(ludens_batch_step(t->batch, NULL, NULL));
    const uint64_t *packed = ludens_batch_packed(t->batch);
    for (uint32_t i = 0; i < 1100 * ((ludens_batch_planes(t->batch) + 63) / 64); i++)
        hash = (hash ^ packed[i]) * 1099511628211u;
    leave(t);
    return hash;
}

static void random_steps_hang_on_the_seed_alone(void **state)
{
    assert_true(wander(1, 7, 30) == wander(3, 7, 30));
    assert_true(wander(1, 7, 30) != wander(1, 8, 30));
}

static void random_games_are_counted_inside(void **state)
{
    struct table *t =
        sit("ticTacToe", &(struct ludens_batch_options){.lanes = 1000, .threads = 2, .seed = 3});
    struct ludens_batch_tally tally;
    struct ludens_stop stop = {0};
    uint64_t steps = is_slow() ? 500 : 2000;
    double doubt = is_slow() ? 0.7 : 0.35;
    assert_true(ludens_batch_play(t->batch, steps, NULL, &tally, NULL));
    double games = (double)tally.games;
    /* random games of Tic-Tac-Toe: 58.5% won by x, 28.8% by o, 12.7% drawn, 7.63 moves */
    assert_true(games > 100 * (double)steps && tally.undefined == 0);
    assert_float_equal(tally.goals[0] / games, 64.85, doubt);
    assert_float_equal(tally.goals[1] / games, 35.15, doubt);
    assert_true((double)tally.steps / games > 7.5 && (double)tally.steps / games < 7.75);
    ludens_stop_raise(&stop);
    assert_true(ludens_batch_play(t->batch, UINT64_MAX, &stop, &tally, NULL));
    assert_int_equal(tally.steps, 0);
    /* and what follows is a sound game */
    ludens_batch_reset(t->batch, NULL);
    for (int i = 0; i < 12; i++) step(t, false), check_ends(t, false);
    must_agree(t);
    leave(t);
}

static void games_that_go_on_for_too_long_are_given_up(void **state)
{
    struct table *t = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 90, .max_steps = 4});
    const uint8_t *ended = NULL;
    for (int i = 0; i < 4; i++) {
        assert_true(ludens_batch_step(t->batch, NULL, NULL));
        ended = ludens_batch_ended(t->batch);
        for (uint32_t lane = 0; lane < 90; lane++) assert_int_equal(ended[lane], i == 3 ? 2 : 0);
    }
    assert_int_equal(ludens_batch_goals(t->batch)[5], LUDENS_NO_GOAL);
    must_agree(t); /* all begin anew */
    leave(t);
}

static void loaded_games_that_have_ended_are_over(void **state)
{
    struct table *t = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 3, .keep = true});
    struct table *u = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 3});
    for (int i = 0; i < 9; i++) step(t, false);
    ludens_batch_load(u->batch, ludens_batch_packed(t->batch));
    for (int i = 0; i < 2; i++) {
        for (uint32_t lane = 0; lane < 3; lane++) {
            struct ludens_state *s = ludens_batch_get(u->batch, lane, u->engine, NULL);
            char is[300], was[300];
            ludens_state_print(s, is, sizeof is);
            ludens_state_print(t->states[lane], was, sizeof was);
            assert_string_equal(is, was);
            assert_int_equal(ludens_batch_ended(u->batch)[lane], 1);
            assert_int_equal(ludens_batch_counts(u->batch, 0, NULL)[lane], 0);
            ludens_state_free(s);
        }
        assert_true(ludens_batch_step(u->batch, NULL, NULL));
    }
    leave(t);
    leave(u);
}

static void lanes_that_wait_stand_still(void **state)
{
    struct table *t = sit("connectFour", &(struct ludens_batch_options){.lanes = 80});
    int32_t actions[80];
    for (int i = 0; i < 5; i++) step(t, false);
    for (int i = 0; i < 80; i++) actions[i] = LUDENS_WAIT;
    assert_true(ludens_batch_step(t->batch, actions, NULL));
    must_agree(t);
    actions[70] = LUDENS_RANDOM;
    assert_true(ludens_batch_step(t->batch, actions, NULL));
    ludens_state_free(t->states[70]);
    t->states[70] = ludens_batch_get(t->batch, 70, t->engine, NULL);
    must_agree(t);
    leave(t);
}

static void lanes_can_be_reset_and_given_states(void **state)
{
    struct table *t = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 66});
    struct ludens_error error = {0};
    uint8_t which[66] = {0};
    for (int i = 0; i < 3; i++) step(t, false);
    which[65] = 1;
    ludens_batch_reset(t->batch, which);
    ludens_state_free(t->states[65]);
    t->states[65] = ludens_state_new(t->engine, NULL);
    must_agree(t);
    uint64_t before[66 * 2];
    assert_true(ludens_batch_planes(t->batch) <= 128);
    memcpy(before, ludens_batch_packed(t->batch), 66 * (ludens_batch_planes(t->batch) + 63) / 64 * 8);
    for (int i = 0; i < 5; i++) ludens_batch_step(t->batch, NULL, NULL);
    ludens_batch_load(t->batch, before);
    must_agree(t);
    ludens_state_free(t->states[2]);
    t->states[2] = ludens_state_read(t->engine, "(cell 1 1 x) (control oplayer)", &error);
    if (!t->states[2]) fail_msg("%s", error.text);
    assert_true(ludens_batch_put(t->batch, 2, t->states[2], &error));
    must_agree(t);
    struct ludens_state *won =
        ludens_state_read(t->engine, "(cell 1 1 x) (cell 2 2 x) (cell 3 3 x) (control oplayer)", &error);
    assert_non_null(won);
    assert_false(ludens_batch_put(t->batch, 2, won, &error));
    assert_false(ludens_batch_put(t->batch, 66, t->states[2], &error));
    struct ludens_engine *lifted = ludens_engine_open(t->game, LUDENS_LIFTED, &error);
    assert_null(ludens_batch_get(t->batch, 0, lifted, &error));
    ludens_engine_free(lifted);
    ludens_state_free(won);
    leave(t);
}

static void the_player_is_known_where_nobody_has_a_choice(void **state)
{
    /* The last free cell: both roles have one move, and it is not noop for one of them. */
    struct table *t = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 1});
    const char *last = "(cell 1 1 x) (cell 1 2 o) (cell 1 3 x) (cell 2 1 x) (cell 2 2 o) (cell 2 3 o) "
                       "(cell 3 1 o) (cell 3 2 x) (control oplayer)";
    struct ludens_state *s = ludens_state_read(t->engine, last, NULL);
    assert_true(ludens_batch_put(t->batch, 0, s, NULL));
    assert_int_equal(*ludens_batch_player(t->batch), 1);
    ludens_state_free(s);
    leave(t);
}

/* --- A GPU alone ---------------------------------------------------------------------------------------- */

static struct ludens_batch *batch_without(const char *what, struct ludens_game *game,
                                          struct ludens_error *error)
{
    const char *driver = getenv("LUDENS_CUDA");
    char *kept = driver ? strdup(driver) : NULL;
    if (strcmp(what, "driver") == 0)
        setenv("LUDENS_CUDA", "/none", 1);
    else
        setenv("FAKE_CUDA", what, 1);
    struct ludens_batch *b =
        ludens_batch_new(game, &(struct ludens_batch_options){.lanes = 10, .device = LUDENS_GPU}, error);
    if (kept) setenv("LUDENS_CUDA", kept, 1);
    unsetenv("FAKE_CUDA");
    free(kept);
    return b;
}

static void without_a_gpu_there_is_no_batch_but_one_line(void **state)
{
    struct ludens_error error = {0};
    struct ludens_game *game = ludens_game_load("ticTacToe", &error);
    static const char *const cases[][2] = {{"driver", "no GPU: its driver is not installed"},
                                           {"no-device", "no GPU: the driver finds none"},
                                           {"old", "too old"},
                                           {"no-memory", "not enough memory"},
                                           {"bad-code", "as you wished"}};
    for (uint32_t i = 0; i < 5; i++) {
        assert_null(batch_without(cases[i][0], game, &error));
        assert_non_null(strstr(error.text, cases[i][1]));
        assert_null(strchr(error.text, '\n'));
    }
    ludens_game_free(game);
}

static void arrays_of_a_gpu_can_be_copied(void **state)
{
    struct table *t = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 5});
    uint32_t counts[5] = {0};
    assert_int_equal(ludens_batch_device(t->batch), LUDENS_GPU);
    assert_true(
        ludens_batch_copy(t->batch, ludens_batch_counts(t->batch, 0, NULL), sizeof counts, counts, NULL));
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(counts[i], 9);
    leave(t);
}

static void a_gpu_that_is_lost_says_so_from_then_on(void **state)
{
    struct table *t = sit("ticTacToe", &(struct ludens_batch_options){.lanes = 5});
    struct ludens_error error = {0};
    assert_false(ludens_batch_failure(t->batch, &error));
    setenv("FAKE_CUDA", "lost", 1);
    bool good = true;
    for (int i = 0; i < 5 && good; i++) good = ludens_batch_step(t->batch, NULL, &error);
    unsetenv("FAKE_CUDA");
    assert_false(good);
    assert_int_equal(error.code, LUDENS_SYSTEM);
    assert_non_null(strstr(error.text, "unspecified launch failure"));
    assert_null(ludens_batch_player(t->batch));
    assert_null(ludens_batch_legal(t->batch, 0, &error));
    assert_false(ludens_batch_step(t->batch, NULL, &error));
    ludens_batch_reset(t->batch, NULL);
    struct ludens_batch_tally tally;
    assert_false(ludens_batch_play(t->batch, 5, NULL, &tally, &error));
    memset(&error, 0, sizeof error);
    assert_true(ludens_batch_failure(t->batch, &error));
    assert_non_null(strstr(error.text, "unspecified launch failure"));
    leave(t);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "gpu") == 0) device = LUDENS_GPU;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_play_what_states_play),
        cmocka_unit_test(roles_may_choose_at_once),
        cmocka_unit_test(ended_games_stay_when_they_are_to_be_kept),
        cmocka_unit_test(only_one_role_of_those_who_choose_at_once_cannot_be_told),
        cmocka_unit_test(an_illegal_move_in_one_lane_moves_none),
        cmocka_unit_test(random_steps_hang_on_the_seed_alone),
        cmocka_unit_test(random_games_are_counted_inside),
        cmocka_unit_test(games_that_go_on_for_too_long_are_given_up),
        cmocka_unit_test(loaded_games_that_have_ended_are_over),
        cmocka_unit_test(lanes_that_wait_stand_still),
        cmocka_unit_test(lanes_can_be_reset_and_given_states),
        cmocka_unit_test(the_player_is_known_where_nobody_has_a_choice),
    };
    const struct CMUnitTest gpu_tests[] = {
        cmocka_unit_test(without_a_gpu_there_is_no_batch_but_one_line),
        cmocka_unit_test(arrays_of_a_gpu_can_be_copied),
        cmocka_unit_test(a_gpu_that_is_lost_says_so_from_then_on),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || device != LUDENS_GPU ? failed : cmocka_run_group_tests(gpu_tests, NULL, NULL);
}
