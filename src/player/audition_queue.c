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
/* And who plays out many times from a position, which many simulations do as well; */
static const double WIRED = 0.2;
/* and minimax, where playouts see wins coming, or pieces do not move about: it sees them at any depth, a tree
 * has to grow that far. Less so the more its evaluation knows, and not at all where it knows so much. */
static const double LOOKING = 0.5, KNOWS_MUCH = 0.4, KNOWS = 0.2;
/* and who judges positions where pieces do not move about. */
static const double JUDGED = 0.2;

/* In which matches by the clock have so many times the simulations, all of this holds; where they have as
 * many, nothing. */
static const double FAR = 100;

static double farness(const struct audition *a)
{
    if (a->real <= 0) return 1;
    return fmin(fmax(log(a->real / a->sims) / log(FAR), 0), 1);
}

/* By how much a match with a hundred simulations a move is kinder than one by the clock: docs/strength.md. */
static double kindness(const struct audition *a, uint32_t arm)
{
    const struct arm_signs *signs = &a->signs[arm];
    double much = signs->foreseen ? KNOWS_MUCH : KNOWS;
    bool still = !signs->travels && !signs->shaped;
    if (audition_minimax(a, arm))
        return signs->foreseen || still ? LOOKING * (1 - fmin(signs->explains / much, 1)) : 0;
    bool judges = audition_implicit(a, arm) && !signs->travels;
    return (audition_wires(a, arm) ? WIRED : 0) + (judges ? JUDGED : 0) +
           (signs->speed < 1 ? -SLOWER * log2(signs->speed) : 0);
}

static double flattery(const struct audition *a, uint32_t arm)
{
    return farness(a) * kindness(a, arm);
}

double queue_expects(const struct audition *a, uint32_t arm)
{
    if (arm == 0) return BETTER;
    double points = a->points[arm] - flattery(a, arm) * a->games[arm];
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
    double points = a->points[arm] - flattery(a, arm) * a->games[arm];
    double mean = (points + 0.5 * open + queue_hopes(a, arm) * HEARSAY) / n;
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
