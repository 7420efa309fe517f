/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is cut off the front and given back all at once, or in reverse order.
 *
 *     first chunk -> chunk -> current chunk -> (kept for later) -> ...
 *                             [used | at ... end]
 *
 * Chunks come from a heap (so its limit holds) and are kept when the arena is reset: the next round
 * allocates nothing. arena_mark and arena_release give back everything cut since the mark, as a stack does.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/heap.h"

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of what follows */
    char bytes[];
};

struct arena {
    struct heap *heap;
    struct arena_chunk *first, *current;
    char *at, *end;
};

struct arena_mark {
    struct arena_chunk *chunk;
    char *at;
};

void arena_init(struct arena *a, struct heap *heap);
void *arena_cut_slow(struct arena *a, size_t size);

/* 8-byte aligned, not cleared. */
static inline void *arena_cut(struct arena *a, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if (size > (size_t)(a->end - a->at)) return arena_cut_slow(a, size);
    void *p = a->at;
    a->at += size;
    return p;
}

static inline struct arena_mark arena_mark(const struct arena *a)
{
    return (struct arena_mark){a->current, a->at};
}

static inline void arena_release(struct arena *a, struct arena_mark m)
{
    a->current = m.chunk;
    a->at = m.at;
    a->end = m.chunk ? m.chunk->bytes + m.chunk->size : m.at;
}

static inline void arena_reset(struct arena *a)
{
    arena_release(a, (struct arena_mark){a->first, a->first ? a->first->bytes : NULL});
}

/* Give back all chunks to the heap but those that fit into `keep` bytes; the arena is empty afterwards. */
void arena_trim(struct arena *a, size_t keep);

#endif
