/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A node where two players choose at once, seen through the bounds of its children (002 §6.3, §6.4).
 *
 *     P: what MAX gets at least after each pair of moves      O: at most
 *          b1  b2  b3                                              b1  b2  b3
 *     a1 [  0  40   0 ]                                       a1 [ 100  40 100 ]
 *     a2 [  0  30   0 ]                                       a2 [ 100  30 100 ]
 *
 * The node's own bounds are the Nash values of P and of O. A row is out when a mixture of others is at least
 * as good for MAX in the worst case (P) as the row in the best (O), against every column (figure 6.3); a
 * column when a mixture of others costs MIN at most in the worst case (O) what the column does in the best
 * (P), against every row (figure 6.4). Neither changes the value, so rows and columns are taken out in turn
 * until none goes. Of two equal rows only one goes: it is out when the other is looked at.
 *
 * Both questions are matrix games: "is there a mixture x of rows with x P >= O[a] everywhere" asks whether
 * the game of P less O[a] in every row is worth 0 or more to MAX.
 *
 * With one row or one column this is Score Bounded MCTS: bounds by minimum and maximum.
 */
#ifndef SEARCH_SOLVER_DUEL_H
#define SEARCH_SOLVER_DUEL_H

#include "search/solver/matrix.h"

struct duel {
    uint32_t rows, columns;
    uint32_t changes; /* cells changed since the last duel_update that calculated */
    double low, high; /* bounds of the node */
    double *p, *o;    /* rows * columns, row by row */
    bool *row_out, *column_out;
};

/* Memory a duel takes, for who keeps it among other things; duel_init puts one there. All cells begin at
 * [low, high]. */
size_t duel_bytes(uint32_t rows, uint32_t columns);
struct duel *duel_init(void *memory, uint32_t rows, uint32_t columns, double low, double high);

/* New bounds of a cell; they only ever get closer. True if they did. */
bool duel_set(struct duel *d, uint32_t row, uint32_t column, double low, double high);

/* Prune, and calculate the bounds: only when enough cells have changed for anything to move (as many as the
 * shorter side has, 002 §6.5), or when `force`d. True if the node's bounds moved. */
bool duel_update(struct duel *d, struct matrix_work *w, bool force);

static inline bool duel_solved(const struct duel *d)
{
    return d->high - d->low < MATRIX_EPSILON;
}

/* Strategies: x of MAX from P is what guarantees d->low, y of MIN from O what guarantees d->high. Entries of
 * what is out are 0. */
bool duel_strategies(const struct duel *d, struct matrix_work *w, bool from_p, double *x, double *y);

#endif
