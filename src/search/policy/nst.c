// SPDX-License-Identifier: GPL-3.0-or-later
/* N-Gram Selection Technique (000 §IV-B): mean rewards of sequences of one, two and three consecutive moves
 * that end with a move of the role; the earlier ones are moves of the roles before it in the order of the
 * sheet. The score of a move is the mean of the values of the sequences it would complete; the longer ones
 * count once they were seen k times.
 *
 * Laid out for scoring a list of moves in one situation: two-grams are rows indexed by the move before; the
 * replies to two moves (a context) lie side by side, those seen k times in front. Most contexts have none and
 * need no further look.
 */
#include "search/policy/dense.h"
#include "search/policy/table.h"

#include "base/hash.h"

struct reply_stat {
    uint32_t move;
    struct stat s;
};

struct context {
    uint64_t key;   /* the two moves before; 0: empty */
    uint32_t first; /* replies.v[first ..] */
    uint32_t count, cap;
    uint32_t ripe; /* the first so many are or were seen k times; no other is */
};

struct grams {
    struct stat_row one;
    struct stat_row *two; /* by the move before */
    uint32_t ntwo;
    struct context *contexts;
    uint32_t mask, used;
    struct reply_stat *replies; /* blocks of contexts; a context that outgrows its block moves to the end */
    uint32_t nreplies, replies_cap;
};

struct nst {
    struct values values;
    uint32_t nroles, k;
    struct grams *roles;
};

static uint64_t context_key(uint32_t before, uint32_t last)
{
    return ((uint64_t)before << 32 | last) + 1;
}

static uint32_t context_slot(const struct grams *g, uint64_t key)
{
    uint32_t i = (uint32_t)hash_mix(key, 3) & g->mask;
    while (g->contexts[i].key && g->contexts[i].key != key) i = (i + 1) & g->mask;
    return i;
}

static uint32_t index_of(const uint32_t *moves, uint32_t n, uint32_t move, bool sorted)
{
    uint32_t low = 0, high = n;
    if (!sorted) {
        while (low < n && moves[low] != move) low++;
        return low;
    }
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (moves[middle] < move)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && moves[low] == move ? low : n;
}

/* The replies to the last two moves that were seen often enough: none, or a run of them. */
static const struct context *ripe_context(const struct grams *g, const struct situation *s)
{
    uint32_t last = situation_last(s), before = situation_before(s);
    if (last == MOVE_NONE || before == MOVE_NONE || !g->contexts) return NULL;
    const struct context *c = &g->contexts[context_slot(g, context_key(before, last))];
    return c->key && c->ripe ? c : NULL;
}

/* What the three-gram makes of a score that one- and two-gram gave. */
static float with_reply(const struct stat_row *two, const struct reply_stat *r, float score, float k)
{
    bool pair = r->move < two->size && two->n[r->move] >= k;
    return pair ? (2 * score + r->s.mean) / 3 : (score + r->s.mean) / 2;
}

static const struct stat_row *row_after(const struct grams *g, uint32_t last)
{
    static const struct stat_row none;
    return last < g->ntwo ? &g->two[last] : &none;
}

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct nst *nst = (struct nst *)v;
    const struct grams *g = &nst->roles[s->role];
    float k = (float)nst->k;
    const struct stat_row *two = row_after(g, situation_last(s));
    bool sorted = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = moves[i];
        sorted &= i == 0 || moves[i - 1] < m;
        if (m >= g->one.size || g->one.n[m] <= 0)
            out[i] = UNSEEN;
        else if (m < two->size && two->n[m] >= k)
            out[i] = (g->one.mean[m] + two->mean[m]) / 2;
        else
            out[i] = g->one.mean[m];
    }
    const struct context *c = ripe_context(g, s);
    for (uint32_t j = 0; c && j < c->ripe; j++) {
        const struct reply_stat *r = &g->replies[c->first + j];
        uint32_t i = r->s.n >= k ? index_of(moves, n, r->move, sorted) : n;
        if (i < n) out[i] = with_reply(two, r, out[i], k);
    }
}

static bool score_set(struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                      float *out)
{
    const struct nst *nst = (struct nst *)v;
    struct grams *g = &nst->roles[s->role];
    float k = (float)nst->k;
    const struct stat_row *two = row_after(g, situation_last(s));
    if (!stat_row_reserve(&g->one, words * 64)) return false;
    if (two->size >= words * 64)
        dense_pair(out, legal, words, g->one.mean, g->one.n, two->mean, two->n, k, UNSEEN);
    else if (two->size == 0)
        dense_single(out, legal, words, g->one.mean, g->one.n, UNSEEN);
    else
        return false;
    const struct context *c = ripe_context(g, s);
    for (uint32_t j = 0; c && j < c->ripe; j++) {
        const struct reply_stat *r = &g->replies[c->first + j];
        if (r->s.n >= k && r->move < words * 64) out[r->move] = with_reply(two, r, out[r->move], k);
    }
    return true;
}

static bool grow_contexts(struct grams *g)
{
    struct grams old = *g;
    size_t size = old.contexts ? ((size_t)old.mask + 1) * 2 : 1024;
    struct context *grown = calloc(size, sizeof *grown);
    if (!grown) return false;
    g->contexts = grown;
    g->mask = (uint32_t)size - 1;
    for (uint32_t i = 0; old.contexts && i <= old.mask; i++)
        if (old.contexts[i].key) g->contexts[context_slot(g, old.contexts[i].key)] = old.contexts[i];
    free(old.contexts);
    return true;
}

static bool grow_block(struct grams *g, struct context *c)
{
    uint32_t cap = c->cap ? c->cap * 2 : 2;
    if ((uint64_t)g->nreplies + cap > UINT32_MAX / 2) return false;
    if (g->nreplies + cap > g->replies_cap) {
        uint32_t room = g->replies_cap ? g->replies_cap * 2 : 4096;
        struct reply_stat *grown = realloc(g->replies, (size_t)room * sizeof *grown);
        if (!grown) return false;
        g->replies = grown;
        g->replies_cap = room;
    }
    if (c->count) memcpy(g->replies + g->nreplies, g->replies + c->first, c->count * sizeof *g->replies);
    c->first = g->nreplies;
    c->cap = cap;
    g->nreplies += cap;
    return true;
}

/* The context and the statistics of a reply in it, made if need be; NULL without memory. */
static struct stat *reply_at(struct grams *g, uint32_t before, uint32_t last, uint32_t move,
                             struct context **context)
{
    if ((!g->contexts || g->used * 3ull > g->mask * 2ull) && !grow_contexts(g)) return NULL;
    uint64_t key = context_key(before, last);
    struct context *c = &g->contexts[context_slot(g, key)];
    if (!c->key) c->key = key, g->used++;
    *context = c;
    for (uint32_t i = 0; i < c->count; i++)
        if (g->replies[c->first + i].move == move) return &g->replies[c->first + i].s;
    if (c->count == c->cap && !grow_block(g, c)) return NULL;
    struct reply_stat *r = &g->replies[c->first + c->count++];
    *r = (struct reply_stat){.move = move};
    return &r->s;
}

/* The row of a move before, as wide as the moves there are so far. */
static struct stat_row *row_two(struct grams *g, uint32_t last)
{
    if (last >= g->ntwo) {
        uint32_t n = g->ntwo ? g->ntwo : 64;
        while (n <= last) n *= 2;
        struct stat_row *grown = realloc(g->two, (size_t)n * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + g->ntwo, 0, (size_t)(n - g->ntwo) * sizeof *grown);
        g->two = grown;
        g->ntwo = n;
    }
    return stat_row_reserve(&g->two[last], g->one.size) ? &g->two[last] : NULL;
}

/* Move a reply to the others that were seen often. */
static void ripen(struct grams *g, struct context *c, struct stat *s)
{
    struct reply_stat *r = (struct reply_stat *)((char *)s - offsetof(struct reply_stat, s));
    if (r < g->replies + c->first + c->ripe) return;
    struct reply_stat *at = &g->replies[c->first + c->ripe++], swap = *at;
    *at = *r;
    *r = swap;
}

/* Learn the n-grams of an episode, or scale their counts by omega. */
static void each_gram(struct nst *nst, const struct episode *e, bool learning, float omega)
{
    uint32_t nroles = e->nroles;
    for (uint32_t r = 0; r < nroles; r++) {
        struct grams *g = &nst->roles[r];
        uint32_t r1 = (r + nroles - 1) % nroles, r2 = (r + 2 * nroles - 2) % nroles;
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            reward *= e->discount; /* as it counts at the last move of the sequence */
            /* What ends with a move that had no alternative would never be asked for. */
            if (e->forced && e->forced[t * nroles + r]) continue;
            uint32_t m = e->moves[t * nroles + r];
            if (learning)
                stat_row_add(&g->one, m, reward);
            else
                stat_row_scale_one(&g->one, m, omega);
            if (t < 1) continue;
            uint32_t last = e->moves[(t - 1) * nroles + r1];
            struct stat_row *two = row_two(g, last);
            if (two && learning)
                stat_row_add(two, m, reward);
            else if (two)
                stat_row_scale_one(two, m, omega);
            if (t < 2) continue;
            struct context *context;
            struct stat *s = reply_at(g, e->moves[(t - 2) * nroles + r2], last, m, &context);
            if (s && learning) {
                stat_add(s, reward);
                if (s->n >= (float)nst->k) ripen(g, context, s);
            } else if (s) {
                s->n *= omega;
            }
        }
    }
}

static void learn(struct values *v, const struct episode *e)
{
    each_gram((struct nst *)v, e, true, 1);
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    each_gram((struct nst *)v, e, false, omega);
}

static void decay(struct values *v, float gamma)
{
    struct nst *nst = (struct nst *)v;
    for (uint32_t r = 0; r < nst->nroles; r++) {
        struct grams *g = &nst->roles[r];
        stat_row_scale(&g->one, gamma);
        for (uint32_t i = 0; i < g->ntwo; i++) stat_row_scale(&g->two[i], gamma);
        for (uint32_t i = 0; i < g->nreplies; i++) g->replies[i].s.n *= gamma;
    }
}

static void nst_free(struct values *v)
{
    struct nst *nst = (struct nst *)v;
    for (uint32_t r = 0; r < nst->nroles && nst->roles; r++) {
        struct grams *g = &nst->roles[r];
        stat_row_done(&g->one);
        for (uint32_t i = 0; i < g->ntwo; i++) stat_row_done(&g->two[i]);
        free(g->two);
        free(g->contexts);
        free(g->replies);
    }
    free(nst->roles);
    free(nst);
}

struct values *values_nst(uint32_t nroles, uint32_t k)
{
    static const struct values_ops ops = {"nst", false, score,         score_set,
                                          learn, decay, decay_episode, nst_free};
    struct nst *nst = calloc(1, sizeof *nst);
    if (!nst) return NULL;
    nst->values.ops = &ops;
    nst->nroles = nroles;
    nst->k = k;
    nst->roles = calloc(nroles, sizeof *nst->roles);
    if (!nst->roles) return nst_free(&nst->values), NULL;
    return &nst->values;
}
