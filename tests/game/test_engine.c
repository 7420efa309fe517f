// SPDX-License-Identifier: GPL-3.0-or-later
/* The ground engine made in the background: it can fail at any allocation, be stopped at any time, and the
 * lifted engine plays on. */
#include "../testing.h"

#include "game/engine.h"

static struct game *load(const char *name)
{
    struct error error = {0};
    struct game *game = game_load(name, 0, NULL, &error);
    if (!game) fail_msg("%s", error.text);
    return game;
}

/* One step of the game, with the first legal moves. */
static void play_on(struct reasoner *r)
{
    struct state now = {0}, next = {0};
    struct list legal = {0};
    uint32_t joint[8];
    assert_true(r->ops->initial(r, &now));
    for (uint32_t i = 0; i < r->game->nroles; i++) {
        legal.n = 0;
        assert_true(r->ops->legal(r, &now, i, &legal));
        assert_true(legal.n > 0);
        joint[i] = legal.v[0];
    }
    assert_true(r->ops->next(r, &now, joint, &next));
    state_done(&now);
    state_done(&next);
    list_done(&legal);
}

static void any_failing_allocation_leaves_the_lifted_engine(void **state)
{
    struct error error = {0};
    struct game *game = load("ticTacToe");
    struct reasoner *lifted = reasoner_lifted(game, 0, &error);
    assert_non_null(lifted);
    int failures = 0;
    for (long n = 1;; n += 1 + n / 40) {
        heap_inject_failure(n);
        struct engine *e = engine_start(game, NULL, &error);
        enum engine_status status = e ? engine_wait(e, -1) : ENGINE_FAILED;
        bool struck = !heap_injection_pending();
        heap_inject_failure(0);
        if (status == ENGINE_FAILED) {
            assert_int_equal((e ? engine_error(e) : &error)->code, ERROR_MEMORY);
            failures++;
            play_on(lifted);
        }
        engine_free(e);
        if (!struck) { /* nothing was left to fail */
            assert_int_equal(status, ENGINE_READY);
            break;
        }
    }
    assert_true(failures > 50);
    reasoner_free(lifted);
    game_free(game);
}

static void it_can_be_stopped_at_any_time(void **state)
{
    struct error error = {0};
    struct game *game = load("speedChess");
    for (int i = 0; i < 20; i++) {
        struct engine *e = engine_start(game, NULL, &error);
        assert_non_null(e);
        engine_wait(e, i * 0.002);
        engine_cancel(e);
        enum engine_status status = engine_wait(e, -1);
        if (status == ENGINE_FAILED)
            assert_int_equal(engine_error(e)->code, ERROR_CANCELLED);
        else
            assert_int_equal(status, ENGINE_READY); /* it was faster */
        engine_free(e);
    }
    game_free(game);
}

static void limits_are_kept_and_told(void **state)
{
    struct error error = {0};
    struct game *game = load("speedChess");
    struct ground_limits small = {.bytes = 200000};
    struct engine *e = engine_start(game, &small, &error);
    assert_int_equal(engine_wait(e, -1), ENGINE_FAILED);
    assert_int_equal(engine_error(e)->code, ERROR_MEMORY);
    engine_free(e);
    struct ground_limits short_time = {.seconds = 0.0001};
    e = engine_start(game, &short_time, &error);
    assert_int_equal(engine_wait(e, -1), ENGINE_FAILED);
    assert_int_equal(engine_error(e)->code, ERROR_TIME);
    engine_free(e);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_failing_allocation_leaves_the_lifted_engine),
        cmocka_unit_test(it_can_be_stopped_at_any_time),
        cmocka_unit_test(limits_are_kept_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
