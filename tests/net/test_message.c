// SPDX-License-Identifier: GPL-3.0-or-later
#include "../testing.h"

#include "net/frame.h"
#include "net/message.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static struct message good(const char *text)
{
    struct message m;
    struct error error;
    if (!message_parse(text, strlen(text), &m, &error)) fail_msg("%s: %s", text, error.text);
    return m;
}

static void bad(const char *text, const char *why)
{
    struct message m;
    struct error error;
    assert_false(message_parse(text, strlen(text), &m, &error));
    if (!strstr(error.text, why)) fail_msg("'%s' is refused with '%s', not '%s'", text, error.text, why);
}

static void is(struct slice s, const char *text)
{
    assert_int_equal(s.n, strlen(text));
    assert_memory_equal(s.at, text, s.n);
}

static void a_start_has_all_its_parts(void **state)
{
    struct message m =
        good("( sTaRt Base.match+1 (player 1) ((role robot) ; no )\n (init (a))) 30 15.5 (x) y)");
    assert_int_equal(m.kind, MESSAGE_START);
    is(m.id, "Base.match+1");
    is(m.role, "(player 1)");
    is(m.rules, "(role robot) ; no )\n (init (a))");
    assert_float_equal(m.start_clock, 30, 0);
    assert_float_equal(m.play_clock, 15.5, 0);
}

static void moves_are_counted_and_taken_one_by_one(void **state)
{
    struct message m = good("(PLAY m ((mark 1 1)noop ( f ) ; c\n x))");
    struct slice rest = m.moves, term;
    struct error error;
    const char *expected[] = {"(mark 1 1)", "noop", "( f )", "x"};
    assert_int_equal(m.nmoves, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(slice_term(&rest, &term, &error));
        is(term, expected[i]);
    }
    assert_false(slice_term(&rest, &term, &error));
    assert_int_equal(error.code, ERROR_NONE);
    assert_int_equal(good("(PLAY m nil)").nmoves, 0);
    assert_int_equal(good("(STOP m NIL)").nmoves, 0);
    assert_int_equal(good("play m ()").nmoves, 0);
    assert_int_equal(good(" stop m (a b) ").nmoves, 2);
}

static void the_other_messages(void **state)
{
    assert_int_equal(good("(INFO)").kind, MESSAGE_INFO);
    assert_int_equal(good("info").kind, MESSAGE_INFO);
    assert_int_equal(good("( abort m )").kind, MESSAGE_ABORT);
    struct message m = good("(preview ((role x)) 10)");
    assert_int_equal(m.kind, MESSAGE_PREVIEW);
    is(m.rules, "(role x)");
}

static void what_is_no_message_is_refused_with_the_reason(void **state)
{
    bad("", "empty");
    bad(" ; (INFO)", "empty");
    bad("()", "empty");
    bad("(", "1 parenthesis is never closed");
    bad("((INFO", "2 parentheses are never closed");
    bad("(INFO))", "follows");
    bad("INFO)x(", "");
    bad("(HELLO)", "'HELLO' is no message");
    bad("((INFO))", "no message");
    bad("(PLAY m)", "PLAY without moves");
    bad("(START m r (x) 1)", "START without play clock");
    bad("(START m r (x) 1 0x10)", "play clock is no number");
    bad("(START m r (x) 1 nan)", "play clock is no number");
    bad("(START m r (x) 1 1.1.1)", "play clock is no number");
    bad("(START m r (x) 99999999 1)", "start clock is no number");
    bad("(START m r (x) 11111111111111111111111111111111111111111111111111 1)", "start clock is no number");
    bad("(INFO \x7f)", "control character");
}

static void limits_are_kept(void **state)
{
    char *text = malloc(20000);
    memset(text, '(', 9000);
    text[9000] = '\0';
    bad(text, "deeper");
    memcpy(text, "(ABORT ", 7);
    memset(text + 7, 'x', 9000);
    strcpy(text + 9007, ")");
    bad(text, "longer");
    strcpy(text, "(PLAY m (");
    for (int i = 0; i < MESSAGE_MAX_MOVES + 1; i++) strcat(text, "a ");
    strcat(text, "))");
    bad(text, "moves");
    free(text);
}

static void canonical(const char *from, const char *to)
{
    char *text = slice_canonical((struct slice){from, strlen(from)});
    assert_string_equal(text, to);
    free(text);
}

static void terms_become_canonical(void **state)
{
    canonical("noop", "noop");
    canonical("( mark\t1\n\n1 )", "(mark 1 1)");
    canonical("(f(g(h))(i)x)", "(f (g (h)) (i) x)");
    canonical("(a ; b )\r c)", "(a c)");
    canonical(" ", "");
}

static void a_message_is_complete_with_its_last_parenthesis(void **state)
{
    const char *text = "; ( no\n ( PLAY m ; )\n ((a) b)) rest";
    struct message_end end = {0};
    size_t n = 0;
    while (!end.complete && text[n]) message_end_feed(&end, text + n++, 1);
    assert_true(end.complete);
    assert_string_equal(text + n, " rest");
}

static void frames_arrive_whole_and_in_order(void **state)
{
    int ends[2];
    struct frames a, b;
    size_t n, big = 3000000;
    char *text = malloc(big), *got;
    memset(text, 'x', big);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    frames_init(&a, ends[0]);
    frames_init(&b, ends[1]);
    assert_true(frames_send(&a, "", 0, NULL, 0));
    assert_true(frames_send(&a, "12\n", 3, "34", 2));
    assert_true(frames_send(&a, text, big, NULL, 0)); /* more than fits: nobody waits */
    assert_true(frames_waiting(&a));
    assert_true(frames_fill(&b));
    assert_string_equal(frames_take(&b, &n), "");
    assert_string_equal(frames_take(&b, &n), "12\n34");
    assert_int_equal(n, 5);
    while (!(got = frames_take(&b, &n))) {
        assert_true(frames_flush(&a));
        assert_true(frames_fill(&b));
    }
    assert_int_equal(n, big);
    assert_memory_equal(got, text, big);
    frames_done(&a);
    assert_false(frames_fill(&b));
    assert_null(frames_take(&b, &n));
    assert_false(frames_send(&b, "x", 1, NULL, 0));
    frames_done(&b);
    free(text);
}

static void nonsense_makes_no_frame(void **state)
{
    static const char *const texts[] = {"x\n", "-1\n", "99999999999999999999\nx", "5x12345", "\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int ends[2];
        struct frames b;
        size_t n;
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        frames_init(&b, ends[1]);
        assert_int_equal(write(ends[0], texts[i], strlen(texts[i])), strlen(texts[i]));
        frames_fill(&b);
        assert_null(frames_take(&b, &n));
        close(ends[0]);
        frames_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_has_all_its_parts),
        cmocka_unit_test(moves_are_counted_and_taken_one_by_one),
        cmocka_unit_test(the_other_messages),
        cmocka_unit_test(what_is_no_message_is_refused_with_the_reason),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(terms_become_canonical),
        cmocka_unit_test(a_message_is_complete_with_its_last_parenthesis),
        cmocka_unit_test(frames_arrive_whole_and_in_order),
        cmocka_unit_test(nonsense_makes_no_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
