/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves that a symmetry of the position makes alike (analysis/symmetry.h).
 *
 *     a new node ── is its state its own mirror image? ── of moves that are each other's images one is left
 *
 * The others are marked as what cannot matter (ACTION_OUT): the first move of Tic-Tac-Toe is one of three.
 * Only where one role has a choice: if several choose at once, which of two like moves is made may be all
 * there is to it. And only where two play for the same sum, in a tree with bounds. */
#ifndef SEARCH_MIRROR_H
#define SEARCH_MIRROR_H

#include "search/mcts.h"

/* A node was added; its actions are there. */
void mirror_prune(const struct mcts *m, uint32_t node);

static inline void mirror_look(const struct mcts *m, uint32_t node)
{
    if (m->opt.symmetry) mirror_prune(m, node);
}

#endif
