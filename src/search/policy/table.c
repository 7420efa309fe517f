// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/policy/table.h"

#include "base/hash.h"

bool stat_row_reserve(struct stat_row *row, uint32_t size)
{
    if (size <= row->size) return true;
    uint32_t n = row->size / 2 * 3; /* when moves become known one by one */
    n = ((n > size ? n : size) + 63) / 64 * 64;
    float *mean = calloc(2 * (size_t)n, sizeof *mean);
    if (!mean) return false;
    for (uint32_t i = row->size; i < n; i++) mean[i] = UNSEEN;
    if (row->size) {
        memcpy(mean, row->mean, row->size * sizeof *mean);
        memcpy(mean + n, row->n, row->size * sizeof *mean);
    }
    free(row->mean);
    *row = (struct stat_row){mean, mean + n, n};
    return true;
}

static uint32_t slot_of(const struct stat_table *t, uint64_t key)
{
    uint32_t i = (uint32_t)hash_mix(key, 0) & t->mask;
    while (t->v[i].key && t->v[i].key != key) i = (i + 1) & t->mask;
    return i;
}

struct stat *stat_table_find(const struct stat_table *t, uint64_t key)
{
    if (!t->v) return NULL;
    struct stat_entry *e = &t->v[slot_of(t, key)];
    return e->key ? &e->s : NULL;
}

static bool grow(struct stat_table *t)
{
    struct stat_table old = *t;
    size_t size = old.v ? ((size_t)old.mask + 1) * 2 : 1024;
    struct stat_entry *v = calloc(size, sizeof *v);
    if (!v) return false;
    t->v = v;
    t->mask = (uint32_t)size - 1;
    for (uint32_t i = 0; old.v && i <= old.mask; i++)
        if (old.v[i].key) t->v[slot_of(t, old.v[i].key)] = old.v[i];
    free(old.v);
    return true;
}

struct stat *stat_table_at(struct stat_table *t, uint64_t key)
{
    if ((!t->v || t->used * 3ull > t->mask * 2ull) && !grow(t) && (!t->v || t->used == t->mask)) return NULL;
    struct stat_entry *e = &t->v[slot_of(t, key)];
    if (!e->key) {
        e->key = key;
        t->used++;
    }
    return &e->s;
}

void stat_table_scale(struct stat_table *t, float gamma)
{
    for (uint32_t i = 0; t->v && i <= t->mask; i++) t->v[i].s.n *= gamma;
}
