// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/judge.h"

#include <stdlib.h>

enum { FEW_CONJUNCTS = 3 };

bool judge_init(struct judge *j, struct space *s)
{
    uint32_t n;
    const uint32_t *kept = space_kept(s, &n);
    *j = (struct judge){.space = s};
    if (kept) j->relax = relax_new(s->code->circuit, kept, n);
    return true;
}

void judge_done(struct judge *j)
{
    relax_free(j->relax);
    j->relax = NULL;
}

static uint16_t score(const struct judge *j, enum judge_kind kind, const struct relax_view *v,
                      const struct line *line)
{
    if (v->bound <= line->goal) return JUDGE_HOPELESS;
    uint32_t base = v->plan;
    if (kind == JUDGE_MISSING && relax_conjuncts(j->relax) < FEW_CONJUNCTS) kind = JUDGE_PRESENT;
    if (kind == JUDGE_MISSING) base = v->missing;
    if (kind == JUDGE_LAYERS) base = v->layers;
    if (kind == JUDGE_PRESENT)
        base = (uint32_t)(j->space->most > v->present ? j->space->most - v->present : 0);
    /* what can only bring less is further away; but not where a distance is asked for */
    if (kind != JUDGE_LAYERS) base += (uint32_t)(j->space->most > v->bound ? j->space->most - v->bound : 0);
    return base < JUDGE_HOPELESS ? (uint16_t)base : JUDGE_HOPELESS - 1;
}

void judge_look(struct judge *j, enum judge_kind kind, const uint64_t *states, uint32_t n,
                const struct line *line, uint16_t *out)
{
    struct relax_view view[RELAX_LANES];
    if (!j->relax || kind == JUDGE_CHANCE) {
        for (uint32_t i = 0; i < n; i++)
            out[i] = kind == JUDGE_CHANCE ? (uint16_t)rng_below(&j->space->rng, 1000) : 0;
        return;
    }
    for (uint32_t at = 0; at < n; at += RELAX_LANES) {
        uint32_t part = n - at < RELAX_LANES ? n - at : RELAX_LANES;
        relax_look(j->relax, states + (size_t)at * j->space->words, part, line->goal, kind == JUDGE_PLAN,
                   view);
        for (uint32_t i = 0; i < part; i++) out[at + i] = score(j, kind, &view[i], line);
    }
}

int judge_bound(struct judge *j)
{
    struct relax_view v;
    if (!j->relax) return j->space->most;
    relax_look(j->relax, j->space->root, 1, -1, false, &v);
    int bound = v.bound < 0 ? 0 : v.bound; /* an end that no goal is told of brings 0 */
    return bound < j->space->most ? bound : j->space->most;
}
