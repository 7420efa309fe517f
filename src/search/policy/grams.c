// SPDX-License-Identifier: GPL-3.0-or-later
/* Invariants: ripe[m] of a row is the mean of m where n >= k, else -1. The first `ripe` replies of a list
 * have n >= k, the others do not. A list becomes a row once it has a DENSE-th of the moves. */
#include "search/policy/grams.h"

#include "base/hash.h"
#include "base/pages.h"

#include <float.h>

enum { DENSE = 16, SLAB = 2 << 20, LINE = 64, FETCHED = 4 /* lines of a list */ };

void grams_init(struct grams *g, uint32_t k, size_t max_bytes)
{
    *g = (struct grams){.k = k ? (float)k : FLT_MIN /* seen at all */, .max_bytes = max_bytes};
}

void grams_done(struct grams *g)
{
    stat_row_done(&g->one);
    for (uint32_t i = 0; i < g->nslabs; i++) free(g->slabs[i]);
    free(g->slabs);
    free(g->two);
    free(g->three);
    free(g->replies);
}

/* Begin anew with single moves. */
static void forget(struct grams *g)
{
    struct grams fresh = {.k = g->k, .max_bytes = g->max_bytes, .one = g->one};
    g->one = (struct stat_row){0};
    grams_done(g);
    *g = fresh;
}

/* --- Rows ----------------------------------------------------------------------------------------------- */

static void *slab_take(struct grams *g, size_t bytes)
{
    if (g->nslabs == 0 || bytes > g->slab_size - g->slab_used) {
        if (g->nslabs == g->slabs_cap) {
            uint32_t cap = g->slabs_cap ? g->slabs_cap * 2 : 8;
            char **grown = realloc(g->slabs, cap * sizeof *grown);
            if (!grown) return NULL;
            g->slabs = grown;
            g->slabs_cap = cap;
        }
        size_t size = bytes < SLAB ? SLAB : bytes;
        if (!(g->slabs[g->nslabs] = pages_alloc(size))) return NULL;
        g->nslabs++;
        g->slab_size = size;
        g->slab_used = 0;
        g->bytes += size;
    }
    void *taken = g->slabs[g->nslabs - 1] + g->slab_used;
    g->slab_used += bytes;
    return taken;
}

/* As wide as the moves there are so far; what a narrower row had is copied and its place given up. */
static bool widen(struct grams *g, struct gram_row *row)
{
    uint32_t size = g->one.size;
    if (row->size >= size) return true;
    struct gram_row wide = {slab_take(g, size * (sizeof *row->ripe + sizeof(struct stat))), size};
    if (!wide.ripe) return false;
    struct stat *all = gram_row_all(&wide);
    for (uint32_t i = 0; i < size; i++) {
        wide.ripe[i] = i < row->size ? row->ripe[i] : -1;
        all[i] = i < row->size ? gram_row_all(row)[i] : (struct stat){0};
    }
    *row = wide;
    return true;
}

static void settle_entry(const struct grams *g, struct gram_row *row, uint32_t move)
{
    const struct stat *s = &gram_row_all(row)[move];
    row->ripe[move] = s->n >= g->k ? s->mean : -1;
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
        struct reply *grown =
            pages_grow(g->replies, g->nreplies * sizeof *grown, (size_t)room * sizeof *grown);
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

/* A reply in a list, made if need be; NULL without memory. */
static struct reply *reply_at(struct grams *g, struct followers *f, uint32_t move)
{
    struct reply *r = replies_of(g, f);
    for (uint32_t i = 0; i < f->count; i++, r++)
        if (r->move == move) return r;
    if (!grow_block(g, f)) return NULL;
    f->count++;
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
}

/* Turn the list into a row when it is long. */
static void settle_followers(struct grams *g, struct followers *f)
{
    struct gram_row row = {0};
    if (f->count * DENSE < g->one.size || !widen(g, &row)) return;
    const struct reply *r = replies_of(g, f);
    for (uint32_t i = 0; i < f->count; i++) {
        gram_row_all(&row)[r[i].move] = r[i].s;
        settle_entry(g, &row, r[i].move);
    }
    f->row = row;
    f->dense = true;
}

static void followers_add(struct grams *g, struct followers *f, uint32_t move, float reward)
{
    if (f->dense) {
        if (!widen(g, &f->row)) return;
        stat_add(&gram_row_all(&f->row)[move], reward);
        settle_entry(g, &f->row, move);
        return;
    }
    uint32_t count = f->count;
    struct reply *r = reply_at(g, f, move);
    if (!r) return;
    stat_add(&r->s, reward);
    settle_reply(g, f, r);
    if (f->count > count) settle_followers(g, f);
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

float grams_mean(const struct grams *g, const struct followers *f, uint32_t move)
{
    if (!f) return -1;
    if (f->dense) return move < f->row.size ? f->row.ripe[move] : -1;
    const struct reply *r = grams_replies(g, f);
    for (uint32_t i = 0; i < f->ripe; i++)
        if (r[i].move == move) return r[i].s.mean;
    return -1;
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

static struct context *context_slot(const struct grams *g, uint64_t key)
{
    uint32_t i = context_start(g, key);
    while (g->three[i].key && g->three[i].key != key) i = (i + 1) & g->mask;
    return &g->three[i];
}

static bool grow_contexts(struct grams *g)
{
    struct grams old = *g;
    size_t size = old.three ? ((size_t)old.mask + 1) * 2 : 1024;
    struct context *grown = pages_zeroed(size * sizeof *grown);
    if (!grown) return false;
    g->three = grown;
    g->mask = (uint32_t)size - 1;
    g->bytes += size / 2 * sizeof *grown;
    for (uint32_t i = 0; old.three && i <= old.mask; i++)
        if (old.three[i].key) *context_slot(g, old.three[i].key) = old.three[i];
    free(old.three);
    return true;
}

static struct followers *three_at(struct grams *g, uint32_t before, uint32_t last)
{
    if ((!g->three || g->used * 3ull > g->mask * 2ull) && !grow_contexts(g)) return NULL;
    uint64_t key = context_key(before, last);
    struct context *c = context_slot(g, key);
    if (!c->key) c->key = key, g->used++;
    return &c->f;
}

/* Whether something is ripe or not; NULL if there cannot be anything. */
static const struct followers *three_find(const struct grams *g, uint32_t before, uint32_t last)
{
    if (last == MOVE_NONE || before == MOVE_NONE || !g->three) return NULL;
    return &context_slot(g, context_key(before, last))->f;
}

const struct followers *grams_after_two(const struct grams *g, uint32_t before, uint32_t last)
{
    const struct followers *f = three_find(g, before, last);
    return f && (f->dense || f->ripe) ? f : NULL;
}

/* --- Fetching ------------------------------------------------------------------------------------------- */

/* A load whose value nobody waits for. A prefetch would be dropped where the page is not at hand either. */
static inline void touch(const void *p)
{
    (void)*(const volatile char *)p;
}

static void fetch_context(const struct grams *g, uint32_t before, uint32_t last)
{
    if (before != MOVE_NONE && last != MOVE_NONE && g->three)
        touch(&g->three[context_start(g, context_key(before, last))]);
}

static void fetch_list(const struct grams *g, const struct followers *f, uint32_t n)
{
    if (f->count < 2) return;
    const char *at = (const char *)(g->replies + f->first), *end = at + n * sizeof(struct reply);
    for (int i = 0; i < FETCHED && at < end; i++, at += LINE) touch(at);
}

/* To score these moves. */
static void fetch_scores(const struct grams *g, const struct followers *f, const uint64_t *legal,
                         uint32_t words)
{
    if (!f) return;
    if (!f->dense) {
        fetch_list(g, f, f->ripe);
        return;
    }
    for (uint32_t w = 0; w < words && (w + 1) * 64 <= f->row.size; w++)
        for (uint32_t i = 0; i < 64 && legal[w]; i += LINE / sizeof(float)) touch(f->row.ripe + w * 64 + i);
}

void grams_expect(const struct grams *g, uint32_t before, uint32_t last, const uint64_t *legal,
                  uint32_t words, int stage)
{
    if (stage == 0) {
        fetch_context(g, before, last);
        fetch_scores(g, grams_after(g, last), legal, words);
    } else {
        fetch_scores(g, three_find(g, before, last), legal, words);
    }
}

/* To learn from this move. */
static void fetch_entry(const struct grams *g, const struct followers *f, uint32_t move)
{
    if (!f->dense) {
        fetch_list(g, f, f->count);
    } else if (move < f->row.size) {
        touch(&f->row.ripe[move]);
        touch(&gram_row_all(&f->row)[move]);
    }
}

static void fetch(const struct grams *g, const struct gram *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        fetch_context(g, v[i].before, v[i].last);
        if (v[i].last < g->ntwo) fetch_entry(g, &g->two[v[i].last], v[i].move);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct followers *f = three_find(g, v[i].before, v[i].last);
        if (f) fetch_entry(g, f, v[i].move);
    }
}

/* --- Learning ------------------------------------------------------------------------------------------- */

void grams_learn(struct grams *g, const struct gram *v, uint32_t n)
{
    if (g->bytes > g->max_bytes) forget(g);
    fetch(g, v, n);
    for (const struct gram *e = v; e < v + n; e++) {
        stat_row_add(&g->one, e->move, e->reward);
        struct followers *two = e->last == MOVE_NONE ? NULL : two_at(g, e->last);
        struct followers *three = e->before == MOVE_NONE ? NULL : three_at(g, e->before, e->last);
        if (two) followers_add(g, two, e->move, e->reward);
        if (three) followers_add(g, three, e->move, e->reward);
    }
}

void grams_scale(struct grams *g, const struct gram *v, uint32_t n, float factor)
{
    fetch(g, v, n);
    for (const struct gram *e = v; e < v + n; e++) {
        stat_row_scale_one(&g->one, e->move, factor);
        struct followers *two = e->last == MOVE_NONE ? NULL : two_at(g, e->last);
        struct followers *three = e->before == MOVE_NONE ? NULL : three_at(g, e->before, e->last);
        if (two) followers_scale(g, two, e->move, factor);
        if (three) followers_scale(g, three, e->move, factor);
    }
}

void grams_scale_all(struct grams *g, float factor)
{
    stat_row_scale(&g->one, factor);
    for (uint32_t i = 0; i < g->ntwo; i++) followers_scale_all(g, &g->two[i], factor);
    for (uint32_t i = 0; g->three && i <= g->mask; i++) followers_scale_all(g, &g->three[i].f, factor);
}
