/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monte-Carlo tree search over the lanes of a world.
 *
 *   idle ──select──> entering ──view──> leaving ──step──> arrived ──┬─ known state: on down the tree
 *    ^                                                              └─ new node ──> playout ──...──> ended
 *    └──────────────── back up rewards <── goals collected <── parked <──────────────────────────────┘
 *
 * Each lane carries one simulation. One step and one view serve all of them, whatever they are doing. With
 * one lane this is the sequential algorithm of the papers: select, expand, play out, back up, one simulation
 * after the other. With more, simulations under way count as lost for the moves they took (virtual loss), so
 * that others go elsewhere.
 */
#ifndef SEARCH_MCTS_H
#define SEARCH_MCTS_H

#include "search/budget.h"
#include "search/policy.h"
#include "search/tree.h"
#include "search/world.h"

#define MCTS_MAX_ROLES 64

/* When a playout is broken off (002 §5.1.1). */
struct cutoff {
    enum { CUT_NEVER, CUT_GOAL_STABLE, CUT_TERMINAL_INTERVAL } kind;
    uint32_t steps; /* playout moves after which it is */
};

struct mcts_options {
    bool tree;      /* false: pure Monte Carlo, random first moves, nothing below the root (S1) */
    float c;        /* exploration constant on rewards 0..100 */
    float discount; /* per step; 1 in one-player games */
    uint32_t rave;  /* equivalence parameter; 0: off */
    bool urgency;   /* unexplored action urgency (002 §5.1.2) */
    bool by_visits; /* the final move is the most visited rather than the one with the best mean */
    uint32_t lanes; /* simulations in flight */
    size_t memory;  /* bytes for the tree */
    uint64_t seed;
    struct cutoff cutoff;
    /* A value added to the selection value of a move, for schemes that know something beforehand; NULL: none.
     */
    float (*prior)(void *data, const struct tree_node *node, uint32_t role, uint32_t move);
    void *prior_data;
};

struct mcts_stats {
    uint64_t simulations, expansions, playout_steps, cut, undefined_goals, rounds;
    uint32_t max_depth; /* of the tree part */
    uint64_t depth_sum;
    double seconds;
};

struct flight; /* a simulation under way */

struct mcts {
    struct mcts_options opt;
    struct world *world;   /* not owned */
    struct policy *policy; /* not owned */
    struct tree *tree;
    struct rng rng;
    uint32_t nroles, lanes;           /* lanes used */
    struct flight *flights;           /* two per lane: one flying, one parked */
    struct flight **flying, **parked; /* by lane */
    uint64_t park_mask[BATCH_MAX_WORDS];
    uint32_t nparked;
    int16_t *goals;
    uint32_t *chosen;                      /* scratch, by lane */
    struct list *legal;                    /* scratch, by role */
    struct state state;                    /* scratch */
    uint32_t *stamp, stamp_now, stamp_cap; /* RAVE: moves seen further down, by role and move */
    bool records;                          /* moves are recorded (somebody learns from them) */
    bool single;                           /* one-player game */
    float best;                            /* one-player: best reward so far */
    uint32_t max_steps;                    /* simulations longer than this are broken off as draws */
    struct mcts_stats stats;               /* since the last mcts_run began */
    const char *trouble;                   /* why the search stopped early, NULL: it did not */
};

/* World and playout policy stay the caller's and must outlive the search. */
struct mcts *mcts_new(const struct mcts_options *options, struct world *world, struct policy *policy,
                      struct error *error);
void mcts_free(struct mcts *m);

/* Put the root at a state; what the tree knows of it (and below) is kept. False and an error if the reasoner
 * gave up (out of time); the root is then where it was. */
bool mcts_root(struct mcts *m, const struct state *state, const struct budget *budget, struct error *error);
/* Search until the budget is spent. Returns how many simulations were finished. Nothing is left in flight.
 * The world's reasoner must have the budget's deadline and stop flag: then also a question of seconds ends in
 * time. */
uint64_t mcts_run(struct mcts *m, const struct budget *budget);

/* The moves of a role at the root. */
struct mcts_move {
    uint32_t move, n;
    float mean, best, rave;
};
uint32_t mcts_moves(struct mcts *m, uint32_t role, struct mcts_move *out,
                    uint32_t room); /* most visited first; returns how many there are */
bool mcts_best(struct mcts *m, uint32_t role, uint32_t *move); /* false: the root has no moves */
/* The line the search expects: joint moves, most visited first, while visits last. Returns the number of
 * steps. */
uint32_t mcts_line(struct mcts *m, uint32_t *moves, uint32_t max_steps);
/* Expected reward of a role at the root: the mean over its moves weighted by visits. */
float mcts_value(struct mcts *m, uint32_t role);

/* select.c: the index of the action a role takes at a node. `s` tells the playout policy where we are. */
uint32_t select_action(struct mcts *m, struct tree_node *node, uint32_t role, const struct situation *s);
/* UCT value of an action seen n times with that mean, at a node visited `visits` times (000 equation 1). */
float select_uct(float mean, uint32_t n, float ln_visits, float c);
/* The weight of RAVE at a node (002 §4.1.5). */
float select_beta(uint32_t k, uint32_t visits);

/* cutoff.c: decide from 100 sample games whether and where to cut (002 §5.1.1). Works on the reasoner. False
 * if it gave up or the budget's time was over. */
struct cutoff_sample {
    uint32_t games, first_terminal, last_terminal; /* depths */
    double stability;      /* mean over games and roles of the variance of goal changes */
    uint32_t first_change; /* earliest depth at which a goal changed; 0: never */
};
bool cutoff_measure(struct reasoner *r, uint64_t seed, uint32_t games, const struct budget *budget,
                    struct cutoff_sample *out);
struct cutoff cutoff_decide(const struct cutoff_sample *s, uint32_t nroles, double threshold,
                            uint32_t minimum_steps);

#endif
