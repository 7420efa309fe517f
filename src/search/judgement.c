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

/* What the evaluation says into what games bring: logit of it = even + slope * (raw - 50). */
struct curve {
    float even, slope;
};

struct judgement {
    struct evaluator *eval;
    struct analysis *analysis; /* boards that the evaluation knows */
    struct curve lead;         /* of the first role */
    struct curve goal[2];      /* of each role, where one's gain is not the other's loss */
    bool apart;                /* so it is */
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

static float curve_at(const struct curve *c, float raw)
{
    return 100 / (1 + expf(-(c->even + c->slope * (raw - 50))));
}

/* By the evaluation, as it is. */
static void raw_goals(const struct judgement *j, const uint64_t *state, uint32_t words, float *out)
{
    const struct place p = {.state = state, .words = words};
    j->eval->values(j->eval, &p, out);
}

float judgement_lead(const struct judgement *j, const uint64_t *state, uint32_t words)
{
    float v[MINIMAX_MAX_ROLES];
    raw_goals(j, state, words, v);
    return curve_at(&j->lead, judgement_lead_of(v[0], v[1]));
}

void judgement_goals(const struct judgement *j, const uint64_t *state, uint32_t words, float out[2])
{
    float v[MINIMAX_MAX_ROLES];
    raw_goals(j, state, words, v);
    float ahead = curve_at(&j->lead, judgement_lead_of(v[0], v[1])) - 50;
    for (int role = 0; role < 2; role++)
        out[role] = j->apart ? curve_at(&j->goal[role], v[role])
                             : fmaxf(0, fminf(100, j->sum / 2 + (role == 0 ? ahead : -ahead)));
}

/* --- The curve ------------------------------------------------------------------------------------------ */

struct example {
    float raw, outcome; /* leads, or goals of a role */
};

/* Logistic regression with two parameters; outcomes between 0 and 100 count as so many wins and losses. */
static struct curve fit_curve(const struct example *x, uint32_t n)
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
    if (!sound) return (struct curve){0, 0};
    return (struct curve){(float)fmax(-5, fmin(5, even)), (float)fmin(1, slope)};
}

/* Squares of what is left of outcomes when the curve has spoken, and of outcomes less their mean. */
struct squares {
    double left, all;
};

static void add_squares(struct squares *s, const struct curve *c, const struct example *x, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (double)x[i].outcome;
    for (uint32_t i = 0; i < n; i++) {
        double wrong = (double)x[i].outcome - (double)curve_at(c, x[i].raw),
               off = (double)x[i].outcome - sum / n;
        s->left += wrong * wrong;
        s->all += off * off;
    }
}

/* The curve through positions that the evaluation was not fitted to: of the lead, or of a role's goals. */
static struct curve fit(const struct judgement *j, const struct samples *s, struct example *x, uint32_t role,
                        struct squares *squares)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const int16_t *outcome = s->outcome + 2 * (size_t)i;
        float v[MINIMAX_MAX_ROLES];
        raw_goals(j, samples_state(s, i), s->words, v);
        x[i] = role < 2 ? (struct example){v[role], outcome[role]}
                        : (struct example){judgement_lead_of(v[0], v[1]),
                                           judgement_lead_of(outcome[0], outcome[1])};
    }
    struct curve c = fit_curve(x, s->n);
    add_squares(squares, &c, x, s->n);
    return c;
}

static struct curve sharpened(struct curve c, float sharpness)
{
    return (struct curve){c.even * sharpness, c.slope * sharpness};
}

static bool calibrate(struct judgement *j, const struct judgement_order *order)
{
    enum { LEAD = 2 };
    struct samples s;
    struct samples_order wanted = {
        .wanted = EXAMPLES, .seed = order->seed ^ 0x6a7564676575u, .foresight = order->foresight};
    if (!samples_play(&s, order->code, &wanted, order->budget)) return false;
    struct example *x = calloc(s.n, sizeof *x);
    struct squares lead = {0}, goals = {0};
    double sum = 0;
    for (uint32_t i = 0; i < 2 * s.n; i++) sum += s.outcome[i];
    j->sum = (float)(sum / s.n);
    for (uint32_t i = 1; i < s.n && !j->apart; i++)
        j->apart = s.outcome[2 * i] + s.outcome[2 * i + 1] != s.outcome[0] + s.outcome[1];
    if (x) j->lead = sharpened(fit(j, &s, x, LEAD, &lead), order->sharpness);
    for (uint32_t role = 0; role < 2 && x && j->apart; role++)
        j->goal[role] = sharpened(fit(j, &s, x, role, &goals), order->sharpness);
    const struct squares *told = j->apart ? &goals : &lead;
    j->explains = told->all > told->left ? (float)(1 - told->left / told->all) : 0;
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
                                    .fitted = order->which == EVAL_AUTO,
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

bool judgement_turns(const struct judgement *j)
{
    return evaluator_turns(j->analysis);
}

bool judgement_at_once(const struct judgement *j)
{
    return j->analysis->turns == TURNS_SIMULTANEOUS;
}

bool judgement_shaped(const struct judgement *j)
{
    return j->eval->shaped;
}
