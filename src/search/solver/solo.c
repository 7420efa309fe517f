// SPDX-License-Identifier: GPL-3.0-or-later
/* One role: the race of searches for puzzles (search/puzzle/race.h), breadth-first search among them, until a
 * line brings the most that can be had or everything has been seen; or breadth-first search alone, whose line
 * is a shortest one. */
#include "search/solver/solve_internal.h"

#include "search/puzzle/race.h"

#include <stdlib.h>
#include <string.h>

#define SLICE 0.1       /* seconds between looks at the limits */
#define SLICE_STEPS 1e6 /* the same where positions are counted */

static uint64_t entered(const struct race *race)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < race->nentrants; i++) n += race->entrants[i].steps;
    return n;
}

static void tell(struct solver *s, const struct race *race)
{
    s->at.opened = s->at.seen = entered(race);
    s->at.low = race->line.goal > s->at.low ? race->line.goal : s->at.low;
    s->at.plies = race->line.n;
    if (s->opt->progress) s->opt->progress(s->opt->progress_data, &s->at);
}

/* Why it cannot go on. When breadth-first search has no more memory, everything will never be seen: the
 * others may yet reach the most there is, and have as long again. */
static enum halt limit(const struct solver *s, const struct race *race, double began, double *full)
{
    const struct budget *b = &s->opt->budget;
    double now = clock_now();
    if (b->stop && atomic_load_explicit(b->stop, memory_order_relaxed)) return HALT_STOP;
    if (b->deadline > 0 && now >= b->deadline) return HALT_TIME;
    if (b->expansions && entered(race) >= b->expansions) return HALT_OPENED;
    if (race->trouble.code) return race->trouble.code == ERROR_MEMORY ? HALT_MEMORY : HALT_ERROR;
    if (race->full && *full == 0) *full = now - began;
    return (race->full && now - began >= 2 * *full) || race_over(race) ? HALT_MEMORY : HALT_NOT;
}

static struct budget slice(const struct solver *s, const struct race *race)
{
    const struct budget *b = &s->opt->budget;
    struct budget one = {.stop = b->stop, .deadline = clock_now() + SLICE};
    if (b->expansions) {
        uint64_t left = b->expansions - entered(race);
        one.steps = left < SLICE_STEPS ? left : (uint64_t)SLICE_STEPS;
        one.deadline = 0;
    }
    if (b->deadline > 0 && (one.deadline == 0 || one.deadline > b->deadline)) one.deadline = b->deadline;
    return one;
}

static void write_line(const struct line *line, struct solve_result *out)
{
    if (line->n == 0) return;
    out->low[0] = line->goal;
    out->steps = line->n;
    free(out->line);
    out->line = malloc(line->n * sizeof *out->line);
    if (out->line)
        memcpy(out->line, line->moves, line->n * sizeof *out->line);
    else
        out->steps = 0;
    out->line_ends = out->steps > 0;
}

/* Where it falls apart, as far as a short look tells. */
static void take_apart(const struct solver *s, struct factors *out)
{
    const struct budget *b = &s->opt->budget;
    struct error ignored;
    double seconds = b->deadline > 0 ? budget_seconds(b, 0.1) : 1;
    *out = (struct factors){0};
    if (s->opt->parts && s->code)
        factors_find(out, s->code->circuit, seconds < 1 ? seconds : 1, b->stop, &ignored);
}

bool solo_run(struct solver *s, bool breadth_first, struct solve_result *out)
{
    uint32_t which = breadth_first ? RACE_FRONTIER : RACE_ALL;
    struct factors factors;
    take_apart(s, &factors);
    struct race *race =
        race_new_apart(s->r, s->code, s->state, &factors, which, s->opt->memory, 1, &s->error);
    if (!race) factors_done(&factors);
    if (!race) return s->halt = s->error.code == ERROR_MEMORY ? HALT_MEMORY : HALT_ERROR, false;
    double began = clock_now(), full = 0;
    while (!race_solved(race) && !race->proved && !(s->halt = limit(s, race, began, &full))) {
        struct budget one = slice(s, race);
        race_run(race, &one);
        tell(s, race);
    }
    if (s->halt == HALT_ERROR) s->error = race->trouble;
    write_line(&race->line, out);
    out->proved = race_solved(race) || race->proved;
    if (race->space && race->space->most < out->high[0]) out->high[0] = race->space->most;
    if (out->proved) out->high[0] = out->low[0];
    s->deepest = race->line.n;
    race_free(race);
    out->parts = factors.n;
    factors_done(&factors);
    return out->proved;
}
