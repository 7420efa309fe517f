// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/states.h"

#include "base/hash.h"
#include "base/pages.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { FIRST_ROWS = 1024, BUCKET = 8, FIRST_BUCKETS = 256, AT_ONCE = 512 };
#define LEAST_ADDRESSES ((size_t)16 << 20)
#define PLENTY ((size_t)64 << 20)

/* Whole large pages, where there is plenty. */
static size_t whole(const struct states *t, size_t bytes)
{
    return t->limit < PLENTY ? (bytes + 4095) & ~(size_t)4095 : pages_round(bytes);
}

static size_t row_bytes(const struct states *t, uint64_t rows)
{
    return whole(t, rows * t->words * 8);
}

static size_t link_bytes(const struct states *t, uint64_t rows)
{
    return whole(t, rows * sizeof(struct states_link));
}

static inline uint64_t hash_row(const uint64_t *row, uint32_t words)
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

static inline uint32_t tag_of(uint64_t entry_or_hash)
{
    return (uint32_t)(entry_or_hash >> 32);
}

/* --- Room ----------------------------------------------------------------------------------------------- */

static bool make_room(struct states *t, uint32_t rows)
{
    size_t row = row_bytes(t, rows), link = link_bytes(t, rows);
    if (t->index_bytes + row + link > t->limit && t->cap) return false;
    if (row > t->reserved || link > t->reserved) return false;
    if (!pages_extend(t->row, t->cap ? row_bytes(t, t->cap) : 0, row) ||
        !pages_extend(t->link, t->cap ? link_bytes(t, t->cap) : 0, link))
        return false;
    t->cap = rows;
    return true;
}

/* --- Buckets -------------------------------------------------------------------------------------------- */

/* As bits: the entries of a bucket with this tag, and those that are empty. */
struct look {
    uint32_t match, empty;
};

static inline struct look look_at(const uint64_t *bucket, uint32_t tag)
{
    struct look l = {0, 0};
#if defined(__SSE2__)
    const __m128 *pair = (const __m128 *)bucket;
    __m128i sought = _mm_set1_epi32((int)tag), none = _mm_setzero_si128(), match[2], empty[2];
    for (int i = 0; i < 2; i++) { /* odd words are tags, even ones numbers */
        __m128 a = pair[2 * i], b = pair[2 * i + 1];
        match[i] = _mm_cmpeq_epi32(_mm_castps_si128(_mm_shuffle_ps(a, b, 0xdd)), sought);
        empty[i] = _mm_cmpeq_epi32(_mm_castps_si128(_mm_shuffle_ps(a, b, 0x88)), none);
    }
    uint32_t both = (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_packs_epi32(match[0], match[1]), _mm_packs_epi32(empty[0], empty[1])));
    l.empty = both >> BUCKET;
    l.match = both & 0xff & ~l.empty;
#else
    for (uint32_t i = 0; i < BUCKET; i++) {
        l.empty |= (uint32_t)(bucket[i] == 0) << i;
        l.match |= (uint32_t)(bucket[i] && tag_of(bucket[i]) == tag) << i;
    }
#endif
    return l;
}

static inline uint64_t *bucket_at(const struct states_part *p, uint32_t at)
{
    return p->slot + (size_t)at * BUCKET;
}

static inline uint32_t next_bucket(const struct states_part *p, uint32_t at)
{
    return at + 1 == p->buckets ? 0 : at + 1;
}

/* Where an entry that is not there goes, from bucket `at` on. */
static inline uint64_t *free_slot(const struct states_part *p, uint32_t at)
{
    for (;; at = next_bucket(p, at)) {
        uint32_t empty = look_at(bucket_at(p, at), 0).empty;
        if (empty) return bucket_at(p, at) + __builtin_ctz(empty);
    }
}

static size_t part_bytes(const struct states_part *p)
{
    return (size_t)p->buckets * BUCKET * 8;
}

static inline void put_entry(const struct states_part *p, uint64_t e)
{
    *free_slot(p, tag_of(e) >> p->shift) = e;
}

/* Its entries into these buckets, which are empty. The tag alone says where an entry goes, so no row is
 * looked at. Where there are twice as many, what a bucket holds goes into two, except for what the bucket
 * before had no room for. */
static void move_part(struct states_part *p, uint64_t *slot, uint32_t buckets)
{
    struct states_part to = {slot, buckets, p->n, 32 - (uint32_t)__builtin_ctz(buckets)};
    for (uint32_t i = 0; i < p->buckets; i++) {
        const uint64_t *from = bucket_at(p, i);
        uint64_t *two = bucket_at(&to, 2 * i), strange[BUCKET];
        bool fits = buckets == 2 * p->buckets && !two[0] && !two[BUCKET];
        uint32_t taken[2] = {0, 0}, left = 0;
        for (uint32_t k = 0; k < BUCKET && from[k]; k++) {
            uint32_t at = tag_of(from[k]) >> to.shift;
            if (fits && at / 2 == i)
                two[at % 2 * BUCKET + taken[at % 2]++] = from[k];
            else
                strange[left++] = from[k];
        }
        while (left > 0) put_entry(&to, strange[--left]);
    }
    pages_unmap(p->slot, part_bytes(p));
    *p = to;
}

/* All parts, or one, with so many buckets each. */
static bool enlarge(struct states *t, struct states_part *first, uint32_t parts, uint32_t buckets)
{
    size_t size = (size_t)buckets * BUCKET * 8, more = parts * (size - part_bytes(first));
    if (first->slot && states_bytes(t) + more > t->limit) return false;
    char *block = pages_map(parts * size);
    if (!block) return false;
    for (uint32_t i = 0; i < parts; i++) move_part(&first[i], (uint64_t *)(block + i * size), buckets);
    t->index_bytes += more;
    return true;
}

static bool enlarge_part(struct states *t, struct states_part *p)
{
    if (p->buckets > UINT32_MAX / BUCKET / 4) return false;
    if (part_bytes(p) >= PAGES_LARGE) return enlarge(t, p, 1, 2 * p->buckets);
    /* as soon as there is more than a little, whole large pages */
    uint32_t large = PAGES_LARGE / 8 / BUCKET / STATES_PARTS;
    return (p->buckets < large && t->limit >= PLENTY && enlarge(t, t->part, STATES_PARTS, large)) ||
           enlarge(t, t->part, STATES_PARTS, 2 * p->buckets);
}

bool states_init(struct states *t, uint32_t words, size_t limit)
{
    *t = (struct states){.words = words ? words : 1, .limit = limit};
    t->reserved = pages_round(limit > LEAST_ADDRESSES ? limit : LEAST_ADDRESSES);
    t->row = pages_reserve(t->reserved);
    t->link = pages_reserve(t->reserved);
    bool good =
        t->row && t->link && make_room(t, FIRST_ROWS) && enlarge(t, t->part, STATES_PARTS, FIRST_BUCKETS);
    if (!good) states_done(t);
    return good;
}

void states_done(struct states *t)
{
    pages_unmap(t->row, t->reserved);
    pages_unmap(t->link, t->reserved);
    for (uint32_t i = 0; i < STATES_PARTS; i++) pages_unmap(t->part[i].slot, part_bytes(&t->part[i]));
    *t = (struct states){0};
}

void states_clear(struct states *t)
{
    t->n = 0;
    for (uint32_t i = 0; i < STATES_PARTS; i++) {
        memset(t->part[i].slot, 0, part_bytes(&t->part[i]));
        t->part[i].n = 0;
    }
}

size_t states_bytes(const struct states *t)
{
    return (t->cap ? row_bytes(t, t->cap) + link_bytes(t, t->cap) : 0) + t->index_bytes;
}

/* Rows grow by a half, or by what there is room for. */
static bool reserve_rows(struct states *t, uint32_t n)
{
    if (t->cap - t->n >= n) return true;
    uint64_t more = t->cap + t->cap / 2;
    if (more > STATES_FULL - 1) more = STATES_FULL - 1;
    while (more > t->n + (uint64_t)t->cap / 16 && !make_room(t, (uint32_t)more)) more -= (more - t->n) / 2;
    return t->cap - t->n >= n;
}

/* A part is at most three quarters full. */
static inline bool crowded(const struct states_part *p)
{
    return p->n >= p->buckets * (BUCKET / 4 * 3);
}

static bool reserve(struct states *t, struct states_part *p)
{
    return (!crowded(p) || enlarge_part(t, p)) && reserve_rows(t, 1);
}

/* Room for AT_ONCE more, wherever they belong: a quarter of a part is no less. */
static bool reserve_many(struct states *t)
{
    for (uint32_t i = 0; i < STATES_PARTS; i++)
        if (crowded(&t->part[i]) && !enlarge_part(t, &t->part[i])) return false;
    return reserve_rows(t, AT_ONCE);
}

/* --- Finding and adding --------------------------------------------------------------------------------- */

static inline uint32_t part_of(uint64_t hash)
{
    return hash % STATES_PARTS;
}

static inline uint32_t first_bucket(const struct states_part *p, uint64_t hash)
{
    return tag_of(hash) >> p->shift;
}

/* Its number, or STATES_FULL and where it would be entered. It is to be looked for from bucket `at` on. */
static inline uint32_t find_from(const struct states *t, const struct states_part *p, uint64_t hash,
                                 const uint64_t *row, uint32_t words, uint32_t at, uint64_t **where)
{
    for (;; at = next_bucket(p, at)) {
        uint64_t *bucket = bucket_at(p, at);
        struct look l = look_at(bucket, tag_of(hash));
        *where = bucket + __builtin_ctz(l.empty | 1u << BUCKET);
        for (; l.match; l.match &= l.match - 1) {
            uint32_t number = (uint32_t)bucket[__builtin_ctz(l.match)] - 1;
            if (same(t->row + (size_t)number * words, row, words)) return number;
        }
        if (l.empty) return STATES_FULL;
    }
}

static inline uint32_t enter(struct states *t, struct states_part *p, uint64_t *where, uint64_t hash,
                             const uint64_t *row, uint32_t words, struct states_link link)
{
    uint64_t *to = t->row + (size_t)t->n * words;
    for (uint32_t i = 0; i < words; i++) to[i] = row[i];
    t->link[t->n] = link;
    *where = entry(hash, t->n);
    p->n++;
    return t->n++;
}

uint32_t states_add(struct states *t, const uint64_t *row, uint32_t parent, uint32_t move, bool *fresh)
{
    uint64_t hash = hash_row(row, t->words), *where;
    struct states_part *p = &t->part[part_of(hash)];
    uint32_t number = find_from(t, p, hash, row, t->words, first_bucket(p, hash), &where);
    const uint64_t *before = p->slot;
    *fresh = false;
    if (number != STATES_FULL || !reserve(t, p)) return number;
    if (p->slot != before) where = free_slot(p, first_bucket(p, hash));
    *fresh = true;
    return enter(t, p, where, hash, row, t->words, (struct states_link){parent, move});
}

/* At most AT_ONCE, for which there is room. First all hashes, then all tags, then all rows: what is looked at
 * next has been on its way for a while. Whether a state is known is as good as a toss: so nothing is decided
 * before it is known which of them are likely to be new. */
static inline __attribute__((always_inline)) void add_some(struct states *t, const uint64_t *rows, uint32_t n,
                                                           const uint32_t *parent, const uint32_t *move,
                                                           uint32_t *number, bool *fresh, uint32_t words)
{
    uint64_t hash[AT_ONCE];
    uint32_t rest[AT_ONCE], left = 0;
    bool seems[AT_ONCE];
    for (uint32_t i = 0; i < n; i++) {
        hash[i] = hash_row(rows + (size_t)i * words, words);
        const struct states_part *p = &t->part[part_of(hash[i])];
        __builtin_prefetch(bucket_at(p, first_bucket(p, hash[i])));
    }
    for (uint32_t i = 0; i < n; i++) { /* where tags agree the row will be compared */
        const struct states_part *p = &t->part[part_of(hash[i])];
        const uint64_t *bucket = bucket_at(p, first_bucket(p, hash[i]));
        uint32_t match = look_at(bucket, tag_of(hash[i])).match;
        seems[i] = match != 0;
        number[i] = ((uint32_t)bucket[__builtin_ctz(match | 1u << (BUCKET - 1))] - 1) & (0u - seems[i]);
        __builtin_prefetch(t->row + (size_t)number[i] * words);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *row = rows + (size_t)i * words, *known = t->row + (size_t)number[i] * words;
        uint64_t differs = 0;
        for (uint32_t k = 0; k < words; k++) differs |= row[k] ^ known[k];
        fresh[i] = false;
        rest[left] = i;
        left += !seems[i] | (differs != 0);
    }
    for (uint32_t k = 0; k < left; k++) { /* new, but for those met a moment ago */
        uint32_t i = rest[k];
        struct states_part *p = &t->part[part_of(hash[i])];
        const uint64_t *row = rows + (size_t)i * words;
        uint64_t *where;
        number[i] = find_from(t, p, hash[i], row, words, first_bucket(p, hash[i]), &where);
        fresh[i] = number[i] == STATES_FULL;
        if (fresh[i])
            number[i] = enter(t, p, where, hash[i], row, words, (struct states_link){parent[i], move[i]});
    }
}

bool states_add_many(struct states *t, const uint64_t *rows, uint32_t n, const uint32_t *parent,
                     const uint32_t *move, uint32_t *number, bool *fresh)
{
    bool all = true;
    while (n > 0) {
        uint32_t some = n < AT_ONCE ? n : AT_ONCE;
        if (!reserve_many(t)) /* memory is nearly full: one by one */
            for (uint32_t i = 0; i < some; i++) {
                number[i] = states_add(t, rows + (size_t)i * t->words, parent[i], move[i], &fresh[i]);
                all &= number[i] != STATES_FULL;
            }
        else if (t->words == 1)
            add_some(t, rows, some, parent, move, number, fresh, 1);
        else if (t->words == 2)
            add_some(t, rows, some, parent, move, number, fresh, 2);
        else if (t->words == 3)
            add_some(t, rows, some, parent, move, number, fresh, 3);
        else
            add_some(t, rows, some, parent, move, number, fresh, t->words);
        rows += (size_t)some * t->words;
        parent += some, move += some, number += some, fresh += some;
        n -= some;
    }
    return all;
}

uint32_t states_find(const struct states *t, const uint64_t *row)
{
    uint64_t hash = hash_row(row, t->words);
    const struct states_part *p = &t->part[part_of(hash)];
    uint64_t *where;
    return find_from(t, p, hash, row, t->words, first_bucket(p, hash), &where);
}

uint32_t states_path(const struct states *t, uint32_t number, uint32_t *moves)
{
    uint32_t n = 0;
    for (uint32_t at = number; t->link[at].parent != STATES_ROOT; at = t->link[at].parent) n++;
    uint32_t left = n;
    for (uint32_t at = number; moves && left > 0; at = t->link[at].parent) moves[--left] = t->link[at].move;
    return n;
}
