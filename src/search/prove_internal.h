/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of prove.h: what its files share. prove_node.c works out the bounds of a node, prove.c carries them
 * up the path of a simulation and looks ahead, prove_root.c answers for the root and listens to other
 * searches. */
#ifndef SEARCH_PROVE_INTERNAL_H
#define SEARCH_PROVE_INTERNAL_H

#include "search/bound.h"
#include "search/driver_internal.h"
#include "search/tidings.h"

/* --- prove_node.c */
static inline struct bound prove_bound(const struct tree *t, uint32_t node, uint32_t role)
{
    return node ? bound_read(node_bounds(t, tree_node(t, node)) + role) : t->widest[role];
}

/* Do other searches of the same root tell what they know of this node's moves? */
static inline bool prove_has_tidings(const struct mcts *m, const struct tree_node *n)
{
    return m->tidings && n == tree_node(m->tree, m->tree->root);
}

/* What move i of the only role with a choice is known to bring a role, by its child or from other searches.
 */
struct bound prove_move_bound(const struct mcts *m, const struct tree_node *n, const struct tree_action *a,
                              uint32_t i, uint32_t role);
/* Moves to the end after move i, whose value is known: by its child, or by others who have proved it. */
uint32_t prove_plies_after(const struct mcts *m, const struct tree_node *n, const struct tree_action *a,
                           uint32_t i);
/* The matrices of a node where two choose at once, in the prover's room. NULL: too large, or no memory. */
struct duel *prove_lay_out(const struct mcts *m, struct tree_node *n, struct prover *p);
void prove_set_bounded(struct mcts *m, struct tree_node *n, bool solved);
/* Work out a node's bounds from its children's: have they moved? */
bool prove_update(struct mcts *m, uint32_t node, struct prover *p);
/* The same from the least and the most that can still come, by role. */
bool prove_outlook(struct mcts *m, uint32_t node, const int16_t *ranges);

/* --- prove_root.c */
/* Tell other searches what is known of the root's child after these choices, and of the root. */
void prove_tell_child(struct mcts *m, const uint32_t *choice, uint32_t child);

#endif
