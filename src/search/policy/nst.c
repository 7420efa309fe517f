// SPDX-License-Identifier: GPL-3.0-or-later
/* N-Gram Selection Technique (000 §IV-B): mean rewards of sequences of one, two and three consecutive moves
 * that end with a move of the role; the earlier ones are moves of the roles before it in the order of the
 * sheet. The score of a move is the mean of the values of the sequences it would complete; the longer ones
 * count once they were seen k times.
 *
 * Two-grams are rows indexed by the move before, so that scoring a list of moves walks along a row.
 * Three-grams are hashed; contexts (pairs of moves before) count how often they occurred, and since no
 * three-gram can have been seen more often than its context, most situations need no look at all.
 */
#include "search/policy/table.h"

struct grams {
    struct stat_row one;
    struct stat_row *two; /* by the move before */
    uint32_t ntwo;
    struct stat_table context; /* (before, last) -> n */
    struct stat_table three;   /* (before, last, move) */
};

struct nst {
    struct values values;
    uint32_t nroles, k;
    struct grams *roles;
};

/* Moves fit into 21 bits; a larger number would only mix up statistics. +1 keeps keys from being 0. */
static uint64_t pair_key(uint32_t before, uint32_t last)
{
    return ((uint64_t)(before & 0x1fffff) << 21 | (last & 0x1fffff)) + 1;
}

static uint64_t triple_key(uint32_t before, uint32_t last, uint32_t move)
{
    return (pair_key(before, last) << 21 | (move & 0x1fffff)) + 1;
}

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct nst *nst = (struct nst *)v;
    const struct grams *g = &nst->roles[s->role];
    float k = (float)nst->k;
    uint32_t last = situation_last(s), before = situation_before(s);
    const struct stat_row *two = last < g->ntwo ? &g->two[last] : NULL;
    const struct stat *context = last != MOVE_NONE && before != MOVE_NONE
                                     ? stat_table_find(&g->context, pair_key(before, last))
                                     : NULL;
    bool deep = context && context->n >= k;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = moves[i];
        if (m >= g->one.n || g->one.v[m].n <= 0) {
            out[i] = UNSEEN;
            continue;
        }
        float sum = g->one.v[m].mean, count = 1;
        if (two && m < two->n && two->v[m].n >= k) sum += two->v[m].mean, count++;
        if (deep) {
            const struct stat *three = stat_table_find(&g->three, triple_key(before, last, m));
            if (three && three->n >= k) sum += three->mean, count++;
        }
        out[i] = sum / count;
    }
}

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
    return &g->two[last];
}

/* Call f for every n-gram of the episode, with the reward as discounted at its last move. */
static void each_gram(struct nst *nst, const struct episode *e, void (*f)(struct stat *, float), float factor,
                      bool use_reward)
{
    uint32_t nroles = e->nroles;
    for (uint32_t r = 0; r < nroles; r++) {
        struct grams *g = &nst->roles[r];
        uint32_t r1 = (r + nroles - 1) % nroles, r2 = (r + 2 * nroles - 2) % nroles;
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            reward *= e->discount;
            float x = use_reward ? reward : factor;
            uint32_t m = e->moves[t * nroles + r];
            struct stat *s = stat_row_at(&g->one, m);
            if (s) f(s, x);
            if (t < 1) continue;
            uint32_t last = e->moves[(t - 1) * nroles + r1];
            struct stat_row *two = row_two(g, last);
            if (two && (s = stat_row_at(two, m))) f(s, x);
            if (t < 2) continue;
            uint32_t before = e->moves[(t - 2) * nroles + r2];
            if ((s = stat_table_at(&g->context, pair_key(before, last)))) f(s, x);
            if ((s = stat_table_at(&g->three, triple_key(before, last, m)))) f(s, x);
        }
    }
}

static void learn(struct values *v, const struct episode *e)
{
    each_gram((struct nst *)v, e, stat_add, 0, true);
}

static void scale(struct stat *s, float factor)
{
    s->n *= factor;
}

/* A context is not decayed with its episode: it would be once per three-gram that follows it. Its count stays
 * an upper bound. */
static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    each_gram((struct nst *)v, e, scale, omega, false);
}

static void decay(struct values *v, float gamma)
{
    struct nst *nst = (struct nst *)v;
    for (uint32_t r = 0; r < nst->nroles; r++) {
        struct grams *g = &nst->roles[r];
        stat_row_scale(&g->one, gamma);
        for (uint32_t i = 0; i < g->ntwo; i++) stat_row_scale(&g->two[i], gamma);
        stat_table_scale(&g->context, gamma);
        stat_table_scale(&g->three, gamma);
    }
}

static void nst_free(struct values *v)
{
    struct nst *nst = (struct nst *)v;
    for (uint32_t r = 0; r < nst->nroles && nst->roles; r++) {
        struct grams *g = &nst->roles[r];
        free(g->one.v);
        for (uint32_t i = 0; i < g->ntwo; i++) free(g->two[i].v);
        free(g->two);
        free(g->context.v);
        free(g->three.v);
    }
    free(nst->roles);
    free(nst);
}

struct values *values_nst(uint32_t nroles, uint32_t k)
{
    static const struct values_ops ops = {"nst", false, score, learn, decay, decay_episode, nst_free};
    struct nst *nst = calloc(1, sizeof *nst);
    if (!nst) return NULL;
    nst->values.ops = &ops;
    nst->nroles = nroles;
    nst->k = k;
    nst->roles = calloc(nroles, sizeof *nst->roles);
    if (!nst->roles) return nst_free(&nst->values), NULL;
    return &nst->values;
}
