// SPDX-License-Identifier: GPL-3.0-or-later
/* Everything here works on the rows and columns that are still in, copied together so that the matrix solver
 * sees a plain matrix. Duels are small: the copies cost less than one pivot. */
#include "search/solver/duel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t duel_bytes(uint32_t rows, uint32_t columns)
{
    size_t cells = (size_t)rows * columns;
    return (sizeof(struct duel) + 2 * cells * sizeof(double) + rows + columns + 7) / 8 * 8;
}

struct duel *duel_init(void *memory, uint32_t rows, uint32_t columns, double low, double high)
{
    struct duel *d = memory;
    size_t cells = (size_t)rows * columns;
    *d = (struct duel){.rows = rows, .columns = columns, .low = low, .high = high};
    d->p = (double *)(d + 1);
    d->o = d->p + cells;
    d->row_out = (bool *)(d->o + cells);
    d->column_out = d->row_out + rows;
    for (size_t i = 0; i < cells; i++) d->p[i] = low, d->o[i] = high;
    memset(d->row_out, 0, rows);
    memset(d->column_out, 0, columns);
    return d;
}

bool duel_set(struct duel *d, uint32_t row, uint32_t column, double low, double high)
{
    size_t at = (size_t)row * d->columns + column;
    bool closer = low > d->p[at] || high < d->o[at];
    if (low > d->p[at]) d->p[at] = low;
    if (high < d->o[at]) d->o[at] = high;
    d->changes += closer;
    return closer;
}

/* What is still in, with room for the matrices to solve. */
struct rest {
    uint32_t m, n, *row, *column;
    double *a, *x, *y;
};

static bool rest_new(const struct duel *d, struct rest *s, struct matrix_work *w)
{
    size_t cells = (size_t)d->rows * d->columns;
    size_t room = (cells + d->rows + d->columns) * (sizeof(double) + sizeof(uint32_t));
    if (w->rest_cap < room) {
        void *grown = realloc(w->rest, room);
        if (!grown) return false;
        w->rest = grown, w->rest_cap = room;
    }
    s->a = w->rest;
    s->x = s->a + cells;
    s->y = s->x + d->rows;
    s->row = (uint32_t *)(s->y + d->columns);
    s->column = s->row + d->rows;
    return true;
}

static void rest_find(const struct duel *d, struct rest *s)
{
    s->m = s->n = 0;
    for (uint32_t r = 0; r < d->rows; r++)
        if (!d->row_out[r]) s->row[s->m++] = r;
    for (uint32_t c = 0; c < d->columns; c++)
        if (!d->column_out[c]) s->column[s->n++] = c;
}

static double cell(const struct duel *d, const double *of, uint32_t row, uint32_t column)
{
    return of[(size_t)row * d->columns + column];
}

/* Does one other row (column) do it alone? */
static bool row_pure(const struct duel *d, const struct rest *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->m; i++) {
        if (s->row[i] == row) continue;
        uint32_t k = 0;
        while (k < s->n && cell(d, d->p, s->row[i], s->column[k]) >= cell(d, d->o, row, s->column[k])) k++;
        if (k == s->n) return true;
    }
    return false;
}

static bool column_pure(const struct duel *d, const struct rest *s, uint32_t column)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->column[i] == column) continue;
        uint32_t k = 0;
        while (k < s->m && cell(d, d->o, s->row[k], s->column[i]) <= cell(d, d->p, s->row[k], column)) k++;
        if (k == s->m) return true;
    }
    return false;
}

/* Does a mixture? Cheap to deny: against some column every other row is worse. Rounding must not prune what
 * is not dominated: it takes a mixture that has been checked to be good enough but for the noise of adding
 * up. */
#define NOISE 1e-9

static bool row_mixed(const struct duel *d, struct rest *s, uint32_t row, struct matrix_work *w)
{
    uint32_t m = 0;
    struct matrix_value value;
    for (uint32_t i = 0; i < s->m; i++) {
        if (s->row[i] == row) continue;
        for (uint32_t k = 0; k < s->n; k++)
            s->a[(size_t)m * s->n + k] =
                cell(d, d->p, s->row[i], s->column[k]) - cell(d, d->o, row, s->column[k]);
        m++;
    }
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t r = 0;
        while (r < m && s->a[(size_t)r * s->n + k] < 0) r++;
        if (r == m) return false;
    }
    return matrix_solve(w, s->a, m, s->n, s->n, NULL, NULL, &value) && value.low >= -NOISE;
}

static bool column_mixed(const struct duel *d, struct rest *s, uint32_t column, struct matrix_work *w)
{
    uint32_t n = 0, stride = s->n - 1;
    struct matrix_value value;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->column[i] == column) continue;
        for (uint32_t k = 0; k < s->m; k++)
            s->a[(size_t)k * stride + n] =
                cell(d, d->o, s->row[k], s->column[i]) - cell(d, d->p, s->row[k], column);
        n++;
    }
    for (uint32_t k = 0; k < s->m; k++) {
        uint32_t c = 0;
        while (c < n && s->a[(size_t)k * stride + c] > 0) c++;
        if (c == n) return false;
    }
    return matrix_solve(w, s->a, s->m, n, stride, NULL, NULL, &value) && value.high <= NOISE;
}

static bool prune_rows(struct duel *d, struct rest *s, struct matrix_work *w)
{
    bool any = false;
    for (uint32_t r = 0; r < d->rows && s->m > 1; r++) {
        if (d->row_out[r]) continue;
        if (!row_pure(d, s, r) && !(s->m > 2 && row_mixed(d, s, r, w))) continue;
        any = d->row_out[r] = true;
        rest_find(d, s);
    }
    return any;
}

static bool prune_columns(struct duel *d, struct rest *s, struct matrix_work *w)
{
    bool any = false;
    for (uint32_t c = 0; c < d->columns && s->n > 1; c++) {
        if (d->column_out[c]) continue;
        if (!column_pure(d, s, c) && !(s->n > 2 && column_mixed(d, s, c, w))) continue;
        any = d->column_out[c] = true;
        rest_find(d, s);
    }
    return any;
}

static bool solve_rest(const struct duel *d, struct rest *s, const double *of, struct matrix_work *w,
                       struct matrix_value *value)
{
    for (uint32_t i = 0; i < s->m; i++)
        for (uint32_t k = 0; k < s->n; k++) s->a[(size_t)i * s->n + k] = cell(d, of, s->row[i], s->column[k]);
    return matrix_solve(w, s->a, s->m, s->n, s->n, s->x, s->y, value);
}

/* Whole numbers that rounding has missed. */
static double tidy(double v)
{
    return fabs(v - round(v)) < MATRIX_EPSILON ? round(v) : v;
}

bool duel_update(struct duel *d, struct matrix_work *w, bool force)
{
    uint32_t enough = d->rows < d->columns ? d->rows : d->columns;
    struct rest s;
    struct matrix_value p, o;
    if (!force && d->changes < enough) return false;
    if (!rest_new(d, &s, w)) return false;
    d->changes = 0;
    rest_find(d, &s);
    while (prune_rows(d, &s, w) | prune_columns(d, &s, w)) {
    }
    bool moved = false;
    if (solve_rest(d, &s, d->p, w, &p) && solve_rest(d, &s, d->o, w, &o)) {
        double low = tidy(p.low), high = tidy(o.high);
        moved = low > d->low || high < d->high;
        if (low > d->low) d->low = low;
        if (high < d->high) d->high = high;
        if (d->high < d->low) d->low = d->high = (d->low + d->high) / 2;
    }
    return moved;
}

bool duel_strategies(const struct duel *d, struct matrix_work *w, bool from_p, double *x, double *y)
{
    struct rest s;
    struct matrix_value value;
    if (!rest_new(d, &s, w)) return false;
    rest_find(d, &s);
    bool ok = solve_rest(d, &s, from_p ? d->p : d->o, w, &value);
    for (uint32_t r = 0; r < d->rows && x; r++) x[r] = 0;
    for (uint32_t c = 0; c < d->columns && y; c++) y[c] = 0;
    for (uint32_t i = 0; ok && x && i < s.m; i++) x[s.row[i]] = s.x[i];
    for (uint32_t k = 0; ok && y && k < s.n; k++) y[s.column[k]] = s.y[k];
    return ok;
}
