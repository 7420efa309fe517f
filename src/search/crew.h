/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several threads for one player.
 *
 *     tree   one search, a hand per thread; the tree is shared
 *     root   a search per thread with a seed of its own; pooled just before the answer (002 §3.3.6);
 *          what one proves of a root move all know (tidings.h)
 *     leaf   one search on the first thread; the others do its playouts (relay.h)
 *
 * With one thread all three are the same. The threads live as long as a run. */
#ifndef SEARCH_CREW_H
#define SEARCH_CREW_H

#include "search/driver.h"

enum parallel { PARALLEL_TREE, PARALLEL_ROOT, PARALLEL_LEAF };

#define CREW_MAX 256
#define CREW_STRIDE UINT64_C(0x2545f4914f6cdd1d) /* between the seeds of searches that are pooled */

struct crew_options {
    enum parallel how;
    uint32_t threads;
    struct mcts_options search;
};

struct crew {
    struct crew_options opt;
    uint32_t n; /* threads */
    struct driver *drivers[CREW_MAX];
    struct reasoner *reasoners[CREW_MAX]; /* the first is the caller's */
    struct mcts *searches[CREW_MAX];      /* one, or with root parallelisation n */
    uint32_t nsearches;
    struct relay *relay;
    struct tidings *tidings; /* with root parallelisation and a solver: what they have proved of the root */
};

/* One policy per thread; they and the reasoner stay the caller's. Several threads need a circuit. */
struct crew *crew_new(const struct crew_options *options, struct reasoner *reasoner, const struct code *code,
                      struct policy **policies, struct error *error);
void crew_free(struct crew *c);
bool crew_root(struct crew *c, const struct state *state, const struct budget *budget, struct error *error);
/* Search until the budget is spent; counts are divided among the threads. What was found is in the first
 * search (mcts_moves and so on), with root parallelisation what all have found. */
void crew_run(struct crew *c, const struct budget *budget);

#endif
