// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)

void *pages_alloc(size_t bytes, size_t large)
{
    size_t align = bytes < large ? LINE : PAGES_LARGE, size = (bytes + align - 1) & ~(align - 1);
    void *block = aligned_alloc(align, size);
#ifdef MADV_HUGEPAGE
    if (block && align == PAGES_LARGE) madvise(block, size, MADV_HUGEPAGE);
#endif
    return block;
}

void *pages_zeroed(size_t bytes, size_t large)
{
    void *block = pages_alloc(bytes, large);
    return block ? memset(block, 0, bytes) : NULL;
}

void *pages_grow(void *old, size_t used, size_t bytes, size_t large)
{
    void *block = pages_alloc(bytes, large);
    if (!block) return NULL;
    if (used) memcpy(block, old, used);
    free(old);
    return block;
}

void *pages_map(void *old, size_t before, size_t bytes)
{
    void *block = old ? mremap(old, before, bytes, MREMAP_MAYMOVE)
                      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= PAGES_LARGE) madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
}

void pages_unmap(void *block, size_t bytes)
{
    if (block) munmap(block, bytes);
}
