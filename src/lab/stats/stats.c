// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/stats/stats.h"

#include <math.h>
#include <stdio.h>

#define Z95 1.96 /* as the papers have it */
#define FEW 30   /* below this the normal approximation is not to be trusted with a verdict */

double stats_points(const int *goals, uint32_t nroles, uint32_t role)
{
    int top = goals[0];
    uint32_t sharing = 0;
    for (uint32_t r = 1; r < nroles; r++)
        if (goals[r] > top) top = goals[r];
    for (uint32_t r = 0; r < nroles; r++) sharing += goals[r] == top;
    return goals[role] == top ? 1.0 / sharing : 0;
}

double stats_score(const int *goals, const uint32_t *seats, uint32_t nroles, uint32_t player)
{
    double score = 0;
    for (uint32_t r = 0; r < nroles; r++)
        if (seats[r] == player) score += stats_points(goals, nroles, r);
    return score;
}

void scores_add(struct scores *t, double x)
{
    t->n++;
    t->sum += x;
    t->squares += x * x;
}

struct rate scores_rate(const struct scores *t, double top)
{
    struct rate r = {.n = t->n, .high = top};
    if (t->n == 0) return r;
    double n = (double)t->n, variance = 0;
    r.mean = t->sum / n;
    if (t->n > 1) variance = (t->squares - t->sum * r.mean) / (n - 1);
    if (variance < 1e-12) variance = 0; /* what rounding leaves */
    r.half = Z95 * sqrt(variance / n);
    r.low = r.mean - r.half;
    r.high = r.mean + r.half;
    if (variance == 0 || t->n < FEW) {
        r.wilson = true;
        /* Wilson 1927, on the share of what could be had */
        double p = r.mean / top, z2 = Z95 * Z95, centre = (p + z2 / (2 * n)) / (1 + z2 / n);
        double half = Z95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
        r.low = top * (centre - half);
        r.high = top * (centre + half);
    }
    return r;
}

const char *rate_interval(const struct rate *r, double scale, char out[RATE_TEXT])
{
    if (r->wilson)
        snprintf(out, RATE_TEXT, "(%.0f–%.0f)", fmax(r->low, 0) * scale, r->high * scale);
    else
        snprintf(out, RATE_TEXT, "±%.1f", r->half * scale);
    return out;
}

int rate_side(const struct rate *r, double parity)
{
    if (r->n == 0) return 0;
    return r->low > parity ? 1 : r->high < parity ? -1 : 0;
}
