/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of wires/: a playout policy as orders of moves. The greedy choice of a scheme is the first legal
 * move in the order of its scores, and that is a walk along wires (weave.h); Gibbs' choice is the first in an
 * order of scores with Gumbel noise.
 *
 *     good replies      one per move of the role before                       (last good reply)
 *     never tried       moves that score like a win
 *     rankings          the best moves after a certain move                   (N-grams of two)
 *     pool              some orders of all moves, equal scores in random order; groups of lanes, drawn anew
 *                       every time, take different ones
 *
 * Each is looked at for lanes that the ones above left without a move. Orders are made from the policy's own
 * tables, a few every round, so they lag behind what was learned. */
#ifndef SEARCH_WIRES_ORDERS_H
#define SEARCH_WIRES_ORDERS_H

#include "circuit/batch.h"
#include "search/policy.h"
#include "search/wires/weave.h"

#define ORDERS_POOL 16

struct order {
    uint16_t *moves;
    uint32_t n;
};

struct order_role {
    uint32_t n, nlast; /* moves; those of the role before */
    bool *ever,
        *fresh; /* by move: it was legal somewhere lately; since the last time others were forgotten */
    uint32_t censuses;
    uint32_t *known; /* those moves */
    uint32_t nknown;
    struct order all; /* by number */
    struct order untried;
    struct order pool[ORDERS_POOL];
    struct ranking *rankings;         /* by the move before; NULL: nothing depends on it */
    uint32_t (*worth)[RANKING_MOVES]; /* of their moves: scores as numbers that sort alike */
    uint16_t *active;
    uint32_t nactive;
    uint32_t next; /* of the pool, to be made anew */
    uint32_t seen; /* the round of the last census */
    uint32_t due;  /* simulations learned from when the pool wants an order made anew */
};

struct orders {
    const struct policy *policy;
    const struct weave *weave;
    uint32_t nroles, words;
    struct rng rng;
    struct order_role *roles;
    /* scratch */ uint32_t *last, *some;
    uint32_t *stamp, now; /* by move */
    float *scores;
    uint64_t *keys;
};

/* Whether the policy can be had as orders, in a game of so many moves. */
bool orders_fit(const struct policy *p, const struct code *code);
bool orders_init(struct orders *o, const struct policy *p, const struct code *code, uint32_t words,
                 uint64_t seed); /* false without memory; orders_done all the same */
void orders_done(struct orders *o);
/* Something was learned that choices can be made by. */
bool orders_ready(const struct orders *o);
/* Look after the orders of a role in the states that the lanes are in. */
void orders_tend(struct orders *o, uint32_t role, const uint64_t *legal, const uint64_t *lanes,
                 uint32_t round);
/* The policy has learned of what follows that move of the role before: the good reply is looked up again. */
void orders_replied(struct orders *o, uint32_t role, uint32_t last);
/* The same from this move after that one: where it stands after that is looked at again. */
void orders_learned(struct orders *o, uint32_t role, uint32_t last, uint32_t move);
/* Good replies for the lanes of `open`; the policy's choice for all of them. `last` are the wires of what the
 * role before played. */
void orders_reply(struct orders *o, uint32_t role, const uint64_t *legal, uint64_t *does,
                  const uint64_t *last, uint64_t *open);
void orders_choose(struct orders *o, uint32_t role, const uint64_t *legal, uint64_t *does,
                   const uint64_t *last, uint64_t *open);

#endif
