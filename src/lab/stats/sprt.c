// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/stats/sprt.h"

#include <math.h>

double elo_to_score(double elo)
{
    return 1 / (1 + pow(10, -elo / 400));
}

double score_to_elo(double score)
{
    score = fmin(fmax(score, 1e-6), 1 - 1e-6);
    return -400 * log10(1 / score - 1);
}

void sprt_init(struct sprt *s, double elo0, double elo1, double alpha, double beta)
{
    *s = (struct sprt){.score0 = elo_to_score(elo0),
                       .score1 = elo_to_score(elo1),
                       .lower = log(beta / (1 - alpha)),
                       .upper = log((1 - beta) / alpha)};
    /* What has not been seen is not impossible: a thousandth of a pair each keeps the likelihoods finite. */
    for (int i = 0; i <= 4; i++) {
        s->seen[s->n].value = i / 4.0;
        s->seen[s->n++].count = 1e-3;
    }
}

void sprt_add(struct sprt *s, double first, double second)
{
    double x = (first + second) / 2;
    uint32_t i = 0;
    while (i < s->n && fabs(s->seen[i].value - x) > 1e-9) i++;
    if (i == SPRT_VALUES) { /* a game with more ways to share than there is room for: the nearest will do */
        i = 0;
        for (uint32_t k = 1; k < s->n; k++)
            if (fabs(s->seen[k].value - x) < fabs(s->seen[i].value - x)) i = k;
    }
    if (i == s->n) {
        s->seen[s->n].value = x;
        s->seen[s->n++].count = 0;
    }
    s->seen[i].count++;
    s->pairs++;
}

/* The likeliest distribution with a given mean has p_i = count_i / total / (1 + theta (value_i - mean)): this
 * theta. The sum below falls as theta grows, so halving finds its zero. */
static double tilt(const struct sprt *s, double mean)
{
    double low = -1 / (1 - mean) + 1e-9, high = 1 / mean - 1e-9;
    for (int step = 0; step < 100; step++) {
        double theta = (low + high) / 2, sum = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            double a = s->seen[i].value - mean;
            sum += s->seen[i].count * a / (1 + theta * a);
        }
        if (sum > 0)
            low = theta;
        else
            high = theta;
    }
    return (low + high) / 2;
}

double sprt_llr(const struct sprt *s)
{
    double theta0 = tilt(s, s->score0), theta1 = tilt(s, s->score1), llr = 0;
    if (s->pairs == 0) return 0;
    for (uint32_t i = 0; i < s->n; i++)
        llr += s->seen[i].count * (log1p(theta0 * (s->seen[i].value - s->score0)) -
                                   log1p(theta1 * (s->seen[i].value - s->score1)));
    return llr;
}

enum sprt_verdict sprt_verdict(const struct sprt *s)
{
    double llr = sprt_llr(s);
    return llr >= s->upper ? SPRT_BETTER : llr <= s->lower ? SPRT_NOT_BETTER : SPRT_OPEN;
}

static double moments(const struct sprt *s, double *deviation)
{
    double n = 0, sum = 0, squares = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        n += s->seen[i].count;
        sum += s->seen[i].count * s->seen[i].value;
        squares += s->seen[i].count * s->seen[i].value * s->seen[i].value;
    }
    double mean = sum / n;
    *deviation = sqrt(fmax(squares / n - mean * mean, 0) / n);
    return mean;
}

double sprt_mean(const struct sprt *s)
{
    double ignored;
    return moments(s, &ignored);
}

void sprt_elo(const struct sprt *s, double out[3])
{
    double deviation, mean = moments(s, &deviation);
    out[0] = score_to_elo(mean - 1.96 * deviation);
    out[1] = score_to_elo(mean);
    out[2] = score_to_elo(mean + 1.96 * deviation);
}
