// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)
#define SMALL_PAGE ((size_t)4096)

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

/* Addresses whose first large page begins `lead` bytes after the first. */
static char *map_aligned(size_t bytes, size_t lead, int protection)
{
    size_t all = bytes + PAGES_LARGE;
    char *block = mmap(NULL, all, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
    size_t skip = (PAGES_LARGE - ((uintptr_t)block + lead) % PAGES_LARGE) % PAGES_LARGE;
    if (skip) munmap(block, skip);
    if (PAGES_LARGE - skip) munmap(block + skip + bytes, PAGES_LARGE - skip);
    block += skip;
#ifdef MADV_HUGEPAGE
    if (bytes >= lead + PAGES_LARGE) madvise(block + lead, bytes - lead, MADV_HUGEPAGE);
#endif
    return block;
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + SMALL_PAGE - 1) & ~(SMALL_PAGE - 1);
}

void *pages_map(size_t bytes)
{
    if (bytes >= PAGES_LARGE) return map_aligned(whole_pages(bytes), 0, PROT_READ | PROT_WRITE);
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

void pages_unmap(void *block, size_t bytes)
{
    if (block) munmap(block, bytes);
}

void *pages_reserve(size_t most)
{
    return map_aligned(whole_pages(most), PAGES_SMALL, PROT_NONE);
}

size_t pages_round(size_t bytes)
{
    if (bytes <= PAGES_SMALL) return whole_pages(bytes);
    return PAGES_SMALL + ((bytes - PAGES_SMALL + PAGES_LARGE - 1) & ~(PAGES_LARGE - 1));
}

bool pages_extend(void *block, size_t before, size_t bytes)
{
    return mprotect((char *)block + before, bytes - before, PROT_READ | PROT_WRITE) == 0;
}
