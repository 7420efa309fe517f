/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches elsewhere that think about the positions of a player, each with a tree and random numbers of its
 * own (root parallelisation, 002 §3.3.6). The player says where it is and how long it thinks; what all have
 * found about the moves there is pooled before it answers. It never waits for them by the clock, and plays on
 * when they are gone.
 *
 * Nothing below the playing layer knows where they are: who has some to offer sets allies_muster. */
#ifndef PLAYER_ALLIES_H
#define PLAYER_ALLIES_H

#include "search/mcts.h"

struct allies;

struct allies_ops {
    /* Think about this state; `plies` joint moves were made since the last one. The budget is that of all
     * together; each takes its part of what is counted. Returns at once. */
    void (*think)(struct allies *a, struct reasoner *r, const struct state *s, uint32_t plies,
                  const struct budget *budget);
    /* Pour what they know of the search's root into its pool (mcts_pool). By the clock what has come until
     * now; where simulations are counted, all of them: those that are alive are awaited. */
    void (*gather)(struct allies *a, struct mcts *m, const struct budget *budget);
    void (*rest)(struct allies *a); /* think no more */
    void (*free)(struct allies *a);
};

struct allies {
    const struct allies_ops *ops;
    uint32_t parts;   /* searches in all, the player's own among them */
    uint32_t cores;   /* of this machine that are the player's */
    uint32_t sharers; /* searches on this machine: each has its share of the memory */
    uint32_t pooled;  /* whose knowledge the last gathering had, our own among them */
    uint32_t nodes;   /* in the trees of the others */
};

struct allies_call {
    const char *rules;
    size_t rules_size;
    const char *player, *role;
    uint64_t seed;
    uint64_t megabytes; /* for each of them; 0: as its machine allows */
    uint32_t ranks;     /* how many at most, the player among them; 0: all there are */
};

/* NULL: nobody can be had. The allies are the caller's, who frees them. */
extern struct allies *(*allies_muster)(const struct allies_call *call);

#endif
