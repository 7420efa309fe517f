/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the papers count: points for wins and shared wins, rates with 95% intervals (000 §VI, 001 §VI, 002
 * §4.3.1), and the sequential test for our own work. */
#ifndef LAB_STATS_H
#define LAB_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* The points of one seat: 1 for a win, 1/n where n share the highest goal, else 0. Goals below 0 (undefined)
 * never win; when all are undefined, all share. */
double stats_points(const int *goals, uint32_t nroles, uint32_t role);
/* The points of a player: the sum over its seats. seats[role] is the number of who sits there. */
double stats_score(const int *goals, const uint32_t *seats, uint32_t nroles, uint32_t player);

/* Scores added up one by one; begin with a zeroed struct. */
struct scores {
    uint64_t n;
    double sum, squares;
};
void scores_add(struct scores *t, double x);

enum { RATE_TEXT = 40 };

struct rate {
    uint64_t n;
    double mean;      /* of the scores; 0 where n is 0 */
    double half;      /* the papers' 95% interval is mean +- half; 1.96 s / sqrt(n), s with n - 1 */
    double low, high; /* the interval that decides significance: the same, or Wilson's where all scores were
                         equal or there are fewer than 30 */
    bool wilson;      /* ... which it is; then mean +- half would promise what nobody knows */
};
/* `top` is the highest score possible: 1 for wins, 100 for goals. */
struct rate scores_rate(const struct scores *t, double top);

/* The interval as people read it: "±5.6", or "(34–100)" where it is Wilson's. `scale` is 100 for percent. */
const char *rate_interval(const struct rate *r, double scale, char out[RATE_TEXT]);

/* -1: significantly below `parity`, 1: above, 0: neither. */
int rate_side(const struct rate *r, double parity);

#endif
