// SPDX-License-Identifier: GPL-3.0-or-later
/* N-Gram Selection Technique (000 §IV-B): mean rewards of sequences of one, two and three consecutive moves
 * that end with a move of the role; the earlier ones are moves of the roles before it in the order of the
 * sheet. The score of a move is the mean of the values of the sequences it would complete; the longer ones
 * count once they were seen k times. */
#include "search/policy/dense.h"
#include "search/policy/grams.h"

enum { CHUNK = 32 /* sequences learned at a time */ };

struct nst {
    struct values values;
    uint32_t nroles;
    struct grams *roles;
};

/* --- Scores --------------------------------------------------------------------------------------------- */

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct grams *g = &((struct nst *)v)->roles[s->role];
    uint32_t last = situation_last(s), before = situation_before(s);
    const struct followers *two = grams_after(g, last), *three = grams_after_two(g, before, last);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = moves[i];
        out[i] = mean_of_three(m < g->one.size ? g->one.mean[m] : UNSEEN, grams_mean(g, two, m),
                               grams_mean(g, three, m));
    }
}

static bool narrow(const struct followers *f, uint32_t words)
{
    return f && f->dense && f->row.size < words * 64;
}

static bool is_legal(uint32_t move, const uint64_t *legal, uint32_t words)
{
    return move / 64 < words && legal[move / 64] >> (move % 64) & 1;
}

/* Rows for all moves at once, then what lists have for single ones. */
static const float *score_set(struct values *v, const struct situation *s, const uint64_t *legal,
                              uint32_t words, float *room)
{
    struct grams *g = &((struct nst *)v)->roles[s->role];
    uint32_t last = situation_last(s), before = situation_before(s);
    const struct followers *two = grams_after(g, last), *three = grams_after_two(g, before, last);
    if (!stat_row_reserve(&g->one, words * 64)) return NULL;
    const float *one = g->one.mean;
    if (!two && !three) return one;
    /* Rows made before all moves were known are widened when next learned from. */
    if (narrow(two, words) || narrow(three, words)) return NULL;
    bool row2 = two && two->dense, row3 = three && three->dense;
    if (row2 && row3)
        dense_triple(room, legal, words, one, two->row.ripe, three->row.ripe);
    else if (row2 || row3)
        dense_pair(room, legal, words, one, row2 ? two->row.ripe : three->row.ripe);
    else
        dense_copy(room, legal, words, one);
    const struct reply *r = two && !row2 ? grams_replies(g, two) : NULL;
    for (const struct reply *end = r + (r ? two->ripe : 0); r < end; r++)
        if (is_legal(r->move, legal, words))
            room[r->move] = mean_of_three(one[r->move], r->s.mean, grams_mean(g, three, r->move));
    r = three && !row3 ? grams_replies(g, three) : NULL;
    for (const struct reply *end = r + (r ? three->ripe : 0); r < end; r++)
        if (is_legal(r->move, legal, words))
            room[r->move] = mean_of_three(one[r->move], grams_mean(g, two, r->move), r->s.mean);
    return room;
}

static void expect(const struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                   int stage)
{
    const struct grams *g = &((const struct nst *)v)->roles[s->role];
    grams_expect(g, situation_before(s), situation_last(s), legal, words, stage);
}

/* --- Learning ------------------------------------------------------------------------------------------- */

static void learn_or_scale(struct grams *g, const struct gram *v, uint32_t n, bool learning, float omega)
{
    if (learning)
        grams_learn(g, v, n);
    else
        grams_scale(g, v, n, omega);
}

static void each_of_episode(struct nst *nst, const struct episode *e, bool learning, float omega)
{
    struct gram some[CHUNK];
    uint32_t nroles = e->nroles, n = 0;
    for (uint32_t r = 0; r < nroles; r++) {
        uint32_t r1 = role_before(r, nroles), r2 = role_before(r1, nroles);
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            reward *= e->discount; /* as it counts at the last move of the sequence */
            /* What ends with a move that had no alternative would never be asked for. */
            if (e->forced && e->forced[t * nroles + r]) continue;
            some[n++] = (struct gram){.before = t >= 2 ? e->moves[(t - 2) * nroles + r2] : MOVE_NONE,
                                      .last = t >= 1 ? e->moves[(t - 1) * nroles + r1] : MOVE_NONE,
                                      .move = e->moves[t * nroles + r],
                                      .reward = reward};
            if (n < CHUNK) continue;
            learn_or_scale(&nst->roles[r], some, n, learning, omega);
            n = 0;
        }
        learn_or_scale(&nst->roles[r], some, n, learning, omega);
        n = 0;
    }
}

static void learn(struct values *v, const struct episode *e)
{
    each_of_episode((struct nst *)v, e, true, 1);
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    each_of_episode((struct nst *)v, e, false, omega);
}

static void decay(struct values *v, float gamma)
{
    const struct nst *nst = (struct nst *)v;
    for (uint32_t r = 0; r < nst->nroles; r++) grams_scale_all(&nst->roles[r], gamma);
}

static void nst_free(struct values *v)
{
    struct nst *nst = (struct nst *)v;
    for (uint32_t r = 0; r < nst->nroles && nst->roles; r++) grams_done(&nst->roles[r]);
    free(nst->roles);
    free(nst);
}

struct values *values_nst(uint32_t nroles, uint32_t k, size_t bytes)
{
    static const struct values_ops ops = {.name = "nst",
                                          .score = score,
                                          .score_set = score_set,
                                          .expect = expect,
                                          .learn = learn,
                                          .decay = decay,
                                          .decay_episode = decay_episode,
                                          .free = nst_free};
    struct nst *nst = calloc(1, sizeof *nst);
    if (!nst) return NULL;
    nst->values.ops = &ops;
    nst->nroles = nroles;
    nst->roles = calloc(nroles, sizeof *nst->roles);
    if (!nst->roles) return nst_free(&nst->values), NULL;
    for (uint32_t r = 0; r < nroles; r++) grams_init(&nst->roles[r], k, bytes / nroles);
    return &nst->values;
}
