/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What positions seem worth that are not the end: for each role the goal it can expect, 0..100.
 *
 *     evaluator_new ──> a game-specific evaluation whose recogniser says yes (one file each: a recogniser and
 *                       an evaluator; games are known by the shape of their rules, never by their name)
 *                  └──> else what is learned: which facts go with which goals, and goals before the end where
 *                       they mean something
 *
 * Ends have their goals. For what a game-specific evaluation says there is a band between winning and losing:
 * with points from -1 to 1, role i has 100/n + points[i] * 100/(n (n + 1)). So a win is worth more than any
 * position, a loss less, for all three policies; and within the band nothing is changed but the scale. */
#ifndef SEARCH_MINIMAX_EVALUATE_H
#define SEARCH_MINIMAX_EVALUATE_H

#include "analysis/analysis.h"
#include "search/budget.h"
#include "search/minimax/minimax.h"
#include "search/minimax/passing.h"
#include "search/solver/expand.h"

struct evaluator {
    const char *name;
    bool wants_goals; /* of positions that are not the end */
    bool wants_moves; /* of positions at the horizon, too */
    bool shaped;      /* made for games of this shape: race, stacks, fitted */
    bool notes;       /* it takes notes when asked: for one thread */
    float most;     /* all roles together never have more than this, and none has less than 0; 0: not known */
    float explains; /* of what makes random games end differently, 0..1 */
    /* By role, of a place that is not the end. */
    void (*values)(const struct evaluator *e, const struct place *p, float *out);
    /* How promising a role's move is at first sight; NULL: by what it leads to. `child`, where it leads, is
     * given to those who want to see it (order_sees), except just above the horizon. */
    bool order_sees;
    float (*order)(const struct evaluator *e, const struct place *p, const struct place *child, uint32_t role,
                   uint32_t move);
    void (*free)(struct evaluator *e);
};

/* What an evaluation can be made from. */
struct evaluator_source {
    struct reasoner *reasoner;
    const struct code *code;      /* NULL: no circuit */
    const struct code *foresight; /* games to learn from see wins in one move by it; NULL: they do not */
    const struct analysis *analysis;
    const struct passing *passing; /* where it is sound: how to put anybody on turn */
    enum minimax_eval which;
    bool fitted;       /* not as in the article, where there is better */
    bool states_alone; /* nobody will know goals or moves of the places it is asked about */
    uint32_t wanted;   /* positions to learn from; 0: as many as minimax needs */
    uint64_t seed;
    const struct budget *budget; /* for finding things out; counts say nothing about it */
};

/* NULL: this game has not the shape, or there was no time. */
typedef struct evaluator *evaluator_maker(const struct evaluator_source *from);
evaluator_maker evaluator_race;   /* Chinese Checkers: moves a lone player needs */
evaluator_maker evaluator_stacks; /* Focus: pieces still needed, heights in stacks */
evaluator_maker evaluator_fitted; /* the same for two, ours: what patterns are worth together */
evaluator_maker evaluator_lines;  /* Rolit, Othello: patterns of lines and corners, as in the article */
evaluator_maker evaluator_learned;
evaluator_maker evaluator_goals; /* the goal a position would have, if it were the end */
evaluator_maker evaluator_none;  /* everything is worth the same */

/* Do goals before the end mean something (cutoff.c)? Not so, too, when there was no time to find out. */
bool evaluator_goals_stable(const struct evaluator_source *from);

/* What kind of game it is, as far as a budget in time allows: NULL if it does not. The reasoner has its
 * deadline then. */
struct analysis *evaluator_look(struct reasoner *reasoner, uint64_t seed, const struct budget *budget);
/* Do most moves take a piece from one cell to another? */
bool evaluator_travels(const struct analysis *a);
/* Are pieces that stay where they were put made into others there? */
bool evaluator_turns(const struct analysis *a);

/* By what from->which says; never NULL except without memory. */
struct evaluator *evaluator_new(const struct evaluator_source *from);
void evaluator_free(struct evaluator *e); /* NULL is fine */

/* Points from -1 to 1 into the band. */
static inline float evaluator_band(float points, uint32_t nroles)
{
    float n = (float)nroles, x = points > 1 ? 1 : points < -1 ? -1 : points;
    return 100 / n + x * 100 / (n * (n + 1));
}

#endif
