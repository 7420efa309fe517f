// SPDX-License-Identifier: GPL-3.0-or-later
/* The sequential test against what can be worked out by hand, and its promises against the dice. */
#include "lab/stats/sprt.h"

#include "base/rng.h"

#include "../testing.h"

#include <math.h>

static void elo_is_logistic(void **state)
{
    (void)state;
    assert_true(fabs(elo_to_score(0) - 0.5) < 1e-12);
    assert_true(fabs(elo_to_score(400) - 10.0 / 11) < 1e-12);
    assert_true(fabs(score_to_elo(elo_to_score(123.4)) - 123.4) < 1e-9);
}

static void limits_are_walds(void **state)
{
    (void)state;
    struct sprt s;
    sprt_init(&s, 0, 20, 0.05, 0.05);
    assert_true(fabs(s.upper - log(19)) < 1e-12);
    assert_true(fabs(s.lower + log(19)) < 1e-12);
    sprt_init(&s, 0, 20, 0.01, 0.1);
    assert_true(fabs(s.upper - log(0.9 / 0.01)) < 1e-12);
    assert_true(fabs(s.lower - log(0.1 / 0.99)) < 1e-12);
    assert_int_equal(sprt_verdict(&s), SPRT_OPEN);
    assert_true(sprt_llr(&s) == 0);
}

/* Pairs that are won or lost whole are tosses of a coin: the ratio is the binomial one. */
static void the_ratio_of_a_coin_is_binomial(void **state)
{
    (void)state;
    struct sprt s;
    sprt_init(&s, 0, 50, 0.05, 0.05);
    for (int i = 0; i < 60; i++) sprt_add(&s, 1, 1);
    for (int i = 0; i < 40; i++) sprt_add(&s, 0, 0);
    double p = elo_to_score(50), expected = 60 * log(p / 0.5) + 40 * log((1 - p) / 0.5);
    if (fabs(sprt_llr(&s) - expected) > 0.01) fail_msg("%g is not %g", sprt_llr(&s), expected);
}

/* Near equality the ratio is n (s1 - s0) (2 mean - s0 - s1) / (2 variance). */
static void near_equality_it_is_the_normal_one(void **state)
{
    (void)state;
    struct sprt s;
    sprt_init(&s, -2, 2, 0.05, 0.05);
    static const int counts[] = {90, 210, 400, 205, 95}; /* pairs with 0, 1/2, 1, 3/2, 2 points */
    double mean = 0, squares = 0, n = 1000;
    for (int v = 0; v < 5; v++)
        for (int i = 0; i < counts[v]; i++) {
            sprt_add(&s, v / 2.0 > 1 ? 1 : v / 2.0, v / 2.0 > 1 ? v / 2.0 - 1 : 0);
            mean += v / 4.0 / n, squares += v * v / 16.0 / n;
        }
    double expected =
        n * (s.score1 - s.score0) * (2 * mean - s.score0 - s.score1) / (2 * (squares - mean * mean));
    if (fabs(sprt_llr(&s) - expected) > 0.002) fail_msg("%g is not %g", sprt_llr(&s), expected);
    assert_true(fabs(sprt_mean(&s) - mean) < 1e-4);
}

static void thirds_are_counted_too(void **state)
{
    (void)state;
    struct sprt s;
    sprt_init(&s, 0, 20, 0.05, 0.05);
    for (int i = 0; i < 30; i++) {
        sprt_add(&s, 1.0 / 3, 2.0 / 3);
        sprt_add(&s, 2.0 / 3, 2.0 / 3);
    }
    assert_true(fabs(sprt_mean(&s) - (0.5 + 2.0 / 3) / 2) < 1e-3);
    assert_true(sprt_llr(&s) > 0);
}

static void nothing_but_draws_says_not_better(void **state)
{
    (void)state;
    struct sprt s;
    sprt_init(&s, 0, 20, 0.05, 0.05);
    for (int i = 0; i < 5000 && sprt_verdict(&s) == SPRT_OPEN; i++) sprt_add(&s, 0.5, 0.5);
    assert_true(isfinite(sprt_llr(&s)));
    assert_int_equal(sprt_verdict(&s), SPRT_NOT_BETTER);
}

/* How often the test says "better" for a player of that strength. */
static double share_better(double elo, uint32_t tests, double *pairs)
{
    struct rng rng;
    uint32_t better = 0;
    double p = elo_to_score(elo);
    rng_init(&rng, 5);
    *pairs = 0;
    for (uint32_t t = 0; t < tests; t++) {
        struct sprt s;
        sprt_init(&s, 0, 60, 0.1, 0.1);
        while (sprt_verdict(&s) == SPRT_OPEN) sprt_add(&s, rng_unit(&rng) < p, rng_unit(&rng) < p);
        better += sprt_verdict(&s) == SPRT_BETTER;
        *pairs += (double)s.pairs / tests;
    }
    return (double)better / tests;
}

static void it_errs_as_seldom_as_it_promises(void **state)
{
    (void)state;
    double pairs;
    /* 0.1 and 300 tests: the deviation is 0.017 */
    assert_true(share_better(0, 300, &pairs) < 0.15);
    assert_true(share_better(60, 300, &pairs) > 0.85);
    assert_true(share_better(200, 300, &pairs) > 0.99);
    assert_true(pairs < 40); /* and is soon done where it is clear */
}

/* 60 pairs won and 40 lost whole: mean 0.6, and the deviation of the mean is sqrt(0.24 / 100). */
static void the_elo_interval_is_the_95_percent_one(void **state)
{
    (void)state;
    struct sprt s;
    double elo[3], deviation = sqrt(0.24 / 100);
    sprt_init(&s, 0, 20, 0.05, 0.05);
    for (int i = 0; i < 60; i++) sprt_add(&s, 1, 1);
    for (int i = 0; i < 40; i++) sprt_add(&s, 0, 0);
    sprt_elo(&s, elo);
    assert_true(fabs(elo[1] - score_to_elo(0.6)) < 0.1);
    assert_true(fabs(elo[0] - score_to_elo(0.6 - 1.96 * deviation)) < 0.1);
    assert_true(fabs(elo[2] - score_to_elo(0.6 + 1.96 * deviation)) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_elo_interval_is_the_95_percent_one),
        cmocka_unit_test(elo_is_logistic),
        cmocka_unit_test(limits_are_walds),
        cmocka_unit_test(the_ratio_of_a_coin_is_binomial),
        cmocka_unit_test(near_equality_it_is_the_normal_one),
        cmocka_unit_test(thirds_are_counted_too),
        cmocka_unit_test(nothing_but_draws_says_not_better),
        cmocka_unit_test(it_errs_as_seldom_as_it_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
