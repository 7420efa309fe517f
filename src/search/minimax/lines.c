// SPDX-License-Identifier: GPL-3.0-or-later
/* Rolit and Othello (003 section IV-C): a position is worth the mean of what its patterns were worth in
 * random games of the very game. */
#include "search/minimax/patterns.h"
#include "search/minimax/samples.h"

#include <stdlib.h>

#define SHAPES ((uint32_t)PATTERNS_SHAPES)
#define POSITIONS 60000u
#define FAITH 20.0f /* games at the mean that a pattern is counted with from the beginning */

/* Weights are mean goals, 0..100. */
static void values(const struct evaluator *e, const struct place *p, float *out)
{
    const struct patterned *l = (const struct patterned *)e;
    uint32_t number[PATTERNS_SHAPES], nroles = l->patterns.nroles;
    struct patterns_view view;
    patterns_look(&l->patterns, p->state, p->words, &view);
    for (uint32_t role = 0; role < nroles; role++) {
        float sum = 0;
        patterns_number(&l->patterns, &view, role, number);
        for (uint32_t k = 0; k < SHAPES; k++) sum += l->weight[number[k]];
        out[role] = evaluator_band(sum / SHAPES * (float)nroles / 100 - 1, nroles);
    }
}

static bool learn(struct patterned *l, const struct evaluator_source *from)
{
    struct samples s;
    const struct patterns *patterns = &l->patterns;
    uint32_t n = patterns->count, nroles = patterns->nroles;
    struct samples_order wanted = {.wanted = POSITIONS, .seed = from->seed};
    float *games = malloc(n * sizeof *games);
    bool good = games && samples_play(&s, from->code, &wanted, from->budget);
    float mean = 100 / (float)nroles;
    for (size_t i = 0; i < n && good; i++) games[i] = FAITH, l->weight[i] = FAITH * mean;
    for (uint32_t i = 0; good && i < s.n; i++) {
        uint32_t number[PATTERNS_SHAPES];
        struct patterns_view view;
        patterns_look(patterns, samples_state(&s, i), s.words, &view);
        for (uint32_t role = 0; role < nroles; role++) {
            patterns_number(patterns, &view, role, number);
            for (uint32_t k = 0; k < SHAPES; k++) {
                games[number[k]]++;
                l->weight[number[k]] += s.outcome[(size_t)i * nroles + role];
            }
        }
    }
    for (size_t i = 0; i < n && good; i++) l->weight[i] /= games[i];
    if (good) samples_done(&s);
    free(games);
    return good;
}

struct evaluator *evaluator_lines(const struct evaluator_source *from)
{
    struct patterned *l = patterned_new(from);
    if (!l) return NULL;
    l->base.name = "lines";
    l->base.values = values;
    if (learn(l, from)) return &l->base;
    evaluator_free(&l->base);
    return NULL;
}
