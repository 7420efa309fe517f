// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/evaluate.h"

#include "search/mcts.h"

#include <stdlib.h>

#define SAMPLE_GAMES 20
#define SAMPLE_STATES 3000
#define SAMPLE_PATIENCE                                                                \
    60 /* seconds, where budgets are counts: a busy machine must not change the result \
        */
#define STABLE                                                                                  \
    1000.0 /* of the variance of goals from position to position: as where playouts are cut off \
            */

#define TURNED 0.25 /* of the pieces that come to a cell, those that take the place of another */

struct plain {
    struct evaluator base;
    uint32_t nroles;
};

static void free_plain(struct evaluator *e)
{
    free(e);
}

static void nothing(const struct evaluator *e, const struct place *p, float *out)
{
    const struct plain *x = (const struct plain *)e;
    (void)p;
    for (uint32_t role = 0; role < x->nroles; role++) out[role] = evaluator_band(0, x->nroles);
}

static void goals(const struct evaluator *e, const struct place *p, float *out)
{
    const struct plain *x = (const struct plain *)e;
    for (uint32_t role = 0; role < x->nroles; role++)
        out[role] = p->goals && p->goals[role] >= 0 ? p->goals[role] : evaluator_band(0, x->nroles);
}

static struct evaluator *plain_new(const struct evaluator_source *from, struct evaluator base)
{
    struct plain *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    *x = (struct plain){base, from->reasoner->game->nroles};
    return &x->base;
}

struct evaluator *evaluator_none(const struct evaluator_source *from)
{
    return plain_new(from, (struct evaluator){.name = "none", .values = nothing, .free = free_plain});
}

struct evaluator *evaluator_goals(const struct evaluator_source *from)
{
    return plain_new(
        from, (struct evaluator){.name = "goals", .wants_goals = true, .values = goals, .free = free_plain});
}

bool evaluator_goals_stable(const struct evaluator_source *from)
{
    struct cutoff_sample sample;
    if (!cutoff_measure(from->reasoner, from->seed, SAMPLE_GAMES, from->budget, &sample)) return false;
    return cutoff_decide(&sample, from->reasoner->game->nroles, STABLE, 1).kind == CUT_GOAL_STABLE;
}

bool evaluator_travels(const struct analysis *a)
{
    uint64_t trips = 0, others = 0;
    for (uint32_t i = 0; i < a->boards.n; i++)
        for (uint32_t k = 0; k < a->boards.v[i].nactions; k++) {
            const struct action *x = &a->boards.v[i].actions[k];
            *(x->from >= 0 && x->to >= 0 ? &trips : &others) += x->count;
        }
    return trips > others;
}

bool evaluator_turns(const struct analysis *a)
{
    const struct board *b = a->boards.n ? &a->boards.v[0] : NULL;
    return b && !evaluator_travels(a) && (double)b->changed > TURNED * (double)b->arrivals;
}

struct analysis *evaluator_look(struct reasoner *reasoner, uint64_t seed, const struct budget *budget)
{
    struct analysis_options o = {.games = SAMPLE_GAMES,
                                 .states = SAMPLE_STATES,
                                 .seconds = budget->deadline > 0 ? 2 : SAMPLE_PATIENCE,
                                 .seed = seed,
                                 .deadline = budget->deadline,
                                 .cancel = budget->stop};
    struct error ignored;
    if (budget->deadline > 0) { /* half for the games, half for conclusions */
        double left = (budget->deadline - clock_now()) / 2;
        if (left < o.seconds) o.seconds = left > 1e-3 ? left : 1e-3;
    }
    reasoner->deadline = budget->deadline;
    return analysis_new(reasoner, &o, &ignored);
}

#define VOUCHED 0.15f /* what a shape that is known is taken to explain */
static evaluator_maker *const shapes[] = {evaluator_race, evaluator_stacks, evaluator_fitted,
                                          evaluator_lines};

struct evaluator *evaluator_new(const struct evaluator_source *from)
{
    enum minimax_eval which = from->which;
    bool learned =
        which == EVAL_AUTO || which == EVAL_GUIDED || (which >= EVAL_LEARNED && which <= EVAL_MOBILITY);
    struct evaluator *e = NULL;
    bool possible = from->code && from->analysis;
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes && possible && !e; i++)
        if (which == EVAL_AUTO || which == EVAL_SHAPE) e = shapes[i](from);
    if (e) e->explains = VOUCHED;
    if (!e && possible && learned) e = evaluator_learned(from);
    if (!e && which == EVAL_GOALS) e = evaluator_goals(from);
    return e ? e : evaluator_none(from);
}

void evaluator_free(struct evaluator *e)
{
    if (e) e->free(e);
}
