/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a game for two in turns, proved before the tree is asked: where it is near enough, a part of the
 * time goes to a search that does nothing but prove (search/solver). It sees the result some moves before the
 * tree's own solver does.
 *
 *     a win          its first move is the answer
 *     something      the tree searches on among the moves that may bring as much
 *     all is lost    left to the tree: where the other may still go wrong
 *
 * Whether it is near is told by the mean length of the tree's last simulations and the number of moves. */
#ifndef PLAYER_FINISH_H
#define PLAYER_FINISH_H

#include "player/player_internal.h"

/* The search knows where we are. True: it wins, by this move. */
bool finish_try(struct player *p, const struct budget *budget, uint32_t *move);
/* The tree has searched: what is to be known of it next time. */
void finish_note(struct player *p);

#endif
