// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/matrix.h"

#include "search/solver/simplex.h"

#include <stdlib.h>
#include <string.h>

void matrix_work_done(struct matrix_work *w)
{
    free(w->v);
    free(w->basis);
    free(w->rest);
    *w = (struct matrix_work){0};
}

double matrix_low(const double *a, uint32_t m, uint32_t n, uint32_t stride, const double *x)
{
    double low = 0;
    for (uint32_t c = 0; c < n; c++) {
        double sum = 0;
        for (uint32_t r = 0; r < m; r++) sum += x[r] * a[(size_t)r * stride + c];
        if (c == 0 || sum < low) low = sum;
    }
    return low;
}

double matrix_high(const double *a, uint32_t m, uint32_t n, uint32_t stride, const double *y)
{
    double high = 0;
    for (uint32_t r = 0; r < m; r++) {
        double sum = 0;
        for (uint32_t c = 0; c < n; c++) sum += y[c] * a[(size_t)r * stride + c];
        if (r == 0 || sum > high) high = sum;
    }
    return high;
}

static void pure(double *strategy, uint32_t n, uint32_t choice)
{
    if (!strategy) return;
    memset(strategy, 0, n * sizeof *strategy);
    strategy[choice] = 1;
}

/* The best of the rows' least and the least of the columns' best; equal, they are the value. */
static bool saddle(const double *a, uint32_t m, uint32_t n, uint32_t stride, double *x, double *y,
                   struct matrix_value *out)
{
    uint32_t row = 0, column = 0;
    double most = 0, least = 0;
    for (uint32_t r = 0; r < m; r++) {
        const double *at = a + (size_t)r * stride;
        double low = at[0];
        for (uint32_t c = 1; c < n; c++) low = at[c] < low ? at[c] : low;
        if (r == 0 || low > most) most = low, row = r;
    }
    for (uint32_t c = 0; c < n; c++) {
        double high = a[c];
        for (uint32_t r = 1; r < m && (c == 0 || high < least); r++)
            high = a[(size_t)r * stride + c] > high ? a[(size_t)r * stride + c] : high;
        if (c == 0 || high < least) least = high, column = c;
    }
    if (least > most) return false;
    pure(x, m, row);
    pure(y, n, column);
    *out = (struct matrix_value){most, most, most};
    return true;
}

/* Without a saddle point both mix so that the other does not care:
 *     [ a b ]    x1 = (d - c) / s,  y1 = (d - b) / s,  value = (ad - bc) / s,  s = a + d - b - c
 *     [ c d ]                                                                                          */
static void two_by_two(const double *v, uint32_t stride, double *x, double *y, struct matrix_value *out)
{
    double a = v[0], b = v[1], c = v[stride], d = v[stride + 1], s = a + d - b - c;
    double mix[2] = {(d - c) / s, 1 - (d - c) / s}, against[2] = {(d - b) / s, 1 - (d - b) / s};
    if (x) memcpy(x, mix, sizeof mix);
    if (y) memcpy(y, against, sizeof against);
    out->low = matrix_low(v, 2, 2, stride, mix);
    out->high = matrix_high(v, 2, 2, stride, against);
    out->value = (out->low + out->high) / 2;
}

bool matrix_solve(struct matrix_work *w, const double *a, uint32_t m, uint32_t n, uint32_t stride, double *x,
                  double *y, struct matrix_value *out)
{
    if (saddle(a, m, n, stride, x, y, out)) return w->saddles++, true;
    if (m > 2 || n > 2) return matrix_program(w, a, m, n, stride, x, y, out);
    two_by_two(a, stride, x, y, out);
    return w->two_by_two++, true;
}

/* Negative rests of rounding away, and the sum is 1. */
static void normalise(double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += v[i] = v[i] > 0 ? v[i] : 0;
    for (uint32_t i = 0; i < n; i++) v[i] = sum > 0 ? v[i] / sum : 1.0 / n;
}

bool matrix_program(struct matrix_work *w, const double *a, uint32_t m, uint32_t n, uint32_t stride,
                    double *x, double *y, struct matrix_value *out)
{
    if (w->record) w->record(w->record_data, a, m, n, stride);
    size_t tableau = simplex_size(m, n), room = tableau + m + n;
    if (w->cap < room) {
        double *grown = realloc(w->v, room * sizeof *grown);
        if (!grown) return false;
        w->v = grown, w->cap = room;
    }
    if (w->basis_cap < m + n) {
        uint32_t *grown = realloc(w->basis, (m + n) * sizeof *grown);
        if (!grown) return false;
        w->basis = grown, w->basis_cap = m + n;
    }
    double low = a[0], high = a[0], *mix = w->v + tableau, *against = mix + m;
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t c = 0; c < n; c++) {
            double v = a[(size_t)r * stride + c];
            low = v < low ? v : low, high = v > high ? v : high;
        }
    /* To [1, 2]: the offset of figure 6.1, and a scale so that one tolerance fits all games. */
    double scale = high > low ? 1 / (high - low) : 1;
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t c = 0; c < n; c++)
            w->v[(size_t)r * (n + 1) + c] = (a[(size_t)r * stride + c] - low) * scale + 1;
    w->pivots += simplex_run(w->v, m, n, w->basis, mix, against);
    w->programs++;
    normalise(mix, m);
    normalise(against, n);
    out->low = matrix_low(a, m, n, stride, mix);
    out->high = matrix_high(a, m, n, stride, against);
    out->value = (out->low + out->high) / 2;
    if (x) memcpy(x, mix, m * sizeof *x);
    if (y) memcpy(y, against, n * sizeof *y);
    return true;
}
