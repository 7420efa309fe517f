// SPDX-License-Identifier: GPL-3.0-or-later
#include "../testing.h"

#include "base/clock.h"
#include "base/sha1.h"
#include "base/vec.h"

static void limit_unwinds_with_message(void **state)
{
    struct heap *heap = heap_new(1000);
    struct heap_guard guard;
    struct error error = {0};
    bool failed = false;
    if (HEAP_ENTER(heap, &guard, &error)) {
        heap_alloc(heap, 600);
        heap_alloc(heap, 600);
        fail();
    } else {
        failed = true;
    }
    assert_true(failed);
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_int_equal(heap->used, 600);
    heap_free(heap);
}

static void guards_nest(void **state)
{
    struct heap *heap = heap_new(0);
    struct heap_guard outer, inner;
    struct error error = {0};
    volatile int reached = 0;
    if (HEAP_ENTER(heap, &outer, &error)) {
        if (HEAP_ENTER(heap, &inner, &error))
            heap_fail(heap, ERROR_INPUT, "first %d", 1);
        else
            reached = 1;
        assert_string_equal(error.text, "first 1");
        heap_fail(heap, ERROR_INPUT, "second");
    } else {
        assert_int_equal(reached, 1);
        reached = 2;
    }
    assert_int_equal(reached, 2);
    assert_string_equal(error.text, "second");
    heap_free(heap);
}

static void deadline_and_cancel_stop_polling_work(void **state)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error = {0};
    heap->deadline = clock_now() - 1;
    if (HEAP_ENTER(heap, &guard, &error))
        for (;;) heap_poll(heap);
    assert_int_equal(error.code, ERROR_TIME);
    atomic_bool stop = true;
    heap->cancel = &stop;
    if (HEAP_ENTER(heap, &guard, &error))
        for (;;) heap_poll(heap);
    assert_int_equal(error.code, ERROR_CANCELLED);
    heap_free(heap);
}

static void injected_failure_strikes_once(void **state)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error = {0};
    heap_inject_failure(3);
    volatile int done = 0;
    if (HEAP_ENTER(heap, &guard, &error))
        for (;;) heap_alloc(heap, 8), done++;
    assert_int_equal(done, 2);
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_false(heap_injection_pending());
    if (HEAP_ENTER(heap, &guard, &error)) {
        for (int i = 0; i < 100; i++) heap_alloc(heap, 8);
        heap_leave(heap);
    } else {
        fail();
    }
    heap_free(heap);
}

static void vectors_and_arena_keep_their_contents(void **state)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error = {0};
    if (HEAP_ENTER(heap, &guard, &error)) {
        VEC(uint32_t) v = {0};
        char *cuts[1000];
        for (uint32_t i = 0; i < 1000; i++) {
            vec_push(heap, &v, i * 7);
            cuts[i] = heap_cut(heap, i + 1);
            memset(cuts[i], (int)i, i + 1);
        }
        for (uint32_t i = 0; i < 1000; i++) {
            assert_int_equal(v.v[i], i * 7);
            assert_int_equal((unsigned char)cuts[i][i], i & 255);
            assert_int_equal((uintptr_t)cuts[i] % 8, 0);
        }
        heap_leave(heap);
    } else {
        fail();
    }
    heap_free(heap);
}

static void sha1_matches_published_vectors(void **state)
{
    char hex[41];
    sha1_hex("", 0, hex, 40);
    assert_string_equal(hex, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    sha1_hex("abc", 3, hex, 40);
    assert_string_equal(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex, 40);
    assert_string_equal(hex, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_unwinds_with_message),
        cmocka_unit_test(guards_nest),
        cmocka_unit_test(deadline_and_cancel_stop_polling_work),
        cmocka_unit_test(injected_failure_strikes_once),
        cmocka_unit_test(vectors_and_arena_keep_their_contents),
        cmocka_unit_test(sha1_matches_published_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
