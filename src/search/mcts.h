/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monte-Carlo tree search: what one player knows. A search owns a tree and no lanes; drivers (driver.h) carry
 * out its simulations.
 *
 *     search:  tree, options, root                     (struct mcts)
 *       ├─ hand: playout tables, random numbers, counts  ── works with ──>  driver: a thread with lanes
 *       └─ hand ...                                    one hand per thread that works for the search
 *
 *     one search, one hand, one lane      the sequential algorithm of the papers
 *     one search, one hand, many lanes    simulations under way count as lost for the moves they took
 *                                         (virtual loss), so that others go elsewhere
 *     one search, many hands              tree parallelisation: threads share the tree, and nothing else
 *     many searches, a hand each          games of an experiment side by side; or, on one position and pooled
 *                                         at the end, root parallelisation
 *
 * With one hand and one lane the result depends on the seed and the budget alone: not on who else is on the
 * driver, in which lane, or on how many threads.
 */
#ifndef SEARCH_MCTS_H
#define SEARCH_MCTS_H

#include "base/rng.h"
#include "search/adapt.h"
#include "search/budget.h"
#include "search/policy.h"
#include "search/tree.h"

#define MCTS_MAX_ROLES 64

/* When a playout is broken off (002 §5.1.1); then its goals count, it is a draw, or what it seems worth
 * (judgement.h), which may be asked of the new node itself. */
struct cutoff {
    enum { CUT_NEVER, CUT_GOAL_STABLE, CUT_TERMINAL_INTERVAL, CUT_JUDGED } kind;
    uint32_t steps; /* playout moves after which it is */
};

/* Decide from 100 games whether and where to cut (002 §5.1.1). */
#define CUTOFF_GAMES 100
#define CUTOFF_STABLE 1000.0
#define CUTOFF_MINIMUM 10
struct cutoff_sample {
    uint32_t games, first_terminal, last_terminal; /* depths */
    double stability;      /* mean over games and roles of the variance of goal changes before the end */
    uint32_t first_change; /* earliest depth at which a goal changed before the end; 0: never */
};

/* What is proved (prove.h), and what simulations do at what is solved. */
enum solving { SOLVER_OFF, SOLVER_S, SOLVER_E };

/* What playouts look out for (decisive.h). */
enum decisive_moves { DECISIVE_OFF, DECISIVE_WIN, DECISIVE_PARRY };

struct outcomes;
struct judgement;
struct symmetry;
struct code;

/* How RAVE goes into the value of a move: as the thesis has it, both parts of UCT weighed down by it; into
 * the mean alone; and that with a weight that falls as 1/N, not as its root. */
enum rave_mix { RAVE_THESIS, RAVE_MEAN, RAVE_SHORT };

/* When a move may be chosen again before all were tried: never; by 002 §5.1.2; when what RAVE says of those
 * not tried is worse, of which then the one it likes best is tried, or the one the playout policy draws. */
enum urgency { URGENCY_OFF, URGENCY_THESIS, URGENCY_RAVE, URGENCY_POLICY };

/* The move played: the best mean; the most visited; the best mean of those that were visited often, once
 * there are simulations enough to tell. */
enum final_move { FINAL_MEAN, FINAL_VISITS, FINAL_ROBUST };

struct mcts_options {
    bool tree;       /* false: pure Monte Carlo, random first moves, nothing below the root (S1) */
    float c;         /* exploration constant on rewards 0..100 */
    float discount;  /* per step; 1 in one-player games */
    bool difference; /* two roles play for how far they are ahead; without a solver */
    uint32_t rave;   /* equivalence parameter; 0: off */
    enum rave_mix rave_mix;
    uint32_t
        rave_prior; /* simulations that what playouts know of the moves of a new node counts for in RAVE */
    uint32_t learn; /* one simulation of so many teaches the playout policy, once it knows much; 0: all */
    enum urgency urgency;
    enum final_move final;
    uint32_t window;   /* means in the tree are over so many simulations, the older fading; 0: over all */
    uint32_t carry;    /* visits that a position may keep when the match moves on; 0: all */
    uint32_t lanes;    /* simulations in flight, per hand */
    uint32_t playouts; /* from each new node, where they are done by others or on the wires; 0: as is best */
    bool device;       /* they are done on a GPU, where that is possible */
    size_t memory;     /* bytes for the tree */
    uint64_t seed;
    struct cutoff cutoff;
    uint32_t
        watch; /* decide on cutoffs after so many simulations; 0: it is decided. For one hand, lane by lane
                */
    enum solving solver;
    const struct outcomes *outcomes; /* with a solver: where bounds begin; read by mcts_new only */
    uint32_t scout;             /* visits after which a node's children are looked at for ends; 0: never */
    const struct code *outlook; /* then it is also seen which goals can still come; NULL: it is not */
    const struct symmetry *symmetry; /* of like moves in a position that is its own image one is left; NULL:
                                        all. Two roles with a constant sum, with a solver */
    enum decisive_moves decisive;
    const struct code *foresight;      /* with decisive moves: which win at once; NULL: that is not known */
    const struct judgement *judgement; /* what positions seem worth; NULL: nobody asks. Two roles */
    float implicit;                    /* weight of minimax over judged positions (implicit.h); 0: none */
    struct adapt adapt;                /* what differs from simulation to simulation, as hands begin */
    /* A value added to the selection value of a move, for schemes that know something beforehand; NULL: none.
     */
    float (*prior)(void *data, const struct tree_node *node, uint32_t role, uint32_t move);
    void *prior_data;
};

struct mcts_stats {
    uint64_t steps; /* positions entered, in the tree and in playouts */
    uint64_t simulations, expansions, playout_steps, cut, undefined_goals, rounds;
    uint64_t decided;   /* simulations that did not end with the same reward for everybody */
    uint32_t max_depth; /* of the tree part */
    uint64_t depth_sum;
    uint64_t playouts; /* a simulation may have several, or none */
    double seconds;    /* with others on the same driver: the share of the time */
    uint64_t meetings; /* of threads that share a tree, each counts its own */
    double waited;     /* seconds that it took until they went on */
};

struct driver;
struct ledger;
struct meeting;
struct tidings;

struct hand {
    _Alignas(TREE_LINE) struct mcts *search; /* a thread's hand is in no line that another one writes to */
    struct policy *policy;                   /* not owned; tables of this hand alone */
    struct rng rng;
    struct mcts_stats stats; /* since it was last put to work; its steps are in the first line, too */
    bool records;            /* moves are recorded: somebody learns from them */
    void *owner;             /* the caller's */
    /* while at work (driver.c) */
    struct driver *driver;
    struct leaves *leaves;   /* playouts on the wires; NULL: lane by lane */
    bool wired;              /* they are used */
    struct relay_end *relay; /* leaf parallelisation: where playouts are done elsewhere; NULL: here */
    struct ledger *ledger;   /* on a shared tree: what it counts for itself; NULL: all is counted there */
    struct tree_claim claim;
    struct budget budget;
    uint32_t lanes, aloft; /* lanes held; simulations under way */
    uint64_t launched;     /* simulations */
    uint64_t walked; /* positions it had entered when a long way down the tree last looked at the clock */
    uint32_t first_round;
    bool over;
    bool solo;    /* one simulation at a time, and the tree to itself: none is pending for another */
    double began; /* on the driver's clock */
    struct adapt adapt;
    /* one-player: the moves of the best simulation since mcts_root, to the end of the game; whatever becomes
     * of the tree */
    uint32_t *kept, nkept, kept_cap;
    float kept_reward; /* -1: there is none */
};

/* A root move as several searches know it together. */
struct pooled {
    double n, sum, rave_n, rave_sum;
    float best;
};

struct mcts {
    struct mcts_options opt;
    struct reasoner *reasoner; /* the same states and moves, for one state at a time; not owned */
    struct tree *tree;
    uint32_t nroles;
    bool single;       /* one-player game */
    float best;        /* one-player: best reward so far */
    bool constant_sum; /* two roles whose goals add up to `sum`, by the rules */
    int sum;
    struct tidings *tidings; /* proofs of other searches of the same root; NULL: there are none; not owned */
    uint32_t heard;          /* how many of them it knows */
    bool settled;            /* the root is: nothing more to search for */
    bool bounded;            /* something was proved of some node, ends apart */
    uint32_t max_steps;      /* simulations longer than this are broken off as draws */
    struct cutoff_sample seen; /* with opt.watch: what was seen so far */
    struct hand *hands;        /* nhands of them */
    uint32_t nhands;
    struct meeting *meeting; /* where hands come together; NULL: there is one */
    struct pooled *pool;     /* by action of the root, one role after the other; NULL: nothing is pooled */
    struct mcts_stats stats; /* of the last run, all hands together */
    const char *trouble;     /* why the search stopped early, NULL: it did not */
    char remark[240];        /* why there is no device, or ""; the first hand to find out says so */
    bool remarked;
};

/* One hand per policy. The reasoner, and the policies stay the caller's and must outlive the search. */
struct mcts *mcts_new(const struct mcts_options *options, struct reasoner *reasoner, struct policy **policies,
                      uint32_t nhands, struct error *error);
void mcts_free(struct mcts *m);

/* Put the root at a state; what the tree knows of it (and below) is kept. False and an error if the reasoner
 * gave up (out of time); the root is then where it was. */
bool mcts_root(struct mcts *m, const struct state *state, const struct budget *budget, struct error *error);
/* The search has a root, and moves to think about. */
bool mcts_ready(const struct mcts *m);
/* Forget what kept the last run from going on. Called before hands are put to work. */
void mcts_begin(struct mcts *m);
/* One-player: the best simulation since mcts_root, as moves from the root; returns what it brought, or -1. */
float mcts_kept(const struct mcts *m, const uint32_t **moves, uint32_t *n);
void mcts_add_stats(struct mcts_stats *sum, const struct mcts_stats *s);
/* Add up what the hands counted. */
void mcts_count(struct mcts *m);
/* Join what other searches know of the same root into the first one's report: moves, value, best move. Holds
 * until mcts_root or the next pooling. Without memory nothing is pooled. */
void mcts_pool(struct mcts *m, struct mcts *const *others, uint32_t n);
/* The same with searches of other processes. The moves at the root, all roles' together: how many there are,
 * and each one's role and number. */
uint32_t mcts_actions(const struct mcts *m);
uint32_t mcts_action(const struct mcts *m, uint32_t i, uint32_t *role);
/* What is known of a move, by all if it was pooled; adding to the pool, if there is one. */
struct pooled mcts_known(const struct mcts *m, uint32_t i);
void mcts_pool_add(struct mcts *m, uint32_t i, const struct pooled *more);

/* --- report.c: the moves of a role at the root */
struct mcts_move {
    uint32_t move, n;
    float mean, best, rave;
    float value;     /* what the move is chosen by, where it is the mean: mixed with RAVE, if there is any */
    float low, high; /* what is proved of it, for its role */
    uint32_t plies;  /* moves to the end if that is one value; else 0 */
};
uint32_t mcts_moves(struct mcts *m, uint32_t role, struct mcts_move *out,
                    uint32_t room); /* most visited first; returns how many there are */
/* The same, but the one to play first, and behind it those that would be played without it. */
uint32_t mcts_ranking(struct mcts *m, uint32_t role, struct mcts_move *out, uint32_t room);
bool mcts_best(struct mcts *m, uint32_t role, uint32_t *move); /* false: the root has no moves */
/* The line the search expects: joint moves, most visited first, while visits last. Returns the number of
 * steps. */
uint32_t mcts_line(struct mcts *m, uint32_t *moves, uint32_t max_steps);
/* Expected reward of a role at the root: the mean over its moves weighted by visits. */
float mcts_value(struct mcts *m, uint32_t role);

/* --- select.c: the index of the action a role takes at a node. `s` tells the playout policy where we are. */
uint32_t select_action(struct hand *h, struct tree_node *node, uint32_t role, const struct situation *s);
/* The weight of RAVE at a node (002 §4.1.5), or of the shorter kind. */
float select_beta(enum rave_mix mix, float k, uint32_t visits);

/* --- cutoff.c: struct cutoff_sample above. */
/* Add a simulation: its joint moves from `root` to the end. False if the reasoner gave up. */
bool cutoff_watch(struct reasoner *r, const struct state *root, const uint32_t *moves, uint32_t steps,
                  struct cutoff_sample *out);
/* Games at random. False if the reasoner gave up or the budget's time was over. */
bool cutoff_measure(struct reasoner *r, uint64_t seed, uint32_t games, const struct budget *budget,
                    struct cutoff_sample *out);
struct cutoff cutoff_decide(const struct cutoff_sample *s, uint32_t nroles, double threshold,
                            uint32_t minimum_steps);

#endif
