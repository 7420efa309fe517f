// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)
#define LARGE_PAGE ((size_t)2 << 20)
#define LARGE_BLOCK ((size_t)256 << 10)

void *pages_alloc(size_t bytes)
{
    size_t align = bytes < LARGE_BLOCK ? LINE : LARGE_PAGE, size = (bytes + align - 1) & ~(align - 1);
    void *block = aligned_alloc(align, size);
#ifdef MADV_HUGEPAGE
    if (block && align == LARGE_PAGE) madvise(block, size, MADV_HUGEPAGE);
#endif
    return block;
}

void *pages_zeroed(size_t bytes)
{
    void *block = pages_alloc(bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void *pages_grow(void *old, size_t used, size_t bytes)
{
    void *block = pages_alloc(bytes);
    if (!block) return NULL;
    if (used) memcpy(block, old, used);
    free(old);
    return block;
}
