// SPDX-License-Identifier: GPL-3.0-or-later
/* The papers' way of counting, against examples worked out by hand. */
#include "lab/stats/stats.h"

#include "../testing.h"

#include <math.h>

static void near(double a, double b)
{
    if (fabs(a - b) > 5e-5) fail_msg("%.6f is not %.6f", a, b);
}

static void wins_are_whole_and_draws_half_points_for_two(void **state)
{
    (void)state;
    near(stats_points((int[]){100, 0}, 2, 0), 1);
    near(stats_points((int[]){100, 0}, 2, 1), 0);
    near(stats_points((int[]){50, 50}, 2, 0), 0.5);
    near(stats_points((int[]){0, 0}, 2, 1), 0.5); /* nobody got anything: still a draw */
    near(stats_points((int[]){30, 40}, 2, 1), 1); /* the higher goal wins, however low */
}

static void shared_wins_are_shared_among_three(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < 3; r++) near(stats_points((int[]){50, 50, 50}, 3, r), 1.0 / 3);
    near(stats_points((int[]){75, 75, 0}, 3, 0), 0.5);
    near(stats_points((int[]){75, 75, 0}, 3, 1), 0.5);
    near(stats_points((int[]){75, 75, 0}, 3, 2), 0);
}

static void a_player_has_the_points_of_all_its_seats(void **state)
{
    (void)state;
    const uint32_t seats[] = {0, 1, 0};
    near(stats_score((int[]){100, 0, 0}, seats, 3, 0), 1);
    near(stats_score((int[]){0, 100, 0}, seats, 3, 0), 0);
    near(stats_score((int[]){50, 50, 50}, seats, 3, 0), 2.0 / 3);
    near(stats_score((int[]){50, 50, 50}, seats, 3, 1), 1.0 / 3);
    near(stats_score((int[]){50, 50, 0}, seats, 3, 0), 0.5);
    near(stats_score((int[]){50, 0, 50}, seats, 3, 0), 1); /* it shares with itself */
}

static void an_undefined_goal_never_wins(void **state)
{
    (void)state;
    near(stats_points((int[]){-1, 0}, 2, 0), 0);
    near(stats_points((int[]){-1, 0}, 2, 1), 1);
    near(stats_points((int[]){-1, -1}, 2, 1), 0.5);
}

static struct rate rate_of(uint32_t wins, uint32_t draws, uint32_t losses)
{
    struct scores s = {0};
    for (uint32_t i = 0; i < wins; i++) scores_add(&s, 1);
    for (uint32_t i = 0; i < draws; i++) scores_add(&s, 0.5);
    for (uint32_t i = 0; i < losses; i++) scores_add(&s, 0);
    return scores_rate(&s, 1);
}

static void intervals_are_those_of_the_papers(void **state)
{
    (void)state;
    /* 002 table 4.1: 300 games, 53.67 (± 5.65): 161 wins; 50.00 (± 5.67) */
    struct rate r = rate_of(161, 0, 139);
    near(r.mean, 0.536667);
    assert_int_equal(lround(r.half * 10000), 565);
    assert_int_equal(lround(rate_of(150, 0, 150).half * 10000), 567);
    assert_int_equal(lround(rate_of(286, 0, 14).half * 10000), 239); /* 95.33 (± 2.39) */
    /* by hand: 2 wins, 1 draw, 1 loss: mean 5/8, squares 2.25, variance (2.25 - 4 * 25/64) / 3 = 0.229167 */
    r = rate_of(2, 1, 1);
    near(r.mean, 0.625);
    near(r.half, 1.96 * sqrt(0.22916667 / 4));
}

static void draws_make_intervals_narrower(void **state)
{
    (void)state;
    assert_true(rate_of(100, 100, 100).half < rate_of(150, 0, 150).half);
}

static void verdicts_need_evidence(void **state)
{
    (void)state;
    struct rate r = rate_of(180, 0, 120); /* 60 ± 5.6 */
    assert_int_equal(rate_side(&r, 0.5), 1);
    r = rate_of(120, 0, 180);
    assert_int_equal(rate_side(&r, 0.5), -1);
    r = rate_of(155, 0, 145);
    assert_int_equal(rate_side(&r, 0.5), 0);
    /* few games or no spread: Wilson's interval, by hand for 3 of 3: low = 3 / (3 + 1.96^2) = 0.4385 */
    r = rate_of(3, 0, 0);
    near(r.half, 0);
    near(r.low, 3 / (3 + 3.8416));
    near(r.high, 1);
    assert_int_equal(rate_side(&r, 0.5), 0);
    r = rate_of(4, 0, 0);
    assert_int_equal(rate_side(&r, 0.5), 1);
    r = rate_of(0, 300, 0); /* all drawn: equality, and not even the normal form says otherwise */
    assert_int_equal(rate_side(&r, 0.5), 0);
    r = rate_of(0, 0, 0);
    assert_int_equal(rate_side(&r, 0.5), 0);
}

/* Against the formula worked out by hand, on both sides of where it takes over. */
static void few_games_have_wilsons_interval(void **state)
{
    (void)state;
    struct rate r = rate_of(7, 0, 3); /* Wilson 1927: 0.3968 to 0.8922 for 7 of 10 */
    assert_true(r.wilson);
    assert_int_equal(lround(r.low * 10000), 3968);
    assert_int_equal(lround(r.high * 10000), 8922);
    r = rate_of(20, 0, 9);
    assert_true(r.wilson);
    assert_true(fabs(r.low - (r.mean - r.half)) > 0.005);
    r = rate_of(20, 0, 10);
    assert_false(r.wilson);
    near(r.low, r.mean - r.half);
    near(r.high, r.mean + r.half);
    r = rate_of(40, 0, 0); /* no spread: many games do not help */
    assert_true(r.wilson);
    near(r.low, 40 / (40 + 3.8416));
}

static void intervals_are_printed_as_they_decide(void **state)
{
    (void)state;
    char text[RATE_TEXT];
    struct rate r = rate_of(2, 0, 0);
    assert_string_equal(rate_interval(&r, 100, text), "(34–100)");
    r = rate_of(161, 0, 139);
    assert_string_equal(rate_interval(&r, 100, text), "±5.7");
}

static void goals_are_averaged(void **state)
{
    (void)state;
    struct scores s = {0};
    const double goals[] = {100, 40, 70};
    for (int i = 0; i < 3; i++) scores_add(&s, goals[i]);
    struct rate r = scores_rate(&s, 100);
    near(r.mean, 70);
    near(r.half, 1.96 * 30 / sqrt(3)); /* deviations 30, -30, 0: variance 900 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wins_are_whole_and_draws_half_points_for_two),
        cmocka_unit_test(shared_wins_are_shared_among_three),
        cmocka_unit_test(a_player_has_the_points_of_all_its_seats),
        cmocka_unit_test(an_undefined_goal_never_wins),
        cmocka_unit_test(intervals_are_those_of_the_papers),
        cmocka_unit_test(draws_make_intervals_narrower),
        cmocka_unit_test(verdicts_need_evidence),
        cmocka_unit_test(few_games_have_wilsons_interval),
        cmocka_unit_test(intervals_are_printed_as_they_decide),
        cmocka_unit_test(goals_are_averaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
