// SPDX-License-Identifier: GPL-3.0-or-later
/* N-Gram Selection Technique (000 §IV-B): mean rewards of sequences of one, two and three consecutive moves
 * that end with a move of the role; the earlier ones are moves of the roles before it in the order of the
 * sheet or, where it is known, of whoever moved. The score of a move is the mean of the values of the
 * sequences it would complete; the longer ones count once they were seen k times. A move without alternative
 * is learned as any other: the same move may be a choice elsewhere, as a pass or a jump is. */
#include "circuit/alone.h"
#include "game/movers.h"
#include "search/policy/dense.h"
#include "search/policy/grams.h"

#include <float.h>

struct nst {
    struct values values;
    uint32_t nroles, longest;
    const struct movers *movers;   /* NULL: by the order of the roles */
    const struct lone_moves *lone; /* NULL: none */
    struct grams *roles;
};

/* --- Contexts ------------------------------------------------------------------------------------------- */

/* A move as the context of another: by the role expected to have made it or, if that is known, by the one
 * that did; then moves of different roles have different numbers. */
static inline uint32_t context_move(const struct nst *nst, const uint32_t *joint, uint32_t expected)
{
    if (!joint) return MOVE_NONE;
    if (!nst->movers) return joint[expected];
    uint32_t who = movers_who(nst->movers, joint, expected);
    return joint[who] * nst->nroles + who;
}

/* Whether sequences of so many moves count in this simulation. */
static inline bool asks_for(const struct situation *s, uint32_t length)
{
    const struct way_role *way = situation_way(s);
    return !way || way->grams >= length;
}

static inline uint32_t last_of(const struct nst *nst, const struct situation *s)
{
    if (!asks_for(s, 2)) return MOVE_NONE;
    return context_move(nst, s->last, role_before(s->role, s->nroles));
}

static inline uint32_t before_of(const struct nst *nst, const struct situation *s)
{
    if (!asks_for(s, 3)) return MOVE_NONE;
    return context_move(nst, s->before, role_before(role_before(s->role, s->nroles), s->nroles));
}

/* --- Scores --------------------------------------------------------------------------------------------- */

/* The mean of a ripe pair, else -1. */
static inline float pair_mean(const struct grams *g, const struct followers *two, uint32_t move)
{
    if (!two) return -1;
    if (two->dense) return grams_ripe(&two->row, move);
    const struct reply *r = grams_replies(g, two);
    for (uint32_t i = 0; i < two->count; i++)
        if (r[i].move == move) return r[i].s.mean;
    return -1;
}

static uint32_t index_of(const uint32_t *moves, uint32_t n, uint32_t move)
{
    uint32_t i = 0;
    while (i < n && moves[i] != move) i++;
    return i;
}

/* Single moves and rows first, then what lists have for a few. */
static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct nst *nst = (struct nst *)v;
    const struct grams *g = &nst->roles[s->role];
    uint32_t last = last_of(nst, s), before = before_of(nst, s), i;
    const struct followers *two = grams_after(g, last), *three = grams_after_two(g, before, last);
    const struct gram_row none = {0}, *row = two && two->dense ? &two->row : &none;
    for (i = 0; i < n; i++) {
        float one = moves[i] < g->one.size ? g->one.mean[moves[i]] : UNSEEN;
        out[i] = moves[i] < row->size ? mean_of_two(one, grams_ripe(row, moves[i])) : one;
    }
    const struct reply *r = two && !two->dense ? grams_replies(g, two) : NULL;
    for (const struct reply *end = r + (r ? two->count : 0); r < end; r++)
        if ((i = index_of(moves, n, r->move)) < n) out[i] = mean_of_two(out[i], r->s.mean);
    r = three ? grams_replies(g, three) : NULL;
    for (const struct reply *end = r + (r ? three->count : 0); r < end; r++)
        if ((i = index_of(moves, n, r->move)) < n)
            out[i] = mean_of_three(g->one.mean[r->move], pair_mean(g, two, r->move), r->s.mean);
}

/* The best of a set of moves so far. */
struct leaders {
    float score;
    uint32_t count, words;
    uint64_t *set;
};

static inline void consider(struct leaders *l, uint32_t move, float score)
{
    if (score < l->score) return;
    if (score > l->score) {
        memset(l->set, 0, l->words * sizeof *l->set);
        l->score = score;
        l->count = 0;
    }
    l->set[move / 64] |= (uint64_t)1 << (move % 64);
    l->count++;
}

static inline bool is_in(const uint64_t *set, uint32_t words, uint32_t move)
{
    return move / 64 < words && set[move / 64] >> (move % 64) & 1;
}

static void take_out(uint64_t *set, uint32_t words, const struct reply *r, uint32_t n)
{
    for (const struct reply *end = r + n; r < end; r++)
        if (r->move / 64 < words) set[r->move / 64] &= ~((uint64_t)1 << (r->move % 64));
}

/* What moves score of which replies tell, those of the set, where it may be as much as `sure`: the ceilings
 * are at hand, the means may not be. */
static void consider_triples(const struct grams *g, const struct followers *two,
                             const struct followers *three, const uint64_t *set, float sure,
                             struct leaders *l)
{
    const uint16_t *pairs = two && two->dense ? two->row.ceilings : NULL;
    const struct reply *r = grams_replies(g, three);
    for (const struct reply *end = r + three->count; r < end; r++) {
        if (!is_in(set, l->words, r->move)) continue;
        if (pairs && !g->wild) {
            float one = (float)g->ceilings[r->move] / CEILING_STEPS;
            float pair = pairs[r->move] == CEILING_NONE ? -1 : (float)pairs[r->move] / CEILING_STEPS;
            if (mean_of_three(one, pair, r->s.mean) < sure) continue;
        }
        consider(l, r->move, mean_of_three(g->one.mean[r->move], pair_mean(g, two, r->move), r->s.mean));
    }
}

static void consider_pairs(const struct grams *g, const struct followers *two, const uint64_t *set,
                           struct leaders *l)
{
    const struct reply *r = grams_replies(g, two);
    for (const struct reply *end = r + two->count; r < end; r++)
        if (is_in(set, l->words, r->move)) consider(l, r->move, mean_of_two(g->one.mean[r->move], r->s.mean));
}

/* Moves that lists speak of are looked at one by one; of the others, those whose ceilings are near the
 * highest. `rest`, `open` and `near` have room for a set each. */
static uint32_t find_best(const struct grams *g, const struct followers *two, const struct followers *three,
                          const uint64_t *legal, uint64_t *rest, uint64_t *open, uint64_t *near,
                          struct leaders *l)
{
    const struct followers *pairs = two && !two->dense ? two : NULL;
    const struct gram_row *row = two && two->dense ? &two->row : NULL;
    uint32_t words = l->words, most = UINT16_MAX, count = 0;
    memcpy(rest, legal, words * sizeof *rest);
    if (three) take_out(rest, words, grams_replies(g, three), three->count);
    memcpy(open, rest, words * sizeof *open);
    if (pairs) take_out(open, words, grams_replies(g, pairs), pairs->count);
    if (g->wild)
        memcpy(near, open, words * sizeof *near);
    else
        most = dense_near_top(open, words, g->ceilings, row ? row->ceilings : NULL, near);
    for (uint32_t w = 0; w < words; w++) count += near[w] != 0 ? 1 + ((near[w] & (near[w] - 1)) != 0) : 0;
    float sure = count && !g->wild ? (float)((int)most - CEILING_NEAR) / CEILING_STEPS : -FLT_MAX;
    if (three) consider_triples(g, two, three, legal, sure, l);
    if (pairs) consider_pairs(g, pairs, rest, l);
    if (count == 1 && l->score < sure) {
        memcpy(l->set, near, words * sizeof *near);
        return 1;
    }
    if (!g->wild && l->score > (float)most / CEILING_STEPS) return l->count;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t x = near[w]; x; x &= x - 1) {
            uint32_t move = w * 64 + (uint32_t)__builtin_ctzll(x);
            consider(l, move, mean_of_two(g->one.mean[move], row ? grams_ripe(row, move) : -1));
        }
    return l->count;
}

static uint32_t best_set(struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                         uint64_t *best)
{
    enum { FEW = 32 };
    const struct nst *nst = (struct nst *)v;
    struct grams *g = &nst->roles[s->role];
    uint32_t last = last_of(nst, s), before = before_of(nst, s);
    const struct followers *two = grams_after(g, last), *three = grams_after_two(g, before, last);
    if (!grams_reserve(g, words * 64)) return 0;
    /* A row made before all moves were known is widened when next learned from. */
    if (two && two->dense && two->row.size < words * 64) return 0;
    uint64_t few[3 * FEW], *sets = words <= FEW ? few : malloc(3 * (size_t)words * sizeof *sets);
    if (!sets) return 0;
    struct leaders l = {.score = -FLT_MAX, .words = words, .set = best};
    uint32_t count = find_best(g, two, three, legal, sets, sets + words, sets + 2 * words, &l);
    if (sets != few) free(sets);
    return count;
}

static bool knows(const struct values *v, uint32_t role, uint32_t last)
{
    return grams_after(&((const struct nst *)v)->roles[role], last) != NULL;
}

/* Thirty-two ceilings are a line of the cache. */
static void fetch_row(const uint16_t *row, const uint64_t *legal, uint32_t words, uint32_t size)
{
    for (uint32_t w = 0; w < words && w * 64 + 64 <= size; w++)
        for (uint32_t part = 0; part < 2; part++)
            if ((uint32_t)(legal[w] >> 32 * part)) __builtin_prefetch(row + w * 64 + 32 * part);
}

static void fetch(const struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                  int stage)
{
    const struct nst *nst = (const struct nst *)v;
    const struct grams *g = &nst->roles[s->role];
    uint32_t last = last_of(nst, s), before = before_of(nst, s);
    if (stage == 0) {
        grams_fetch(g, before, last);
        fetch_row(g->ceilings, legal, words, g->nceilings);
        return;
    }
    const struct followers *two = grams_after(g, last), *three = grams_after_two(g, before, last);
    if (two && two->dense)
        fetch_row(two->row.ceilings, legal, words, two->row.size);
    else if (two)
        __builtin_prefetch(grams_replies(g, two));
    if (three) __builtin_prefetch(grams_replies(g, three));
}

/* --- Learning ------------------------------------------------------------------------------------------- */

static void learn_or_scale(struct grams *g, const struct gram *v, uint32_t n, bool learning, float omega)
{
    if (learning)
        grams_learn(g, v, n);
    else
        grams_scale(g, v, n, omega);
}

/* The sequences that end with what a role did at a step; without the reward. */
static inline struct gram gram_at(const struct nst *nst, const struct episode *e, uint32_t r, uint32_t t)
{
    uint32_t nroles = e->nroles, r1 = role_before(r, nroles), r2 = role_before(r1, nroles);
    const uint32_t *now = e->moves + (size_t)t * nroles, *last = t >= 1 ? now - nroles : NULL;
    const uint32_t *before = t >= 2 && nst->longest > 2 ? last - nroles : NULL;
    return (struct gram){
        .before = context_move(nst, before, r2), .last = context_move(nst, last, r1), .move = now[r]};
}

static inline bool is_spared(const struct nst *nst, const struct episode *e, uint32_t r, uint32_t t)
{
    return nst->lone && is_lone_move(nst->lone, r, e->moves[(size_t)t * e->nroles + r]);
}

static void each_of_episode(const struct nst *nst, const struct episode *e, bool learning, float omega)
{
    struct gram some[GRAMS_CHUNK];
    uint32_t n = 0;
    for (uint32_t r = 0; r < e->nroles; r++) {
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            reward *= e->discount; /* as it counts at the last move of the sequence */
            if (is_spared(nst, e, r, t)) continue;
            some[n] = gram_at(nst, e, r, t);
            some[n++].reward = reward;
            if (n < GRAMS_CHUNK) continue;
            learn_or_scale(&nst->roles[r], some, n, learning, omega);
            n = 0;
        }
        learn_or_scale(&nst->roles[r], some, n, learning, omega);
        n = 0;
    }
}

static void expect(const struct values *v, const struct episode *e)
{
    const struct nst *nst = (const struct nst *)v;
    for (uint32_t r = 0; r < e->nroles; r++)
        for (uint32_t t = e->steps; t-- > 0;) {
            struct gram g = gram_at(nst, e, r, t);
            if (!is_spared(nst, e, r, t)) grams_expect(&nst->roles[r], &g);
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

struct values *values_nst(uint32_t nroles, uint32_t longest, uint32_t k, size_t bytes,
                          const struct movers *movers)
{
    static const struct values_ops ops = {.name = "nst",
                                          .score = score,
                                          .best_set = best_set,
                                          .fetch = fetch,
                                          .knows = knows,
                                          .expect = expect,
                                          .learn = learn,
                                          .decay = decay,
                                          .decay_episode = decay_episode,
                                          .free = nst_free};
    struct nst *nst = calloc(1, sizeof *nst);
    if (!nst) return NULL;
    nst->values.ops = &ops;
    nst->nroles = nroles;
    nst->longest = longest;
    nst->movers = movers;
    nst->roles = calloc(nroles, sizeof *nst->roles);
    if (!nst->roles) return nst_free(&nst->values), NULL;
    for (uint32_t r = 0; r < nroles; r++) grams_init(&nst->roles[r], k, bytes / nroles);
    return &nst->values;
}

void values_nst_spare(struct values *nst, const struct lone_moves *lone)
{
    if (nst) ((struct nst *)nst)->lone = lone;
}
