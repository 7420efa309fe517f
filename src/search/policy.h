/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How moves are chosen outside the tree (and among moves of a node that were never tried), and what is
 * learned for it.
 *
 *     playout policy  =  [last good reply, else]  values  +  sampler
 *                                                 │           uniform, Gibbs, epsilon-greedy
 *                                                 └ MAST, TO-MAST, PAST, FAST, NST, or a weighted sum
 *
 * Each scheme is one file in policy/ and one row in the tables of player/config.c. Everything is per role and
 * keyed by move numbers, so schemes need not know the game. A policy belongs to one search, on one thread.
 */
#ifndef SEARCH_POLICY_H
#define SEARCH_POLICY_H

#include "base/rng.h"
#include "game/reasoner.h"
#include "search/budget.h"

/* A finished simulation, from the root of the tree to its end. */
struct episode {
    uint32_t nroles, steps;
    uint32_t tree_steps;   /* the first so many were made in the tree */
    const uint32_t *moves; /* steps * nroles */
    const float *reward;   /* by role, at the end */
    float discount;        /* reward at step t counts discount^(steps - t) */
    /* The states before each step, only if a policy wants them: of step t, states[state_start[t]] up to
     * states[state_start[t + 1]]. On the lifted engine states differ in length. */
    const uint64_t *states;
    const uint32_t *state_start;
    bool end; /* the state after the last step is there, too: it is that of step `steps` */
};

/* How a simulation differs from others of the same search (adapt.h): for all, and for some roles. */
enum { WAY_ROLES = 8, WAY_FACTORS = 4 };
struct way {
    bool uniform;   /* all playout moves are drawn alike */
    uint32_t roles; /* bit by bit: whom the rest is for */
    struct way_role {
        float epsilon, c, rave;
        uint32_t grams;           /* longest N-grams */
        uint8_t arm[WAY_FACTORS]; /* what was drawn */
    } of[WAY_ROLES];
};

/* Where a move is to be chosen. */
struct situation {
    uint32_t role, nroles;
    const uint32_t *last;   /* joint move made before, NULL at the beginning */
    const uint32_t *before; /* and the one before that */
    const uint64_t *state;  /* only if a policy wants it */
    uint32_t state_words;
    const struct way *way; /* NULL: as the policy has it */
};

/* What is for this role. */
static inline const struct way_role *situation_way(const struct situation *s)
{
    bool own = s->way && s->role < WAY_ROLES && s->way->roles >> s->role & 1;
    return own ? &s->way->of[s->role] : NULL;
}

/* The move of the role that NST and LGR look at: one step back role - 1, two steps back role - 2 (000 §IV-B).
 */
#define MOVE_NONE UINT32_MAX
static inline uint32_t role_before(uint32_t role, uint32_t nroles)
{
    return role ? role - 1 : nroles - 1;
}
static inline uint32_t situation_last(const struct situation *s)
{
    return s->last ? s->last[role_before(s->role, s->nroles)] : MOVE_NONE;
}
static inline uint32_t situation_before(const struct situation *s)
{
    return s->before ? s->before[role_before(role_before(s->role, s->nroles), s->nroles)] : MOVE_NONE;
}

/* Values of moves, as rewards 0..100. */
struct values {
    const struct values_ops *ops;
};

struct values_ops {
    const char *name;
    bool wants_states;
    /* Score the moves; moves never seen score 100 (or what the scheme says). */
    void (*score)(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out);
    /* Of a set of moves (bit i = move i) those with the highest score, as a set; returns how many. NULL, or 0
     * is returned: score them. */
    uint32_t (*best_set)(struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                         uint64_t *best);
    /* Gibbs weights exp((score - 100) / tau) by move number, of so many moves at least; valid until the next
     * call. NULL, or NULL is returned: weigh the scores. */
    const float *(*weigh_set)(struct values *v, uint32_t role, uint32_t moves, float tau);
    /* A choice for this situation is near: begin to load what scoring will need, first what tells where it
     * is (stage 0), then that itself (stage 1). NULL: nothing to gain. */
    void (*fetch)(const struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                  int stage);
    /* Whether what follows a certain move scores otherwise than elsewhere. NULL: it never does. */
    bool (*knows)(const struct values *v, uint32_t role, uint32_t last);
    /* It will be learned from soon: begin to load what that will need; rewards are not known yet. NULL:
     * nothing to gain. */
    void (*expect)(const struct values *v, const struct episode *e);
    /* Learn from an episode. */
    void (*learn)(struct values *v, const struct episode *e);
    /* Multiply all visit counts by gamma (001 equation 3). NULL: the scheme does not decay. */
    void (*decay)(struct values *v, float gamma);
    /* Multiply the counts of what occurred in the episode (001, simulation decay), once per occurrence. NULL:
     * not possible. */
    void (*decay_episode)(struct values *v, const struct episode *e, float omega);
    void (*free)(struct values *v);
};

/* How a move is drawn from scores. */
enum sampler_kind { SAMPLE_UNIFORM, SAMPLE_GIBBS, SAMPLE_GREEDY };

struct sampler {
    enum sampler_kind kind;
    float tau, epsilon;
};

/* Index of the move drawn. Greedy: with probability epsilon any move, else one of those with the highest
 * score. */
uint32_t sampler_draw(const struct sampler *s, struct rng *rng, const float *scores, uint32_t n);

/* When counts are forgotten. Off where gamma is 1. */
struct decay {
    float move;  /* gamma after each move of the match */
    float batch; /* gamma after each `batch_size` simulations */
    uint32_t batch_size;
    float simulation; /* omega after each simulation */
};

struct lgr;
void lgr_fetch(const struct lgr *l, const struct situation *s, int stage);
void lgr_expect(const struct lgr *l, const struct episode *e);

struct policy {
    struct values *values; /* NULL: uniform */
    struct sampler sampler;
    struct decay decay;
    struct lgr *lgr; /* NULL: none */
    bool wants_states;
    bool wires; /* playouts on the wires where there are any (search/wires) */
    uint64_t simulations;
    /* scratch */
    float *scores;
    uint32_t *moves;
    uint64_t *best;
    uint32_t scores_cap;
};

void policy_done(struct policy *p);
/* Choose among n > 1 moves: index. */
uint32_t policy_choose(struct policy *p, const struct situation *s, struct rng *rng, const uint32_t *moves,
                       uint32_t n);
/* The same for a set of moves with `count` > 1 elements: the move itself. */
uint32_t policy_choose_set(struct policy *p, const struct situation *s, struct rng *rng,
                           const uint64_t *legal, uint32_t words, uint32_t count);
/* A choice for this situation is near: values_ops.fetch. */
static inline void policy_fetch(const struct policy *p, const struct situation *s, const uint64_t *legal,
                                uint32_t words, int stage)
{
    if (p->lgr) lgr_fetch(p->lgr, s, stage);
    if (p->values && p->values->ops->fetch) p->values->ops->fetch(p->values, s, legal, words, stage);
}
static inline bool policy_is_uniform(const struct policy *p)
{
    return !p->values && !p->lgr;
}
static inline void policy_expect(const struct policy *p, const struct episode *e)
{
    if (p->lgr) lgr_expect(p->lgr, e);
    if (p->values && p->values->ops->expect) p->values->ops->expect(p->values, e);
}
/* What it knows of moves, 0..100, those never seen 100; valid until it is next asked. NULL: nothing. */
const float *policy_score(struct policy *p, const struct situation *s, const uint32_t *moves, uint32_t n);
void policy_learn(struct policy *p, const struct episode *e);
void policy_moved(struct policy *p); /* a move of the match was made */

/* The schemes. NULL without memory. */
struct values *values_mast(uint32_t nroles, bool tree_only);
/* `listed`: states are lists of fact numbers, as the lifted engine has them, not bits. */
struct values *values_past(uint32_t nroles, uint32_t threshold, float fallback, bool listed);
/* Sequences of up to `longest` moves, two or three. `bytes` that its tables may take: when they are used up,
 * longer sequences are forgotten. With `movers` (not owned) the earlier moves are those of who moved, else of
 * the roles before in the order of the sheet. */
struct movers;
struct values *values_nst(uint32_t nroles, uint32_t longest, uint32_t k, size_t bytes,
                          const struct movers *movers);
/* Nobody will ever ask for these moves (circuit/alone.h; not owned): they need not be learned. */
struct lone_moves;
void values_mast_spare(struct values *mast, const struct lone_moves *lone);
void values_nst_spare(struct values *nst, const struct lone_moves *lone);
/* `circuit` is the reasoner's, NULL for other engines. `own`: the role that all others are against, or
 * FAST_ALL_ALIKE. Samples a few games to find the board, as long as the budget lasts; without a board all
 * moves are alike. */
struct circuit;
enum { FAST_ALL_ALIKE = UINT32_MAX };
struct values *values_fast(struct reasoner *reasoner, const struct circuit *circuit, uint32_t own,
                           float cell_factor, uint64_t seed, const struct budget *budget,
                           struct error *error);
struct values *values_sum(struct values *a, struct values *b, float weight); /* owns both; b NULL-safe */
struct lgr *lgr_new(uint32_t nroles);
void lgr_free(struct lgr *l);
/* The stored reply if it is among the moves, else MOVE_NONE: index. */
uint32_t lgr_reply(const struct lgr *l, const struct situation *s, const uint32_t *moves, uint32_t n);
/* The stored replies, those to two moves first; returns how many: up to two. */
uint32_t lgr_replies(const struct lgr *l, const struct situation *s, uint32_t out[2]);
void lgr_learn(struct lgr *l, const struct episode *e);

#endif
