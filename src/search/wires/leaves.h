/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the tree and the wires: a simulation that has made its new node goes out as a leaf, its playouts
 * are played on the wires (wires.h), and it comes back with the mean of their rewards.
 *
 *     driver: select, expand ──leaves_send──> leaf ──group──> wires ──mean──> flight_finish: back up, learn
 *
 * With a GPU (far.h) they are played there, after the first move outside the tree, which is made here.
 *
 * A leaf counts as one simulation however many playouts it had. RAVE learns from what all of them played; one
 * is written down, and the playout tables learn from that one. All of a hand's leaves are its own thread's.
 */
#ifndef SEARCH_WIRES_LEAVES_H
#define SEARCH_WIRES_LEAVES_H

#include "search/driver_internal.h"

struct leaves;

/* What a hand needs for it, made when it is first put to work; false: it does without. */
bool leaves_open(struct hand *h, const struct code *code);
void leaves_free(struct leaves *l);
/* The same while it is at work: what was not ready then may be now. */
bool leaves_late(struct hand *h);
bool leaves_far(const struct hand *h); /* they are sent one step later than to the wires */
/* The playouts after a new node are done on the wires: true, and the flight is idle. */
bool leaves_send(struct flight *f, const struct state *state);
/* Play until the wires want more leaves, or something should be looked at. Called between rounds. */
void leaves_play(struct hand *h);
bool leaves_busy(const struct hand *h); /* something is still to come */
/* How many more simulations may begin: a hand has as many under way as it has lanes. */
uint32_t leaves_room(const struct hand *h);
void leaves_abandon(struct hand *h);  /* what is under way is given up */
void leaves_renumber(struct hand *h); /* its tree was collected */

#endif
