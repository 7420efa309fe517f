// SPDX-License-Identifier: GPL-3.0-or-later
/* The referee, with seats that do as they are told. */
#include "../testing.h"

#include "match/record.h"

#include <stdio.h>
#include <unistd.h>

enum manner { FIRST, LATE, WRONG, GONE, ILLEGAL, INTERRUPT, SLOW };

static char story[1000]; /* what the seats were asked, in order */

struct puppet {
    struct seat seat;
    const enum manner *manners; /* one per step; then FIRST */
    uint32_t n, answered;
};

static void tell(const char *what, uint32_t role)
{
    snprintf(story + strlen(story), sizeof story - strlen(story), "%s%u ", what, role);
}

static bool start(struct seat *s, struct match *m, uint32_t role, const struct budget *b, struct error *error)
{
    (void)s, (void)m, (void)b, (void)error;
    tell("start", role);
    return true;
}

static void ask(struct seat *s, struct match *m, uint32_t role, const struct budget *b)
{
    (void)s, (void)m, (void)b;
    tell("ask", role);
}

static bool answer(struct seat *s, struct match *m, uint32_t role, const struct budget *b, uint32_t *move,
                   struct error *error)
{
    (void)b;
    struct puppet *p = (struct puppet *)s;
    struct list legal = {0};
    enum manner manner = p->answered < p->n ? p->manners[p->answered] : FIRST;
    p->answered++;
    tell("answer", role);
    assert_true(m->reasoner->ops->legal(m->reasoner, &m->state, role, &legal));
    *move = legal.v[0];
    list_done(&legal);
    switch (manner) {
    case FIRST: return true;
    case LATE: return error_set(error, ERROR_TIME, "too late");
    case WRONG: return error_set(error, ERROR_INPUT, "'xyz'");
    case GONE: return error_set(error, ERROR_SYSTEM, "nobody there");
    case ILLEGAL: *move = UINT32_MAX; return true;
    case INTERRUPT: m->interrupted = true; return false;
    case SLOW: usleep(50000); return true;
    }
    return false;
}

static void stop(struct seat *s, struct match *m, uint32_t role, bool aborted)
{
    (void)s, (void)m;
    tell(aborted ? "abort" : "stop", role);
}

static void settle(struct seat *s, struct match *m, uint32_t role)
{
    (void)s, (void)m;
    tell("settle", role);
}

static bool start_slowly(struct seat *s, struct match *m, uint32_t role, const struct budget *b,
                         struct error *error)
{
    usleep(50000);
    return start(s, m, role, b, error);
}

static const struct seat_ops sleepy = {.start = start_slowly, .answer = answer, .stop = stop};
static const struct seat_ops here = {.start = start, .answer = answer, .stop = stop};
static const struct seat_ops person = {.start = start, .answer = answer, .stop = stop, .patient = true};
static const struct seat_ops elsewhere = {
    .start = start, .ask = ask, .answer = answer, .stop = stop, .settle = settle};

static struct table {
    struct game *game;
    struct puppet puppets[2];
    struct seat *seats[2];
    struct match *match;
} t;

/* A game of two. */
static void open_table(const char *name, const struct seat_ops *first, const struct seat_ops *second,
                       struct match_budget budget)
{
    struct error error = {0};
    t = (struct table){.game = game_load(name, 0, NULL, &error)};
    if (!t.game) fail_msg("%s", error.text);
    assert_int_equal(t.game->nroles, 2);
    for (int i = 0; i < 2; i++) {
        t.puppets[i].seat = (struct seat){i ? second : first, i ? "second" : "first"};
        t.seats[i] = &t.puppets[i].seat;
    }
    t.match = match_new(t.game, NULL, t.seats, &budget, 1, &error);
    assert_non_null(t.match);
    story[0] = '\0';
}

static void behave(int role, const enum manner *manners, uint32_t n)
{
    t.puppets[role].manners = manners;
    t.puppets[role].n = n;
}

static void close_table(void)
{
    match_free(t.match);
    game_free(t.game);
}

static void those_elsewhere_are_asked_first(void **state)
{
    struct error error = {0};
    open_table("ticTacToe", &here, &elsewhere, (struct match_budget){0});
    assert_true(match_start(t.match, &error));
    assert_string_equal(story, "start1 start0 settle1 ");
    story[0] = '\0';
    assert_true(match_step(t.match, &error));
    assert_string_equal(story, "ask1 answer0 answer1 ");
    story[0] = '\0';
    assert_true(match_finish(t.match, &error));
    assert_string_equal(story, "abort0 abort1 settle1 ");
    close_table();
}

static void bad_answers_are_replaced_and_counted(void **state)
{
    static const enum manner manners[] = {LATE, FIRST, WRONG, FIRST, GONE, FIRST, ILLEGAL};
    static const enum match_error kinds[] = {MATCH_LATE, MATCH_ILLEGAL, MATCH_FAILED, MATCH_ILLEGAL};
    static const char *const texts[] = {"too late", "'xyz'", "nobody there", "not legal"};
    struct error error = {0};
    open_table("connectFour", &elsewhere, &here, (struct match_budget){0});
    behave(0, manners, 7);
    assert_true(match_play(t.match, &error));
    struct match *m = t.match;
    assert_int_equal(m->errors[0], 4);
    assert_int_equal(m->errors[1], 0);
    assert_int_equal(m->nremarks, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(m->remarks[i].step, 2 * i + 1);
        assert_int_equal(m->remarks[i].role, 0);
        assert_int_equal(m->remarks[i].kind, kinds[i]);
        assert_string_equal(m->remarks[i].text, texts[i]);
        assert_int_equal(m->steps[2 * i].error[0], kinds[i]);
    }
    assert_true(m->terminal && !m->aborted);
    assert_int_equal(m->goals[0] + m->goals[1], 100);
    assert_non_null(strstr(story, "stop0 stop1 settle0 "));
    close_table();
}

static void a_step_that_was_given_up_leaves_nothing(void **state)
{
    static const enum manner late[] = {LATE, FIRST, LATE}, interrupt[] = {INTERRUPT};
    struct error error = {0};
    open_table("ticTacToe", &elsewhere, &elsewhere, (struct match_budget){0});
    behave(0, late, 3);
    behave(1, interrupt, 1);
    assert_true(match_start(t.match, &error));
    assert_false(match_step(t.match, &error));
    assert_int_equal(error.code, ERROR_CANCELLED);
    assert_int_equal(t.match->nsteps + t.match->nremarks + t.match->errors[0], 0);
    assert_true(match_step(t.match, &error)); /* nobody is late this time */
    assert_true(match_step(t.match, &error));
    assert_int_equal(t.match->errors[0], 1);
    assert_true(match_take_back(t.match, 1, &error));
    assert_int_equal(t.match->nsteps, 1);
    assert_int_equal(t.match->nremarks + t.match->errors[0], 0);
    close_table();
}

static void a_match_can_be_stopped_at_any_time(void **state)
{
    static atomic_bool wish;
    struct error error = {0};
    open_table("ticTacToe", &here, &elsewhere, (struct match_budget){0});
    t.match->stop = &wish;
    assert_true(match_start(t.match, &error));
    assert_true(match_step(t.match, &error));
    atomic_store(&wish, true);
    assert_false(match_step(t.match, &error));
    assert_int_equal(error.code, ERROR_CANCELLED);
    assert_int_equal(t.match->nsteps, 1);
    story[0] = '\0';
    assert_true(match_finish(t.match, &error));
    assert_true(t.match->aborted);
    assert_string_equal(story, "abort0 abort1 settle1 ");
    match_free(t.match);
    t.match = match_new(t.game, NULL, t.seats, &(struct match_budget){0}, 1, &error);
    t.match->stop = &wish; /* already before the start */
    assert_false(match_play(t.match, &error));
    assert_int_equal(t.match->nsteps, 0);
    atomic_store(&wish, false);
    close_table();
}

static void the_clock_holds_for_players_in_this_process_too(void **state)
{
    static const enum manner slow[] = {SLOW, FIRST, SLOW};
    struct error error = {0};
    for (int grace = -1; grace < 2; grace++)
        for (int patient = 0; patient < 2; patient++) {
            struct match_budget budget = {.seconds = 0.001, .grace = grace * 0.02};
            open_table("ticTacToe", patient ? &person : &here, &here, budget);
            behave(0, slow, 3);
            assert_true(match_play(t.match, &error));
            assert_true(t.match->steps[0].seconds[0] >= 0.04f);
            assert_int_equal(t.match->steps[0].error[0], grace >= 0 && !patient ? MATCH_LATE : MATCH_FINE);
            close_table();
        }
}

static void the_start_clock_holds_for_them_too(void **state)
{
    struct error error = {0};
    for (int grace = -1; grace < 2; grace++) {
        struct match_budget budget = {.start_seconds = 0.001, .grace = grace * 0.02};
        open_table("ticTacToe", &sleepy, &here, budget);
        assert_true(match_play(t.match, &error));
        assert_int_equal(t.match->nremarks, grace >= 0);
        for (uint32_t i = 0; i < t.match->nremarks; i++) {
            assert_int_equal(t.match->remarks[i].kind, MATCH_LATE);
            assert_int_equal(t.match->remarks[i].step + t.match->remarks[i].role, 0);
        }
        close_table();
    }
}

/* ---- records ---- */

static struct record *play_and_record(struct error *error)
{
    static const enum manner manners[] = {LATE, FIRST, WRONG};
    open_table("goofspiel4", &elsewhere, &here, (struct match_budget){.seconds = 2, .start_seconds = 3});
    behave(0, manners, 3);
    assert_true(match_play(t.match, error));
    struct record_about about = {
        .id = "m.1", .seed = UINT64_MAX, .scrambled = true, .scramble_seed = 0, .states = true};
    return record_of_match(t.match, &about, error);
}

static char *printed(const struct record *r, enum record_form form)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    char *copy = NULL;
    if (HEAP_ENTER(heap, &guard, &error)) {
        struct text text;
        text_init(&text, heap);
        record_print(r, form, &text);
        copy = strdup(text_str(&text));
        heap_leave(heap);
    }
    heap_free(heap);
    assert_non_null(copy);
    return copy;
}

static void a_record_reads_back_as_it_was(void **state)
{
    struct error error = {0};
    struct record *r = play_and_record(&error);
    assert_non_null(r);
    assert_int_equal(r->nerrors, 2);
    for (int form = RECORD_JSON; form <= RECORD_PGN; form++) {
        char *text = printed(r, form);
        struct record *again = record_parse("again", text, strlen(text), &error);
        if (!again) fail_msg("%s", error.text);
        char *twice = printed(again, form);
        assert_string_equal(text, twice);
        assert_true(again->seed == UINT64_MAX && again->scrambled);
        free(text);
        free(twice);
        record_free(again);
    }
    record_free(r);
    close_table();
}

static void any_failing_allocation_is_reported(void **state)
{
    struct error error = {0};
    struct record *r = play_and_record(&error);
    assert_non_null(r);
    char *text[] = {printed(r, RECORD_JSON), printed(r, RECORD_PGN)};
    record_free(r);
    for (int what = 0; what < 3; what++) {
        bool struck = true;
        for (long n = 1; struck; n++) {
            heap_inject_failure(n);
            r = what < 2 ? record_parse("text", text[what], strlen(text[what]), &error)
                         : record_of_match(t.match, &(struct record_about){.states = true}, &error);
            struck = !heap_injection_pending();
            heap_inject_failure(0);
            if (!r) assert_int_equal(error.code, ERROR_MEMORY);
            if (!struck) assert_non_null(r);
            record_free(r);
        }
    }
    free(text[0]);
    free(text[1]);
    close_table();
}

static void every_prefix_of_a_record_is_refused(void **state)
{
    struct error error = {0};
    struct record *r = play_and_record(&error);
    for (int form = RECORD_JSON; form <= RECORD_PGN; form++) {
        char *text = printed(r, form);
        size_t size = strlen(text) - 2; /* the last line's end may be missing */
        for (size_t n = 0; n < size; n++) {
            char *part = malloc(n ? n : 1);
            memcpy(part, text, n);
            struct record *cut = record_parse("part", part, n, &error);
            if (cut) fail_msg("%zu bytes of %zu were read as a record", n, size);
            assert_int_equal(strncmp(error.text, "part: ", 6), 0);
            free(part);
        }
        free(text);
    }
    record_free(r);
    close_table();
}

static void who_starts_is_told_what_a_move_will_have(void **state)
{
    struct match_budget clocks = {.start_seconds = 5, .seconds = 0.3};
    assert_true(match_budget_now(&clocks, true, NULL).move == 0.3);
    assert_true(match_budget_now(&clocks, false, NULL).move == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_elsewhere_are_asked_first),
        cmocka_unit_test(bad_answers_are_replaced_and_counted),
        cmocka_unit_test(a_step_that_was_given_up_leaves_nothing),
        cmocka_unit_test(a_match_can_be_stopped_at_any_time),
        cmocka_unit_test(the_clock_holds_for_players_in_this_process_too),
        cmocka_unit_test(the_start_clock_holds_for_them_too),
        cmocka_unit_test(who_starts_is_told_what_a_move_will_have),
        cmocka_unit_test(a_record_reads_back_as_it_was),
        cmocka_unit_test(any_failing_allocation_is_reported),
        cmocka_unit_test(every_prefix_of_a_record_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
