// SPDX-License-Identifier: GPL-3.0-or-later
/* Goals that are said never to come do not come; what is said is worth something. */
#include "../../field.h"

#include "base/rng.h"
#include "search/solver/expand.h"
#include "search/solver/solve.h"

#include <math.h>
#include <string.h>

struct view {
    struct field field;
    struct expander *expander;
};

static struct view open_view(const char *name)
{
    struct error error = {0};
    struct view v = {.field = open_field(name)};
    v.expander = expander_new(v.field.reasoner, engine_code(v.field.engine), &error);
    assert_non_null(v.expander);
    return v;
}

static void close_view(struct view *v)
{
    expander_free(v->expander);
    close_field(&v->field);
}

static void random_joint(struct view *f, const struct state *s, struct rng *rng, uint32_t *joint)
{
    struct list legal = {0};
    for (uint32_t role = 0; role < f->field.game->nroles; role++) {
        assert_true(f->field.reasoner->ops->legal(f->field.reasoner, s, role, &legal));
        joint[role] = legal.v[rng_below(rng, legal.n)];
    }
    list_done(&legal);
}

/* A random game; what every position allowed is narrowed down to `least` and `most`, by role. Returns how
 * many positions said something. */
static uint32_t play(struct view *f, struct rng *rng, struct state *s, int *least, int *most)
{
    struct state next = {0};
    uint32_t told = 0, joint[8];
    bool end = false;
    for (uint32_t r = 0; r < f->field.game->nroles; r++) least[r] = 0, most[r] = 100;
    assert_true(f->field.reasoner->ops->initial(f->field.reasoner, s));
    while (!end) {
        const int16_t *ranges = expander_outlook(f->expander, s->w);
        for (uint32_t r = 0; ranges && r < f->field.game->nroles; r++) {
            if (ranges[2 * r] > least[r]) least[r] = ranges[2 * r];
            if (ranges[2 * r + 1] < most[r]) most[r] = ranges[2 * r + 1];
        }
        told += ranges != NULL;
        random_joint(f, s, rng, joint);
        assert_true(f->field.reasoner->ops->next(f->field.reasoner, s, joint, &next));
        assert_true(state_copy(s, &next));
        assert_true(f->field.reasoner->ops->terminal(f->field.reasoner, s, &end));
    }
    state_done(&next);
    return told;
}

static void what_comes_was_not_ruled_out(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t told; /* positions of a hundred random games that say something, at least */
    } games[] = {{"ticTacToe", 20}, {"connectFour", 0}, {"quad", 1000},      {"ticTacToe3d", 0},
                 {"connect5", 10},  {"battle", 1000},   {"goofspiel5", 100}, {"biddingTicTacToe", 20}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct view f = open_view(games[i].name);
        struct error error;
        struct rng rng;
        struct state s = {0};
        uint32_t told = 0;
        int least[8], most[8], goal;
        const struct code *outlook = engine_outlook(f.field.engine, 0, NULL);
        rng_init(&rng, i);
        if (outlook) assert_true(expander_look_out(f.expander, outlook, &error));
        for (uint32_t game = 0; outlook && game < 100; game++) {
            told += play(&f, &rng, &s, least, most);
            for (uint32_t r = 0; r < f.field.game->nroles; r++) {
                assert_true(reasoner_goal(f.field.reasoner, &s, r, &goal));
                if (goal < least[r] || goal > most[r])
                    fail_msg("%s: %s has %d, but %d to %d was all that could come", games[i].name,
                             f.field.game->role_names[r], goal, least[r], most[r]);
            }
        }
        if (told < games[i].told) fail_msg("%s: %u positions said something", games[i].name, told);
        state_done(&s);
        close_view(&f);
    }
}

static struct solve_result solve(struct view *f, bool outlook, bool shortest)
{
    struct error error = {0};
    struct state s = {0};
    struct solve_result result;
    struct solve_options options = {.memory = (size_t)1 << 24, .outlook = outlook, .shortest = shortest};
    assert_true(f->field.reasoner->ops->initial(f->field.reasoner, &s));
    if (!solve_run(f->field.reasoner, engine_code(f->field.engine), &s, &options, &result, &error))
        fail_msg("%s", error.text);
    state_done(&s);
    return result;
}

/* What is left out changes nothing but the work; a shortest line is looked for to its end. */
static void proofs_are_the_same_and_shorter(void **state)
{
    (void)state;
    static const char *const games[] = {"ticTacToe", "biddingTicTacToe", "goofspiel5"};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct view f = open_view(games[i]);
        struct solve_result without = solve(&f, false, false), with = solve(&f, true, false);
        assert_true(with.outlook && !without.outlook);
        assert_true(with.proved && without.proved);
        for (uint32_t r = 0; r < f.field.game->nroles; r++) {
            assert_true(fabs(with.low[r] - without.low[r]) < 1e-6);
            assert_true(fabs(with.high[r] - without.high[r]) < 1e-6);
        }
        if (with.opened >= without.opened)
            fail_msg("%s: %llu positions instead of %llu", games[i], (unsigned long long)with.opened,
                     (unsigned long long)without.opened);
        solve_result_done(&with);
        solve_result_done(&without);
        close_view(&f);
    }
    struct view f = open_view("ticTacToe");
    struct solve_result shortest = solve(&f, true, true);
    assert_false(shortest.outlook);
    solve_result_done(&shortest);
    close_view(&f);
}

/* x o x
 * x o .   no line is left to o
 * o x .   */
static void who_has_no_line_left_cannot_win(void **state)
{
    (void)state;
    static const char *const marks[] = {"(mark 1 1)", "(mark 1 2)", "(mark 1 3)", "(mark 2 2)",
                                        "(mark 2 1)", "(mark 3 1)", "(mark 3 2)"};
    struct view f = open_view("ticTacToe");
    struct error error;
    struct state s = {0}, next = {0};
    assert_true(expander_look_out(f.expander, engine_outlook(f.field.engine, 0, NULL), &error));
    assert_true(f.field.reasoner->ops->initial(f.field.reasoner, &s));
    assert_null(expander_outlook(f.expander, s.w));
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t joint[2];
        for (uint32_t r = 0; r < 2; r++)
            assert_true(reasoner_read_move(f.field.reasoner, r, r == i % 2 ? marks[i] : "noop", &joint[r]));
        assert_true(f.field.reasoner->ops->next(f.field.reasoner, &s, joint, &next));
        assert_true(state_copy(&s, &next));
    }
    const int16_t *ranges = expander_outlook(f.expander, s.w);
    assert_non_null(ranges);
    static const int16_t expected[] = {50, 100, 0, 50};
    assert_memory_equal(ranges, expected, sizeof expected);
    state_done(&s);
    state_done(&next);
    close_view(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_comes_was_not_ruled_out),
                                       cmocka_unit_test(proofs_are_the_same_and_shorter),
                                       cmocka_unit_test(who_has_no_line_left_cannot_win)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
