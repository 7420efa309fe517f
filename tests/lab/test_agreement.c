// SPDX-License-Identifier: GPL-3.0-or-later
/* Agreement with published figures, on tables made by hand. */
#include "lab/stats/agreement.h"
#include "testing.h"

#include <math.h>

/* Our rate from wins and losses as the laboratory would have it. */
static struct result_cell cell(double value, double half, uint32_t wins, uint32_t games)
{
    struct result_cell c = {.published = {.there = value > 0, .value = value, .half = half}, .parity = 0.5};
    double p = games ? (double)wins / games : 0, h = games ? 1.96 * sqrt(p * (1 - p) / games) : 0;
    c.rate = (struct rate){.n = games, .mean = p, .half = h, .low = p - h, .high = p + h};
    c.side = !games ? 0 : p - h > 0.5 ? 1 : p + h < 0.5 ? -1 : 0;
    return c;
}

static void a_verdict_needs_a_published_side(void **state)
{
    (void)state;
    struct result_cell c = cell(63.0, 5.46, 70, 100); /* 70 +- 9 */
    assert_int_equal(agreement_of(&c), VERDICT_SAME_SURE);
    c = cell(63.0, 5.46, 55, 100); /* 55 +- 9.8 */
    assert_int_equal(agreement_of(&c), VERDICT_SAME);
    c = cell(63.0, 5.46, 50, 100);
    assert_int_equal(agreement_of(&c), VERDICT_LEVEL);
    c = cell(63.0, 5.46, 46, 100);
    assert_int_equal(agreement_of(&c), VERDICT_REVERSED);
    c = cell(63.0, 5.46, 30, 100);
    assert_int_equal(agreement_of(&c), VERDICT_REVERSED_SURE);
    c = cell(36.0, 5.43, 30, 100); /* worse there, worse here */
    assert_int_equal(agreement_of(&c), VERDICT_SAME_SURE);
    c = cell(36.0, 5.43, 70, 100);
    assert_int_equal(agreement_of(&c), VERDICT_REVERSED_SURE);
    c = cell(63.0, 5.46, 0, 0);
    assert_int_equal(agreement_of(&c), VERDICT_MISSING);
}

static void an_interval_that_touches_equality_has_no_side(void **state)
{
    (void)state;
    struct result_cell c = cell(55.5, 5.5, 90, 100); /* 50.0 .. 61.0 */
    assert_int_equal(agreement_of(&c), VERDICT_OPEN);
    c = cell(55.6, 5.5, 90, 100);
    assert_int_equal(agreement_of(&c), VERDICT_SAME_SURE);
    c = cell(90, -1, 90, 100); /* no interval was given */
    assert_int_equal(agreement_of(&c), VERDICT_OPEN);
    c = cell(0, 0, 90, 100); /* nothing published */
    assert_int_equal(agreement_of(&c), VERDICT_NONE);
    c = cell(62.5, 1.15, 60, 100);
    c.parity = NAN; /* a score of a game for one */
    assert_int_equal(agreement_of(&c), VERDICT_NONE);
    c = cell(40, 5, 40, 100);
    c.side = 0;
    c.parity = 1.0 / 3; /* three players meet: 40% is better than equal */
    assert_int_equal(agreement_of(&c), VERDICT_SAME);
}

/* Two games by three pairings: every kind of cell once. */
static struct result_cell cells[6];
static const char *games[] = {"Skirmish", "TTCC4"}, *pairings[] = {"MAST", "NST", "LGR-NST"};

static struct results table(void)
{
    cells[0] = cell(45.5, 5.64, 80, 100); /* open, ours significant */
    cells[1] = cell(40.4, 5.53, 70, 100); /* reversed for sure */
    cells[2] = cell(36.0, 5.43, 30, 100); /* the same for sure */
    cells[3] = cell(58.1, 5.10, 45, 100); /* reversed */
    cells[4] = cell(59.3, 4.99, 30, 100); /* reversed for sure */
    cells[5] = cell(37.8, 4.93, 0, 0);    /* not played */
    return (struct results){.source = "document 000, table XI",
                            .games = games,
                            .pairings = pairings,
                            .ngames = 2,
                            .npairings = 3,
                            .cells = cells};
}

static void cells_are_counted(void **state)
{
    (void)state;
    struct results r = table();
    struct agreement a = agreement_count(&r);
    assert_int_equal(agreement_significant(&a), 5);
    assert_int_equal(a.count[VERDICT_SAME_SURE], 1);
    assert_int_equal(a.count[VERDICT_SAME], 0);
    assert_int_equal(a.count[VERDICT_REVERSED], 1);
    assert_int_equal(a.count[VERDICT_REVERSED_SURE], 2);
    assert_int_equal(a.count[VERDICT_MISSING], 1);
    assert_int_equal(a.count[VERDICT_OPEN], 1);
    assert_int_equal(a.open_sure, 1);
}

/* By hand: of 6 games at 60% four or more are won with probability 0.54432, of 2 at 70% both with 0.49; of 3
 * at 20% one at most with 0.896. */
static void few_games_are_expected_to_miss_the_side(void **state)
{
    (void)state;
    struct results r = table();
    cells[0] = cell(60.0, 5, 0, 6);
    cells[1] = cell(70.0, 5, 2, 2);
    cells[2] = cell(20.0, 5, 3, 3);
    cells[3] = cell(51.0, 5, 6, 6); /* has no side */
    cells[4] = cell(90.0, 5, 0, 0); /* not played */
    cells[5] = cell(100.0, 0, 1, 4);
    struct agreement a = agreement_count(&r), twice = a;
    assert_true(fabs(a.expected - (0.54432 + 0.49 + 0.896 + 1)) < 1e-6);
    agreement_add(&twice, &a);
    assert_true(fabs(twice.expected - 2 * a.expected) < 1e-9);
}

/* Of both figures, ours from how games ended and ten more that were won as often as both say. */
static double distance(double theirs, double ours, double n)
{
    double both = (theirs + ours) / 2, varies = ours * (1 - ours); /* won or lost, as cell() has it */
    double each = ((n - 1) * varies + 10 * both * (1 - both)) / (n + 9);
    return (ours - theirs) * (ours - theirs) / (each / n + 0.03 * 0.03);
}

/* 60 published +- 5.88 has a standard error of 3. */
static void distances_are_in_standard_errors_of_both(void **state)
{
    (void)state;
    struct result_cell c = cell(60, 5.88, 68, 100);
    assert_true(fabs(agreement_distance(&c) - distance(0.6, 0.68, 100)) < 1e-9);
    assert_true(agreement_distance(&c) > 2.0 && agreement_distance(&c) < 2.1); /* 1.44 standard errors */
    c = cell(60, 5.88, 9, 10);
    assert_true(fabs(agreement_distance(&c) - distance(0.6, 0.9, 10)) < 1e-9);
    c = cell(60, 5.88, 40, 40); /* all alike: the ten alone tell */
    assert_true(fabs(agreement_distance(&c) - 0.16 / (10 * 0.8 * 0.2 / 49 / 40 + 0.0009)) < 1e-9);
    c = cell(42, 5.5, 30, 60);
    c.rate.half = 0; /* all draws, and then one that was not: that is nearly the same */
    double draws = agreement_distance(&c);
    c.rate.half = 1.96 * 0.065 / sqrt(60);
    assert_true(fabs(agreement_distance(&c) - draws) < 0.2 * draws);
    c = cell(52, 5.88, 50, 100); /* without a side there is a distance all the same */
    assert_true(agreement_distance(&c) > 0);
    c = cell(100, 0, 20, 20);
    assert_true(agreement_distance(&c) == 0);
    c = cell(60, -1, 50, 100);
    assert_true(agreement_distance(&c) < 0);
    c = cell(60, 5.88, 0, 0);
    assert_true(agreement_distance(&c) < 0);
    c = cell(60, 5.88, 50, 100);
    c.published.apart = true;
    assert_true(agreement_distance(&c) < 0);

    struct results r = table();
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += agreement_distance(&cells[i]);
    struct agreement a = agreement_count(&r), twice = a;
    assert_int_equal(a.ndistances, 5);
    assert_true(fabs(a.distance - sum) < 1e-9);
    agreement_add(&twice, &a);
    assert_int_equal(twice.ndistances, 10);
    assert_true(fabs(twice.distance - 2 * sum) < 1e-9);
}

static void reversed_cells_are_named(void **state)
{
    (void)state;
    struct heap *heap = heap_new(0);
    struct results r = table();
    struct text out;
    text_init(&out, heap);
    agreement_text(&r, &out);
    assert_string_equal(text_str(&out), "Agreement with document 000, table XI\n"
                                        "  5 of 6 published figures are significant. Here they are:\n"
                                        "    same side, significantly   1\n"
                                        "    same side                  0\n"
                                        "    reversed                   1   TTCC4: MAST\n"
                                        "    reversed, significantly    2   Skirmish: NST; TTCC4: NST\n"
                                        "    not played                 1\n"
                                        "  Of the other 1, 1 are significant here.\n");
    json_t *json = agreement_json(&r);
    assert_int_equal(json_integer_value(json_object_get(json, "significant")), 5);
    assert_int_equal(json_integer_value(json_object_get(json, "reversed_significant")), 2);
    json_t *last = json_array_get(json_object_get(json, "cells"), 5);
    assert_string_equal(json_string_value(json_object_get(last, "verdict")), "missing");
    assert_null(json_object_get(last, "distance"));
    const json_t *first = json_array_get(json_object_get(json, "cells"), 0);
    assert_true(json_real_value(json_object_get(first, "distance")) == agreement_distance(&cells[0]));
    assert_string_equal(json_string_value(json_object_get(last, "pairing")), "LGR-NST");
    json_decref(json);
    heap_free(heap);
}

static void nothing_is_said_where_nothing_was_published(void **state)
{
    (void)state;
    struct heap *heap = heap_new(0);
    struct results r = table();
    for (int i = 0; i < 6; i++) cells[i].published.there = false;
    struct text out;
    text_init(&out, heap);
    agreement_text(&r, &out);
    assert_string_equal(text_str(&out), "");
    assert_null(agreement_json(&r));
    heap_free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_needs_a_published_side),
        cmocka_unit_test(an_interval_that_touches_equality_has_no_side),
        cmocka_unit_test(cells_are_counted),
        cmocka_unit_test(few_games_are_expected_to_miss_the_side),
        cmocka_unit_test(distances_are_in_standard_errors_of_both),
        cmocka_unit_test(reversed_cells_are_named),
        cmocka_unit_test(nothing_is_said_where_nothing_was_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
