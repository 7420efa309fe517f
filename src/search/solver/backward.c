// SPDX-License-Identifier: GPL-3.0-or-later
/* Two roles that choose at once: matrix games from the ends up.
 *
 * A position's children begin with the bounds that are remembered, or the rules'. P and O are solved; while
 * they differ some child must be looked at closer. It is one that MAX would play in his best hopes and MIN in
 * hers, so that x of O and y of P both have it: were P and O equal wherever both do, then
 *
 *     value(O) <= x O y = x P y <= value(P)
 *
 * and nothing would be left to do. So only a part of the matrix is ever filled, as with a double oracle
 * (Bosansky et al. 2013), and nothing is computed about domination: what is dominated has no share.
 *
 * With one row or column it is alpha-beta: the most hopeful child first, within the window. */
#include "search/solver/solve_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct field {
    struct fan *f;
    struct duel *d;
    double *x, *y; /* how often, in the best hopes of each side */
};

static bool bounds_of(struct solver *s, const struct place *c, double *low, double *high)
{
    if (c->end) {
        *low = *high = solver_goal(s, c);
        return true;
    }
    solver_outlook(s, c, low, high);
    struct memo_entry *e = memo_find(&s->memo, c);
    if (e) *low = fmax(*low, memo_low(e)), *high = fmin(*high, memo_high(e));
    return e || c->outlook;
}

static uint32_t joint_of(const struct fan *f, uint32_t row, uint32_t column)
{
    return row * f->stride[0] + column * f->stride[1];
}

/* One row or one column: bounds by maximum (minimum), and the child to enter: the one that hopes most. */
static uint32_t look_along(struct duel *d, bool max)
{
    uint32_t n = d->rows * d->columns, best = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (max ? d->o[i] > d->o[best] || (d->o[i] == d->o[best] && d->p[i] > d->p[best])
                : d->p[i] < d->p[best] || (d->p[i] == d->p[best] && d->o[i] < d->o[best]))
            best = i;
    }
    double low = d->p[0], high = d->o[0];
    for (uint32_t i = 1; i < n; i++) {
        if (max ? d->p[i] > low : d->p[i] < low) low = d->p[i];
        if (max ? d->o[i] > high : d->o[i] < high) high = d->o[i];
    }
    if (low > d->low) d->low = low;
    if (high < d->high) d->high = high;
    return best;
}

static uint32_t look_across(struct solver *s, struct field *at)
{
    struct duel *d = at->d;
    struct matrix_value p, o;
    uint32_t best = UINT32_MAX;
    double most = -1;
    if (!matrix_solve(&s->work, d->p, d->rows, d->columns, d->columns, NULL, at->y, &p) ||
        !matrix_solve(&s->work, d->o, d->rows, d->columns, d->columns, at->x, NULL, &o)) {
        s->halt = HALT_MEMORY;
        return 0;
    }
    if (p.low > d->low) d->low = p.low;
    if (o.high < d->high) d->high = o.high;
    for (uint32_t r = 0; r < d->rows; r++)
        for (uint32_t c = 0; c < d->columns; c++) {
            uint32_t i = r * d->columns + c;
            double weight = at->x[r] * at->y[c] * (d->o[i] - d->p[i]);
            if (d->o[i] - d->p[i] >= MATRIX_EPSILON / 10 && weight > most) most = weight, best = i;
        }
    if (best == UINT32_MAX) d->low = d->high = (d->low + d->high) / 2; /* all cells are exact */
    return best;
}

static bool fill(struct solver *s, struct field *at, double alpha, double beta)
{
    struct duel *d = at->d;
    bool along = d->rows == 1 || d->columns == 1, max = d->columns == 1;
    while (!s->halt) {
        uint32_t i = along ? look_along(d, max) : look_across(s, at);
        if (s->halt || duel_solved(d) || d->low >= beta || d->high <= alpha) break;
        double from = s->low, to = s->high, low, high;
        if (along && max) from = alpha > d->low ? alpha : d->low, to = beta;
        if (along && !max) to = beta < d->high ? beta : d->high, from = alpha;
        const struct place *c = &at->f->child[joint_of(at->f, i / d->columns, i % d->columns)];
        if (!backward(s, c, from, to, &low, &high)) break;
        if (high - low < MATRIX_EPSILON) low = high = (low + high) / 2;
        duel_set(d, i / d->columns, i % d->columns, low, high);
    }
    return !s->halt;
}

static bool field_new(struct solver *s, const struct place *p, struct fan *f, struct field *at)
{
    uint32_t m = f->count[0], n = f->count[1];
    size_t bytes = duel_bytes(m, n) + (m + n) * sizeof(double);
    void *memory = malloc(bytes);
    if (!memory) return s->halt = HALT_MEMORY, false;
    double low, high;
    bounds_of(s, p, &low, &high);
    at->f = f;
    at->d = duel_init(memory, m, n, s->low, s->high);
    at->d->low = low, at->d->high = high;
    at->x = (double *)((char *)memory + duel_bytes(m, n));
    at->y = at->x + m;
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t c = 0; c < n; c++)
            if (bounds_of(s, &f->child[joint_of(f, r, c)], &low, &high)) duel_set(at->d, r, c, low, high);
    return true;
}

bool backward(struct solver *s, const struct place *p, double alpha, double beta, double *low, double *high)
{
    struct fan f;
    struct field at;
    if (bounds_of(s, p, low, high) &&
        (p->end || *high - *low < MATRIX_EPSILON || *low >= beta || *high <= alpha))
        return !s->halt;
    uint64_t before = s->at.opened;
    if (!solver_open(s, p, &f, false)) return false;
    bool ok = field_new(s, p, &f, &at);
    if (ok) {
        ok = fill(s, &at, alpha, beta);
        *low = at.d->low, *high = at.d->high;
        struct memo_entry *e = memo_take(&s->memo, p, s->low, s->high);
        if (memo_floor(*low) > e->low) e->low = memo_floor(*low);
        if (memo_ceil(*high) < e->high) e->high = memo_ceil(*high);
        memo_worked(e, s->at.opened - before);
        free(at.d);
    }
    solver_close(s, &f);
    return ok;
}

struct duel *backward_root(struct solver *s, const struct place *p, struct fan *f)
{
    struct field at;
    if (!solver_open(s, p, f, false)) return NULL;
    if (!field_new(s, p, f, &at)) return solver_close(s, f), NULL;
    fill(s, &at, s->low, s->high);
    return at.d;
}
