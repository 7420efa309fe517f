/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many searches side by side: each is plain UCT with uniform playouts, one simulation after the other, in a
 * tree of its own and a lane of its own.
 *
 *     lane      0        1        2      ...     n-1
 *     tree      ∆        ∆        ∆               ∆       one sweep of the circuit moves all of them on
 *     flight  select   playout  playout         expand
 *
 * A single search cannot fill the lanes without giving up the order of its simulations (mcts.h needs virtual
 * loss for that). An experiment that plays the same game hundreds of times can: it fills them with games. So
 * this is the textbook algorithm, as 002 §7.2.1 has it, at the speed of the sweep. What a search finds
 * depends on its number and the seed, not on how many others there are.
 *
 * The node a simulation adds takes part in it: the first move from there is counted in the node, as in
 * mcts.h.
 */
#ifndef SEARCH_FLOCK_H
#define SEARCH_FLOCK_H

#include "circuit/batch.h"
#include "game/reasoner.h"

#include <stdatomic.h>

struct flock_options {
    float c;        /* exploration constant on rewards 0..100 */
    bool by_visits; /* the final move is the most visited rather than the one with the best mean */
    size_t memory;  /* bytes for all trees together */
    uint64_t seed;
};

/* Per search and run: whichever ends first; 0: no limit. A simulation begun is finished. */
struct flock_budget {
    uint64_t simulations;
    uint64_t steps; /* positions entered in simulations, in the tree and in the playout: what 002 chapter 7
                       calls node expansions */
    const atomic_bool *stop; /* somebody else's wish; may be NULL */
};

struct flock_stats {
    uint64_t simulations, steps, nodes;
    uint64_t decided; /* simulations that did not end with the same goal for everybody */
};

struct flock;

/* `searches` at most 512. The reasoner is on the same code (reasoner_circuit); both must outlive the flock.
 */
struct flock *flock_new(struct reasoner *reasoner, const struct code *code, uint32_t searches,
                        const struct flock_options *options, struct error *error);
void flock_free(struct flock *f);

/* Where search i begins at the next run; what its tree knows of the state is kept. NULL: it rests. */
bool flock_root(struct flock *f, uint32_t i, const struct state *state, struct error *error);
/* Search, all that do not rest. False and an error without memory, or when `stop` was set. */
bool flock_run(struct flock *f, const struct flock_budget *budget, struct error *error);

/* The move of a role at the root of search i; false if it has none. */
bool flock_best(struct flock *f, uint32_t i, uint32_t role, uint32_t *move);
/* Visits and mean of a move at the root, for tests and tables; false if it is no move there. */
bool flock_move(struct flock *f, uint32_t i, uint32_t role, uint32_t move, uint32_t *visits, float *mean);
const struct flock_stats *flock_stats(const struct flock *f, uint32_t i); /* since it was made */

#endif
