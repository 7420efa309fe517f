/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the search share. */
#ifndef SEARCH_MINIMAX_INTERNAL_H
#define SEARCH_MINIMAX_INTERNAL_H

#include "search/minimax/evaluate.h"
#include "search/minimax/minimax.h"
#include "search/minimax/passing.h"
#include "search/minimax/twodeep.h"

#include <stdatomic.h>

#define HISTORY_SLOTS 65536u
#define KILLERS 2
#define NO_KILLER UINT64_MAX
#define MINIMAX_MAX_HELPERS 255

/* Best-Reply Search has two kinds of nodes; the others leave it to the rules who moves. */
enum whose { WHOSE_RULES, WHOSE_OURS, WHOSE_THEIRS };

/* A move that can be made in a node. */
struct candidate {
    uint32_t fan, joint;
    uint32_t number;     /* in the order of generation */
    uint32_t role, move; /* whose it is */
    float score;         /* high: look at it early */
    struct place *child; /* has no state as long as nobody needed it */
};

/* A node opened: one fan, or in Best-Reply Search one for each opponent. */
struct opened {
    struct fan *fans;
    const struct place **places; /* that were opened: in Best-Reply Search with the turn given away */
    uint32_t n;
    uint32_t nmoves, mover; /* who chooses; nroles: several */
    bool ranked;            /* ahead: the first of the moves is the one to begin with */
    struct candidate *moves;
    struct opened **below; /* by number of the move: what was opened ahead, or NULL */
};

/* What a node will need, as far as one can know before. It decides what is opened ahead, never what is found.
 */
enum expect {
    EXPECT_ALL,   /* no move is good enough: all are looked at, each is refuted by one answer */
    EXPECT_CUT,   /* the first move is good enough, and all answers to it are looked at */
    EXPECT_MIXED, /* all moves: after the first one answer is enough */
    EXPECT_WHOLE  /* all moves and all answers */
};

struct minimax {
    struct minimax_options opt;
    struct reasoner *reasoner;
    const struct code *code;
    uint32_t nroles, role;
    enum minimax_policy policy; /* in force */
    uint32_t width;             /* values of a node: one, or one for each role */
    bool ready, refused;        /* set up; not a game for this */
    float best, worst;          /* a score of one number at an end is between these */
    struct expander *expander;
    struct analysis *analysis;
    struct passing passing;
    struct evaluator *eval;
    const struct minimax_lessons *lessons; /* of somebody else, and so is `eval` then; NULL: our own */
    struct twodeep table;
    bool has_table;
    size_t table_bytes; /* as it was asked for */
    uint64_t salt;      /* of the noise */
    uint32_t *history;  /* HISTORY_SLOTS */
    uint64_t killer[MINIMAX_MAX_PLY + 1][KILLERS];
    /* the think under way */
    struct budget budget;
    struct error error;
    uint64_t root; /* fingerprint of the state that was thought about last */
    uint64_t nodes, fans_before;
    bool over;                                        /* the budget is spent, or something failed */
    bool horizon;                                     /* something was judged rather than played out */
    struct minimax_step (*line)[MINIMAX_MAX_PLY + 1]; /* by ply: the expected moves from there */
    uint32_t nline[MINIMAX_MAX_PLY + 2];
    VEC(struct minimax_move) moves, moves_new; /* at the root */
    struct heap *heap;                         /* of these */
    struct minimax_report report;
    /* other threads (helpers.c) */
    struct minimax *helpers[MINIMAX_MAX_HELPERS];
    uint32_t nhelpers;
    uint32_t number;         /* among them, from 1; 0: whom they help */
    atomic_bool halted;      /* all are to stop: the first is done, or one has seen everything */
    const atomic_bool *halt; /* of the first */
};

/* --- ahead.c: open nodes, and what they will need below, level by level */
struct ask {
    enum whose whose;
    enum expect expect;
    uint32_t depth, ply;
};
/* Several nodes of a kind at once; out[i] is for p[i]. As far down as lanes allow. False: over. */
bool ahead_open(struct minimax *m, const struct place *const *p, uint32_t n, struct ask ask,
                struct opened **out);
/* How many leaves a node of so many moves will need at the horizon, as far as one can know. */
double ahead_leaves(const struct minimax *m, const struct place *p, struct ask ask);
#define AHEAD_LEAVES 128.0
/* Make the child of a candidate; by sweeps those of all others with it. False: over. */
bool ahead_child(struct minimax *m, const struct opened *o, struct ask ask, const struct candidate *c);
struct ask ahead_below(const struct minimax *m, struct ask ask, bool first);
bool ahead_lazily(const struct minimax *m); /* a child at a time: nothing is opened ahead */

/* --- frame.c: search a place to a depth. False: over. */
bool frame_search(struct minimax *m, const struct place *root, uint32_t depth, float *value);

/* --- order.c: what the candidates are worth looking at; then, one after the other, the best of the rest */
void order_candidates(struct minimax *m, const struct place *p, const struct opened *o, struct ask ask,
                      uint32_t known /* number to look at first, or TWODEEP_NO_MOVE */);
bool order_by_child(const struct minimax *m, uint32_t depth); /* must all children be there for it? */
void order_next(struct candidate *c, uint32_t i, uint32_t n); /* brings it to c[i] */
void order_cut(struct minimax *m, const struct candidate *c, uint32_t depth, uint32_t ply);
void order_fade(struct minimax *m); /* between moves */

/* --- what the table has of a place; false: nothing */
bool frame_known(const struct minimax *m, const struct place *p, enum whose whose, struct twodeep_entry *out);
void frame_fetch(const struct minimax *m, const struct place *p, enum whose whose); /* it will be asked for */

/* --- minimax.c: values of a place: of an end, or as it seems */
void minimax_judge(struct minimax *m, const struct place *p, float *out);
/* Look at a state with one thread; m->error: what went wrong. */
void minimax_look(struct minimax *m, const struct state *state, const struct budget *budget);

/* --- lessons.c: what somebody else has found out about the game */
void lessons_use(struct minimax *m);

/* --- helpers.c: look at a state together with as many threads as there are to be */
void helpers_look(struct minimax *m, const struct state *state, const struct budget *budget);
void helpers_free(struct minimax *m);

#endif
