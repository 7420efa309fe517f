/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an 8x8 board looks like in parts (003 section IV-C, after Buro), for games like Rolit and Othello,
 * where pieces are put and turned: the lines across and up, the diagonals of at least four squares, and the
 * 2x4 corners, each square empty, a role's own, or somebody else's; at each of twelve stages of the game.
 *
 *     12 stages x (4 lines x 3^8 + 3^4 + 3^5 + 3^6 + 3^7 + 3^8 + 3^8) = 511,272 patterns
 *
 * Those that symmetry makes alike have one number. */
#ifndef SEARCH_MINIMAX_PATTERNS_H
#define SEARCH_MINIMAX_PATTERNS_H

#include "search/minimax/squares.h"

enum {
    PATTERNS_SIDE = 8,
    PATTERNS_CELLS = 64,
    PATTERNS_STAGES = 12,
    PATTERNS_SHAPES = 42, /* 16 lines, 18 diagonals, 8 corners */
    PATTERNS_ROOM = 48
};

struct patterns_shape {
    uint8_t n, cell[PATTERNS_SIDE];
    uint32_t base; /* where its patterns begin within a stage */
};

struct patterns {
    struct squares squares;
    uint32_t nroles;
    struct patterns_shape shape[PATTERNS_SHAPES];
    /* What an own piece there is worth in the number of each pattern, and somebody else's. */
    uint16_t worth[PATTERNS_CELLS][2][PATTERNS_ROOM];
    uint32_t of_stage, count; /* patterns of a stage, and all */
};

/* False: it is not such a board, or there is no memory. Nothing has to be done away with then. */
bool patterns_init(struct patterns *p, const struct evaluator_source *from);
void patterns_done(struct patterns *p);

/* Who stands where. */
struct patterns_view {
    uint32_t n;
    uint8_t cell[PATTERNS_CELLS], owner[PATTERNS_CELLS]; /* a role, or nroles: nobody's */
};
void patterns_look(const struct patterns *p, const uint64_t *state, uint32_t words,
                   struct patterns_view *view);
/* The number of each shape's pattern, as a role sees it. */
void patterns_number(const struct patterns *p, const struct patterns_view *view, uint32_t role,
                     uint32_t number[PATTERNS_SHAPES]);

/* An evaluation by patterns, still without a name and without values: NULL if the game does not play like
 * Othello (squares are taken once and for all, pieces change hands, who has most at the end has the best
 * goal, as random games show), or there is no memory. Moves are in the order of first sight: corners are
 * best, and squares beside them worst. */
struct patterned {
    struct evaluator base;
    struct patterns patterns;
    float *weight; /* by pattern, 0 in the beginning */
};
struct patterned *patterned_new(const struct evaluator_source *from);

#endif
