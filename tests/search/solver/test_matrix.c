// SPDX-License-Identifier: GPL-3.0-or-later
/* Matrix games: known values, random ones against GLPK, and pruning that never changes a value. */
#include "../../testing.h"

#include "base/rng.h"
#include "glpk_game.h"
#include "search/solver/duel.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static struct matrix_work work;

static double value_of(const double *a, uint32_t m, uint32_t n, double *x, double *y)
{
    struct matrix_value v;
    assert_true(matrix_solve(&work, a, m, n, n, x, y, &v));
    assert_true(v.low <= v.value + 1e-12 && v.value <= v.high + 1e-12);
    NEAR(v.low, v.high);
    return v.value;
}

static void known_games_have_known_values(void **state)
{
    (void)state;
    double x[3], y[3];
    NEAR(value_of((double[]){7}, 1, 1, x, y), 7);
    NEAR(value_of((double[]){3, 1, 2}, 1, 3, x, y), 1);
    NEAR(value_of((double[]){3, 1, 2}, 3, 1, x, y), 3);
    /* a saddle point: row 2, column 1 */
    NEAR(value_of((double[]){10, 90, 40, 50}, 2, 2, x, y), 40);
    NEAR(x[1], 1);
    NEAR(y[0], 1);
    /* matching pennies */
    NEAR(value_of((double[]){100, 0, 0, 100}, 2, 2, x, y), 50);
    NEAR(x[0], 0.5);
    /* 2x2 with odd weights: ad - bc / (a + d - b - c) */
    NEAR(value_of((double[]){30, 70, 60, 20}, 2, 2, x, y), (30. * 20 - 70 * 60) / (30 + 20 - 70 - 60));
    /* rock, paper, scissors, and the same with a weapon that is never good */
    NEAR(value_of((double[]){50, 0, 100, 100, 50, 0, 0, 100, 50}, 3, 3, x, y), 50);
    for (int i = 0; i < 3; i++) NEAR(x[i], 1. / 3), NEAR(y[i], 1. / 3);
    double four[16] = {50, 0, 100, 60, 100, 50, 0, 60, 0, 100, 50, 60, 40, 40, 40, 50}, mix[4], against[4];
    NEAR(value_of(four, 4, 4, mix, against), 50);
    NEAR(mix[3], 0);
}

/* Small whole numbers make ties and degenerate programs, which is what games give. */
static void random_matrix(struct rng *rng, double *a, uint32_t cells, uint32_t kinds)
{
    for (uint32_t i = 0; i < cells; i++)
        a[i] = kinds ? (double)rng_below(rng, kinds) * 100 / (kinds - 1) : rng_unit(rng) * 200 - 100;
}

static void random_games_agree_with_glpk(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 1);
    struct glpk_game *glpk = glpk_game_new();
    static double a[40 * 40], x[40], y[40];
    for (int i = 0; i < 6000; i++) {
        uint32_t most = i % 10 ? 8 : 40, m = 1 + rng_below(&rng, most), n = 1 + rng_below(&rng, most);
        static const uint32_t kinds[] = {2, 3, 5, 11, 0};
        random_matrix(&rng, a, m * n, kinds[i % 5]);
        double value = value_of(a, m, n, x, y), check;
        assert_true(glpk_game_value(glpk, a, m, n, n, i % 2, NULL, &check));
        NEAR(value, check);
        struct matrix_value program;
        assert_true(matrix_program(&work, a, m, n, n, NULL, NULL, &program));
        NEAR(program.low, check);
        NEAR(program.high, check);
        double sum_x = 0, sum_y = 0;
        for (uint32_t k = 0; k < m; k++) sum_x += x[k], assert_true(x[k] >= 0);
        for (uint32_t k = 0; k < n; k++) sum_y += y[k], assert_true(y[k] >= 0);
        NEAR(sum_x, 1);
        NEAR(sum_y, 1);
    }
    glpk_game_free(glpk);
}

/* Bounds around a hidden matrix, closer and closer: they enclose its value all the time, what is pruned is
 * dominated by GLPK's word, too, and in the end the value comes out. */
static void bounds_enclose_the_value_of_a_hidden_game(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 2);
    uint32_t pruned_early = 0, solved_early = 0;
    for (int i = 0; i < 400; i++) {
        uint32_t m = 1 + rng_below(&rng, 6), n = 1 + rng_below(&rng, 6), order[36];
        double truth[36], x[6], y[6], value;
        random_matrix(&rng, truth, m * n, (uint32_t[]){2, 3, 5, 11}[i % 4]);
        value = value_of(truth, m, n, x, y);
        struct duel *d = duel_init(malloc(duel_bytes(m, n)), m, n, 0, 100);
        for (uint32_t k = 0; k < m * n; k++) order[k] = k;
        for (uint32_t k = 0; k < m * n; k++) {
            uint32_t other = k + rng_below(&rng, m * n - k), cell = order[other];
            order[other] = order[k], order[k] = cell;
            bool was_out = d->row_out[cell / n] || d->column_out[cell % n], was_solved = duel_solved(d);
            duel_set(d, cell / n, cell % n, truth[cell], truth[cell]);
            duel_update(d, &work, i % 3 == 0);
            assert_true(d->low <= value + 1e-6 && d->high >= value - 1e-6);
            if (k + 1 < m * n && !was_out) pruned_early += d->row_out[cell / n] || d->column_out[cell % n];
            if (k + 1 < m * n && !was_solved) solved_early += duel_solved(d);
        }
        duel_update(d, &work, true);
        NEAR(d->low, value);
        NEAR(d->high, value);
        assert_true(duel_strategies(d, &work, true, x, NULL) && duel_strategies(d, &work, false, NULL, y));
        NEAR(matrix_low(truth, m, n, n, x), value);
        NEAR(matrix_high(truth, m, n, n, y), value);
        free(d);
    }
    assert_true(pruned_early > 100 && solved_early > 50);
}

static void figures_6_3_and_6_4_prune_what_glpk_says(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 3);
    uint32_t yes = 0, mixed = 0;
    for (int i = 0; i < 1500; i++) {
        uint32_t m = 2 + rng_below(&rng, 4), n = 2 + rng_below(&rng, 4);
        double p[25], o[25];
        for (uint32_t k = 0; k < m * n; k++) {
            p[k] = rng_below(&rng, 11) * 10;
            o[k] = p[k] + rng_below(&rng, 4) * 10;
        }
        struct duel *d = duel_init(malloc(duel_bytes(m, n)), m, n, -100, 200);
        for (uint32_t k = 0; k < m * n; k++) duel_set(d, k / n, k % n, p[k], o[k]);
        bool first = false; /* the first row that can go does go, by GLPK and by us */
        uint32_t row = 0;
        while (row < m && !(first = glpk_row_dominated(p, o, m, n, row))) row++;
        duel_update(d, &work, true);
        if (first) {
            assert_true(d->row_out[row]);
            bool alone = false;
            for (uint32_t r = 0; r < m; r++) {
                uint32_t k = 0;
                while (r != row && k < n && p[r * n + k] >= o[row * n + k]) k++;
                alone |= r != row && k == n;
            }
            yes++, mixed += !alone;
        } else {
            uint32_t column = 0; /* then rows can only have gone after a column */
            while (column < n && !glpk_column_dominated(p, o, m, n, column)) column++;
            for (uint32_t r = 0; r < m && column == n; r++) assert_false(d->row_out[r]);
            for (uint32_t c = 0; c < n && column == n; c++) assert_false(d->column_out[c]);
            if (column < n) assert_true(d->column_out[column]);
        }
        free(d);
    }
    assert_true(yes > 200 && mixed > 20);
}

/* Figure 6.2: H is worth at most 40 to the row player whatever its third column holds. */
static void an_open_column_bounds_from_above(void **state)
{
    (void)state;
    struct duel *d = duel_init(malloc(duel_bytes(2, 2)), 2, 2, 0, 100);
    duel_set(d, 0, 0, 40, 40);
    duel_set(d, 1, 0, 30, 30);
    assert_true(duel_update(d, &work, false));
    NEAR(d->low, 0);
    NEAR(d->high, 40);
    assert_false(duel_solved(d));
    free(d);
}

/* "No calculation is done until the node has incurred as many changes as its shorter side has." */
static void nothing_is_calculated_before_it_can_matter(void **state)
{
    (void)state;
    struct duel *d = duel_init(malloc(duel_bytes(3, 5)), 3, 5, 0, 100);
    uint64_t before = work.saddles + work.two_by_two + work.programs;
    duel_set(d, 0, 0, 0, 0);
    assert_false(duel_update(d, &work, false));
    duel_set(d, 1, 0, 10, 10);
    assert_false(duel_update(d, &work, false));
    assert_int_equal(work.saddles + work.two_by_two + work.programs, before);
    assert_false(duel_set(d, 1, 0, 0, 100)); /* nothing new */
    duel_set(d, 2, 0, 20, 20);
    assert_true(duel_update(d, &work, false));
    NEAR(d->high, 20);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_games_have_known_values),
        cmocka_unit_test(random_games_agree_with_glpk),
        cmocka_unit_test(bounds_enclose_the_value_of_a_hidden_game),
        cmocka_unit_test(figures_6_3_and_6_4_prune_what_glpk_says),
        cmocka_unit_test(an_open_column_bounds_from_above),
        cmocka_unit_test(nothing_is_calculated_before_it_can_matter),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    matrix_work_done(&work);
    return failed;
}
