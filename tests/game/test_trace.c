// SPDX-License-Identifier: GPL-3.0-or-later
#include "testing.h"

#include "game/trace.h"

static void lines_are_hashed_sorted_and_joined_by_newlines(void **unused)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    char hash[TRACE_HASH_DIGITS + 1];
    assert_true(HEAP_ENTER(heap, &guard, &error));
    struct trace_lines lines;
    trace_lines_init(&lines, heap);
    trace_hash(&lines, hash); /* printf '' | sha1sum */
    assert_string_equal(hash, "da39a3ee5e6b4b0d");

    /* The initial state of Tic-Tac-Toe as the corpus has it; its fingerprint there. */
    static const char *const facts[] = {"(control xplayer)", "(cell 3 3 b)", "(cell 3 2 b)", "(cell 3 1 b)",
                                        "(cell 2 3 b)",      "(cell 2 2 b)", "(cell 2 1 b)", "(cell 1 3 b)",
                                        "(cell 1 2 b)",      "(cell 1 1 b)"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) trace_lines_add(&lines, facts[i]);
    trace_lines_sort(&lines);
    assert_string_equal(lines.v.v[0], "(cell 1 1 b)");
    trace_hash(&lines, hash);
    assert_string_equal(hash, "a993f5c6e3915498");
    trace_lines_clear(&lines);
    assert_int_equal(lines.v.n, 0);
    heap_leave(heap);
    heap_free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_hashed_sorted_and_joined_by_newlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
