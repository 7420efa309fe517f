/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A heap holds all memory of one job (a parse, a grounding, an engine) and knows the job's limits.
 *
 *     struct heap *heap ---> block <-> block <-> block        heap_free() releases them all
 *          used, peak, limit        (each remembers its size)
 *          deadline, cancel         polled by heap_poll()
 *          guard --------> jmp_buf  where to go when a limit is hit
 *
 * Inside a guard allocation never returns NULL: running out of memory or time, or being cancelled, unwinds to
 * the guard with the error filled in. So the code in between needs no checks, and since every block belongs
 * to the heap, nothing leaks. The pattern:
 *
 *     struct heap_guard guard;
 *     if (HEAP_ENTER(heap, &guard, error)) {
 *         work(heap);
 *         heap_leave(heap);
 *         return true;
 *     }
 *     heap_free(heap);                   // a limit was hit; error says which
 *     return false;
 *
 * Guards nest. Local variables changed inside the guarded block and read on the failure path must be
 * volatile, as after any longjmp. A heap belongs to one thread at a time; only `cancel` may be set by
 * another.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/error.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct heap_block;

struct heap_guard {
    jmp_buf escape;
    struct error *error;
    struct heap_guard *outer;
};

struct heap {
    struct heap_block *blocks;
    size_t used, peak, limit;  /* bytes; limit 0 = none */
    double deadline;           /* clock_now() time; 0 = none */
    const atomic_bool *cancel; /* may be NULL */
    struct heap_guard *guard;
    uint32_t polls;
    /* arena: small objects that live as long as the heap are cut from chunks */
    char *chunk, *chunk_end;
    size_t chunk_size;
};

struct heap *heap_new(size_t limit); /* NULL when not even the heap itself can be had */
void heap_free(struct heap *heap);   /* the heap and everything in it; NULL is fine */

/* General blocks, resizable and freeable one by one. Size 0 gives NULL. Memory is not cleared by heap_alloc.
 */
void *heap_alloc(struct heap *heap, size_t size);
void *heap_zalloc(struct heap *heap, size_t size);
void *heap_realloc(struct heap *heap, void *p, size_t size);
void heap_release(struct heap *heap, void *p);

/* Arena: 8-byte aligned, uncleared, lives as long as the heap. */
void *heap_cut(struct heap *heap, size_t size);
void *heap_cut_aligned(struct heap *heap, size_t size, size_t align);
char *heap_strdup(struct heap *heap, const char *s, size_t len);

/* Give up: unwind to the innermost guard. */
_Noreturn void heap_fail(struct heap *heap, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Cheap check of deadline and cancel flag (looks at the clock every 256th call). */
void heap_poll_slow(struct heap *heap);
static inline void heap_poll(struct heap *heap)
{
    if ((++heap->polls & 255u) == 0) heap_poll_slow(heap);
}

void heap_enter(struct heap *heap, struct heap_guard *guard, struct error *error);
void heap_leave(struct heap *heap);
#define HEAP_ENTER(heap, guard, err) (heap_enter((heap), (guard), (err)), setjmp((guard)->escape) == 0)

/* Test hook: the n-th allocation from now on (counted over all heaps) fails, once; 0 switches it off.
 * heap_injection_pending() tells whether it has not struck yet. */
void heap_inject_failure(long n);
bool heap_injection_pending(void);

#endif
