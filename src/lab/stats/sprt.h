/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wald's sequential test: is A better than B by elo1, or by no more than elo0? It stops as soon as the
 * evidence is in, which takes a fraction of the games a fixed number would.
 *
 * Evidence is counted in pairs of games with seats exchanged: a pair has 0, 1/4, 1/2, 3/4 or 1 of its points
 * (other shares where more than two play), and what the seats give cancels. The log likelihood ratio is that
 * of the generalised test (Van den Bergh's for chess engines): under each hypothesis the likeliest
 * distribution of pairs that has the mean the hypothesis demands. */
#ifndef LAB_SPRT_H
#define LAB_SPRT_H

#include <stdbool.h>
#include <stdint.h>

#define SPRT_VALUES 64

struct sprt {
    double score0, score1; /* what the hypotheses expect */
    double lower, upper;   /* of the log likelihood ratio */
    uint64_t pairs;
    uint32_t n;
    struct {
        double value;
        double count;
    } seen[SPRT_VALUES]; /* the distribution */
};

enum sprt_verdict { SPRT_OPEN, SPRT_BETTER /* elo1 */, SPRT_NOT_BETTER /* elo0 */ };

/* alpha: accepting elo1 wrongly; beta: elo0 wrongly. */
void sprt_init(struct sprt *s, double elo0, double elo1, double alpha, double beta);
void sprt_add(struct sprt *s, double first,
              double second); /* the points of A in two games with seats exchanged */
double sprt_llr(const struct sprt *s);
enum sprt_verdict sprt_verdict(const struct sprt *s);

/* A's share of the points and its 95% interval, as Elo: low, mean, high. */
void sprt_elo(const struct sprt *s, double out[3]);
double sprt_mean(const struct sprt *s);

double elo_to_score(double elo);
double score_to_elo(double score);

#endif
