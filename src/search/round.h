/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the driver: one round of all its lanes. */
#ifndef SEARCH_ROUND_H
#define SEARCH_ROUND_H

#include "search/driver_internal.h"

/* Moves, a step, newcomers, a view, and what it shows; goals of lanes that have ended. A round that fails in
 * the middle (the reasoner gave up: world->failed) leaves the trees sound; its flights must be given up. */
void round_play(struct driver *d);
/* Where a playout stands, for the policy of a role. */
void round_situation(const struct driver *d, const struct flight *f, uint32_t role, struct situation *s);
/* A playout move, written down; `forced`: there is no other. */
void round_make_move(struct driver *d, uint32_t lane, uint32_t role, uint32_t move, bool forced);

#endif
