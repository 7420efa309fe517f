// SPDX-License-Identifier: GPL-3.0-or-later
/* Invariants: ceilings[m] of a row is that of the mean of m where n >= k, else CEILING_NONE. The first `ripe`
 * replies of a list have n >= k, the others do not. where[m] of an index is the place of m in the list,
 * from 1. */
#include "search/policy/grams.h"

#include "base/hash.h"
#include "base/pages.h"
#include "base/pool.h"

#include <float.h>

enum {
    DENSE = 16,   /* what follows one move is a row once it is this part of all moves */
    INDEXED = 12, /* what follows two moves has an index once it is so many */
    FIRST_SLAB = 64 << 10,
    LINE = 64,
    FETCHED = 3 /* lines of a list without an index */
};

/* --- Memory --------------------------------------------------------------------------------------------- */

static void *take(size_t bytes)
{
    return pool_is_open() ? pool_take(bytes) : pages_alloc(bytes, PAGES_LARGE);
}

static void *take_more(void *old, size_t used, size_t before, size_t bytes)
{
    return pool_is_open() ? pool_grow(old, used, before, bytes) : pages_grow(old, used, bytes, PAGES_LARGE);
}

void grams_init(struct grams *g, uint32_t k, size_t max_bytes)
{
    *g = (struct grams){.k = k ? (float)k : FLT_MIN /* seen at all */, .max_bytes = max_bytes};
}

void grams_done(struct grams *g)
{
    stat_row_done(&g->one);
    free(g->ceilings);
    for (uint32_t i = 0; i < g->nslabs; i++) pool_give(g->slabs[i].at, g->slabs[i].size);
    free(g->slabs);
    free(g->two);
    if (g->three) pool_give(g->three, ((size_t)g->mask + 1) * sizeof *g->three);
    pool_give(g->replies, g->replies_cap * sizeof *g->replies);
}

/* Begin anew with single moves. */
static void forget(struct grams *g)
{
    struct grams fresh = {.k = g->k,
                          .max_bytes = g->max_bytes,
                          .one = g->one,
                          .ceilings = g->ceilings,
                          .nceilings = g->nceilings,
                          .wild = g->wild};
    g->one = (struct stat_row){0};
    g->ceilings = NULL;
    grams_done(g);
    *g = fresh;
}

/* --- Single moves --------------------------------------------------------------------------------------- */

bool grams_reserve(struct grams *g, uint32_t moves)
{
    if (moves <= g->nceilings) return true;
    if (!stat_row_reserve(&g->one, moves)) return false;
    uint16_t *grown = realloc(g->ceilings, g->one.size * sizeof *grown);
    if (!grown) return false;
    g->ceilings = grown;
    for (; g->nceilings < g->one.size; g->nceilings++) grown[g->nceilings] = ceiling_of(UNSEEN);
    return true;
}

static void one_add(struct grams *g, uint32_t move, float reward)
{
    if (!grams_reserve(g, move + 1)) return;
    stat_row_add(&g->one, move, reward);
    g->ceilings[move] = ceiling_of(g->one.mean[move]);
    g->wild |= !(reward >= 0 && reward <= CEILING_MOST);
}

static void one_scale(struct grams *g, uint32_t move, float factor)
{
    if (move >= g->nceilings) return;
    stat_row_scale_one(&g->one, move, factor);
    g->ceilings[move] = ceiling_of(g->one.mean[move]);
}

/* --- Rows ----------------------------------------------------------------------------------------------- */

static void *slab_take(struct grams *g, size_t bytes)
{
    struct slab *last = g->nslabs ? &g->slabs[g->nslabs - 1] : NULL;
    if (!last || bytes > last->size - g->slab_used) {
        size_t size = last ? last->size * 2 : FIRST_SLAB;
        if (g->nslabs == g->slabs_cap) {
            uint32_t cap = g->slabs_cap ? g->slabs_cap * 2 : 8;
            struct slab *grown = realloc(g->slabs, cap * sizeof *grown);
            if (!grown) return NULL;
            g->slabs = grown;
            g->slabs_cap = cap;
        }
        if (size > PAGES_LARGE) size = PAGES_LARGE;
        if (size < bytes) size = bytes;
        last = g->slabs + g->nslabs;
        *last = (struct slab){take(size), size};
        if (!last->at) return NULL;
        g->nslabs++;
        g->slab_used = 0;
        g->bytes += size;
    }
    void *taken = last->at + g->slab_used;
    g->slab_used += bytes;
    return taken;
}

/* As wide as the moves there are so far; what a narrower row had is copied and its place given up. */
static bool widen(struct grams *g, struct gram_row *row)
{
    uint32_t size = g->one.size;
    if (row->size >= size) return true;
    struct gram_row wide = {slab_take(g, size * (sizeof *row->ceilings + sizeof(struct stat))), size};
    if (!wide.ceilings) return false;
    struct stat *all = gram_row_all(&wide);
    for (uint32_t i = 0; i < size; i++) {
        wide.ceilings[i] = i < row->size ? row->ceilings[i] : CEILING_NONE;
        all[i] = i < row->size ? gram_row_all(row)[i] : (struct stat){0};
    }
    *row = wide;
    return true;
}

static void settle_entry(const struct grams *g, struct gram_row *row, uint32_t move)
{
    const struct stat *s = &gram_row_all(row)[move];
    row->ceilings[move] = s->n >= g->k ? ceiling_of(s->mean) : CEILING_NONE;
}

/* --- Followers ------------------------------------------------------------------------------------------ */

static struct reply *replies_of(const struct grams *g, struct followers *f)
{
    return (struct reply *)grams_replies(g, f);
}

/* Room for one more reply, if need be in a block of twice the size. */
static bool grow_block(struct grams *g, struct followers *f)
{
    if (f->count == 0 || (f->count & (f->count - 1)) != 0) return true;
    uint32_t cap = f->count * 2;
    if ((uint64_t)g->nreplies + cap > UINT32_MAX / 2) return false;
    if (g->nreplies + cap > g->replies_cap) {
        uint32_t room = g->replies_cap ? g->replies_cap : 4096;
        while (room < g->nreplies + cap) room *= 2;
        struct reply *grown = take_more(g->replies, g->nreplies * sizeof *grown,
                                        g->replies_cap * sizeof *grown, (size_t)room * sizeof *grown);
        if (!grown) return false;
        g->bytes += (room - g->replies_cap) * sizeof *grown;
        g->replies = grown;
        g->replies_cap = room;
    }
    memcpy(g->replies + g->nreplies, replies_of(g, f), f->count * sizeof *g->replies);
    f->first = g->nreplies;
    g->nreplies += cap;
    return true;
}

/* Make or widen the index, so that it has this move. */
static bool index_reaches(struct grams *g, struct followers *f, uint32_t move)
{
    if (f->indexed && move < f->width) return true;
    uint32_t width = g->one.size > move ? g->one.size : (move + 64) & ~63u;
    uint16_t *where = slab_take(g, (width + 31) / 32 * LINE);
    if (!where) return false;
    memset(where, 0, width * sizeof *where);
    const struct reply *r = replies_of(g, f);
    for (uint32_t i = 0; i < f->count; i++) where[r[i].move] = (uint16_t)(i + 1);
    f->width = width;
    f->where = where;
    f->indexed = true;
    return true;
}

/* A reply in a list, made if need be; NULL without memory. */
static struct reply *reply_at(struct grams *g, struct followers *f, uint32_t move)
{
    struct reply *r = replies_of(g, f);
    if (f->indexed) {
        if (!index_reaches(g, f, move)) return NULL;
        if (f->where[move]) return r + f->where[move] - 1;
    } else {
        for (uint32_t i = 0; i < f->count; i++, r++)
            if (r->move == move) return r;
    }
    if (f->count == UINT16_MAX || !grow_block(g, f)) return NULL;
    f->count++;
    if (f->indexed) f->where[move] = (uint16_t)f->count;
    r = replies_of(g, f) + f->count - 1;
    *r = (struct reply){.move = move};
    return r;
}

/* Put a reply whose count has changed where it belongs, before or behind the border of the ripe. */
static void settle_reply(const struct grams *g, struct followers *f, struct reply *r)
{
    struct reply *border = replies_of(g, f) + f->ripe, swap = *r;
    bool ripe = r->s.n >= g->k;
    if (ripe == (r < border)) return;
    if (ripe)
        f->ripe++;
    else
        f->ripe--, border--;
    *r = *border;
    *border = swap;
    if (!f->indexed) return;
    uint16_t place = f->where[r->move];
    f->where[r->move] = f->where[border->move];
    f->where[border->move] = place;
}

/* Turn the list into a row. */
static void make_row(struct grams *g, struct followers *f)
{
    struct gram_row row = {0};
    if (!widen(g, &row)) return;
    const struct reply *r = replies_of(g, f);
    for (uint32_t i = 0; i < f->count; i++) {
        gram_row_all(&row)[r[i].move] = r[i].s;
        settle_entry(g, &row, r[i].move);
    }
    f->row = row;
    f->dense = true;
}

static void list_add(struct grams *g, struct followers *f, uint32_t move, float reward)
{
    struct reply *r = reply_at(g, f, move);
    if (!r) return;
    stat_add(&r->s, reward);
    settle_reply(g, f, r);
}

static void two_add(struct grams *g, struct followers *f, uint32_t move, float reward)
{
    if (f->dense && widen(g, &f->row)) {
        stat_add(&gram_row_all(&f->row)[move], reward);
        settle_entry(g, &f->row, move);
    }
    if (f->dense) return;
    list_add(g, f, move, reward);
    if (f->count * DENSE >= g->one.size) make_row(g, f);
}

static void three_add(struct grams *g, struct followers *f, uint32_t move, float reward)
{
    list_add(g, f, move, reward);
    if (f->count >= INDEXED && !f->indexed) index_reaches(g, f, move);
}

static void followers_scale(struct grams *g, struct followers *f, uint32_t move, float factor)
{
    if (f->dense && move < f->row.size) {
        gram_row_all(&f->row)[move].n *= factor;
        settle_entry(g, &f->row, move);
    }
    struct reply *r = f->dense ? NULL : reply_at(g, f, move);
    if (!r) return;
    r->s.n *= factor;
    settle_reply(g, f, r);
}

static void followers_scale_all(struct grams *g, struct followers *f, float factor)
{
    for (uint32_t m = 0; f->dense && m < f->row.size; m++) followers_scale(g, f, m, factor);
    if (f->dense) return;
    struct reply *r = replies_of(g, f);
    for (uint32_t j = 0; j < f->count; j++) r[j].s.n *= factor;
    for (uint32_t j = f->ripe; j-- > 0;) settle_reply(g, f, &r[j]);
}

/* --- What follows one move ------------------------------------------------------------------------------ */

static struct followers *two_at(struct grams *g, uint32_t last)
{
    if (last >= g->ntwo) {
        uint32_t n = g->ntwo ? g->ntwo : 64;
        while (n <= last) n *= 2;
        struct followers *grown = realloc(g->two, (size_t)n * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + g->ntwo, 0, (size_t)(n - g->ntwo) * sizeof *grown);
        g->two = grown;
        g->ntwo = n;
    }
    return &g->two[last];
}

const struct followers *grams_after(const struct grams *g, uint32_t last)
{
    if (last >= g->ntwo) return NULL;
    const struct followers *f = &g->two[last];
    return f->dense || f->ripe ? f : NULL;
}

/* --- What follows two ----------------------------------------------------------------------------------- */

static uint64_t context_key(uint32_t before, uint32_t last)
{
    return ((uint64_t)before << 32 | last) + 1;
}

static uint32_t context_start(const struct grams *g, uint64_t key)
{
    return (uint32_t)hash_mix(key, 3) & g->mask;
}

static struct context *context_from(const struct grams *g, uint32_t i, uint64_t key)
{
    while (g->three[i].key && g->three[i].key != key) i = (i + 1) & g->mask;
    return &g->three[i];
}

static struct context *context_slot(const struct grams *g, uint64_t key)
{
    return context_from(g, context_start(g, key), key);
}

/* Room for n more contexts: none moves while they are made. */
static bool reserve_contexts(struct grams *g, uint32_t n)
{
    if (g->three && (g->used + n) * 3ull <= g->mask * 2ull) return true;
    struct grams old = *g;
    size_t size = old.three ? ((size_t)old.mask + 1) * 2 : 1024;
    struct context *grown = take(size * sizeof *grown);
    if (!grown) return false;
    memset(grown, 0, size * sizeof *grown);
    g->three = grown;
    g->mask = (uint32_t)size - 1;
    g->bytes += size / 2 * sizeof *grown;
    for (uint32_t i = 0; old.three && i <= old.mask; i++)
        if (old.three[i].key) *context_slot(g, old.three[i].key) = old.three[i];
    if (old.three) pool_give(old.three, ((size_t)old.mask + 1) * sizeof *old.three);
    return true;
}

const struct followers *grams_after_two(const struct grams *g, uint32_t before, uint32_t last)
{
    if (last == MOVE_NONE || before == MOVE_NONE || !g->three) return NULL;
    const struct followers *f = &context_slot(g, context_key(before, last))->f;
    return f->ripe ? f : NULL;
}

void grams_fetch(const struct grams *g, uint32_t before, uint32_t last)
{
    if (last < g->ntwo) __builtin_prefetch(&g->two[last]);
    if (last == MOVE_NONE || before == MOVE_NONE || !g->three) return;
    __builtin_prefetch(&g->three[context_start(g, context_key(before, last))]);
}

/* --- Learning ------------------------------------------------------------------------------------------- */

/* A load whose value nobody waits for. A prefetch would be dropped where the page is not at hand either. */
static inline void touch(const void *p)
{
    (void)*(const volatile char *)p;
}

static void touch_list(const struct grams *g, const struct followers *f)
{
    const char *at = (const char *)(g->replies + f->first), *end = at + f->count * sizeof(struct reply);
    for (int i = 0; i < FETCHED && at < end && f->count > 1; i++, at += LINE) touch(at);
}

/* Where pairs are counted, which need not be in the caches either. */
static void fetch_pair(const struct grams *g, const struct gram *v)
{
    if (v->last >= g->ntwo) return;
    const struct followers *f = &g->two[v->last];
    if (f->dense && v->move < f->row.size) {
        __builtin_prefetch(&gram_row_all(&f->row)[v->move], 1);
        __builtin_prefetch(&f->row.ceilings[v->move], 1);
    } else if (!f->dense && f->count > 1) {
        __builtin_prefetch(g->replies + f->first, 1);
    }
}

/* The contexts of the sequences, made if need be; NULL for those of less than three moves and without memory.
 * Three-grams are not in the caches: contexts are loaded all at once, then indices and replies. */
static void find_contexts(struct grams *g, const struct gram *v, uint32_t n, struct followers **f)
{
    uint32_t start[GRAMS_CHUNK];
    bool room = reserve_contexts(g, n);
    for (uint32_t i = 0; i < n && room; i++) {
        start[i] = context_start(g, context_key(v[i].before, v[i].last));
        touch(&g->three[start[i]]);
    }
    for (uint32_t i = 0; i < n; i++) fetch_pair(g, &v[i]);
    for (uint32_t i = 0; i < n; i++) {
        f[i] = NULL;
        if (!room || v[i].before == MOVE_NONE) continue;
        uint64_t key = context_key(v[i].before, v[i].last);
        struct context *c = context_from(g, start[i], key);
        if (!c->key) c->key = key, g->used++;
        f[i] = &c->f;
        if (!f[i]->indexed)
            touch_list(g, f[i]);
        else if (v[i].move < f[i]->width)
            touch(&f[i]->where[v[i].move]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (f[i] && f[i]->indexed && v[i].move < f[i]->width && f[i]->where[v[i].move])
            touch(&g->replies[f[i]->first + f[i]->where[v[i].move] - 1]);
}

void grams_learn(struct grams *g, const struct gram *v, uint32_t n)
{
    struct followers *three[GRAMS_CHUNK];
    if (g->bytes > g->max_bytes) forget(g);
    find_contexts(g, v, n, three);
    for (uint32_t i = 0; i < n; i++) {
        one_add(g, v[i].move, v[i].reward);
        struct followers *two = v[i].last == MOVE_NONE ? NULL : two_at(g, v[i].last);
        if (two) two_add(g, two, v[i].move, v[i].reward);
        if (three[i]) three_add(g, three[i], v[i].move, v[i].reward);
    }
}

void grams_scale(struct grams *g, const struct gram *v, uint32_t n, float factor)
{
    struct followers *three[GRAMS_CHUNK];
    find_contexts(g, v, n, three);
    for (uint32_t i = 0; i < n; i++) {
        one_scale(g, v[i].move, factor);
        struct followers *two = v[i].last == MOVE_NONE ? NULL : two_at(g, v[i].last);
        if (two) followers_scale(g, two, v[i].move, factor);
        if (three[i]) followers_scale(g, three[i], v[i].move, factor);
    }
}

void grams_scale_all(struct grams *g, float factor)
{
    for (uint32_t i = 0; i < g->nceilings; i++) one_scale(g, i, factor);
    for (uint32_t i = 0; i < g->ntwo; i++) followers_scale_all(g, &g->two[i], factor);
    for (uint32_t i = 0; g->three && i <= g->mask; i++) followers_scale_all(g, &g->three[i].f, factor);
}
