// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/pool.h"

#include "base/pages.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)32 << 10) /* smaller blocks are malloc's */
enum {
    SIZES = 32,
    LARGE = 6,   /* LEAST << LARGE is a large page */
    AT_ONCE = 16 /* large pages asked for at a time */
};

struct free_block {
    struct free_block *next;
};

static struct {
    pthread_mutex_t lock;
    atomic_bool open;
    struct free_block *free[SIZES];
    char *fresh; /* large pages that nobody has touched yet, and that cost nothing until then */
    uint32_t nfresh;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

void pool_open(void)
{
    atomic_store(&pool.open, true);
}

bool pool_is_open(void)
{
    return atomic_load_explicit(&pool.open, memory_order_relaxed);
}

static bool is_pooled(size_t bytes)
{
    return bytes >= LEAST && pool_is_open();
}

static uint32_t size_of(size_t bytes)
{
    uint32_t k = 0;
    while (k < SIZES - 1 && LEAST << k < bytes) k++;
    return k;
}

static void push(uint32_t k, void *block)
{
    struct free_block *b = block;
    b->next = pool.free[k];
    pool.free[k] = b;
}

static void *fresh_page(void)
{
    if (!pool.nfresh) {
        if (!(pool.fresh = pages_map(AT_ONCE * (LEAST << LARGE)))) return NULL;
        pool.nfresh = AT_ONCE;
    }
    return pool.fresh + (LEAST << LARGE) * --pool.nfresh;
}

static void *pop(uint32_t k)
{
    struct free_block *b = pool.free[k];
    if (b) {
        pool.free[k] = b->next;
        return b;
    }
    if (k > LARGE) return pages_map(LEAST << k);
    if (k == LARGE) return fresh_page();
    char *two = pop(k + 1);
    if (two) push(k, two + (LEAST << k));
    return two;
}

void *pool_take(size_t bytes)
{
    if (!is_pooled(bytes)) return malloc(bytes);
    pthread_mutex_lock(&pool.lock);
    void *block = pop(size_of(bytes));
    pthread_mutex_unlock(&pool.lock);
    return block;
}

void *pool_take_zeroed(size_t bytes)
{
    if (!is_pooled(bytes)) return calloc(bytes, 1);
    void *block = pool_take(bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void pool_give(void *block, size_t bytes)
{
    if (!block) return;
    if (!is_pooled(bytes)) {
        free(block);
        return;
    }
    pthread_mutex_lock(&pool.lock);
    push(size_of(bytes), block);
    pthread_mutex_unlock(&pool.lock);
}

void *pool_grow(void *old, size_t used, size_t before, size_t bytes)
{
    if (!is_pooled(bytes)) return realloc(old, bytes);
    if (old && is_pooled(before) && size_of(before) == size_of(bytes)) return old;
    void *block = pool_take(bytes);
    if (!block) return NULL;
    if (used) memcpy(block, old, used);
    pool_give(old, before);
    return block;
}
