// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/states.h"

#include "base/hash.h"
#include "base/pages.h"

#include <string.h>

enum { FIRST_ROWS = 1024, FIRST_SLOTS = 512, AT_ONCE = 512 };

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
    if (t->index_bytes + row_bytes(t, rows) + link_bytes(rows) > t->limit && t->cap) return false;
    void *row = pages_map(t->row, row_bytes(t, t->cap), row_bytes(t, rows));
    if (!row) return false;
    t->row = row;
    void *link = pages_map(t->link, link_bytes(t->cap), link_bytes(rows));
    if (!link) { /* give back what the rows are not going to use */
        void *again = t->cap ? pages_map(row, row_bytes(t, rows), row_bytes(t, t->cap)) : NULL;
        if (!t->cap) pages_unmap(row, row_bytes(t, rows));
        t->row = again;
        return false;
    }
    t->link = link;
    t->cap = rows;
    return true;
}

/* Twice the slots. The tag alone says where an entry goes, so no row is looked at. */
static bool enlarge(struct states *t, struct states_part *p, uint32_t slots)
{
    size_t more = (slots - (p->slot ? p->mask + 1 : 0)) * (size_t)8;
    if (p->slot && states_bytes(t) + more > t->limit) return false;
    uint64_t *slot = pages_map(NULL, 0, page_round(slots * (size_t)8));
    if (!slot) return false;
    for (uint32_t i = 0; p->slot && i <= p->mask; i++) {
        uint32_t at = (uint32_t)(p->slot[i] >> 32) & (slots - 1);
        if (!p->slot[i]) continue;
        while (slot[at]) at = (at + 1) & (slots - 1);
        slot[at] = p->slot[i];
    }
    if (p->slot) pages_unmap(p->slot, page_round((p->mask + (size_t)1) * 8));
    p->slot = slot;
    p->mask = slots - 1;
    t->index_bytes += more;
    return true;
}

bool states_init(struct states *t, uint32_t words, size_t limit)
{
    *t = (struct states){.words = words ? words : 1, .limit = limit};
    bool good = make_room(t, FIRST_ROWS);
    for (uint32_t i = 0; i < STATES_PARTS && good; i++) good = enlarge(t, &t->part[i], FIRST_SLOTS);
    if (!good) states_done(t);
    return good;
}

void states_done(struct states *t)
{
    pages_unmap(t->row, row_bytes(t, t->cap));
    pages_unmap(t->link, link_bytes(t->cap));
    for (uint32_t i = 0; i < STATES_PARTS; i++)
        pages_unmap(t->part[i].slot, page_round((t->part[i].mask + (size_t)1) * 8));
    *t = (struct states){0};
}

void states_clear(struct states *t)
{
    t->n = 0;
    for (uint32_t i = 0; i < STATES_PARTS; i++) {
        memset(t->part[i].slot, 0, (t->part[i].mask + (size_t)1) * 8);
        t->part[i].n = 0;
    }
}

size_t states_bytes(const struct states *t)
{
    return (t->cap ? row_bytes(t, t->cap) + link_bytes(t->cap) : 0) + t->index_bytes;
}

/* Room for one more, in rows that grow by a half and a part of the index that is at most three quarters full.
 */
static bool reserve(struct states *t, struct states_part *p)
{
    if (p->n + 1 > p->mask / 4 * 3 && (p->mask >= UINT32_MAX / 4 || !enlarge(t, p, 2 * (p->mask + 1))))
        return false;
    if (t->n < t->cap) return true;
    uint64_t more = t->cap + t->cap / 2;
    if (more > STATES_FULL - 1) more = STATES_FULL - 1;
    while (more > t->n + (uint64_t)t->cap / 16 && !make_room(t, (uint32_t)more)) more -= (more - t->n) / 2;
    return t->n < t->cap;
}

static inline const struct states_part *part_of(const struct states *t, uint64_t hash)
{
    return &t->part[hash % STATES_PARTS];
}

static inline uint32_t first_slot(const struct states_part *p, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & p->mask;
}

static uint32_t find_hashed(const struct states *t, uint64_t hash, const uint64_t *row, uint32_t *at)
{
    const struct states_part *p = part_of(t, hash);
    for (*at = first_slot(p, hash); p->slot[*at]; *at = (*at + 1) & p->mask) {
        uint64_t e = p->slot[*at];
        if (e >> 32 == hash >> 32 && same(states_row(t, (uint32_t)e - 1), row, t->words))
            return (uint32_t)e - 1;
    }
    return STATES_FULL;
}

static uint32_t add_hashed(struct states *t, uint64_t hash, const uint64_t *row, uint32_t parent,
                           uint32_t move, bool *fresh)
{
    uint32_t at, number = find_hashed(t, hash, row, &at);
    struct states_part *p = &t->part[hash % STATES_PARTS];
    *fresh = false;
    if (number != STATES_FULL) return number;
    uint32_t mask = p->mask;
    if (!reserve(t, p)) return STATES_FULL;
    if (p->mask != mask)
        for (at = first_slot(p, hash); p->slot[at];) at = (at + 1) & p->mask;
    *fresh = true;
    memcpy(t->row + (size_t)t->n * t->words, row, t->words * 8);
    t->link[t->n] = (struct states_link){parent, move};
    p->slot[at] = entry(hash, t->n);
    p->n++;
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
            const struct states_part *p = part_of(t, hash[i]);
            __builtin_prefetch(&p->slot[first_slot(p, hash[i])]);
        }
        for (uint32_t i = 0; i < part; i++) { /* where tags agree the row will be compared */
            const struct states_part *p = part_of(t, hash[i]);
            uint32_t at = first_slot(p, hash[i]);
            while (p->slot[at] && p->slot[at] >> 32 != hash[i] >> 32) at = (at + 1) & p->mask;
            if (p->slot[at]) __builtin_prefetch(states_row(t, (uint32_t)p->slot[at] - 1));
        }
        for (uint32_t i = 0; i < part; i++)
            number[done + i] = add_hashed(t, hash[i], rows + (size_t)(done + i) * t->words, parent[done + i],
                                          move[done + i], &fresh[done + i]);
    }
}

uint32_t states_find(const struct states *t, const uint64_t *row)
{
    uint32_t at;
    return find_hashed(t, hash_row(row, t->words), row, &at);
}

uint32_t states_path(const struct states *t, uint32_t number, uint32_t *moves)
{
    uint32_t n = 0;
    for (uint32_t at = number; t->link[at].parent != STATES_ROOT; at = t->link[at].parent) n++;
    uint32_t left = n;
    for (uint32_t at = number; moves && left > 0; at = t->link[at].parent) moves[--left] = t->link[at].move;
    return n;
}
