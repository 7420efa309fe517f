/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the searches of solve.h share. */
#ifndef SEARCH_SOLVER_SOLVE_INTERNAL_H
#define SEARCH_SOLVER_SOLVE_INTERNAL_H

#include "search/solver/duel.h"
#include "search/solver/memo.h"
#include "search/solver/solve.h"

#define MOST_PLIES 5000 /* a game that goes on longer on one line does not end */

/* Why a search unwinds before it is done. */
enum halt {
    HALT_NOT,
    HALT_TIME,
    HALT_STOP,
    HALT_OPENED,
    HALT_MEMORY,
    HALT_SLICE,   /* the other method's turn */
    HALT_AT_ONCE, /* several choose at once */
    HALT_SUM,     /* the sum is not constant */
    HALT_ERROR    /* solver.error says what */
};

enum verdict { NO, YES, OPEN };

struct solver {
    struct reasoner *r;
    const struct code *code;   /* may be NULL */
    const struct state *state; /* the root */
    const struct outcomes *outcomes;
    const struct solve_options *opt;
    struct expander *expander;
    struct memo memo;
    struct matrix_work work;
    uint32_t nroles;
    double low, high; /* of the first role, from the rules: where bounds begin */
    int sum;
    uint32_t *history; /* by role and move, HISTORY_MOVES each: how often it settled something */
    /* With `shortest` what is remembered belongs to a ply, and to a round of deepening where one must not
     * know of another. */
    uint64_t round;
    enum halt halt;
    struct error error;
    struct solve_progress at;
    uint32_t plies, deepest;
    uint64_t slice; /* positions opened at which another method has its turn; 0: never */
    uint64_t programs;
    double told;
};

#define HISTORY_MOVES 4096

/* Called before a position is opened: time, limits, progress. False: unwind. */
bool solver_go_on(struct solver *s);
/* Open, with the checks of a two-player game where one chooses at a time (`turns`), or without. */
bool solver_open(struct solver *s, const struct place *p, struct fan *f, bool turns);
void solver_close(struct solver *s, struct fan *f);
/* The first role's goal at an end; halts when the sum is wrong. */
int solver_goal(struct solver *s, const struct place *p);
/* The order in which children are looked at: `best` first, then what settled things before, then where the
 * other has few replies. `order` has f->n entries. */
void solver_order(struct solver *s, const struct fan *f, uint32_t best, uint32_t *order);
void solver_reward(struct solver *s, const struct fan *f, uint32_t joint, uint64_t spent);
/* Remember a verdict on "at least values[question]". */
void solver_settle(struct solver *s, const struct place *p, uint32_t question, bool yes, uint32_t best,
                   uint64_t work);
/* What the first of two roles gets at least and at most there, by the goals that can still come. */
void solver_outlook(const struct solver *s, const struct place *p, double *low, double *high);
/* What is remembered about that question, or known from what can still come. */
enum verdict solver_known(const struct solver *s, const struct place *p, uint32_t question,
                          struct memo_entry **entry);

/* The table as `plies` plies below the root sees it. */
struct memo_entry *solver_find(const struct solver *s, const struct place *p, uint32_t plies);
struct memo_entry *solver_take(struct solver *s, const struct place *p, uint32_t plies);

/* depth_first.c, proof_number.c: can the first role get at least values[question] from here? */
enum verdict depth_first(struct solver *s, const struct place *p, uint32_t question, uint32_t depth);
enum verdict proof_number(struct solver *s, const struct place *p, uint32_t question);

/* backward.c: the value of a place as far as it matters between alpha and beta: *low = *high, or both on one
 * side of the window. */
bool backward(struct solver *s, const struct place *p, double alpha, double beta, double *low, double *high);
/* ... and of the root, keeping its matrices. NULL: halted before anything was known. */
struct duel *backward_root(struct solver *s, const struct place *p, struct fan *f);

/* The rest works on the result directly. */
bool turns_run(struct solver *s, const struct place *root, struct solve_result *out);
bool backward_run(struct solver *s, const struct place *root, struct solve_result *out);
/* `sure`: where several choose at once, go on with what the role can be sure of. */
bool max_n_run(struct solver *s, const struct place *root, bool sure, struct solve_result *out);
/* From s->state; `breadth_first`: nothing else, so that the line is as short as can be. */
bool solo_run(struct solver *s, bool breadth_first, struct solve_result *out);

#endif
