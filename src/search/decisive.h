/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisive moves in playouts: a role that can win at once does, and a move after which the other can is taken
 * back for another one.
 *
 *     round t      lane at S, move m is chosen           `before` = S
 *     round t + 1  lane at S', the other can win there   m is refuted: the lane makes no move and is put back
 *                                                        to S after the step
 *     round t + 2  lane at S, another move is chosen
 *
 * Who can win at once is seen on a circuit beside the game's own (circuit_foresee), for all lanes in one
 * sweep. Moves of the tree are never taken back. */
#ifndef SEARCH_DECISIVE_H
#define SEARCH_DECISIVE_H

#include "search/mcts.h"

struct driver;
struct decisive;

/* Does the search want it, and is there a circuit for it? */
static inline bool decisive_is_on(const struct mcts *m)
{
    return m->opt.decisive != DECISIVE_OFF && m->opt.foresight;
}

void decisive_free(struct decisive *d);
/* Of the lanes about to choose a playout move those whose move is decided are taken off the list; those of
 * them that made one are put on `made`, which has room for all lanes. Returns how many are left. */
uint32_t decisive_moves(struct driver *d, uint32_t *lanes, uint32_t n, uint32_t *made, uint32_t *nmade);
/* Between step and view: lanes whose move was taken back get their state back. */
void decisive_restore(struct driver *d);

#endif
