/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix games: rows are chosen by MAX, columns by MIN at the same time, a cell is what MAX gets.
 *
 *              b1   b2   b3        value: what MAX gets on average when both play as well as can be
 *         a1 [ 50   40    ?  ]     x: how often MAX plays each row, y: MIN each column
 *         a2 [ 30   70    ?  ]
 *
 * Three things are tried in turn, each only where the one before does not settle it:
 *
 *     saddle point     a cell that is the least of its row and the most of its column: pure strategies
 *     two by two       in closed form
 *     linear program   figure 6.1 of document 002: entries made positive by an offset, then
 *                      max sum y, (A + offset) y <= 1, y >= 0, by the simplex method on a dense tableau.
 *                      The origin is feasible, so there is no first phase; x are the dual values.
 *
 * Whatever was done, what comes out is checked against the matrix: `low` is what x brings MAX at least,
 * `high` what y costs MIN at most. Rounding can make them differ a little; it can never make them wrong by
 * more than one addition of a row.
 */
#ifndef SEARCH_SOLVER_MATRIX_H
#define SEARCH_SOLVER_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATRIX_EPSILON                                                                   \
    1e-6 /* two values that differ by less are equal (FINDINGS: solved iff o - p < 1e-6) \
          */

/* Room to work in; one per thread, begins zeroed, grows. */
struct matrix_work {
    double *v; /* the tableau and what comes out of it */
    size_t cap;
    uint32_t *basis;
    size_t basis_cap;
    void *rest; /* of a duel: see duel.c */
    size_t rest_cap;
    uint64_t saddles, two_by_two, programs, pivots; /* what was done */
    /* For who measures: told of every matrix that takes a program; NULL: nobody. */
    void (*record)(void *data, const double *a, uint32_t m, uint32_t n, uint32_t stride);
    void *record_data;
};

void matrix_work_done(struct matrix_work *w);

struct matrix_value {
    double value;     /* between low and high */
    double low, high; /* proved by x and by y */
};

/* The value of the m x n game in a[row * stride + column]. x (m entries) and y (n entries) may be NULL.
 * False: no memory. */
bool matrix_solve(struct matrix_work *w, const double *a, uint32_t m, uint32_t n, uint32_t stride, double *x,
                  double *y, struct matrix_value *out);
/* The linear program alone, for those who compare. */
bool matrix_program(struct matrix_work *w, const double *a, uint32_t m, uint32_t n, uint32_t stride,
                    double *x, double *y, struct matrix_value *out);

/* The two values strategies prove: min over columns of x A, max over rows of A y. */
double matrix_low(const double *a, uint32_t m, uint32_t n, uint32_t stride, const double *x);
double matrix_high(const double *a, uint32_t m, uint32_t n, uint32_t stride, const double *y);

#endif
