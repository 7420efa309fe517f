/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simplex method for max sum y, A y <= 1, y >= 0 with all of A positive: the shape matrix games have.
 *
 *     ┌─────────────────┬───┐    m rows, n columns and the right-hand side; below them the prices.
 *     │        A        │ 1 │    A pivot swaps a column's variable (y, or a slack) with a row's; the tableau
 *     ├─────────────────┼───┤    keeps only columns of variables that are 0 now, so it never grows.
 *     │    prices (1)   │ 0 │
 *     └─────────────────┴───┘
 */
#ifndef SEARCH_SOLVER_SIMPLEX_H
#define SEARCH_SOLVER_SIMPLEX_H

#include <stddef.h>
#include <stdint.h>

/* Doubles of a tableau. */
static inline size_t simplex_size(uint32_t m, uint32_t n)
{
    return ((size_t)m + 1) * ((size_t)n + 1);
}

/* Solve. A is in the tableau's first n columns (n + 1 apart) of the first m rows; the rest is filled in here.
 * `basis` has room for m + n. x gets the m dual values, y the n variables. Returns the number of pivots. */
uint32_t simplex_run(double *tableau, uint32_t m, uint32_t n, uint32_t *basis, double *x, double *y);

#endif
