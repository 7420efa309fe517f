// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/judgement.h"

#include "search/minimax/evaluate.h"
#include "search/minimax/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOK 0.3          /* of the time, to see what kind of game it is */
#define TURNS 0.1         /* of the rest, to see how turns are told */
#define LEARN 0.75        /* of the rest, to learn; what is left is for the curve */
#define POSITIONS 100000u /* to learn from: a weight is small beside the chance of random games */
#define EXAMPLES 5000u    /* positions that the curve is fitted to */
#define STEPS 12u         /* of Newton's method */

struct judgement {
    struct evaluator *eval;
    struct analysis *analysis; /* boards that the evaluation knows */
    float even, slope;         /* of the curve: logit of a lead = even + slope * (lead - 50) */
    float sum;                 /* of both goals, on the mean */
    float explains;
    bool travels;
};

void judgement_free(struct judgement *j)
{
    if (!j) return;
    evaluator_free(j->eval);
    analysis_free(j->analysis);
    free(j);
}

/* By the evaluation, as it is. */
static float raw_lead(const struct judgement *j, const uint64_t *state, uint32_t words)
{
    const struct place p = {.state = state, .words = words};
    float v[MINIMAX_MAX_ROLES];
    j->eval->values(j->eval, &p, v);
    return judgement_lead_of(v[0], v[1]);
}

static float curve(const struct judgement *j, float raw)
{
    return 100 / (1 + expf(-(j->even + j->slope * (raw - 50))));
}

float judgement_lead(const struct judgement *j, const uint64_t *state, uint32_t words)
{
    return curve(j, raw_lead(j, state, words));
}

void judgement_goals(const struct judgement *j, const uint64_t *state, uint32_t words, float out[2])
{
    float ahead = judgement_lead(j, state, words) - 50;
    out[0] = fmaxf(0, fminf(100, j->sum / 2 + ahead));
    out[1] = fmaxf(0, fminf(100, j->sum / 2 - ahead));
}

/* --- The curve ------------------------------------------------------------------------------------------ */

struct example {
    float raw, outcome; /* leads */
};

/* Logistic regression with two parameters; outcomes between 0 and 100 count as so many wins and losses. */
static void fit_curve(struct judgement *j, const struct example *x, uint32_t n)
{
    double even = 0, slope = 0.01;
    for (uint32_t step = 0; step < STEPS; step++) {
        double g0 = 0, g1 = 0, h00 = 1e-6, h01 = 0, h11 = 1e-6;
        for (uint32_t i = 0; i < n; i++) {
            double z = (double)x[i].raw - 50, p = 1 / (1 + exp(-(even + slope * z)));
            double wrong = (double)x[i].outcome / 100 - p, weight = p * (1 - p);
            g0 += wrong;
            g1 += wrong * z;
            h00 += weight;
            h01 += weight * z;
            h11 += weight * z * z;
        }
        double det = h00 * h11 - h01 * h01;
        if (det < 1e-9) break;
        even += (h11 * g0 - h01 * g1) / det;
        slope += (h00 * g1 - h01 * g0) / det;
        if (!(fabs(even) < 20 && fabs(slope) < 5)) break; /* wins and losses are apart: steep enough */
    }
    bool sound = isfinite(even) && isfinite(slope) && slope > 0;
    j->even = sound ? (float)fmax(-5, fmin(5, even)) : 0;
    j->slope = sound ? (float)fmin(1, slope) : 0;
}

/* 1 less the share of the variance of outcomes that is left when the curve has spoken. */
static float explained(const struct judgement *j, const struct example *x, uint32_t n)
{
    double sum = 0, all = 0, left = 0;
    for (uint32_t i = 0; i < n; i++) sum += (double)x[i].outcome;
    for (uint32_t i = 0; i < n; i++) {
        double wrong = (double)x[i].outcome - (double)curve(j, x[i].raw),
               off = (double)x[i].outcome - sum / n;
        left += wrong * wrong;
        all += off * off;
    }
    return all > left ? (float)(1 - left / all) : 0;
}

static bool calibrate(struct judgement *j, const struct judgement_order *order)
{
    struct samples s;
    struct samples_order wanted = {
        .wanted = EXAMPLES, .seed = order->seed ^ 0x6a7564676575u, .foresight = order->foresight};
    if (!samples_play(&s, order->code, &wanted, order->budget)) return false;
    struct example *x = calloc(s.n, sizeof *x);
    double sum = 0;
    for (uint32_t i = 0; i < 2 * s.n; i++) sum += s.outcome[i];
    j->sum = (float)(sum / s.n);
    for (uint32_t i = 0; i < s.n && x; i++)
        x[i] = (struct example){raw_lead(j, samples_state(&s, i), s.words),
                                judgement_lead_of(s.outcome[2 * i], s.outcome[2 * i + 1])};
    if (x) {
        fit_curve(j, x, s.n);
        j->explains = explained(j, x, s.n);
        j->even *= order->sharpness;
        j->slope *= order->sharpness;
    }
    free(x);
    samples_done(&s);
    return x != NULL;
}

/* --- Finding out ---------------------------------------------------------------------------------------- */

static bool find_evaluation(struct judgement *j, const struct judgement_order *order)
{
    struct passing passing = {0};
    struct budget turns = *order->budget, learn = turns;
    turns.deadline = order->reasoner->deadline = budget_share(order->budget, TURNS);
    passing_find(&passing, j->analysis, order->reasoner, order->code, order->seed, &turns);
    learn.deadline = order->reasoner->deadline = budget_share(order->budget, LEARN);
    struct evaluator_source from = {.reasoner = order->reasoner,
                                    .code = order->code,
                                    .foresight = order->foresight,
                                    .analysis = j->analysis,
                                    .passing = &passing,
                                    .which = order->which,
                                    .states_alone = true,
                                    .wanted = POSITIONS,
                                    .seed = order->seed,
                                    .budget = &learn};
    j->eval = evaluator_new(&from);
    return j->eval && strcmp(j->eval->name, "none") != 0;
}

/* Everything in order; what is missing when it ends. */
static const char *find_out(struct judgement *j, const struct judgement_order *order)
{
    struct budget look = *order->budget;
    look.deadline = budget_share(order->budget, LOOK);
    j->analysis = evaluator_look(order->reasoner, order->seed, &look);
    if (!j->analysis) return "no time to look at the game";
    if (j->analysis->turns == TURNS_SIMULTANEOUS) return "several choose at once";
    j->travels = evaluator_travels(j->analysis);
    if (!find_evaluation(j, order) || !calibrate(j, order))
        return "no time to learn what positions are worth";
    return j->explains > 0 ? NULL : "random games do not tell what positions are worth";
}

struct judgement *judgement_new(const struct judgement_order *order, const char **why)
{
    struct judgement *j = NULL;
    double deadline = order->reasoner->deadline;
    *why = order->reasoner->game->nroles != 2 ? "not a game for two" : !order->code ? "no circuit yet" : NULL;
    if (!*why && !(j = calloc(1, sizeof *j))) *why = "out of memory";
    if (!*why) *why = find_out(j, order);
    order->reasoner->deadline = deadline;
    if (!*why) return j;
    judgement_free(j);
    return NULL;
}

const char *judgement_name(const struct judgement *j)
{
    return j->eval->name;
}

float judgement_explains(const struct judgement *j)
{
    return j->explains;
}

bool judgement_travels(const struct judgement *j)
{
    return j->travels;
}

bool judgement_shaped(const struct judgement *j)
{
    return j->eval->shaped;
}
