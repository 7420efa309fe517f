// SPDX-License-Identifier: GPL-3.0-or-later
/* Who plays the next bout, and what all that is known of a candidate comes to. */
#include "player/audition_internal.h"

#include <math.h>

static const double PRIOR_GAMES = 10; /* matches that what is expected beforehand counts for */
static const double HEARSAY = 3;      /* that it counts for when the next one is picked */
/* What it must come to to be chosen. */
static const double BETTER = 0.55;
/* Few simulations flatter who is slow and knows much: of a match's points so much less for every halving. */
static const double SLOWER = 0.08;

double queue_expects(const struct audition *a, uint32_t arm)
{
    if (arm == 0) return BETTER;
    double speed = a->signs[arm].speed, slower = speed < 1 ? -log2(speed) : 0;
    double points = a->points[arm] - SLOWER * slower * a->games[arm];
    return (points + a->expected[arm] * PRIOR_GAMES) / (a->games[arm] + PRIOR_GAMES);
}

double queue_hopes(const struct audition *a, uint32_t arm)
{
    return a->expected[arm] + player_arms[arm].swing;
}

/* Bouts under way count as even, so that not all go to the same. */
static double promise(const struct audition *a, uint32_t arm)
{
    double open = a->begun[arm] - a->games[arm], n = a->begun[arm] + HEARSAY;
    double mean = (a->points[arm] + 0.5 * open + queue_hopes(a, arm) * HEARSAY) / n;
    return mean + sqrt(0.5 * log(a->bouts + 2.0) / n);
}

static uint32_t most_promising(const struct audition *a)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < a->arms; i++)
        if (!a->out[i] && (!best || promise(a, i) > promise(a, best))) best = i;
    return best;
}

bool queue_next(struct audition *a, uint32_t *arm, uint32_t *role, uint64_t *seed)
{
    pthread_mutex_lock(&a->lock);
    bool more = !a->error.code && !budget_over(&a->budget) && (!a->limit || a->spent < a->limit) &&
                a->bouts < a->wanted;
    /* What cannot end in time is not begun: those under way end the sooner. */
    if (a->budget.deadline > 0 && a->lasts > 0 && clock_now() + a->lasts > a->budget.deadline) more = false;
    if (more) {
        *arm = a->bouts < AUDITION_TRIALS ? 0 : most_promising(a);
        *role = a->begun[*arm] % a->game->nroles;
        *seed = a->seed + ++a->bouts * 0x9e3779b97f4a7c15u;
        a->begun[*arm]++;
    }
    pthread_mutex_unlock(&a->lock);
    return more;
}
