/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A board as evaluations of a shape see it: whose piece a bit of the circuit's state puts where, and where
 * moves go from and to. Pieces are named by the role they belong to; others are nobody's. */
#ifndef SEARCH_MINIMAX_SQUARES_H
#define SEARCH_MINIMAX_SQUARES_H

#include "search/minimax/evaluate.h"

#define SQUARES_NONE UINT16_MAX

struct squares {
    const struct board *board;
    uint32_t nroles, nbits, cells;
    uint16_t *cell;        /* by bit; SQUARES_NONE: not of the board */
    uint16_t *owner;       /* by bit; nroles: nobody's */
    uint32_t *bit;         /* role * cells + cell; UINT32_MAX: none */
    uint16_t **from, **to; /* by role and move; SQUARES_NONE: none */
};

/* False: a fact of the board is not a bit of its own, or there is no memory. */
bool squares_init(struct squares *s, const struct evaluator_source *from, const struct board *board);
void squares_done(struct squares *s);

static inline bool squares_has(const uint64_t *state, uint32_t bit)
{
    return state[bit / 64] >> bit % 64 & 1;
}

#endif
