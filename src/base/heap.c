// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/heap.h"

#include "base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Every block carries its links and size in front of the memory handed out. */
struct heap_block {
    struct heap_block *next, *prev;
    size_t size;
    size_t pad; /* keeps what follows 32-byte aligned relative to malloc's 16 */
};

static atomic_long injection; /* allocations until the injected failure; 0 = off */

void heap_inject_failure(long n)
{
    atomic_store(&injection, n);
}

bool heap_injection_pending(void)
{
    return atomic_load(&injection) > 0;
}

static bool injected(void)
{
    if (atomic_load_explicit(&injection, memory_order_relaxed) <= 0) return false;
    return atomic_fetch_sub(&injection, 1) == 1;
}

struct heap *heap_new(size_t limit)
{
    if (injected()) return NULL;
    struct heap *heap = calloc(1, sizeof *heap);
    if (!heap) return NULL;
    heap->limit = limit;
    heap->chunk_size = 4096;
    return heap;
}

void heap_free(struct heap *heap)
{
    if (!heap) return;
    for (struct heap_block *b = heap->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(heap);
}

void heap_enter(struct heap *heap, struct heap_guard *guard, struct error *error)
{
    guard->error = error;
    guard->outer = heap->guard;
    heap->guard = guard;
}

void heap_leave(struct heap *heap)
{
    assert(heap->guard);
    heap->guard = heap->guard->outer;
}

_Noreturn void heap_fail(struct heap *heap, enum error_code code, const char *format, ...)
{
    struct heap_guard *guard = heap->guard;
    if (!guard) abort(); /* our own mistake: work on a heap outside any guard ran out of room */
    va_list args;
    va_start(args, format);
    error_vset(guard->error, code, format, args);
    va_end(args);
    heap->guard = guard->outer;
    longjmp(guard->escape, 1);
}

void heap_poll_slow(struct heap *heap)
{
    if (heap->cancel && atomic_load_explicit(heap->cancel, memory_order_relaxed))
        heap_fail(heap, ERROR_CANCELLED, "cancelled");
    if (heap->deadline > 0 && clock_now() > heap->deadline) heap_fail(heap, ERROR_TIME, "out of time");
}

static void account(struct heap *heap, size_t more)
{
    if (injected()) heap_fail(heap, ERROR_MEMORY, "out of memory (injected)");
    if (heap->limit && (more > heap->limit || heap->used > heap->limit - more))
        heap_fail(heap, ERROR_MEMORY, "more than the allowed %zu MB of memory needed", heap->limit >> 20);
}

static void link_block(struct heap *heap, struct heap_block *b, size_t size)
{
    b->size = size;
    b->prev = NULL;
    b->next = heap->blocks;
    if (b->next) b->next->prev = b;
    heap->blocks = b;
    heap->used += size;
    if (heap->used > heap->peak) heap->peak = heap->used;
}

void *heap_alloc(struct heap *heap, size_t size)
{
    if (size == 0) return NULL;
    account(heap, size);
    struct heap_block *b = size < SIZE_MAX - sizeof *b ? malloc(sizeof *b + size) : NULL;
    if (!b) heap_fail(heap, ERROR_MEMORY, "the machine has no %zu bytes of memory left", size);
    link_block(heap, b, size);
    return b + 1;
}

void *heap_zalloc(struct heap *heap, size_t size)
{
    void *p = heap_alloc(heap, size);
    if (p) memset(p, 0, size);
    return p;
}

static void unlink_block(struct heap *heap, struct heap_block *b)
{
    if (b->prev)
        b->prev->next = b->next;
    else
        heap->blocks = b->next;
    if (b->next) b->next->prev = b->prev;
    heap->used -= b->size;
}

void *heap_realloc(struct heap *heap, void *p, size_t size)
{
    if (!p) return heap_alloc(heap, size);
    struct heap_block *b = (struct heap_block *)p - 1;
    if (size == 0) {
        heap_release(heap, p);
        return NULL;
    }
    if (size > b->size) account(heap, size - b->size);
    size_t old = b->size;
    unlink_block(heap, b);
    struct heap_block *grown = size < SIZE_MAX - sizeof *b ? realloc(b, sizeof *b + size) : NULL;
    if (!grown) {
        link_block(heap, b, old);
        heap_fail(heap, ERROR_MEMORY, "the machine has no %zu bytes of memory left", size);
    }
    link_block(heap, grown, size);
    return grown + 1;
}

void heap_release(struct heap *heap, void *p)
{
    if (!p) return;
    struct heap_block *b = (struct heap_block *)p - 1;
    unlink_block(heap, b);
    free(b);
}

void *heap_cut_aligned(struct heap *heap, size_t size, size_t align)
{
    uintptr_t at = ((uintptr_t)heap->chunk + align - 1) & ~(uintptr_t)(align - 1);
    if (heap->chunk && at <= (uintptr_t)heap->chunk_end && size <= (uintptr_t)heap->chunk_end - at) {
        heap->chunk = (char *)at + size;
        return (void *)at;
    }
    if (size > SIZE_MAX - align) heap_fail(heap, ERROR_MEMORY, "absurd size");
    if (size + align > heap->chunk_size / 4) { /* large things get a block of their own */
        uintptr_t own = (uintptr_t)heap_alloc(heap, size + align);
        return (void *)((own + align - 1) & ~(uintptr_t)(align - 1));
    }
    heap->chunk = heap_alloc(heap, heap->chunk_size);
    heap->chunk_end = heap->chunk + heap->chunk_size;
    if (heap->chunk_size < 1u << 20) heap->chunk_size *= 2;
    return heap_cut_aligned(heap, size, align);
}

void *heap_cut(struct heap *heap, size_t size)
{
    return heap_cut_aligned(heap, size, 8);
}

char *heap_strdup(struct heap *heap, const char *s, size_t len)
{
    char *copy = heap_cut_aligned(heap, len + 1, 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}
