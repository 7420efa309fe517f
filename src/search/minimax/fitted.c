// SPDX-License-Identifier: GPL-3.0-or-later
/* Othello for two: weights of patterns that together say how games end, first of random games, then again and
 * again of games in which the best of some random moves is made by what was learned until then. */
#include "search/minimax/patterns.h"
#include "search/minimax/samples.h"

#include "base/rng.h"

#include <stdlib.h>

#define SHAPES ((uint32_t)PATTERNS_SHAPES)
#define ROUNDS 4u
#define POSITIONS 200000u /* in each of them, if there is time; */
#define COUNTED 50000u    /* where budgets are counts */
#define EACH 32u          /* of a game */
#define TRIES 8u
#define PLAYING 0.7 /* of a round's time */
#define EPOCHS 2u
#define RATE 0.1f
#define GLANCE 512u /* positions between two looks at the clock */

/* Of the first role, -1..1: the sum of weights. */
static float lead(const struct patterned *f, const uint64_t *state, uint32_t words,
                  uint32_t number[PATTERNS_SHAPES])
{
    struct patterns_view view;
    float sum = 0;
    patterns_look(&f->patterns, state, words, &view);
    patterns_number(&f->patterns, &view, 0, number);
    for (uint32_t k = 0; k < SHAPES; k++) sum += f->weight[number[k]];
    return sum;
}

static void values(const struct evaluator *e, const struct place *p, float *out)
{
    uint32_t number[PATTERNS_SHAPES];
    float points = lead((const struct patterned *)e, p->state, p->words, number);
    out[0] = evaluator_band(points, 2);
    out[1] = evaluator_band(-points, 2);
}

static float outcome(const struct samples *s, uint32_t i)
{
    const int16_t *goals = s->outcome + 2 * (size_t)i;
    return (float)(goals[0] - goals[1]) / 100;
}

/* One position after the other: predict, and correct what was wrong a little. */
static void fit(struct patterned *f, const struct samples *s, uint64_t seed, const struct budget *budget)
{
    struct rng rng;
    uint32_t number[PATTERNS_SHAPES];
    rng_init(&rng, seed);
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++)
        for (uint32_t i = 0; i < s->n && (i % GLANCE || !budget_over(budget)); i++) {
            uint32_t k = rng_below(&rng, s->n);
            float wrong = outcome(s, k) - lead(f, samples_state(s, k), s->words, number);
            float step = RATE / (float)(1u << epoch) * wrong / SHAPES;
            for (uint32_t j = 0; j < SHAPES; j++) f->weight[number[j]] += step;
        }
}

static bool learn(struct patterned *f, const struct evaluator_source *from)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct samples s;
        struct budget whole = *from->budget, playing;
        whole.deadline = budget_share(from->budget, 1.0 / (ROUNDS - round));
        playing = whole;
        playing.deadline = budget_share(&whole, PLAYING);
        struct samples_order order = {.wanted = whole.deadline > 0 ? POSITIONS : COUNTED,
                                      .seed = from->seed + round,
                                      .guide = round ? &f->base : NULL,
                                      .tries = TRIES,
                                      .each = EACH};
        if (!samples_play(&s, from->code, &order, &playing)) return round > 0;
        fit(f, &s, order.seed, &whole);
        samples_done(&s);
    }
    return true;
}

struct evaluator *evaluator_fitted(const struct evaluator_source *from)
{
    bool two = from->reasoner->game->nroles == 2 && from->fitted;
    struct patterned *f = two ? patterned_new(from) : NULL;
    if (!f) return NULL;
    f->base.name = "fitted lines";
    f->base.shaped = true;
    f->base.values = values;
    if (learn(f, from)) return &f->base;
    evaluator_free(&f->base);
    return NULL;
}
