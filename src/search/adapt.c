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
static const double APART = 15, ENOUGH = 1000, SURE = 4;
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
    bool playout = f == ADAPT_EPSILON || f == ADAPT_GRAMS;
    if (h->adapt.what == (playout ? ADAPT_TREE : ADAPT_PLAYOUT)) return 1;
    switch (f) {
    case ADAPT_EPSILON: return p->values && p->sampler.kind == SAMPLE_GREEDY ? 4 : 1;
    case ADAPT_GRAMS: return p->values && p->values->ops->knows ? 3 : 1;
    case ADAPT_C: return 3;
    case ADAPT_RAVE: return h->search->opt.rave ? 3 : 1;
    case ADAPT_FACTORS: break;
    }
    return 1;
}

static uint32_t draw_arm(struct adapt_arm *arms, uint32_t n)
{
    uint32_t best = 0;
    double all = 0, sum = 0, top = -INFINITY;
    if (n == 1) return 0;
    for (uint32_t i = 0; i < n; i++) all += arms[i].n, sum += arms[i].sum;
    double mean = all > 0 ? sum / all : 50, ln = log(all + n * PRIOR);
    for (uint32_t i = 0; i < n; i++) {
        double seen = arms[i].n + PRIOR;
        double value = (arms[i].sum + PRIOR * (mean + (i ? 0 : PRIOR_LEAD))) / seen + C * sqrt(ln / seen);
        if (value > top) top = value, best = i;
    }
    arms[best].drawn++;
    return best;
}

static void draw_role(struct hand *h, uint32_t role, struct way_role *way)
{
    for (enum adapt_factor f = 0; f < ADAPT_FACTORS; f++)
        way->arm[f] = (uint8_t)draw_arm(h->adapt.arm[role][f], arms_of(h, f));
    way->epsilon = adapt_value(h, ADAPT_EPSILON, way->arm[ADAPT_EPSILON]);
    way->grams = (uint32_t)adapt_value(h, ADAPT_GRAMS, way->arm[ADAPT_GRAMS]);
    way->c = adapt_value(h, ADAPT_C, way->arm[ADAPT_C]);
    way->rave = adapt_value(h, ADAPT_RAVE, way->arm[ADAPT_RAVE]);
}

static bool follows(const struct adapt *a, uint32_t role)
{
    return a->who == ADAPT_EACH || (a->who == ADAPT_OWN && role == a->role);
}

bool adapt_draw(struct hand *h, struct way *way)
{
    struct adapt *a = &h->adapt;
    if (!a->control && a->who == ADAPT_NOBODY) return false;
    a->launched++;
    way->uniform = a->off || (a->control && a->launched % a->control == 0);
    way->roles = 0;
    for (uint32_t r = 0; r < h->search->nroles && r < WAY_ROLES; r++) {
        if (!follows(a, r)) continue;
        way->roles |= 1u << r;
        draw_role(h, r, &way->of[r]);
    }
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

static void reward_arms(struct adapt_arm arms[ADAPT_FACTORS][ADAPT_ARMS], const struct way_role *way,
                        double points)
{
    for (int f = 0; f < ADAPT_FACTORS; f++) {
        for (int i = 0; i < ADAPT_ARMS; i++) arms[f][i].n *= FADING, arms[f][i].sum *= FADING;
        arms[f][way->arm[f]].n++;
        arms[f][way->arm[f]].sum += points;
    }
}

void adapt_learn(struct hand *h, const struct way *way, const float *reward, uint32_t steps)
{
    struct adapt *a = &h->adapt;
    if (!steps) return; /* it ended in the tree */
    if (a->control) compare(h, way->uniform, reward[a->role]);
    if (way->uniform || !way->roles) return;
    a->length += (steps - a->length) / (a->length > 0 ? 1000 : 1);
    double cost = LENGTH_COSTS * log2((steps + 1.0) / (a->length + 1));
    for (uint32_t r = 0; r < h->search->nroles && r < WAY_ROLES; r++)
        if (way->roles >> r & 1) reward_arms(a->arm[r], &way->of[r], (double)reward[r] - cost);
}

uint32_t adapt_favourite(const struct adapt *a, enum adapt_factor f)
{
    const struct adapt_arm *arms = a->arm[a->role < WAY_ROLES ? a->role : 0][f];
    uint32_t best = 0;
    for (uint32_t i = 1; i < ADAPT_ARMS; i++)
        if (arms[i].n > arms[best].n) best = i;
    return best;
}
