// SPDX-License-Identifier: GPL-3.0-or-later
/* Patterns of an 8x8 board, and what they are worth together: read right, learned from better and better
 * games, and by whom they are used. */
#include "../../testing.h"

#include "base/clock.h"
#include "base/rng.h"
#include "game/engine.h"
#include "search/judgement.h"
#include "search/minimax/patterns.h"
#include "search/minimax/samples.h"

#include <math.h>
#include <string.h>

struct fixture {
    struct game *game;
    struct reasoner *reasoner;
    struct analysis *analysis;
    struct budget budget;
    struct evaluator_source from;
};

static void set_up(struct fixture *f, const char *name)
{
    struct error error = {0};
    *f = (struct fixture){.game = game_load(name, 0, NULL, &error)};
    f->reasoner = f->game ? reasoner_ground(f->game, NULL, &error) : NULL;
    if (!f->reasoner) fail_msg("%s", error.text);
    f->analysis = evaluator_look(f->reasoner, 1, &f->budget);
    assert_non_null(f->analysis);
    f->from = (struct evaluator_source){.reasoner = f->reasoner,
                                        .code = reasoner_code(f->reasoner),
                                        .analysis = f->analysis,
                                        .which = EVAL_AUTO,
                                        .fitted = true,
                                        .seed = 1,
                                        .budget = &f->budget};
}

static void tear_down(struct fixture *f)
{
    analysis_free(f->analysis);
    reasoner_free(f->reasoner);
    game_free(f->game);
}

static struct samples games(const struct fixture *f, const struct evaluator *guide, uint32_t n)
{
    struct samples s;
    struct samples_order order = {.wanted = n, .seed = 99, .guide = guide, .tries = 8};
    assert_true(samples_play(&s, f->from.code, &order, &f->budget));
    return s;
}

/* The number of each pattern is that of its squares as digits to the base of three, behind those of all
 * patterns before it. */
static void patterns_are_squares_as_digits(void **state)
{
    struct fixture f;
    struct patterns p;
    set_up(&f, "othello");
    assert_true(patterns_init(&p, &f.from));
    assert_int_equal(p.count, 511272);
    struct samples s = games(&f, NULL, 500);
    uint32_t stages = 0;
    for (uint32_t i = 0; i < s.n; i++) {
        struct patterns_view view;
        uint32_t number[2][PATTERNS_SHAPES], taken = 0;
        uint8_t at[PATTERNS_CELLS];
        memset(at, 255, sizeof at);
        for (uint32_t bit = 0; bit < p.squares.nbits; bit++)
            if (squares_has(samples_state(&s, i), bit) && p.squares.cell[bit] != SQUARES_NONE)
                at[p.squares.cell[bit]] = (uint8_t)p.squares.owner[bit], taken++;
        patterns_look(&p, samples_state(&s, i), s.words, &view);
        assert_int_equal(view.n, taken);
        for (uint32_t role = 0; role < 2; role++) patterns_number(&p, &view, role, number[role]);
        uint32_t first = number[0][0] / p.of_stage * p.of_stage;
        stages |= 1u << first / p.of_stage;
        assert_int_equal(first / p.of_stage, taken < 64 ? (taken - 4) / 5 : 11);
        for (uint32_t k = 0; k < PATTERNS_SHAPES; k++)
            for (uint32_t role = 0; role < 2; role++) {
                uint32_t code = 0;
                for (uint32_t c = 0; c < p.shape[k].n; c++) {
                    uint8_t who = at[p.shape[k].cell[c]];
                    code = 3 * code + (who == 255 ? 0 : who == role ? 1 : 2);
                }
                assert_int_equal(number[role][k], first + p.shape[k].base + code);
            }
    }
    assert_int_equal(stages, (1u << PATTERNS_STAGES) - 1);
    samples_done(&s);
    patterns_done(&p);
    tear_down(&f);
}

static double correlation(const struct evaluator *e, const struct samples *s)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0, n = s->n;
    for (uint32_t i = 0; i < s->n; i++) {
        struct place here = {.state = samples_state(s, i), .words = s->words};
        float v[2];
        e->values(e, &here, v);
        assert_float_equal(v[0] + v[1], 100, 1e-3);
        double a = (double)v[0], b = s->outcome[2 * (size_t)i];
        x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    return (xy - x * y / n) / sqrt((xx - x * x / n) * (yy - y * y / n));
}

/* In games that it has not seen it tells more than means of patterns do; and two that learned from the same
 * seed say the same. */
static void it_tells_how_better_games_end(void **state)
{
    struct fixture f;
    set_up(&f, "othello");
    struct evaluator *plain = evaluator_lines(&f.from), *fitted = evaluator_fitted(&f.from),
                     *again = evaluator_fitted(&f.from);
    assert_true(plain && fitted && again && fitted->shaped);
    struct samples s = games(&f, fitted, 6000);
    double means = correlation(plain, &s), together = correlation(fitted, &s);
    if (together < means) fail_msg("%.3f, means of patterns %.3f", together, means);
    assert_true(correlation(again, &s) == together);
    samples_done(&s);
    evaluator_free(plain);
    evaluator_free(fitted);
    evaluator_free(again);
    tear_down(&f);
}

/* The move that leads where it likes it best; noop for who is not on turn. */
static void best_moves(const struct fixture *f, const struct evaluator *const player[2],
                       const struct state *now, struct state *next, uint32_t joint[2])
{
    struct reasoner *r = f->reasoner;
    struct list legal[2] = {0};
    uint32_t mover = 0;
    for (uint32_t role = 0; role < 2; role++) {
        assert_true(r->ops->legal(r, now, role, &legal[role]) && legal[role].n > 0);
        joint[role] = legal[role].v[0];
        if (legal[role].n > 1) mover = role;
    }
    float most = -1;
    uint32_t best = joint[mover];
    for (uint32_t i = 0; i < legal[mover].n && legal[mover].n > 1; i++) {
        float v[2];
        joint[mover] = legal[mover].v[i];
        assert_true(r->ops->next(r, now, joint, next));
        struct place there = {.state = next->w, .words = next->words};
        player[mover]->values(player[mover], &there, v);
        if (v[mover] > most) most = v[mover], best = joint[mover];
    }
    joint[mover] = best;
    list_done(&legal[0]);
    list_done(&legal[1]);
}

/* Points of the first of two who look one move ahead, with both colours after random openings. */
static double play(const struct fixture *f, const struct evaluator *a, const struct evaluator *b)
{
    enum { OPENINGS = 40, RANDOM = 6 };
    struct reasoner *r = f->reasoner;
    struct rng rng;
    double points = 0;
    for (uint32_t game = 0; game < 2 * OPENINGS; game++) {
        const struct evaluator *const player[2] = {game % 2 ? b : a, game % 2 ? a : b};
        struct state now = {0}, next = {0};
        struct list legal = {0};
        bool end = false;
        int goal;
        rng_init(&rng, game / 2);
        assert_true(r->ops->initial(r, &now));
        for (uint32_t step = 0; !end; step++) {
            uint32_t joint[2];
            for (uint32_t role = 0; role < 2 && step < RANDOM; role++) {
                legal.n = 0;
                assert_true(r->ops->legal(r, &now, role, &legal));
                joint[role] = legal.v[rng_below(&rng, legal.n)];
            }
            if (step >= RANDOM) best_moves(f, player, &now, &next, joint);
            assert_true(r->ops->next(r, &now, joint, &next));
            struct state swap = now;
            now = next;
            next = swap;
            assert_true(r->ops->terminal(r, &now, &end));
        }
        assert_true(reasoner_goal(r, &now, game % 2, &goal));
        points += goal / 100.0;
        state_done(&now);
        state_done(&next);
        list_done(&legal);
    }
    return points / (2 * OPENINGS);
}

/* What it has from better games wins games: what random ones teach alone loses to means of patterns. */
static void it_plays_better_than_means(void **state)
{
    struct fixture f;
    set_up(&f, "othello");
    struct evaluator *plain = evaluator_lines(&f.from), *fitted = evaluator_fitted(&f.from);
    assert_true(plain && fitted);
    double points = play(&f, fitted, plain);
    if (points < 0.55) fail_msg("%.3f", points);
    evaluator_free(plain);
    evaluator_free(fitted);
    tear_down(&f);
}

/* Ours have it; players of the article, and games for more than two, have means. */
static void who_has_it(void **state)
{
    static const struct {
        const char *game, *name;
        enum minimax_policy policy;
        enum minimax_eval eval;
    } cases[] = {{"othello", "fitted lines", MINIMAX_ALPHABETA, EVAL_AUTO},
                 {"othello", "lines", MINIMAX_ALPHABETA, EVAL_SHAPE},
                 {"othello", "lines", MINIMAX_PARANOID, EVAL_AUTO},
                 {"rolit2", "lines", MINIMAX_BRS, EVAL_AUTO},
                 {"rolit3", "lines", MINIMAX_ALPHABETA, EVAL_AUTO}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct error error = {0};
        struct state at = {0};
        struct minimax_options o = {
            .policy = cases[i].policy, .eval = cases[i].eval, .depth = 1, .seed = 1, .memory = 1 << 20};
        uint32_t move;
        set_up(&f, cases[i].game);
        assert_true(f.reasoner->ops->initial(f.reasoner, &at));
        struct minimax *m = minimax_new(f.reasoner, f.from.code, 0, &o, &error);
        assert_true(m && minimax_think(m, &at, &(struct budget){.simulations = 100}, &move, &error));
        assert_string_equal(minimax_report(m)->evaluation, cases[i].name);
        minimax_free(m);
        state_done(&at);
        tear_down(&f);
    }
}

/* With less time it has learned less, and is not late. */
static void the_clock_is_kept_to(void **state)
{
    static const double seconds[] = {0.05, 0.3};
    for (uint32_t i = 0; i < 2; i++) {
        struct fixture f;
        set_up(&f, "othello");
        double began = clock_now();
        f.budget.deadline = began + seconds[i];
        struct evaluator *e = evaluator_fitted(&f.from);
        double took = clock_now() - began;
        if (took > seconds[i] + (SANITIZED ? 2 : 0.25)) fail_msg("%.2f s of %.2f", took, seconds[i]);
        evaluator_free(e);
        tear_down(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_squares_as_digits), cmocka_unit_test(it_tells_how_better_games_end),
        cmocka_unit_test(it_plays_better_than_means),     cmocka_unit_test(who_has_it),
        cmocka_unit_test(the_clock_is_kept_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
