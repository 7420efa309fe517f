/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that are proved in the tree (score bounded MCTS: Cazenave and Saffidine 2011; 002 chapter 6).
 *
 *     node     for every role what it gets at least and at most; begins with what the rules allow at all
 *     end      both are its goal
 *     turns    the mover gets at least the most that some child promises, at most the most that some child
 * can still bring. The others: two roles with a constant sum, what is left of it; else anything between the
 * least and the most of those children that the mover may still choose. So where two moves are equally good
 * for the mover, the others count on the worse one for themselves. at once  two roles with a constant sum:
 * the Nash values of the matrices of least and greatest values (solver/duel.h); else anything between the
 * least and the most of all children
 *
 * Bounds travel up the path of the simulation that moved them, as long as they move something; nodes that are
 * reached on other ways, too, tell those when a simulation next comes along. What cannot matter is never
 * entered again (ACTION_OUT). The mean of a move is put within what is proved of it when
 * that becomes known.
 *
 * S-UCT: a simulation that comes to a solved node ends there with its value. E-UCT: it goes elsewhere as long
 * as there is something unsolved.
 *
 * Whether the sum is constant is proved from the rules or, failing that, taken for granted until an end is
 * met where it is not: then all bounds begin anew without it.
 */
#ifndef SEARCH_PROVE_H
#define SEARCH_PROVE_H

#include "search/mcts.h"
#include "search/solver/duel.h"
#include "search/solver/expand.h"

struct flight;

/* Room to work in, one per driver. */
struct prover {
    struct matrix_work work;
    void *duel;
    size_t duel_cap;
    struct expander *expander; /* for scouting; NULL: none yet, or there is no circuit */
};

void prover_done(struct prover *p);

/* An ended node has its goals. */
void prove_end(struct mcts *m, uint32_t node);
/* The simulation has been backed up and came to `last` (0: left the tree): tell the nodes of its path. */
void prove_path(struct flight *f, uint32_t last);
/* The simulation stands at a node that was visited often enough: look at all its children at once, on lanes
 * of their own, make the ends among them nodes, and tell the path. So wins and losses in one move are known
 * before a simulation runs into them, and through the bounds those in two. */
void prove_scout(struct flight *f, uint32_t node);
/* Searches of the same root (m->tidings): tell the others what is known of its moves; learn what they have
 * told. Both by the thread that works for the search, or when none does. */
void prove_tell(struct mcts *m);
void prove_hear(struct mcts *m, struct prover *p);
/* Nothing more can come of searching: the root's value is known, or a role that chooses there has won. */
bool prove_settled(const struct mcts *m);
/* The root's bounds for a role, and the least and the most there is at all for it. */
bool prove_is_on(const struct mcts *m);
struct bound prove_root(const struct mcts *m, uint32_t role);
float prove_least(const struct mcts *m, uint32_t role);
float prove_most(const struct mcts *m, uint32_t role);
/* The bounds of a root move (index of the action) for its role, and the moves to the end if it is solved. */
struct bound prove_action(const struct mcts *m, uint32_t role, uint32_t action, uint32_t *plies,
                          bool *solved);
/* A role that chooses alone at the root is sure of a value if it keeps to these moves, of which there is one
 * at least: all others are out. When no thread works. */
void prove_assure(struct mcts *m, uint32_t role, float sure, const uint32_t *keep, uint32_t n);
/* How often to play each action of a role at a root where two choose at once; false: that is not known. */
bool prove_mixture(const struct mcts *m, uint32_t role, double *share);

#endif
