/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches that look at every answer: max^n, paranoid and Best-Reply Search (003) for any game in turns; with
 * two players all of them are alpha-beta.
 *
 *     max^n      everybody plays for himself: a node's value is a vector, the mover takes what is best for
 *                him; of equals what is worst for us
 *     paranoid   all others play against us: one number, what we have less what they have together
 *     BRS        of the others only the one with the strongest answer moves, the others pass: the turn is
 *                taken from whoever has it (passing.h)
 *
 *     minimax_think ── depth 1, 2, 3 ... until the budget is spent ── frame.c: one frame for all three
 *                        │                                             ├─ order.c    which move first
 *                        └─ the best move so far is always in hand     ├─ twodeep.c  what is known already
 *                                                                      ├─ evaluate.c how good it looks
 *                                                                      └─ solver/expand.c: children, many
 *                                                                         positions in one sweep
 *
 * A search belongs to one thread and one role, and lives as long as its reasoner; while it thinks it may have
 * other threads look at the same position (helpers.c). Given the seed and a budget in counts one thread finds
 * the same every time.
 */
#ifndef SEARCH_MINIMAX_MINIMAX_H
#define SEARCH_MINIMAX_MINIMAX_H

#include "circuit/code.h"
#include "game/reasoner.h"
#include "search/budget.h"

#define MINIMAX_MAX_PLY 96
#define MINIMAX_MAX_ROLES 64

enum minimax_policy { MINIMAX_MAXN, MINIMAX_PARANOID, MINIMAX_BRS, MINIMAX_ALPHABETA };
#define MINIMAX_POLICIES \
    "maxn|paranoid|brs|alphabeta" /* in that order; alphabeta: paranoid by its old name */

/* What positions are judged by (evaluate.h). */
enum minimax_eval {
    EVAL_AUTO,
    EVAL_SHAPE,
    EVAL_LEARNED,
    EVAL_PIECES, /* learned from one kind of feature alone: this and the next three */
    EVAL_CELLS,
    EVAL_PLACES,
    EVAL_MOBILITY,
    EVAL_GOALS,
    EVAL_NONE,
    EVAL_GUIDED /* learned from random games, then from games by players who have */
};
#define MINIMAX_EVALS "auto|shape|learned|pieces|cells|places|mobility|goals|none|guided"

struct minimax_options {
    enum minimax_policy policy;
    enum minimax_eval eval;
    bool table, history, killers, order; /* order: by what a move leads to, and what games of a shape know */
    uint32_t depth;                      /* plies at most; 0: no limit */
    double noise;  /* a random number up to this is added to what positions seem worth, on goals 0..100 */
    size_t memory; /* for the table */
    uint64_t seed;
    uint32_t threads; /* on a circuit; 0 and 1: the caller's alone */
    bool one_by_one;  /* a state at a time by the reasoner rather than by sweeps: for comparison */
};

struct minimax_step {
    uint32_t role, move;
};

/* What the last think was about. */
struct minimax_report {
    enum minimax_policy policy; /* the one that was used */
    const char *evaluation;
    bool shaped;      /* made for games of this shape: race, stacks, fitted */
    float explains;   /* of what makes random games end differently, 0..1 */
    bool travels;     /* pieces go from cell to cell, as far as random games show */
    bool turns;       /* those that stay where they are put are made into others */
    char remark[160]; /* why it is another one than asked for; empty: nothing to say */
    uint32_t depth;   /* plies that were searched completely */
    bool exhausted;   /* to all ends of the game, or until nothing can be better: more depth is of no use */
    uint64_t nodes;   /* positions visited */
    uint64_t fans;    /* positions opened */
    double seconds;
    float score; /* max^n: our own goal; else what we have less what the others have, on goals 0..100 */
    struct minimax_step line[MINIMAX_MAX_PLY];
    uint32_t nline;
};

struct minimax;

/* `code` may be NULL: on the reasoner, one state at a time. NULL and an error without memory. */
struct minimax *minimax_new(struct reasoner *reasoner, const struct code *code, uint32_t role,
                            const struct minimax_options *options, struct error *error);
void minimax_free(struct minimax *m); /* NULL is fine */

/* Think about a state that is not over. True: *move is what to play (any move when it is others' turn).
 * False: such games are not for this search, or not even one ply could be searched; the error (or the remark
 * of the report) says why. Positions visited count as simulations and as steps of a budget, positions opened
 * as expansions. */
bool minimax_think(struct minimax *m, const struct state *state, const struct budget *budget, uint32_t *move,
                   struct error *error);
const struct minimax_report *minimax_report(const struct minimax *m);
/* What the root's moves were worth in the last complete depth: of the own role; returns how many. Moves that
 * were cut off have a bound only. */
struct minimax_move {
    uint32_t move;
    float score;
    bool exact;
};
uint32_t minimax_moves(const struct minimax *m, const struct minimax_move **out);

/* What a search has found out about its game. Taken from one that is only to be freed any more it is the
 * caller's; NULL: nothing is known yet, or it is for one thread only. Lent to others of the same game and
 * options, on the same circuit, who have not thought yet, it stays his, and must be there as long as they
 * are. */
struct minimax_lessons;
struct minimax_lessons *minimax_take_lessons(struct minimax *m);
void minimax_lend(struct minimax *m, const struct minimax_lessons *l);
void minimax_lessons_free(struct minimax_lessons *l); /* NULL is fine */

#endif
