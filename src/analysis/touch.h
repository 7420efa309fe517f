/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a move happens: the cells a person would click to make it.
 *
 *     (move wp 1 2 1 3)    names two cells: from, to
 *     (mark 2 2)           names one
 *     (drop 4)             names none; but what it changes is one cell of column 4
 *     (move 6 5 1 south)   names the pile it takes from; what it changes tells where to
 *
 * Names are read off the arguments by the board's coordinates; where they do not tell moves apart, the moves
 * are tried. Nothing depends on what anything is called.
 */
#ifndef ANALYSIS_TOUCH_H
#define ANALYSIS_TOUCH_H

#include "analysis/picture.h"

#define TOUCH_MAX 8

struct touch {
    uint32_t board;                                 /* a root */
    uint32_t cells[TOUCH_MAX];                      /* on it, in order; piles count as their lowest cell */
    uint32_t n;                                     /* 0: nowhere */
    bool guessed;                                   /* it names none: found by what it does */
    enum { ZONE_CELL, ZONE_COLUMN, ZONE_ROW } zone; /* the whole column or row of a single cell means it */
};

/* The cells of the board that a move (of `terms`) names, in order; how many. `cells` has room for TOUCH_MAX.
 */
uint32_t touch_named(const struct analysis *a, uint32_t board, const struct terms *terms, term move,
                     uint32_t *cells);

/* Where each of a role's legal moves happens, in `out`. `others` is a joint move to try them with. Moves are
 * tried until `deadline`. Inside a guard of the heap; questions that the reasoner cannot answer are left. */
void touch_moves(const struct analysis *a, struct heap *heap, struct reasoner *r, const struct state *s,
                 uint32_t role, const struct list *legal, const uint32_t *others, struct glyph **glyphs,
                 double deadline, struct touch *out);

#endif
