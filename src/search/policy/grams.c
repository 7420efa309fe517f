// SPDX-License-Identifier: GPL-3.0-or-later
/* Invariants: a longer sequence with n >= k is in a list or a row of followers, any other in `rare`; once it
 * was there, it keeps its place for the day its count falls below k. ceilings[m] of a row is that of the mean
 * of m where n >= k, else CEILING_NONE; n of what is not ripe is 0 there.
 * Counts in `rare` are what they are divided by `fade`: when all are scaled, and there are thirty of them for
 * each that is ripe, that alone is. */
#include "search/policy/grams.h"

#include "base/hash.h"
#include "base/pages.h"
#include "base/pool.h"

#include <float.h>

enum {
    DENSE = 16, /* what follows one move is a row once it is this part of all moves */
    FIRST_SLAB = 64 << 10,
    LINE = 4, /* sequences in a line of the cache */
    FIRST_LINES = 256,
    FIRST_CONTEXTS = 64,
    FIRST_REPLIES = 256
};

#define FADED \
    1e-15f /* when `fade` is below, counts are brought up to date, before they leave the range of a float */
#define ALMOST (1 - 1e-5f) /* what is divided and multiplied again is a little off */

/* Sequences of larger numbers are not learned. */
#define NUMBER_BITS 21
#define MOST ((1u << NUMBER_BITS) - 2)

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
    *g = (struct grams){.k = k ? (float)k : FLT_MIN /* seen at all */, .max_bytes = max_bytes, .fade = 1};
}

void grams_done(struct grams *g)
{
    stat_row_done(&g->one);
    free(g->ceilings);
    for (uint32_t i = 0; i < g->nslabs; i++) pool_give(g->slabs[i].at, g->slabs[i].size);
    free(g->slabs);
    free(g->two);
    if (g->three) pool_give(g->three, ((size_t)g->mask + 1) * sizeof *g->three);
    if (g->rare) pool_give(g->rare, ((size_t)g->rare_mask + 1) * LINE * sizeof *g->rare);
    pool_give(g->replies, g->replies_cap * sizeof *g->replies);
}

/* Begin anew with single moves. */
static void forget(struct grams *g)
{
    struct grams fresh = {.k = g->k,
                          .max_bytes = g->max_bytes,
                          .fade = 1,
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

/* --- What is not ripe ----------------------------------------------------------------------------------- */

/* A sequence of two or three as one number, never 0. */
static uint64_t gram_key(uint32_t before, uint32_t last, uint32_t move)
{
    uint64_t first = before == MOVE_NONE ? 0 : before + 1;
    return (first << NUMBER_BITS | (last + 1)) << NUMBER_BITS | (move + 1);
}

static uint32_t rare_line(const struct grams *g, uint64_t key)
{
    return (uint32_t)hash_mix(key, 5) & g->rare_mask;
}

/* Where it is, or would be. */
static struct rare *rare_at(const struct grams *g, uint64_t key)
{
    for (uint32_t line = rare_line(g, key);; line = (line + 1) & g->rare_mask) {
        struct rare *r = g->rare + (size_t)line * LINE;
        for (int i = 0; i < LINE; i++)
            if (r[i].key == key || !r[i].key) return &r[i];
    }
}

/* Room for n more: none moves while they are made. */
static bool reserve_rare(struct grams *g, uint32_t n)
{
    uint64_t slots = g->rare ? ((uint64_t)g->rare_mask + 1) * LINE : 0;
    if ((g->nrare + n) * 3ull <= slots * 2) return true;
    uint64_t room = slots ? slots * 2 : FIRST_LINES * LINE;
    struct rare *grown = take(room * sizeof *grown), *old = g->rare;
    if (!grown) return false;
    memset(grown, 0, room * sizeof *grown);
    g->rare = grown;
    g->rare_mask = (uint32_t)(room / LINE - 1);
    g->bytes += (room - slots) * sizeof *grown;
    for (uint64_t i = 0; i < slots; i++)
        if (old[i].key) *rare_at(g, old[i].key) = old[i];
    pool_give(old, slots * sizeof *old);
    return true;
}

/* The statistics of a sequence, made if need be; there is room for it. */
static struct stat *rare_stat(struct grams *g, uint64_t key)
{
    struct rare *r = rare_at(g, key);
    if (!r->key) {
        *r = (struct rare){.key = key};
        g->nrare++;
    }
    return &r->s;
}

static void rare_put(struct grams *g, uint64_t key, struct stat s)
{
    *rare_stat(g, key) = (struct stat){s.mean, s.n / g->fade};
}

/* One sample more; what the statistics are then. */
static struct stat rare_add(struct grams *g, uint64_t key, float reward)
{
    struct stat *r = rare_stat(g, key), s = {r->mean, r->n * g->fade};
    stat_add(&s, reward);
    *r = (struct stat){s.mean, s.n / g->fade};
    return s;
}

/* Scale all counts. */
static void rare_fade(struct grams *g, float factor)
{
    g->fade *= factor;
    if (g->fade >= FADED) return;
    for (size_t i = 0; g->rare && i < ((size_t)g->rare_mask + 1) * LINE; i++) g->rare[i].s.n *= g->fade;
    g->fade = 1;
}

/* --- Followers ------------------------------------------------------------------------------------------ */

static struct reply *replies_of(const struct grams *g, const struct followers *f)
{
    return (struct reply *)grams_replies(g, f);
}

/* Room for one more reply, if need be in a block of twice the size. */
static bool grow_block(struct grams *g, struct followers *f)
{
    if (f->count < 1u << f->room) return true;
    uint32_t cap = f->count * 2;
    if ((uint64_t)g->nreplies + cap > UINT32_MAX / 2) return false;
    if (g->nreplies + cap > g->replies_cap) {
        uint32_t room = g->replies_cap ? g->replies_cap : FIRST_REPLIES;
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
    f->room++;
    g->nreplies += cap;
    return true;
}

static struct reply *find_reply(const struct grams *g, const struct followers *f, uint32_t move)
{
    struct reply *r = replies_of(g, f);
    for (struct reply *end = r + f->count; r < end; r++)
        if (r->move == move) return r;
    return NULL;
}

/* Where the statistics of a ripe reply are; NULL: it is not ripe. */
static struct stat *ripe_stat(const struct grams *g, const struct followers *f, uint32_t move)
{
    if (f->dense) {
        struct stat *s = move < f->row.size ? &gram_row_all(&f->row)[move] : NULL;
        return s && s->n >= g->k ? s : NULL;
    }
    struct reply *r = find_reply(g, f, move);
    return r ? &r->s : NULL;
}

/* Turn the list into a row. */
static void make_row(struct grams *g, struct followers *f)
{
    struct gram_row row = {0};
    if (!widen(g, &row)) return;
    const struct reply *r = replies_of(g, f);
    for (uint32_t i = 0; i < f->count; i++) {
        gram_row_all(&row)[r[i].move] = r[i].s;
        row.ceilings[r[i].move] = ceiling_of(r[i].s.mean);
    }
    f->row = row;
    f->dense = true;
}

/* A reply has become ripe. Without memory it is when it is next learned. */
static void ripen(struct grams *g, struct followers *f, uint32_t move, struct stat s)
{
    if (f->dense) {
        if (!widen(g, &f->row)) return;
        gram_row_all(&f->row)[move] = s;
        f->row.ceilings[move] = ceiling_of(s.mean);
        return;
    }
    if (!grow_block(g, f)) return;
    replies_of(g, f)[f->count++] = (struct reply){move, s};
}

/* It is ripe no more. */
static void wither(struct grams *g, struct followers *f, uint64_t key, uint32_t move, struct stat *s)
{
    rare_put(g, key, *s);
    if (f->dense) {
        *s = (struct stat){0};
        f->row.ceilings[move] = CEILING_NONE;
        return;
    }
    struct reply *gone = find_reply(g, f, move);
    *gone = replies_of(g, f)[--f->count];
}

/* Learn what followed; `f` NULL: nothing that did is ripe. True: it has just become ripe, as `s` tells. */
static bool followers_add(struct grams *g, struct followers *f, uint64_t key, uint32_t move, float reward,
                          struct stat *s)
{
    struct stat *known = f ? ripe_stat(g, f, move) : NULL;
    if (known) {
        stat_add(known, reward);
        if (f->dense) f->row.ceilings[move] = ceiling_of(known->mean);
        return false;
    }
    *s = rare_add(g, key, reward);
    if (s->n < g->k * ALMOST) return false;
    if (s->n < g->k) s->n = g->k;
    return true;
}

static void followers_scale(struct grams *g, struct followers *f, uint64_t key, uint32_t move, float factor)
{
    struct stat *s = f ? ripe_stat(g, f, move) : NULL;
    bool ripe = s != NULL;
    if (!s) s = rare_stat(g, key);
    s->n *= factor;
    if (ripe && s->n < g->k) wither(g, f, key, move, s);
}

/* All ripe ones; `before` MOVE_NONE where `last` is all that came before. */
static void followers_scale_all(struct grams *g, struct followers *f, uint32_t before, uint32_t last,
                                float factor)
{
    for (uint32_t m = 0; f->dense && m < f->row.size; m++)
        if (gram_row_all(&f->row)[m].n >= g->k) followers_scale(g, f, gram_key(before, last, m), m, factor);
    for (uint32_t i = f->dense ? 0 : f->count; i-- > 0;) {
        uint32_t move = replies_of(g, f)[i].move;
        followers_scale(g, f, gram_key(before, last, move), move, factor);
    }
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
    return f->dense || f->count ? f : NULL;
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

/* Its place, or where it would be. */
static struct context *context_slot(const struct grams *g, uint64_t key)
{
    uint32_t i = context_start(g, key);
    while (g->three[i].key && g->three[i].key != key) i = (i + 1) & g->mask;
    return &g->three[i];
}

static bool reserve_context(struct grams *g)
{
    if (g->three && (g->used + 1) * 3ull <= g->mask * 2ull) return true;
    struct grams old = *g;
    size_t before = old.three ? (size_t)old.mask + 1 : 0, size = before ? before * 2 : FIRST_CONTEXTS;
    struct context *grown = take(size * sizeof *grown);
    if (!grown) return false;
    memset(grown, 0, size * sizeof *grown);
    g->three = grown;
    g->mask = (uint32_t)size - 1;
    g->bytes += (size - before) * sizeof *grown;
    for (size_t i = 0; i < before; i++)
        if (old.three[i].key) *context_slot(g, old.three[i].key) = old.three[i];
    pool_give(old.three, before * sizeof *old.three);
    return true;
}

/* Made when something is ripe there; NULL without memory. */
static struct followers *three_made(struct grams *g, uint32_t before, uint32_t last)
{
    if (!reserve_context(g)) return NULL;
    struct context *c = context_slot(g, context_key(before, last));
    if (!c->key) {
        c->key = context_key(before, last);
        g->used++;
    }
    return &c->f;
}

/* NULL: nothing was ever ripe there. */
static struct followers *three_at(const struct grams *g, uint32_t before, uint32_t last)
{
    if (!g->three) return NULL;
    struct context *c = context_slot(g, context_key(before, last));
    return c->key ? &c->f : NULL;
}

const struct followers *grams_after_two(const struct grams *g, uint32_t before, uint32_t last)
{
    if (last == MOVE_NONE || before == MOVE_NONE) return NULL;
    const struct followers *f = three_at(g, before, last);
    return f && f->count ? f : NULL;
}

void grams_fetch(const struct grams *g, uint32_t before, uint32_t last)
{
    if (last < g->ntwo) __builtin_prefetch(&g->two[last]);
    if (last == MOVE_NONE || before == MOVE_NONE || !g->three) return;
    __builtin_prefetch(&g->three[context_start(g, context_key(before, last))]);
}

/* --- Learning ------------------------------------------------------------------------------------------- */

static bool has_pair(const struct gram *v)
{
    return v->last != MOVE_NONE && v->last <= MOST && v->move <= MOST;
}

static bool has_triple(const struct gram *v)
{
    return has_pair(v) && v->before != MOVE_NONE && v->before <= MOST;
}

static void fetch_rare(const struct grams *g, uint64_t key)
{
    __builtin_prefetch(g->rare + (size_t)rare_line(g, key) * LINE, 1);
}

void grams_expect(const struct grams *g, const struct gram *v)
{
    if (!g->rare || !has_pair(v)) return;
    if (has_triple(v)) {
        fetch_rare(g, gram_key(v->before, v->last, v->move));
        if (g->three) __builtin_prefetch(&g->three[context_start(g, context_key(v->before, v->last))], 1);
    }
    const struct followers *f = v->last < g->ntwo ? &g->two[v->last] : NULL;
    if (f && f->dense && v->move < f->row.size) {
        __builtin_prefetch(&gram_row_all(&f->row)[v->move], 1);
        __builtin_prefetch(&f->row.ceilings[v->move], 1);
        return;
    }
    if (f && f->room) __builtin_prefetch(g->replies + f->first, 1);
    fetch_rare(g, gram_key(MOVE_NONE, v->last, v->move));
}

static void two_add(struct grams *g, const struct gram *v)
{
    struct followers *f = two_at(g, v->last);
    struct stat s;
    if (!f || !followers_add(g, f, gram_key(MOVE_NONE, v->last, v->move), v->move, v->reward, &s)) return;
    ripen(g, f, v->move, s);
    if (!f->dense && f->count * DENSE >= g->one.size) make_row(g, f);
}

static void three_add(struct grams *g, const struct gram *v)
{
    struct followers *f = three_at(g, v->before, v->last);
    struct stat s;
    if (!followers_add(g, f, gram_key(v->before, v->last, v->move), v->move, v->reward, &s)) return;
    if (!f) f = three_made(g, v->before, v->last);
    if (f) ripen(g, f, v->move, s);
}

void grams_learn(struct grams *g, const struct gram *v, uint32_t n)
{
    if (g->bytes > g->max_bytes) forget(g);
    bool room = reserve_rare(g, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        one_add(g, v[i].move, v[i].reward);
        if (!room || v[i].move >= g->nceilings) continue;
        if (has_pair(&v[i])) two_add(g, &v[i]);
        if (has_triple(&v[i])) three_add(g, &v[i]);
    }
}

void grams_scale(struct grams *g, const struct gram *v, uint32_t n, float factor)
{
    bool room = reserve_rare(g, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        const struct gram *x = &v[i];
        one_scale(g, x->move, factor);
        if (room && has_pair(x))
            followers_scale(g, x->last < g->ntwo ? &g->two[x->last] : NULL,
                            gram_key(MOVE_NONE, x->last, x->move), x->move, factor);
        if (room && has_triple(x))
            followers_scale(g, three_at(g, x->before, x->last), gram_key(x->before, x->last, x->move),
                            x->move, factor);
    }
}

/* What is not ripe first: what withers has its place there. */
void grams_scale_all(struct grams *g, float factor)
{
    for (uint32_t i = 0; i < g->nceilings; i++) one_scale(g, i, factor);
    rare_fade(g, factor);
    for (uint32_t i = 0; i < g->ntwo; i++) followers_scale_all(g, &g->two[i], MOVE_NONE, i, factor);
    for (uint32_t i = 0; g->three && i <= g->mask; i++) {
        uint64_t key = g->three[i].key - 1;
        if (g->three[i].key)
            followers_scale_all(g, &g->three[i].f, (uint32_t)(key >> 32), (uint32_t)key, factor);
    }
}
