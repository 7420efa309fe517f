// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/arena.h"

enum { FIRST_CHUNK = 1 << 12, LARGEST_CHUNK = 1 << 20 };

void arena_init(struct arena *a, struct heap *heap)
{
    *a = (struct arena){.heap = heap};
}

static void use(struct arena *a, struct arena_chunk *c)
{
    a->current = c;
    a->at = c->bytes;
    a->end = c->bytes + c->size;
}

void *arena_cut_slow(struct arena *a, size_t size)
{
    /* Chunks behind the current one are free; one that is too small is skipped until the next reset. */
    struct arena_chunk *last = a->current;
    for (struct arena_chunk *c = last ? last->next : a->first; c; last = c, c = c->next)
        if (c->size >= size) {
            use(a, c);
            return arena_cut(a, size);
        }
    size_t want = last ? last->size * 2 : FIRST_CHUNK;
    if (want > LARGEST_CHUNK) want = LARGEST_CHUNK;
    if (want < size) want = size;
    struct arena_chunk *c = heap_alloc(a->heap, sizeof *c + want);
    c->size = want;
    c->next = NULL;
    if (last)
        last->next = c;
    else
        a->first = c;
    use(a, c);
    return arena_cut(a, size);
}

void arena_trim(struct arena *a, size_t keep)
{
    struct arena_chunk **link = &a->first;
    for (size_t kept = 0; *link;) {
        struct arena_chunk *c = *link;
        if (kept + c->size <= keep) {
            kept += c->size;
            link = &c->next;
        } else {
            *link = c->next;
            heap_release(a->heap, c);
        }
    }
    arena_reset(a);
}
