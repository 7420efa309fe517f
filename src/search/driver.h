/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop over the lanes: a driver is a thread's worth of lanes, and each lane carries a simulation for some
 * hand of some search.
 *
 *     hands     A            B    C   D
 *     lanes   [ a a a a a a | b | c | d |   |   ]       one step and one view of the world move all of them
 * on
 *
 *   idle ──select──> entering ──view──> leaving ──step──> arrived ──┬─ known state: on down the tree
 *    ^                                                              └─ new node ──> playout ──...──> ended
 *    └──────────────── back up rewards <── goals collected <── parked <──────────────────────────────┘
 *
 * A hand with one lane finishes each simulation before it begins the next. With several lanes it has as many
 * under way, and one more per lane that waits for its goals. Lanes belong to a hand until its budget is
 * spent; whoever owns the driver then decides what they do next. All searches on a driver play the same game.
 */
#ifndef SEARCH_DRIVER_H
#define SEARCH_DRIVER_H

#include "search/mcts.h"
#include "search/world.h"

/* `code` NULL: on the reasoner, without sweeps. The reasoner stays the caller's. A driver belongs to the
 * thread that uses it. */
struct driver *driver_new(struct reasoner *reasoner, const struct code *code, uint32_t lanes,
                          struct error *error);
void driver_free(struct driver *d);
uint32_t driver_room(const struct driver *d); /* lanes that are free */
struct reasoner *driver_reasoner(const struct driver *d);

/* Put a hand to work; its search must be ready (mcts_ready). It gets as many lanes as its options ask for and
 * are free; at least one must be. */
void driver_add(struct driver *d, struct hand *h, const struct budget *budget);
/* Go on until a hand's budget is spent: that hand, with nothing left in flight; NULL when none is at work.
 * The reasoner must have the deadline and the stop flag: then also a question of seconds ends in time. */
struct hand *driver_run(struct driver *d);
/* Work for one hand alone. */
void driver_work(struct driver *d, struct hand *h, const struct budget *budget);

/* Collect the tree of a search that nobody is driving, or whose hands have all met. */
bool driver_make_room(struct mcts *m, const struct budget *budget);

#endif
