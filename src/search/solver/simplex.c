// SPDX-License-Identifier: GPL-3.0-or-later
/* Dantzig's rule (the column with the best price) is quick but can go in circles where several rows stop a
 * column equally early. Bland's rule (the lowest number that improves, the lowest number that leaves) cannot.
 * So after as many pivots in a row that gained nothing as there are rows and columns, Bland's rule it is,
 * until one gains something. */
#include "search/solver/simplex.h"

#include <stdbool.h>

#define TOLERANCE 1e-11

struct simplex {
    double *t;
    uint32_t m, n, width;
    uint32_t *row_of, *column_of; /* by row, by column: the variable; y are 0..n-1, slacks n..n+m-1 */
};

static uint32_t enter(const struct simplex *s, bool bland)
{
    const double *price = s->t + (size_t)s->m * s->width;
    uint32_t best = UINT32_MAX;
    for (uint32_t c = 0; c < s->n; c++) {
        if (price[c] <= TOLERANCE) continue;
        if (best == UINT32_MAX || (bland ? s->column_of[c] < s->column_of[best] : price[c] > price[best]))
            best = c;
    }
    return best;
}

static uint32_t leave(const struct simplex *s, uint32_t column, bool bland, double *step)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t r = 0; r < s->m; r++) {
        const double *at = s->t + (size_t)r * s->width;
        if (at[column] <= TOLERANCE) continue;
        double ratio = at[s->n] / at[column];
        bool equal = best != UINT32_MAX && ratio <= *step + TOLERANCE && ratio >= *step - TOLERANCE;
        if (best == UINT32_MAX || (!equal && ratio < *step) ||
            (equal &&
             (bland ? s->row_of[r] < s->row_of[best] : at[column] > s->t[(size_t)best * s->width + column])))
            best = r, *step = ratio;
    }
    return best;
}

static void pivot(struct simplex *s, uint32_t row, uint32_t column)
{
    double *at = s->t + (size_t)row * s->width, inverse = 1 / at[column];
    for (uint32_t c = 0; c < s->width; c++) at[c] *= inverse;
    at[column] = inverse;
    for (uint32_t r = 0; r <= s->m; r++) {
        double *other = s->t + (size_t)r * s->width, factor = other[column];
        if (r == row || factor == 0) continue;
        other[column] = 0;
        for (uint32_t c = 0; c < s->width; c++) other[c] -= factor * at[c];
    }
    uint32_t was = s->row_of[row];
    s->row_of[row] = s->column_of[column];
    s->column_of[column] = was;
}

uint32_t simplex_run(double *tableau, uint32_t m, uint32_t n, uint32_t *basis, double *x, double *y)
{
    struct simplex s = {tableau, m, n, n + 1, basis, basis + m};
    uint32_t pivots = 0, idle = 0, patience = m + n;
    for (uint32_t c = 0; c < n; c++) s.column_of[c] = c, s.t[(size_t)m * s.width + c] = 1;
    for (uint32_t r = 0; r < m; r++) s.row_of[r] = n + r, s.t[(size_t)r * s.width + n] = 1;
    s.t[(size_t)m * s.width + n] = 0;
    /* Rounding could make even Bland's rule go round: whoever asks checks what comes out, so just stop. */
    for (uint32_t most = 100 * (m + n) + 1000; pivots < most; pivots++) {
        bool bland = idle > patience;
        double step = 0;
        uint32_t column = enter(&s, bland);
        if (column == UINT32_MAX) break;
        uint32_t row = leave(&s, column, bland, &step);
        if (row == UINT32_MAX) break;
        idle = step > TOLERANCE ? 0 : idle + 1;
        pivot(&s, row, column);
    }
    for (uint32_t i = 0; i < n; i++) y[i] = 0;
    for (uint32_t i = 0; i < m; i++) x[i] = 0;
    for (uint32_t r = 0; r < m; r++)
        if (s.row_of[r] < n) y[s.row_of[r]] = s.t[(size_t)r * s.width + n];
    for (uint32_t c = 0; c < n; c++)
        if (s.column_of[c] >= n) x[s.column_of[c] - n] = -s.t[(size_t)m * s.width + c];
    return pivots;
}
