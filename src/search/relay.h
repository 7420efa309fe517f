/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaf parallelisation (002 §3.3.6): one thread holds the tree, others do its playouts.
 *
 *     master: select, expand ──staged──> [ out ] ──> client: playout ──> [ back ] ──> master: back up
 *
 * What goes out is an errand: the state of the new node, the moves that led there, and the first move from
 * it. The path through the tree stays with the master's half of the errand, so that only the master ever
 * looks at the tree. Lists change hands under one lock, once a round. When no errand is free the master plays
 * itself. Clients have playout tables of their own and learn from what they played; the master's learn from
 * all. */
#ifndef SEARCH_RELAY_H
#define SEARCH_RELAY_H

#include "search/mcts.h"

struct relay;

/* So many errands may be under way at once. NULL without memory. */
struct relay *relay_new(uint32_t errands);
void relay_free(struct relay *r);
/* Before a run: the first hand of the search is the master, the others are clients. */
void relay_open(struct relay *r, struct mcts *m);
void relay_close(struct relay *r);  /* the master has finished: clients leave */
void relay_settle(struct relay *r); /* all threads have: what never came back is undone */

#endif
