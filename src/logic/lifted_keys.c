// SPDX-License-Identifier: GPL-3.0-or-later
/* Room is made before anything is changed, so that running out of memory leaves the set as it was. */
#include "logic/lifted_keys.h"

#include "base/hash.h"

#include <string.h>

enum { SMALL_TABLE = 1 << 12, LARGE_TABLE = 1 << 18, LARGE_SPAN = 1 << 16, SPARSE = 8 };

void keys_init(struct heap *heap, struct keys *k, uint32_t width)
{
    *k = (struct keys){.width = width, .size = 1, .version = 1};
    k->columns = heap_zalloc(heap, width * sizeof *k->columns);
    k->codes = heap_zalloc(heap, width * sizeof *k->codes);
    k->table = heap_zalloc(heap, sizeof *k->table);
    for (uint32_t i = 0; i < width; i++) k->codes[i] = (struct key_codes){.room = 1, .stride = 1};
}

static void free_columns(struct heap *heap, struct keys *k)
{
    for (uint32_t i = 0; i < k->width && k->columns; i++) heap_release(heap, k->columns[i].part);
    heap_release(heap, k->columns);
    heap_release(heap, k->codes);
    k->columns = NULL;
    k->codes = NULL;
}

void keys_done(struct heap *heap, struct keys *k)
{
    free_columns(heap, k);
    heap_release(heap, k->table);
    vec_free(heap, &k->values);
}

void keys_clear(struct keys *k)
{
    if (k->n == 0) return;
    memset(k->table, 0, k->size * sizeof *k->table);
    k->n = k->values.n = 0;
}

static const term *tuple(const struct keys *k, uint32_t number)
{
    return k->values.v + (size_t)number * k->width;
}

/* ---- hashed ---- */

static uint32_t *slot_of(const struct keys *k, const term *values)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < k->width; i++) h = hash_mix(h, values[i]);
    uint32_t mask = k->size - 1, slot = (uint32_t)h & mask;
    for (; k->table[slot]; slot = (slot + 1) & mask) {
        const term *other = tuple(k, k->table[slot] - 1);
        uint32_t i = 0;
        while (i < k->width && other[i] == values[i]) i++;
        if (i == k->width) break;
    }
    return &k->table[slot];
}

uint32_t keys_find_hashed(const struct keys *k, const term *values)
{
    return *slot_of(k, values) - 1; /* an empty slot wraps to NO_KEY */
}

static void rehash(struct heap *heap, struct keys *k, uint32_t size)
{
    uint32_t *table = heap_zalloc(heap, size * sizeof *table);
    heap_release(heap, k->table);
    k->table = table;
    k->size = size;
    for (uint32_t i = 0; i < k->n; i++) *slot_of(k, tuple(k, i)) = i + 1;
}

static void go_hashed(struct heap *heap, struct keys *k)
{
    uint32_t size = 64;
    while (size < k->n * 4) size *= 2;
    rehash(heap, k, size);
    free_columns(heap, k);
    k->hashed = true;
    k->version++;
}

/* ---- direct ---- */

/* Make the array of a column reach to a term. False if it would be too long. */
static bool reach(struct heap *heap, struct key_column *c, term x)
{
    if (c->span && x >= c->base && x - c->base < c->span) return true;
    uint32_t base = c->span && c->base < x ? c->base : x;
    uint32_t end = c->span && c->base + c->span > x ? c->base + c->span : x + 1;
    uint32_t span = end - base;
    if (span > LARGE_SPAN) return false;
    if (c->span) span += span / 2; /* more are likely to come */
    uint32_t *part = heap_zalloc(heap, span * sizeof *part);
    if (c->span) memcpy(part + (c->base - base), c->part, c->span * sizeof *part);
    heap_release(heap, c->part);
    c->part = part;
    c->base = base;
    c->span = span;
    return true;
}

static uint32_t index_of(const struct keys *k, const term *values)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < k->width; i++) index += k->columns[i].part[values[i] - k->columns[i].base] - 1;
    return index;
}

/* New strides with twice the room in column `full`. False if the table would be too large. */
static bool widen(struct heap *heap, struct keys *k, uint32_t full)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < k->width; i++) size *= k->codes[i].room * (i == full ? 2 : 1);
    uint64_t most = (uint64_t)k->n * SPARSE;
    if (most < SMALL_TABLE) most = SMALL_TABLE;
    if (most > LARGE_TABLE) most = LARGE_TABLE;
    if (size > most && k->width > 1) return false;
    uint32_t *table = heap_zalloc(heap, (size_t)size * sizeof *table);
    heap_release(heap, k->table);
    k->table = table;
    k->size = (uint32_t)size;
    k->codes[full].room *= 2;
    uint32_t stride = 1;
    for (uint32_t i = 0; i < k->width; i++) {
        struct key_column *c = &k->columns[i];
        struct key_codes *codes = &k->codes[i];
        for (uint32_t j = 0; j < c->span && codes->stride != stride; j++)
            if (c->part[j]) c->part[j] = (c->part[j] - 1) / codes->stride * stride + 1;
        codes->stride = stride;
        stride *= codes->room;
    }
    for (uint32_t i = 0; i < k->n; i++) k->table[index_of(k, tuple(k, i))] = i + 1;
    return true;
}

/* Codes for all values of the tuple. False if the set must be hashed. */
static bool encode(struct heap *heap, struct keys *k, const term *values)
{
    for (uint32_t i = 0; i < k->width; i++) {
        struct key_column *c = &k->columns[i];
        if (!reach(heap, c, values[i])) return false;
        if (c->part[values[i] - c->base]) continue;
        struct key_codes *codes = &k->codes[i];
        if (codes->used == codes->room && !widen(heap, k, i)) return false;
        c->part[values[i] - c->base] = codes->used++ * codes->stride + 1;
        k->version++;
    }
    return true;
}

uint32_t keys_add(struct heap *heap, struct keys *k, const term *values)
{
    vec_reserve(heap, &k->values, (uint64_t)k->values.n + k->width);
    if (!k->hashed && !encode(heap, k, values)) go_hashed(heap, k);
    if (k->hashed && k->n * 2 >= k->size) rehash(heap, k, k->size * 2);
    uint32_t *slot = k->hashed ? slot_of(k, values) : &k->table[index_of(k, values)];
    if (*slot) return *slot - 1;
    for (uint32_t i = 0; i < k->width; i++) k->values.v[k->values.n++] = values[i];
    *slot = ++k->n;
    return k->n - 1;
}
