// SPDX-License-Identifier: GPL-3.0-or-later
/* Two roles, constant sum, both choosing at once somewhere: the root's matrices solved, strategies for both.
 */
#include "search/solver/solve_internal.h"

#include <stdlib.h>

static void tell_shares(struct solver *s, const struct duel *d, const struct fan *f, struct solve_result *out)
{
    double *x = calloc(d->rows + d->columns, sizeof *x), *y = x + d->rows;
    out->moves = calloc(d->rows + d->columns, sizeof *out->moves);
    if (!x || !out->moves || !duel_strategies(d, &s->work, true, x, NULL) ||
        !duel_strategies(d, &s->work, false, NULL, y)) {
        free(x);
        return;
    }
    /* A move of one is worth the least it brings against the other's moves, by what is known; mixed it may be
     * worth more. */
    for (uint32_t role = 0; role < 2; role++)
        for (uint32_t i = 0; i < f->count[role] && f->count[role] > 1; i++) {
            double low = 0, high = 0;
            uint32_t others = f->count[1 - role];
            for (uint32_t k = 0; k < others; k++) {
                uint32_t cell = role == 0 ? i * d->columns + k : k * d->columns + i;
                double p = role == 0 ? d->p[cell] : s->sum - d->o[cell];
                double o = role == 0 ? d->o[cell] : s->sum - d->p[cell];
                if (k == 0 || p < low) low = p;
                if (k == 0 || o < high) high = o;
            }
            out->moves[out->nmoves++] = (struct solve_move){.role = role,
                                                            .move = f->moves[role][i],
                                                            .low = low,
                                                            .high = high,
                                                            .share = role == 0 ? x[i] : y[i],
                                                            .known = true};
        }
    free(x);
}

bool backward_run(struct solver *s, const struct place *root, struct solve_result *out)
{
    struct fan f;
    struct duel *d = backward_root(s, root, &f);
    if (!d) return false;
    if (s->halt != HALT_SUM) {
        out->low[0] = d->low, out->high[0] = d->high;
        out->low[1] = s->sum - d->high, out->high[1] = s->sum - d->low;
        out->proved = duel_solved(d);
        out->at_once = f.choosers > 1;
        tell_shares(s, d, &f, out);
    }
    free(d);
    solver_close(s, &f);
    return s->halt != HALT_SUM;
}
