/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prove the value of a position, by the search that suits the game:
 *
 *     two roles, constant sum, one at a time       depth_first.c or proof_number.c: one question after
 *                                                  the other, "can the first role get at least v?"
 *     the same, both choose at once somewhere      backward.c: matrix games from the ends up
 *     one role                                     solo.c: the searches for puzzles
 *     more roles, or other sums, one at a time     max_n.c: vectors of goals
 *
 * Whether roles choose at once and whether sums are constant is looked at in every position met. A search
 * that finds the game to be of another kind stops, and the one for that kind begins.
 *
 * max^n, when several moves are best for the mover: the one that is worst for the role that is asked about,
 * then the first. So what it says that role gets is what it can count on if all others play for themselves.
 */
#ifndef SEARCH_SOLVER_SOLVE_H
#define SEARCH_SOLVER_SOLVE_H

#include "search/budget.h"
#include "search/solver/expand.h"
#include "search/solver/memo.h"
#include "search/solver/outcomes.h"

enum solve_method {
    SOLVE_AUTO,
    SOLVE_DEPTH_FIRST,
    SOLVE_PROOF_NUMBER,
    SOLVE_BACKWARD,
    SOLVE_MAX_N,
    SOLVE_SOLO,
    SOLVE_RACE,
    SOLVE_METHODS
};
extern const char *const solve_method_names[SOLVE_METHODS];

struct solve_progress {
    enum solve_method method;
    uint64_t opened, seen; /* positions opened; positions seen */
    double low, high;      /* of the first role (solo, max^n: of the role asked about) */
    int question;          /* the value asked for now; -1: none */
    uint32_t depth, plies; /* limit of this round, 0: none; of the current line */
    double memory_used;    /* share of the table */
    double fraction;       /* of the root's moves settled */
};

struct solve_options {
    enum solve_method method;
    size_t memory;     /* for tables */
    struct memo *memo; /* two roles: the table, kept from run to run and the caller's; NULL: its own */
    const struct outcomes *outcomes; /* what can come out, found out before; NULL: it has to look */
    struct budget budget;            /* deadline and stop; `expansions` limits positions opened */
    bool turns_alone;                /* nothing but turns and a constant sum: if it is otherwise, give up */
    bool every_move; /* two in turn: when the value is known, ask of all moves whether they keep it */
    uint32_t depth;  /* no deeper than so many plies; 0: to the end */
    bool shortest;   /* deepen ply by ply, so that the line is as short as can be */
    uint32_t role;   /* max^n: who is asked about */
    bool symmetry;   /* positions that are the same but for a symmetry of the rules are one */
    bool parts;      /* one role: a game that falls apart is searched part by part, too */
    bool outlook;    /* goals that can not come any more bound what a position is worth; not `shortest` */
    void (*progress)(void *data, const struct solve_progress *p); /* now and then; may be NULL */
    void *progress_data;
    /* Told of every matrix that takes a linear program; may be NULL. */
    void (*matrix)(void *data, const double *a, uint32_t m, uint32_t n, uint32_t stride);
    void *matrix_data;
};

enum solve_why { SOLVE_DONE, SOLVE_TIME, SOLVE_CANCELLED, SOLVE_OPENED, SOLVE_MEMORY, SOLVE_DEPTH };

struct solve_result {
    enum solve_method method;
    enum solve_why why; /* it ended */
    bool proved;
    double *low, *high; /* by role: what it gets at least and at most with best play */
    bool sum_assumed;   /* constant sum: not proved by the rules, but so at every end that was met */
    bool at_once;       /* the root is a node where several choose */
    /* Of the root: who chooses, the moves, and what is known of each. */
    struct solve_move {
        uint32_t role, move;
        double low, high; /* for that role; at_once: how often it is played is `share` */
        double share;
        bool known;
    } * moves;
    uint32_t nmoves;
    /* A line of best play: joint moves, nroles each. */
    uint32_t *line, steps;
    bool line_ends; /* the line goes to an end of the game */
    uint64_t opened, seen, programs;
    uint32_t symmetries; /* that were found and used, the identity apart */
    uint32_t parts;      /* one role: that the game falls into, as far as that was looked for */
    bool outlook;        /* it was seen which goals can not come any more */
    uint32_t depth;      /* plies: of the deepest position, or, with `shortest`, of the proof */
    double seconds;
};

/* `reasoner` understands the state and gives the numbers of moves; `code` may be NULL. False and an error:
 * the sheet is faulty, or no memory for anything. Running out of time or table is no error: the result says
 * how far it came. The caller frees the result with solve_result_done in any case. */
bool solve_run(struct reasoner *reasoner, const struct code *code, const struct state *state,
               const struct solve_options *options, struct solve_result *result, struct error *error);
void solve_result_done(struct solve_result *r);

#endif
