/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be found out about a game, once, for everyone: the boards, pieces and cells in its states, who
 * moves when, counters, and how games go when played at random.
 *
 *     reasoner ──> sample: random games ──> struct analysis
 *                                             ├── turns, control, counter      who moves, and how it is told
 *                                             ├── length, branching, goals     statistics
 *                                             └── boards ── axes, cells
 *                                                         ├── pieces ── owner, blank
 *                                                         └── actions ── from, to
 *
 * Everything here is observed, not proved: it holds in every state that was sampled. Names never matter,
 * except to order coordinates that nothing else orders and to break ties when looking for the empty cell.
 *
 * Terms are numbers of the analysis' own store. Atoms have the same number in every store of the game,
 * compound terms do not; board_find takes facts of any store of the same game.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "game/reasoner.h"

/* A coordinate: its values in order. */
enum axis_order {
    AXIS_NUMBERS,   /* they are numbers */
    AXIS_SUCCESSOR, /* a static relation chains them: (succ 1 2), (nextcol a b) */
    AXIS_NAMES,     /* single letters, or one prefix with numbers: a b c, x1 x2 x3 */
    AXIS_SHEET,     /* nothing orders them: as the sheet first mentions them */
};

struct axis {
    enum axis_order order;
    symbol relation; /* of AXIS_SUCCESSOR */
    uint32_t n;
    term *value;
};

/* What a cell can hold: one value for each contents argument. */
struct piece {
    term *contents;
    int owner;      /* the role whose moves put it there; -1: nobody's, or several roles' */
    bool blank;     /* the empty cell */
    uint32_t most;  /* most in one state */
    uint64_t count; /* in all sampled states together */
};

/* A kind of move that concerns one board, by name and arity. Arguments of the move that are coordinates come
 * in the order of the board's fact. -1: there is none. */
struct action {
    symbol name;
    uint32_t arity;
    int from; /* argument where the coordinates of the cell that the mover's piece leaves begin */
    int to;   /* ... and of the cell that it is on afterwards */
    uint64_t count;
};

#define BOARD_MAX_ARGS 16

/* A state predicate that is a board (002 section 4.1.4): two of its arguments are coordinates and determine
 * the rest, in every sampled state. Further coordinates make several planes of it (3D, nine boards).
 *
 *     (cell  h  1  wr)        plane ── one grid of x.n by y.n cells for each value of the plane arguments
 *            x  y  contents   cell  =  (plane * y.n + y) * x.n + x
 */
enum board_kind {
    BOARD_CELLS,  /* the cell determines the contents: (cell 1 2 white) */
    BOARD_TOKENS, /* things with a place, several of which may share a cell: (location pacman 3 4) */
    BOARD_MARKS,  /* no contents, only cells that are marked: (chocolate 3 4) */
};

struct board {
    symbol name;
    uint32_t arity;
    enum board_kind kind;
    bool compound;         /* one argument names the cell, (cell a1 red): x_arg = y_arg, its text is split */
    bool star;             /* such cells form a star or hexagon: y goes down, rows are centred */
    uint32_t x_arg, y_arg; /* x is drawn to the right, y upwards */
    uint32_t nplane_args, ncontents;
    uint32_t plane_arg[2], contents_arg[BOARD_MAX_ARGS];
    struct axis x, y, plane_axis[2];
    uint32_t planes, cells; /* planes: product of the plane axes; cells: planes * x.n * y.n */
    bool *exists;           /* by cell: seen in some state, or a legal move would have put something there */
    uint32_t nexists;
    uint32_t npieces;
    struct piece *pieces;
    uint64_t arrivals, changed; /* of pieces on cells; those on cells that another piece had */
    uint32_t nactions;
    struct action *actions;
    uint32_t parent;     /* number of the board whose cells it shares, so that both are drawn as one; its own
                            otherwise */
    bool stacked;        /* its planes are heights: nothing stands where nothing stands below (shape.c) */
    int skew;            /* cells have six neighbours, and rows go half a cell to the right (1) or to the
                            left (-1) on their way up; 0: they do not */
    VEC(uint32_t) links; /* pairs of cells that moves go between, where there is more hole than board */
    bool fast_template;  /* as FAST wants it: two coordinates, then what is on the cell */
    /* for board_find: */
    uint32_t *cell_of[4]; /* by term: index on x, y, plane 0, plane 1; UINT32_MAX: not on the axis */
    uint32_t nterms;
};

enum turns {
    TURNS_ONE_ROLE,
    TURNS_ALTERNATE,    /* one role chooses at a time, in a fixed order round and round */
    TURNS_TAKEN,        /* one role chooses at a time, in no fixed order */
    TURNS_SIMULTANEOUS, /* several roles choose at once in some states */
};

struct spread {
    double mean;
    uint64_t min, max, n;
};

struct goal_count {
    int value;
    uint64_t count;
};

struct role_analysis {
    struct spread branching;      /* legal moves in the states where the role has a choice */
    uint64_t chose;               /* states in which it had one */
    VEC(struct goal_count) goals; /* at the end, ascending */
    double goal_mean;
};

struct analysis {
    struct heap *heap; /* owns everything here */
    struct terms *terms;
    const struct game *game;

    uint64_t games, states, cut; /* games that ended; states seen; games given up at a limit */
    struct error fault; /* what stopped the sampling early (a role without a move, ...), if something did */
    struct spread length, state_size, joint; /* joint: joint moves per state */
    struct role_analysis *roles;

    enum turns turns;
    uint32_t *turn_order; /* by position in the round, nroles entries, if turns alternate; else NULL */
    symbol control;       /* (control ROLE) tells who chooses; 0: no such fact */
    uint32_t control_arity, control_arg;
    symbol counter; /* (step N) depends on the number of moves made alone; 0: no such fact */
    uint32_t counter_arity;

    bool goals_defined; /* exactly one goal value per role at every end */
    bool constant_sum;  /* the goals of all roles add up to the same at every end */
    int sum;            /* ... to this */

    VEC(struct board) boards; /* the one with most cells first */
};

struct analysis_options {
    uint32_t games;  /* at most; 0: 20 */
    uint32_t steps;  /* per game; 0: 500 */
    uint32_t states; /* in all; 0: 5000 */
    double seconds;  /* of playing; 0: 5 */
    uint64_t seed;
    double deadline;           /* of everything (clock_now() time): NULL and an error then; 0: none */
    const atomic_bool *cancel; /* the same; may be NULL */
};

/* Play random games with the reasoner and look at them. A game that cannot be played to the end gives what
 * was seen until then. NULL and an error if there is not even an initial state, or no memory. */
struct analysis *analysis_new(struct reasoner *reasoner, const struct analysis_options *options,
                              struct error *error);
void analysis_free(struct analysis *a);

/* Where a fact belongs: true if it is of this board, with the cell (UINT32_MAX if it is off the grid) and the
 * piece (UINT32_MAX if such contents were never seen). `terms` is the store the fact is from. */
bool board_find(const struct analysis *a, const struct board *b, const struct terms *terms, term fact,
                uint32_t *cell, uint32_t *piece);

/* The cells that a move goes from and to, as far as its kind says (struct action); UINT32_MAX: none. `terms`
 * is the store the move is from. */
void board_trip(const struct board *b, const struct terms *terms, term move, uint32_t *from, uint32_t *to);

static inline uint32_t board_cell(const struct board *b, uint32_t plane, uint32_t x, uint32_t y)
{
    return (plane * b->y.n + y) * b->x.n + x;
}

/* FAST's choice of features (002 section 4.1.4): kinds of pieces where some role has more than one, else
 * cells; NULL if there is no board of its form. */
const struct board *analysis_fast_board(const struct analysis *a, bool *pieces);

#endif
