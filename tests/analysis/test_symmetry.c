// SPDX-License-Identifier: GPL-3.0-or-later
/* Symmetries are found where the rules have them, and are none where they break: turned positions have as
 * many moves, end together and are worth the same. */
#include "testing.h"

#include "analysis/symmetry.h"
#include "base/clock.h"
#include "base/rng.h"
#include "game/engine.h"

#include <math.h>

struct opened {
    struct game *game;
    struct engine *engine;
    struct reasoner *reasoner;
    struct analysis *analysis;
    struct ground *ground;
    struct symmetry symmetry;
};

static void find(struct opened *o, const struct symmetry_limits *limits)
{
    symmetry_done(&o->symmetry);
    symmetry_find(&o->symmetry, o->analysis, o->ground, engine_code(o->engine)->circuit, limits);
}

static struct opened look_at(struct game *game)
{
    struct error error = {0};
    struct opened o = {.game = game};
    struct analysis_options options = {.seed = 1, .seconds = 60};
    struct ground_limits limits = {0};
    struct ground_report report;
    assert_non_null(game);
    o.engine = engine_start(game, NULL, &error);
    assert_int_equal(engine_wait(o.engine, -1), ENGINE_READY);
    o.reasoner = reasoner_circuit(game, engine_code(o.engine), &error);
    assert_non_null(o.reasoner);
    o.analysis = analysis_new(o.reasoner, &options, &error);
    o.ground = ground_build(game->program, &limits, &report, &error);
    assert_true(o.analysis && o.ground);
    find(&o, &(struct symmetry_limits){0});
    return o;
}

static void leave(struct opened *o)
{
    symmetry_done(&o->symmetry);
    ground_free(o->ground);
    analysis_free(o->analysis);
    reasoner_free(o->reasoner);
    engine_free(o->engine);
    game_free(o->game);
}

static struct opened look_at_named(const char *name)
{
    struct error error;
    return look_at(game_load(name, 0, NULL, &error));
}

static void every_symmetry_of_the_rules_is_found(void **unused)
{
    static const struct {
        const char *game;
        uint32_t n;
    } table[] = {{"ticTacToe", 7}, {"connectFour", 1}, {"connect5", 7}, {"breakthrough", 1}, {"nim", 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct opened o = look_at_named(table[i].game);
        if (o.symmetry.n != table[i].n) fail_msg("%s has %u", table[i].game, o.symmetry.n);
        leave(&o);
    }
}

static void turn(const struct symmetry *s, uint32_t which, const struct state *from, struct state *to)
{
    assert_true(state_copy(to, from));
    memset(to->w, 0, to->words * sizeof *to->w);
    for (uint32_t b = 0; b < s->nbits; b++)
        if (from->w[b / 64] >> b % 64 & 1) {
            uint32_t goes = s->bit[which][b];
            to->w[goes / 64] |= (uint64_t)1 << goes % 64;
        }
}

/* As much as the reasoner can tell of it. */
static void compare(struct opened *o, const struct state *here, const struct state *there)
{
    struct reasoner *r = o->reasoner;
    bool end[2];
    assert_true(r->ops->terminal(r, here, &end[0]) && r->ops->terminal(r, there, &end[1]));
    assert_int_equal(end[0], end[1]);
    for (uint32_t role = 0; role < o->game->nroles; role++) {
        struct list moves[2] = {0};
        int goal[2];
        if (end[0]) {
            assert_true(reasoner_goal(r, here, role, &goal[0]) && reasoner_goal(r, there, role, &goal[1]));
            assert_int_equal(goal[0], goal[1]);
        } else {
            assert_true(r->ops->legal(r, here, role, &moves[0]) && r->ops->legal(r, there, role, &moves[1]));
            assert_int_equal(moves[0].n, moves[1].n);
        }
        list_done(&moves[0]);
        list_done(&moves[1]);
    }
}

static void turned_positions_are_alike(void **unused)
{
    static const char *const games[] = {"ticTacToe", "connectFour", "breakthrough", "merrills", "clobber"};
    struct rng rng;
    rng_init(&rng, 5);
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct opened o = look_at_named(games[i]);
        struct reasoner *r = o.reasoner;
        struct state s = {0}, next = {0}, turned = {0};
        assert_true(o.symmetry.n > 0);
        for (int round = 0; round < 20; round++) {
            bool end = false;
            assert_true(r->ops->initial(r, &s));
            for (int step = 0; step < 60 && !end; step++) {
                uint32_t joint[8];
                for (uint32_t k = 0; k < o.symmetry.n; k++) {
                    turn(&o.symmetry, k, &s, &turned);
                    compare(&o, &s, &turned);
                }
                assert_true(r->ops->terminal(r, &s, &end));
                for (uint32_t role = 0; role < o.game->nroles && !end; role++) {
                    struct list moves = {0};
                    assert_true(r->ops->legal(r, &s, role, &moves));
                    joint[role] = moves.v[rng_below(&rng, moves.n)];
                    list_done(&moves);
                }
                if (end) break;
                assert_true(r->ops->next(r, &s, joint, &next));
                assert_true(state_copy(&s, &next));
            }
        }
        state_done(&s);
        state_done(&next);
        state_done(&turned);
        leave(&o);
    }
}

/* One corner is worth more than the others: what exchanges it with another is no symmetry any more. */
static void what_breaks_a_symmetry_is_seen(void **unused)
{
    static const char *const more[] = {"(<= (next (cell 1 1 x)) (does xplayer (mark 3 3)))",
                                       "(<= (next lit) (true (cell 1 1 x)))\n(<= terminal (true lit))",
                                       "(<= (legal xplayer shout) (true (cell 1 1 o)))",
                                       "(<= (goal xplayer 100) (true (cell 1 1 x)))"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        struct error error = {0};
        struct game *plain = game_load("ticTacToe", 0, NULL, &error);
        size_t size = plain->source->size + strlen(more[i]) + 2;
        char *text = malloc(size);
        snprintf(text, size, "%.*s\n%s", (int)plain->source->size, plain->source->text, more[i]);
        struct game *game = game_from_text("broken", text, strlen(text), 0, NULL, &error);
        if (!game) fail_msg("%s", error.text);
        struct opened o = look_at(game);
        assert_int_equal(o.symmetry.n, 1); /* the diagonal through that corner is left */
        leave(&o);
        free(text);
        game_free(plain);
    }
}

/* A part of the time that all of them take is not enough for all; nor is any time where it shall stop. */
static void what_is_not_found_in_time_is_left(void **unused)
{
    struct opened o = look_at_named("connect5");
    double least = 60;
    for (int i = 0; i < 3; i++) {
        double began = clock_now();
        find(&o, &(struct symmetry_limits){.deadline = began + 60});
        least = fmin(least, clock_now() - began);
        assert_int_equal(o.symmetry.n, 7);
    }
    find(&o, &(struct symmetry_limits){.deadline = clock_now() + least / 20});
    assert_in_range(o.symmetry.n, 0, 6);
    atomic_bool stop = true;
    find(&o, &(struct symmetry_limits){.cancel = &stop});
    assert_int_equal(o.symmetry.n, 0);
    stop = false;
    find(&o, &(struct symmetry_limits){.cancel = &stop});
    assert_int_equal(o.symmetry.n, 7);
    leave(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_symmetry_of_the_rules_is_found),
        cmocka_unit_test(turned_positions_are_alike),
        cmocka_unit_test(what_breaks_a_symmetry_is_seen),
        cmocka_unit_test(what_is_not_found_in_time_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
