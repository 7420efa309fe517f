// SPDX-License-Identifier: GPL-3.0-or-later
#include "ground/table.h"

#include "base/hash.h"

static inline uint64_t hash_tuple(const uint32_t *tuple, uint32_t n)
{
    uint64_t h = n;
    uint32_t i = 0;
    for (; i + 1 < n; i += 2) h = hash_mix(h, (uint64_t)tuple[i] << 32 | tuple[i + 1]);
    if (i < n) h = hash_mix(h, tuple[i]);
    return h;
}

static inline uint64_t hash_columns(const uint32_t *row, const struct table_index *x)
{
    uint32_t key[TABLE_MAX_KEY];
    for (uint32_t i = 0; i < x->ncolumns; i++) key[i] = row[x->column[i]];
    return hash_tuple(key, x->ncolumns);
}

/* Double a hash table; the stored halves of the hashes are enough to place everything again. */
static void grow_slots(struct heap *heap, struct table_slot **slots, uint32_t *mask)
{
    uint32_t old = *slots ? *mask + 1 : 0, size = old ? old * 2 : 16;
    if (old > UINT32_MAX / 2) heap_fail(heap, ERROR_MEMORY, "a table would need more than 4 billion rows");
    struct table_slot *grown = heap_zalloc(heap, size * sizeof *grown);
    for (uint32_t i = 0; i < old; i++) {
        if (!(*slots)[i].row1) continue;
        uint32_t at = (*slots)[i].hash & (size - 1);
        while (grown[at].row1) at = (at + 1) & (size - 1);
        grown[at] = (*slots)[i];
    }
    heap_release(heap, *slots);
    *slots = grown;
    *mask = size - 1;
}

static inline bool same(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* The slot that holds the tuple, or the free one where it belongs. */
static inline uint32_t slot_of(const struct table *t, const uint32_t *tuple, uint32_t hash)
{
    uint32_t at = hash & t->mask;
    for (; t->slots[at].row1; at = (at + 1) & t->mask)
        if (t->slots[at].hash == hash && same(table_row(t, t->slots[at].row1 - 1), tuple, t->width)) break;
    return at;
}

uint32_t table_find(const struct table *t, const uint32_t *tuple)
{
    if (!t->rows) return NO_ROW;
    uint32_t row1 = t->slots[slot_of(t, tuple, (uint32_t)(hash_tuple(tuple, t->width) >> 32))].row1;
    return row1 - 1; /* a free slot wraps to NO_ROW */
}

uint32_t table_add(struct heap *heap, struct table *t, const uint32_t *tuple, bool *added)
{
    if (!t->slots || t->rows >= t->mask - t->mask / 3) grow_slots(heap, &t->slots, &t->mask);
    uint32_t hash = (uint32_t)(hash_tuple(tuple, t->width) >> 32), at = slot_of(t, tuple, hash);
    *added = !t->slots[at].row1;
    if (!*added) return t->slots[at].row1 - 1;
    if (t->rows == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 8;
        if (t->width) t->cells = heap_realloc(heap, t->cells, (size_t)cap * t->width * sizeof *t->cells);
        t->cap = cap;
    }
    if (t->width) memcpy(t->cells + (size_t)t->rows * t->width, tuple, t->width * sizeof *tuple);
    t->slots[at] = (struct table_slot){t->rows + 1, hash};
    return t->rows++;
}

static inline bool same_key(const uint32_t *row, const uint32_t *key, const struct table_index *x)
{
    for (uint32_t i = 0; i < x->ncolumns; i++)
        if (row[x->column[i]] != key[i]) return false;
    return true;
}

uint32_t table_probe(const struct table *t, const struct table_index *x, const uint32_t *key)
{
    uint32_t hash = (uint32_t)(hash_tuple(key, x->ncolumns) >> 32);
    for (uint32_t at = hash & x->mask; x->slots[at].row1; at = (at + 1) & x->mask)
        if (x->slots[at].hash == hash && same_key(table_row(t, x->slots[at].row1 - 1), key, x))
            return x->slots[at].row1 - 1;
    return NO_ROW;
}

static void catch_up(struct heap *heap, const struct table *t, struct table_index *x)
{
    if (t->rows > x->cap || !x->slots) {
        x->cap = t->cap ? t->cap : 1;
        x->next = heap_realloc(heap, x->next, (size_t)x->cap * sizeof *x->next);
    }
    for (; x->rows < t->rows; x->rows++) {
        if (!x->slots || x->keys >= x->mask - x->mask / 3) grow_slots(heap, &x->slots, &x->mask);
        const uint32_t *row = table_row(t, x->rows);
        uint32_t hash = (uint32_t)(hash_columns(row, x) >> 32), at = hash & x->mask;
        for (; x->slots[at].row1; at = (at + 1) & x->mask) {
            if (x->slots[at].hash != hash) continue;
            const uint32_t *other = table_row(t, x->slots[at].row1 - 1);
            uint32_t i = 0;
            while (i < x->ncolumns && row[x->column[i]] == other[x->column[i]]) i++;
            if (i == x->ncolumns) break;
        }
        x->keys += !x->slots[at].row1;
        x->next[x->rows] = x->slots[at].row1 - 1;
        x->slots[at] = (struct table_slot){x->rows + 1, hash};
        heap_poll(heap);
    }
    if (!x->slots) grow_slots(heap, &x->slots, &x->mask); /* so that an empty index can be probed */
}

uint32_t table_index(struct heap *heap, struct table *t, uint64_t columns)
{
    uint32_t i = 0;
    while (i < t->indexes.n && t->indexes.v[i].columns != columns) i++;
    if (i == t->indexes.n) {
        struct table_index x = {.columns = columns, .ncolumns = (uint32_t)__builtin_popcountll(columns)};
        x.column = heap_alloc(heap, x.ncolumns * sizeof *x.column);
        for (uint32_t c = 0, k = 0; k < x.ncolumns; c++)
            if (columns >> c & 1) x.column[k++] = c;
        vec_push(heap, &t->indexes, x);
    }
    catch_up(heap, t, &t->indexes.v[i]);
    return i;
}

void table_count(struct heap *heap, struct table *t, struct stamps *s, uint32_t values)
{
    if (!t->width || (t->distinct && t->rows <= t->counted_rows + t->counted_rows / 2)) return;
    if (!t->distinct) t->distinct = heap_alloc(heap, t->width * sizeof *t->distinct);
    if (values > s->size) {
        s->stamp = heap_realloc(heap, s->stamp, (size_t)values * 2 * sizeof *s->stamp);
        memset(s->stamp + s->size, 0, (size_t)(values * 2 - s->size) * sizeof *s->stamp);
        s->size = values * 2;
    }
    for (uint32_t c = 0; c < t->width; c++) {
        t->distinct[c] = 0;
        s->now++;
        for (uint32_t r = 0; r < t->rows; r++) {
            uint32_t *stamp = &s->stamp[t->cells[(size_t)r * t->width + c]];
            if (*stamp != s->now) *stamp = s->now, t->distinct[c]++;
            heap_poll(heap);
        }
    }
    t->counted_rows = t->rows;
}

void table_drop_indexes(struct heap *heap, struct table *t)
{
    for (uint32_t i = 0; i < t->indexes.n; i++) {
        heap_release(heap, t->indexes.v[i].column);
        heap_release(heap, t->indexes.v[i].slots);
        heap_release(heap, t->indexes.v[i].next);
    }
    vec_free(heap, &t->indexes);
}

void table_free(struct heap *heap, struct table *t)
{
    table_drop_indexes(heap, t);
    heap_release(heap, t->cells);
    heap_release(heap, t->slots);
    heap_release(heap, t->distinct);
    *t = (struct table){.width = t->width};
}
