// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/vec.h"

void *vec_grow(struct heap *heap, void *v, uint32_t *cap, uint64_t want, size_t size)
{
    uint64_t n = *cap ? (uint64_t)*cap * 2 : 8;
    if (n < want) n = want;
    if (n > UINT32_MAX) heap_fail(heap, ERROR_MEMORY, "a table would need more than 4 billion entries");
    v = heap_realloc(heap, v, (size_t)n * size);
    *cap = (uint32_t)n;
    return v;
}
