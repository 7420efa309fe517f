/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread counts for itself. Where several threads search one tree they all pass through the same few
 * nodes near the root, and a line of the cache that one writes to is gone from the caches of all others. So a
 * hand has a copy of the statistics of each of these *hot* nodes, reads and counts there, and tells the tree
 * only now and then what has come together since; then it also learns what the others have told.
 *
 *     node in the tree   [ visits, actions, rave ] <── what is new, every so many visits ──┐
 *                                  └── everything ──────────────────────────────> [ copy | as of then ]
 *
 * Together the hands keep back at most one in eight of a node's visits. Whoever counts asks for the tally of
 * the node: its copy, or the node itself where it has none, which is always so with one thread. The tree
 * knows everything when it is collected and when the hands have no work. */
#ifndef SEARCH_LEDGER_H
#define SEARCH_LEDGER_H

#include "search/mcts.h"

#define LEDGER_COOL 256 /* visits that a hot node has at least */

/* The statistics of a node as a hand knows them. */
struct tally {
    uint32_t *visits;
    struct tree_action *actions; /* of all roles; their children are in the node */
    struct rave *rave;           /* parallel to them; nowhere where there is none */
    bool alone;                  /* nobody else counts there */
    bool copied;
};

/* NULL without memory: everything is counted in the tree. */
struct ledger *ledger_new(void);
void ledger_free(struct ledger *l);
/* The copy of a node, if it is hot enough for one. */
bool ledger_find(struct hand *h, struct tree_node *n, struct tally *out);
bool ledger_has(const struct ledger *l, uint32_t node); /* there is one */
/* A simulation was counted in the copy. */
void ledger_counted(struct hand *h, const struct tree_node *n);
/* Tell what is new of a node and give up its copy. */
void ledger_drop(struct hand *h, const struct tree_node *n);
/* The same for all nodes. */
void ledger_close(struct hand *h);

static inline struct tally tally_of(struct hand *h, struct tree_node *n)
{
    struct tree *t = h->search->tree;
    struct tally tally;
    if (h->ledger && count_of(&n->visits) >= LEDGER_COOL && ledger_find(h, n, &tally)) return tally;
    return (struct tally){&n->visits, node_all_actions(t, n), t->with_rave ? node_rave(t, n, 0) : NULL,
                          !t->shared, false};
}

static inline uint32_t tally_add(const struct tally *tally, uint32_t *p, uint32_t by)
{
    if (!tally->alone) return __atomic_add_fetch(p, by, __ATOMIC_RELAXED);
    return *p += by;
}

/* One more simulation under way through an action of a role, or one less. */
static inline void tally_pending(struct hand *h, struct tree_node *n, uint32_t role, uint32_t action, int by)
{
    struct tally tally = tally_of(h, n);
    struct tree_action *a = tally.actions + node_first(h->search->tree, n)[role] + action;
    tally_add(&tally, &a->pending, (uint32_t)by);
}

/* A mean that moves by so much with the n-th sample. */
static inline void tally_mean(float *mean, float sample, uint32_t n)
{
    float before = mean_of(mean);
    mean_set(mean, before + (sample - before) / (float)n);
}

#endif
