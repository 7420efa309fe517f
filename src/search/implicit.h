/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implicit minimax backups (Lanctot, Winands, Pepels, Sturtevant 2014): beside the mean of its simulations
 * every node has what minimax over the tree below it makes of judged positions (judgement.h), and moves are
 * chosen by (1 - alpha) mean + alpha minimax.
 *
 *     new node    what it seems worth itself
 *     scouted     its children are looked at (prove.h): what each seems worth, before it is tried
 *     backed up   the best of its moves for the mover; or, while some are unknown, what it seems worth
 *     the end     and what is solved: what is known
 *
 * All as leads of the first of two roles, 0..100; negative: not known. They lie in the tree alone, not in
 * what a thread counts for itself: they change seldom where all threads pass, and whoever writes last may do
 * so. */
#ifndef SEARCH_IMPLICIT_H
#define SEARCH_IMPLICIT_H

#include "search/mcts.h"

struct fan;
struct flight;
struct place;

static inline bool implicit_is_on(const struct mcts *m)
{
    return m->tree->with_leads;
}

/* A lead as a role sees it. */
static inline float implicit_for(uint32_t role, float lead)
{
    return role == 0 ? lead : 100 - lead;
}

/* A new node, or the root: what its state seems worth. */
void implicit_begin(const struct mcts *m, uint32_t node);
/* A child was looked at: move `action` of the only role with a choice leads there. */
void implicit_look(const struct mcts *m, struct tree_node *n, uint32_t action, const struct place *child);
/* The same where both choose at once: an action is worth the mean over what the other can do. */
enum { IMPLICIT_ACTIONS = 256 }; /* of a role; with more they are left unknown */
void implicit_look_at_once(const struct mcts *m, struct tree_node *n, const struct fan *fan);
/* What is best of all that is known of a node's moves becomes its lead. */
void implicit_update(const struct mcts *m, struct tree_node *n);
/* The simulation is over: from the end of its path up. */
void implicit_back_up(struct flight *f);
/* What is known of a root move for its role; negative: nothing. */
float implicit_root(const struct mcts *m, uint32_t role, uint32_t action);

#endif
