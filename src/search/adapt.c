// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/adapt.h"

#include "search/mcts.h"

#include <math.h>

const char *const adapt_names[ADAPT_FACTORS] = {"epsilon", "grams", "c", "rave"};

/* Arms as factors of what the options say; lengths of N-grams as they are. The first one is the options' own.
 */
static const float times[ADAPT_FACTORS][ADAPT_ARMS] = {
    [ADAPT_EPSILON] = {1, 0.5, 2, 3.5},
    [ADAPT_GRAMS] = {3, 2, 1, 0},
    [ADAPT_C] = {1, 0.5, 2, 0},
    [ADAPT_RAVE] = {1, 0.2f, 4, 0},
};

static const double FADING = 1 - 1 / 8000.0; /* of what an arm has seen, for each simulation */
static const double PRIOR = 50;              /* simulations that each arm seems to have had already, */
static const double PRIOR_LEAD = 2;          /* in which the options' own got so many points more */
static const double C = 12;                  /* how much is tried, on rewards 0..100 */
static const double LENGTH_COSTS = 3;        /* points for each doubling of the playout's length */

/* The alarm: so many points apart, of so many uniform simulations at least, and by so many standard errors */
static const double APART = 15, ENOUGH = 300, SURE = 4;
static const double WINDOW = 2000; /* simulations of a kind over which its mean fades */

float adapt_value(const struct hand *h, enum adapt_factor f, uint32_t arm)
{
    float x = times[f][arm];
    switch (f) {
    case ADAPT_EPSILON: return fminf(1, x * h->policy->sampler.epsilon);
    case ADAPT_C: return x * h->search->opt.c;
    case ADAPT_RAVE: return x * (float)h->search->opt.rave;
    case ADAPT_GRAMS:
    case ADAPT_FACTORS: break;
    }
    return x;
}

/* Of every kind of search some factors mean nothing. */
static uint32_t arms_of(const struct hand *h, enum adapt_factor f)
{
    const struct policy *p = h->policy;
    switch (f) {
    case ADAPT_EPSILON: return p->values && p->sampler.kind == SAMPLE_GREEDY ? 4 : 1;
    case ADAPT_GRAMS: return p->values && p->values->ops->knows ? 3 : 1;
    case ADAPT_C: return 3;
    case ADAPT_RAVE: return h->search->opt.rave ? 3 : 1;
    case ADAPT_FACTORS: break;
    }
    return 1;
}

static uint32_t draw_arm(struct hand *h, enum adapt_factor f)
{
    struct adapt *a = &h->adapt;
    uint32_t n = arms_of(h, f), best = 0;
    double all = 0, sum = 0, top = -INFINITY;
    if (n == 1) return 0;
    for (uint32_t i = 0; i < n; i++) all += a->arm[f][i].n, sum += a->arm[f][i].sum;
    double mean = all > 0 ? sum / all : 50, ln = log(all + n * PRIOR);
    for (uint32_t i = 0; i < n; i++) {
        const struct adapt_arm *arm = &a->arm[f][i];
        double seen = arm->n + PRIOR;
        double value = (arm->sum + PRIOR * (mean + (i ? 0 : PRIOR_LEAD))) / seen + C * sqrt(ln / seen);
        if (value > top) top = value, best = i;
    }
    a->arm[f][best].drawn++;
    return best;
}

bool adapt_draw(struct hand *h, struct way *way)
{
    struct adapt *a = &h->adapt;
    if (!a->control && !a->factors) return false;
    a->launched++;
    *way = (struct way){.role = a->role, .uniform = a->off || (a->control && a->launched % a->control == 0)};
    if (!a->factors) {
        way->role = UINT32_MAX; /* nobody's */
        return true;
    }
    for (enum adapt_factor f = 0; f < ADAPT_FACTORS; f++) way->arm[f] = (uint8_t)draw_arm(h, f);
    way->epsilon = adapt_value(h, ADAPT_EPSILON, way->arm[ADAPT_EPSILON]);
    way->grams = (uint32_t)adapt_value(h, ADAPT_GRAMS, way->arm[ADAPT_GRAMS]);
    way->c = adapt_value(h, ADAPT_C, way->arm[ADAPT_C]);
    way->rave = adapt_value(h, ADAPT_RAVE, way->arm[ADAPT_RAVE]);
    return true;
}

/* --- The control group ---------------------------------------------------------------------------------- */

static void sound_alarm(struct hand *h)
{
    struct adapt *a = &h->adapt;
    a->alarms++;
    a->drift = (struct drift){0};
    if (a->alarm == ALARM_UNIFORM) a->off = true;
    struct values *v = h->policy->values;
    if (a->alarm == ALARM_FORGET && v && v->ops->decay) v->ops->decay(v, 0);
}

static void compare(struct hand *h, bool uniform, float reward)
{
    struct adapt *a = &h->adapt;
    struct drift *d = &a->drift;
    if (a->off) return;
    d->n[uniform]++;
    d->mean[uniform] += ((double)reward - d->mean[uniform]) / fmin(d->n[uniform], WINDOW);
    if (!uniform || a->alarm == ALARM_OFF || d->n[1] < ENOUGH || d->n[0] < ENOUGH) return;
    double apart = fabs(d->mean[0] - d->mean[1]), sd = 50; /* at most */
    if (apart > APART && apart > SURE * sd / sqrt(fmin(d->n[1], WINDOW))) sound_alarm(h);
}

/* --- The factors ---------------------------------------------------------------------------------------- */

static void reward_arms(struct adapt *a, const struct way *way, float reward, uint32_t steps)
{
    a->length += (steps - a->length) / (a->length > 0 ? 1000 : 1);
    double points = (double)reward - LENGTH_COSTS * log2((steps + 1.0) / (a->length + 1));
    for (int f = 0; f < ADAPT_FACTORS; f++) {
        struct adapt_arm *arm = a->arm[f];
        for (int i = 0; i < ADAPT_ARMS; i++) arm[i].n *= FADING, arm[i].sum *= FADING;
        arm[way->arm[f]].n++;
        arm[way->arm[f]].sum += points;
    }
}

void adapt_learn(struct hand *h, const struct way *way, float reward, uint32_t steps)
{
    struct adapt *a = &h->adapt;
    if (!steps) return; /* it ended in the tree */
    if (a->control) compare(h, way->uniform, reward);
    if (a->factors && !way->uniform) reward_arms(a, way, reward, steps);
}

uint32_t adapt_favourite(const struct adapt *a, enum adapt_factor f)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < ADAPT_ARMS; i++)
        if (a->arm[f][i].n > a->arm[f][best].n) best = i;
    return best;
}
