// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/states.h"

#include "base/hash.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_ROWS = 1024, AT_ONCE = 512 };

/* Pages that grow without being copied. */
static void *grow(void *old, size_t before, size_t after)
{
    void *p = old ? mremap(old, before, after, MREMAP_MAYMOVE)
                  : mmap(NULL, after, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (after >= (size_t)4 << 20) madvise(p, after, MADV_HUGEPAGE);
    return p;
}

static size_t page_round(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

static size_t row_bytes(const struct states *t, uint64_t rows)
{
    return page_round(rows * t->words * 8);
}

static size_t link_bytes(uint64_t rows)
{
    return page_round(rows * sizeof(struct states_link));
}

static size_t index_bytes(uint64_t mask)
{
    return page_round((mask + 1) * 8);
}

static uint64_t hash_row(const uint64_t *row, uint32_t words)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < words; i++) h = hash_mix(h + i, row[i]);
    return h;
}

static inline bool same(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static inline uint64_t entry(uint64_t hash, uint32_t number)
{
    return (hash & 0xffffffff00000000u) | (number + 1);
}

static bool make_room(struct states *t, uint32_t rows)
{
    size_t had = states_bytes(t) - index_bytes(t->mask);
    size_t want = row_bytes(t, rows) + link_bytes(rows);
    if (t->index && states_bytes(t) - had + want > t->limit) return false;
    void *row = grow(t->row, row_bytes(t, t->cap), row_bytes(t, rows));
    if (!row) return false;
    t->row = row;
    void *link = grow(t->link, link_bytes(t->cap), link_bytes(rows));
    if (!link) { /* give the rows back what they are not going to use */
        t->row = mremap(t->row, row_bytes(t, rows), row_bytes(t, t->cap), MREMAP_MAYMOVE);
        return false;
    }
    t->link = link;
    t->cap = rows;
    return true;
}

static bool rebuild_index(struct states *t, uint64_t mask)
{
    if (t->index && states_bytes(t) + index_bytes(mask) > t->limit) return false;
    uint64_t *index = grow(NULL, 0, index_bytes(mask));
    if (!index) return false;
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t h = hash_row(states_row(t, i), t->words), at = h & mask;
        while (index[at]) at = (at + 1) & mask;
        index[at] = entry(h, i);
    }
    if (t->index) munmap(t->index, index_bytes(t->mask));
    t->index = index;
    t->mask = mask;
    return true;
}

bool states_init(struct states *t, uint32_t words, size_t limit)
{
    *t = (struct states){.words = words ? words : 1, .limit = limit};
    if (make_room(t, FIRST_ROWS) && rebuild_index(t, 4 * FIRST_ROWS - 1)) return true;
    states_done(t);
    return false;
}

void states_done(struct states *t)
{
    if (t->row) munmap(t->row, row_bytes(t, t->cap));
    if (t->link) munmap(t->link, link_bytes(t->cap));
    if (t->index) munmap(t->index, index_bytes(t->mask));
    *t = (struct states){0};
}

void states_clear(struct states *t)
{
    t->n = 0;
    memset(t->index, 0, (t->mask + 1) * 8);
}

size_t states_bytes(const struct states *t)
{
    return (t->cap ? row_bytes(t, t->cap) + link_bytes(t->cap) : 0) + (t->index ? index_bytes(t->mask) : 0);
}

/* Room for one more, in rows that grow by a half and an index at most half full. */
static bool reserve(struct states *t)
{
    if ((t->n + 1) * (uint64_t)2 > t->mask && !rebuild_index(t, 4 * t->mask + 3)) return false;
    if (t->n < t->cap) return true;
    uint64_t more = t->cap + t->cap / 2;
    if (more > STATES_FULL - 1) more = STATES_FULL - 1;
    while (more > t->n + (uint64_t)t->cap / 16 && !make_room(t, (uint32_t)more)) more -= (more - t->n) / 2;
    return t->n < t->cap;
}

static uint32_t add_hashed(struct states *t, uint64_t hash, const uint64_t *row, uint32_t parent, uint32_t move,
                           bool *fresh)
{
    uint64_t at = hash & t->mask;
    *fresh = false;
    for (; t->index[at]; at = (at + 1) & t->mask) {
        uint64_t e = t->index[at];
        uint32_t number = (uint32_t)e - 1;
        if (e >> 32 == hash >> 32 && same(states_row(t, number), row, t->words)) return number;
    }
    uint64_t mask = t->mask;
    if (!reserve(t)) return STATES_FULL;
    if (t->mask != mask)
        for (at = hash & t->mask; t->index[at];) at = (at + 1) & t->mask;
    *fresh = true;
    memcpy(t->row + (size_t)t->n * t->words, row, t->words * 8);
    t->link[t->n] = (struct states_link){parent, move};
    t->index[at] = entry(hash, t->n);
    return t->n++;
}

uint32_t states_add(struct states *t, const uint64_t *row, uint32_t parent, uint32_t move, bool *fresh)
{
    return add_hashed(t, hash_row(row, t->words), row, parent, move, fresh);
}

void states_add_many(struct states *t, const uint64_t *rows, uint32_t n, const uint32_t *parent,
                     const uint32_t *move, uint32_t *number, bool *fresh)
{
    uint64_t hash[AT_ONCE];
    for (uint32_t done = 0; done < n; done += AT_ONCE) {
        uint32_t part = n - done < AT_ONCE ? n - done : AT_ONCE;
        for (uint32_t i = 0; i < part; i++) {
            hash[i] = hash_row(rows + (size_t)(done + i) * t->words, t->words);
            __builtin_prefetch(&t->index[hash[i] & t->mask]);
        }
        for (uint32_t i = 0; i < part; i++) /* where tags agree the row will be compared */
            for (uint64_t at = hash[i] & t->mask, e; (e = t->index[at]); at = (at + 1) & t->mask)
                if (e >> 32 == hash[i] >> 32) {
                    __builtin_prefetch(states_row(t, (uint32_t)e - 1));
                    break;
                }
        for (uint32_t i = 0; i < part; i++)
            number[done + i] = add_hashed(t, hash[i], rows + (size_t)(done + i) * t->words, parent[done + i],
                                          move[done + i], &fresh[done + i]);
    }
}

uint32_t states_find(const struct states *t, const uint64_t *row)
{
    uint64_t hash = hash_row(row, t->words);
    for (uint64_t at = hash & t->mask; t->index[at]; at = (at + 1) & t->mask) {
        uint32_t number = (uint32_t)t->index[at] - 1;
        if (t->index[at] >> 32 == hash >> 32 && same(states_row(t, number), row, t->words)) return number;
    }
    return STATES_FULL;
}

uint32_t states_path(const struct states *t, uint32_t number, uint32_t *moves)
{
    uint32_t n = 0;
    for (uint32_t at = number; t->link[at].parent != STATES_ROOT; at = t->link[at].parent) n++;
    uint32_t left = n;
    for (uint32_t at = number; moves && left > 0; at = t->link[at].parent) moves[--left] = t->link[at].move;
    return n;
}
