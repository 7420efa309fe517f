// SPDX-License-Identifier: GPL-3.0-or-later
/* Boards from strings: what is understood, what is refused and where the message points. */
#include "../testing.h"

#include "generate/diagram.h"

#include <math.h>
#include <stdio.h>

struct fixture {
    struct heap *heap;
    struct heap_guard guard;
    struct error error;
    struct diagram diagram;
};

static bool open_request(struct fixture *f, const struct diagram_request *q)
{
    f->error = (struct error){0};
    volatile bool good = false;
    if (HEAP_ENTER(f->heap, &f->guard, &f->error)) {
        good = diagram_open(f->heap, q, &f->diagram, &f->error);
        heap_leave(f->heap);
    }
    return good;
}

static bool open_text(struct fixture *f, const char *text)
{
    struct diagram_request q = diagram_request_default;
    q.text = text;
    return open_request(f, &q);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->heap = heap_new((size_t)64 << 20);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    heap_free(f->heap);
    free(f);
    return 0;
}

static void every_letter_stands_for_its_square(void **state)
{
    struct fixture *f = *state;
    struct diagram_request q = diagram_request_default;
    q.text = "pr2/ihXf/(12)(3F)F1/PRIH";
    q.limit = 30;
    assert_true(open_request(f, &q));
    const struct diagram *d = &f->diagram;
    assert_int_equal(d->columns, 4);
    assert_int_equal(d->rows, 4);
    assert_int_equal(diagram_at(d, 0, 3)->kind, DIAGRAM_PAWN);
    assert_int_equal(diagram_at(d, 0, 3)->owner, DIAGRAM_BLACK);
    assert_int_equal(diagram_at(d, 1, 3)->kind, DIAGRAM_RUNNER);
    assert_int_equal(diagram_at(d, 2, 3)->kind, DIAGRAM_NOTHING);
    assert_int_equal(diagram_at(d, 0, 2)->kind, DIAGRAM_IDLER);
    assert_int_equal(diagram_at(d, 1, 2)->kind, DIAGRAM_HURDLER);
    assert_true(diagram_at(d, 2, 2)->wall);
    assert_true(diagram_at(d, 3, 2)->flag);
    assert_int_equal(diagram_at(d, 3, 2)->flag_owner, DIAGRAM_BLACK);
    assert_int_equal(diagram_at(d, 0, 1)->cost, 12);
    assert_int_equal(diagram_at(d, 1, 1)->cost, 3);
    assert_true(diagram_at(d, 1, 1)->flag);
    assert_int_equal(diagram_at(d, 3, 0)->owner, DIAGRAM_WHITE);
    /* squares with points: the score is penalties, unless told otherwise */
    assert_int_equal(d->score, DIAGRAM_PENALTIES);
    assert_int_equal(d->goals, 0);
}

static void a_bad_string_is_refused_with_the_column(void **state)
{
    static const struct {
        const char *text;
        int column; /* 0: it is about the board as a whole */
        const char *words;
    } bad[] = {
        {"", 1, "no squares"},
        {"pp//PP", 4, "no squares"},
        {"pp/", 4, "no squares"},
        {"pp/3/PP", 4, "3 squares, the first one 2"},
        {"pp/0/PP", 4, "at least 1"},
        {"65/P", 1, "at most 64"},
        {"40p40/P", 4, "at most 64 squares"},
        {"ppq/PPP", 3, "'q' is not allowed"},
        {"pp/xx/PP", 4, "'x' is not allowed"},
        {"(p)/P", 2, "penalty points"},
        {"(3p/P", 4, "')' is missing"},
        {"(3", 3, "')' is missing"},
        {"(1000)/P", 2, "at most 999"},
        {"p(1X)/P1", 4, "wall"},
        {"99999999999999999999/P", 1, "at most 64"},
        {"p1/2/2", 0, "White has no piece"},
        {"P/p", 0, "goal rank already"},
        {"XX/pX/PX", 0, "nobody can move"},
        {"h2/2h/(1)2/H2", 0, "2 hurdlers"},
        {"i2/3/I2", 0, "limit"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char column[30];
        snprintf(column, sizeof column, "column %d:", bad[i].column);
        if (open_text(f, bad[i].text)) fail_msg("%s was accepted", bad[i].text);
        if (!strstr(f->error.text, bad[i].words) || (bad[i].column && !strstr(f->error.text, column)))
            fail_msg("%s: %s", bad[i].text, f->error.text);
    }
}

static void goals_and_scores_are_checked(void **state)
{
    static const struct {
        const char *text, *goal, *score, *words; /* words NULL: fine */
    } cases[] = {
        {"pp/2/PP", "rank", "draw", NULL},
        {"pp/2/PP", "capture,rank", "pieces", NULL},
        {"pp/2/PP", "none", "pieces", NULL},
        {"pp/2/PP", "none", "draw", "nobody could win"},
        {"pp/2/PP", "flag", "draw", "no"},
        {"pp/2/PP", "mate", "draw", "rank, flag or capture"},
        {"pp/2/PP", "rank", "luck", "draw, penalties or pieces"},
        {"pp/2/PP", "rank", "penalties", "such as (1)"},
        {"pp/(1)1/PP", "rank", "draw", "only with score penalties"},
        {"pf/2/FP", "flag", "draw", NULL},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diagram_request q = diagram_request_default;
        q.text = cases[i].text;
        q.goal = cases[i].goal;
        q.score = cases[i].score;
        bool good = open_request(f, &q);
        if (good != !cases[i].words || (!good && !strstr(f->error.text, cases[i].words)))
            fail_msg("%s %s %s: %s", q.text, q.goal, q.score, f->error.text);
    }
}

/* 002 figure 7.2: four lanes each side of the wall, White's safe lane a, Black's lane i. */
static void the_races_are_those_of_the_figure(void **state)
{
    struct fixture *f = *state;
    struct diagram_request q = diagram_request_default;
    const char *names[] = {"penalties", "shock-step", "punishment"};
    uint32_t costs[3][2] = {{1, 1}, {3, 3}, {3, 5}}; /* of d2 and d4, three lanes off the safe one */
    for (int i = 0; i < 3; i++) {
        q.like = names[i];
        assert_true(open_request(f, &q));
        const struct diagram *d = &f->diagram;
        assert_int_equal(d->columns, 9);
        assert_int_equal(d->rows, 8);
        for (uint32_t y = 0; y < 8; y++) {
            assert_int_equal(diagram_at(d, 0, y)->cost, 0);
            assert_int_equal(diagram_at(d, 8, y)->cost, 0);
            assert_true(diagram_at(d, 4, y)->wall);
        }
        assert_int_equal(diagram_at(d, 3, 1)->cost, costs[i][0]);
        assert_int_equal(diagram_at(d, 3, 3)->cost, costs[i][1]);
        /* a half turn of the board exchanges the players */
        for (uint32_t n = 0; n < 72; n++) assert_int_equal(d->squares[n].cost, d->squares[71 - n].cost);
        assert_int_equal(diagram_at(d, 0, 0)->kind, DIAGRAM_HURDLER);
        assert_int_equal(diagram_at(d, 8, 7)->owner, DIAGRAM_BLACK);
        assert_true(d->trail);
    }
}

static void optimistic_boards_are_the_same_for_both_players(void **state)
{
    struct fixture *f = *state;
    struct diagram_request q = diagram_request_default;
    q.like = "optimistic";
    for (int pawns = 1; pawns <= 6; pawns++) {
        q.pawns = pawns;
        bool there = pawns == 1 || pawns % 2 == 0;
        assert_int_equal(open_request(f, &q), there);
        if (!there) continue;
        const struct diagram *d = &f->diagram;
        uint32_t n = d->columns * d->rows, midfield = 0;
        for (uint32_t i = 0; i < n; i++) {
            const struct diagram_square *a = &d->squares[i], *b = &d->squares[n - 1 - i];
            assert_int_equal(a->kind, b->kind);
            if (a->kind) assert_int_not_equal(a->owner, b->owner);
            uint32_t x = i % d->columns;
            midfield += a->kind && a->owner == DIAGRAM_WHITE && x >= 3 && x <= 8;
        }
        assert_int_equal(midfield, pawns);
    }
}

static void nodes_of_a_race_are_a_geometric_sum(void **state)
{
    (void)state;
    /* 2 lanes of length 3: 1 + 2 + 4 + 8 + 16 */
    assert_true(fabs(diagram_race_nodes(2, 3) - log10(31)) < 1e-12);
    assert_true(fabs(diagram_race_nodes(1, 5) - log10(9)) < 1e-12);
    assert_true(fabs(diagram_race_nodes(10, 4) - log10(1111111)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_letter_stands_for_its_square, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_bad_string_is_refused_with_the_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(goals_and_scores_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_races_are_those_of_the_figure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(optimistic_boards_are_the_same_for_both_players, set_up, tear_down),
        cmocka_unit_test(nodes_of_a_race_are_a_geometric_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
