// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/race.h"

#include "search/puzzle/beam.h"
#include "search/puzzle/fill.h"
#include "search/puzzle/frontier.h"
#include "search/puzzle/ida.h"
#include "search/puzzle/nested.h"
#include "search/puzzle/nrpa.h"
#include "search/puzzle/parts.h"
#include "search/puzzle/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_TURN 0.005 /* seconds; later a share of what it has had */
#define LONGEST_TURN 0.25
#define BOUND_TAKES 0.02        /* seconds at most for the first look at what can be reached */
#define STEPS_PER_SIMULATION 16 /* what a simulation is worth in positions, where a budget counts those */
#define MOST_MERIT 6.0
#define LAZY_MERIT 0.5
#define LAZY_SECONDS 0.5
#define LAZY_STEPS 2e6

/* Of the memory, in 32nds. */
static const struct {
    enum race_method which;
    uint32_t memory;
} shares[] = {{RACE_PARTS, 4}, {RACE_FRONTIER, 12}, {RACE_PLAN, 5},   {RACE_COUNT, 3}, {RACE_IDA, 4},
              {RACE_FILL, 1},  {RACE_BEAM, 4},      {RACE_NESTED, 0}, {RACE_NRPA, 0}};

static size_t share_of(const struct race *r, enum race_method which)
{
    uint32_t all = 0, own = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (shares[i].which == RACE_PARTS && !r->apart) continue;
        if (r->which & shares[i].which) all += shares[i].memory;
        if (which == shares[i].which) own = shares[i].memory;
    }
    /* the frontier's is needed once more by the beam that may follow it */
    size_t part = all ? r->memory / all * own : 0;
    return which == RACE_FRONTIER ? part - part / 4 : part;
}

static struct method *make(struct race *r, enum race_method which)
{
    struct space *s = r->space;
    size_t memory = share_of(r, which);
    switch (which) {
    case RACE_FRONTIER: return frontier_new(s, &r->line, memory);
    case RACE_IDA: return ida_new(s, &r->line, &r->judge, memory);
    case RACE_PLAN:
        return judge_knows(&r->judge) ? plan_new(s, &r->line, &r->judge, JUDGE_PLAN, memory) : NULL;
    case RACE_COUNT:
        return judge_knows(&r->judge) ? plan_new(s, &r->line, &r->judge, JUDGE_MISSING, memory) : NULL;
    case RACE_BEAM: return beam_new(s, &r->line, &r->judge, memory);
    case RACE_NESTED: return nested_new(s, &r->line);
    case RACE_NRPA: return nrpa_new(s, &r->line);
    case RACE_FILL: return fill_new(s, &r->line, &r->judge, memory);
    case RACE_PARTS: return r->apart ? parts_new(s, &r->line, &r->root, r->apart, memory) : NULL;
    case RACE_ALL: break;
    }
    return NULL;
}

/* --- The guest ------------------------------------------------------------------------------------------ */

struct invited {
    struct method base;
    struct race *race;
    struct method_ops ops; /* its own, with the guest's name */
};

static enum method_state run_guest(struct method *m, struct turn *turn)
{
    struct race *r = ((struct invited *)m)->race;
    uint64_t before = turn->used;
    bool more = r->guest(r->guest_data, turn, m->line);
    m->steps += turn->used - before;
    return more ? METHOD_WORKING : METHOD_OVER;
}

static void release_guest(struct method *m)
{
    free(m);
}

static void seat_guest(struct race *r)
{
    struct invited *g = r->guest && r->nentrants < RACE_MOST ? calloc(1, sizeof *g) : NULL;
    if (!g) return;
    g->ops = (struct method_ops){.name = r->guest_name, .run = run_guest, .free = release_guest};
    g->base = (struct method){.ops = &g->ops, .space = r->space, .line = &r->line};
    g->race = r;
    r->entrants[r->nentrants++] = (struct entrant){
        .which = RACE_ALL, .method = &g->base, .name = r->guest_name, .merit = 1, .goal = -1};
}

void race_invite(struct race *r, race_guest *guest, void *data, const char *name)
{
    r->guest = guest;
    r->guest_data = data;
    r->guest_name = name;
    seat_guest(r);
}

/* --- The race ------------------------------------------------------------------------------------------- */

static void drop(struct race *r)
{
    for (uint32_t i = 0; i < r->nentrants; i++) method_free(r->entrants[i].method);
    for (uint32_t i = 0; i < r->nentrants; i++) r->entrants[i].method = NULL;
    judge_done(&r->judge);
    space_free(r->space);
    r->space = NULL;
}

static bool set_up(struct race *r, struct error *error)
{
    r->space = space_new(r->reasoner, r->code, &r->root, r->exact, r->memory / 4, r->seed, error);
    if (!r->space) return false;
    judge_init(&r->judge, r->space);
    if (r->judge.relax) relax_until(r->judge.relax, clock_now() + BOUND_TAKES);
    r->space->most = judge_bound(&r->judge);
    r->nentrants = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct method *m = r->which & shares[i].which ? make(r, shares[i].which) : NULL;
        if (!m) continue;
        r->entrants[r->nentrants++] = (struct entrant){
            .which = shares[i].which, .method = m, .name = m->ops->name, .merit = 1, .goal = -1};
    }
    if (r->nentrants == 0) return error_set(error, ERROR_MEMORY, "out of memory");
    seat_guest(r);
    return true;
}

struct race *race_new(struct reasoner *reasoner, const struct code *code, const struct state *root,
                      uint32_t which, size_t memory, uint64_t seed, struct error *error)
{
    return race_new_apart(reasoner, code, root, NULL, which, memory, seed, error);
}

struct race *race_new_apart(struct reasoner *reasoner, const struct code *code, const struct state *root,
                            const struct factors *factors, uint32_t which, size_t memory, uint64_t seed,
                            struct error *error)
{
    struct race *r = calloc(1, sizeof *r);
    if (!r) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    *r = (struct race){.reasoner = reasoner, .code = code, .which = which, .memory = memory, .seed = seed};
    r->apart = factors && factors->n > 1 ? factors : NULL;
    line_init(&r->line);
    if (!state_copy(&r->root, root)) {
        error_set(error, ERROR_MEMORY, "out of memory");
        race_free(r);
        return NULL;
    }
    if (!set_up(r, error)) {
        race_free(r);
        return NULL;
    }
    return r;
}

void race_inherit(struct race *r, const struct entrant *before, uint32_t n)
{
    for (uint32_t i = 0; i < r->nentrants; i++)
        for (uint32_t k = 0; k < n; k++) {
            struct entrant *e = &r->entrants[i];
            if (e->which != before[k].which) continue;
            e->better = before[k].better;
            e->merit = e->better ? MOST_MERIT / 2 : before[k].merit < 1 ? before[k].merit : 1;
        }
}

void race_shed(struct race *r)
{
    for (uint32_t i = 0; i < r->nentrants; i++) {
        struct method *m = r->entrants[i].method;
        if (!m || (m->ops->adopt && r->code && !r->exact)) continue;
        method_free(m);
        r->entrants[i].method = NULL;
    }
}

void race_adopt(struct race *r, struct race *before)
{
    if (r->code != before->code) return;
    for (uint32_t i = 0; i < r->nentrants; i++)
        for (uint32_t k = 0; k < before->nentrants; k++) {
            struct method *m = r->entrants[i].method, *old = before->entrants[k].method;
            if (m && old && m->ops == old->ops && m->ops->adopt) m->ops->adopt(m, old);
        }
}

void race_free(struct race *r)
{
    if (!r) return;
    drop(r);
    line_done(&r->line);
    state_done(&r->root);
    free(r);
}

bool race_solved(const struct race *r)
{
    return r->line.goal >= 0 && (r->proved || (r->space && r->line.goal >= r->space->most));
}

bool race_over(const struct race *r)
{
    if (r->proved || race_solved(r) || !r->space) return true;
    for (uint32_t i = 0; i < r->nentrants; i++)
        if (r->entrants[i].method) return false;
    return true;
}

/* The one that has had least for its merits. */
static struct entrant *next_entrant(struct race *r)
{
    struct entrant *best = NULL;
    for (uint32_t i = 0; i < r->nentrants; i++) {
        struct entrant *e = &r->entrants[i];
        if (e->method && (!best || e->spent / e->merit < best->spent / best->merit)) best = e;
    }
    return best;
}

/* A frontier without memory for more hands over to a beam. */
static void retire(struct race *r, struct entrant *e)
{
    struct method *m = e->method;
    e->method = NULL;
    if (e->which == RACE_FRONTIER && e->name == m->ops->name && ((struct frontier *)m)->full) {
        r->full = true;
        e->method = beam_after((struct frontier *)m, &r->judge, share_of(r, RACE_FRONTIER) / 3);
    }
    if (e->method)
        e->name = "breadth-first, then beam";
    else
        method_free(m);
}

static void see_all(struct race *r)
{
    struct error error;
    if (!r->space->merges) {
        r->proved = true;
        return;
    }
    r->exact = true;
    drop(r);
    if (!set_up(r, &error)) {
        r->trouble = error;
        drop(r);
    }
}

static void take_turn(struct race *r, struct entrant *e, struct turn *turn, bool by_clock)
{
    int before = r->line.goal;
    uint32_t nearer = e->method->nearer;
    double begin = clock_now(), worked = clock_thread(), allowed = turn->until - begin;
    if (r->judge.relax) relax_until(r->judge.relax, turn->until);
    enum method_state state = e->method->ops->run(e->method, turn);
    /* by the processor's time: that others wanted the processor, too, says nothing about the method */
    double late = turn->until > 0 ? clock_thread() - worked - allowed : 0;
    e->late = late > 0.9 * e->late ? late : 0.9 * e->late;
    e->spent += by_clock ? clock_now() - begin : (double)(turn->used ? turn->used : 1);
    e->steps = e->method->steps;
    snprintf(e->note, sizeof e->note, "%s", e->method->note);
    if (r->line.goal > before) {
        r->line.who = e->name;
        e->goal = r->line.goal;
    }
    if (r->line.goal > before && r->line.goal > 0) { /* to end with nothing is no merit */
        e->better++;
        e->merit = e->merit < MOST_MERIT / 2 ? 2 * e->merit : MOST_MERIT;
    } else if (e->method->nearer > nearer) {
        e->merit = e->merit < MOST_MERIT / 2 ? 2 * e->merit : MOST_MERIT;
    } else if (e->merit > 1) {
        e->merit *= 0.97;
    } else if (e->better == 0 && r->line.goal > 0 && e->spent > (by_clock ? LAZY_SECONDS : LAZY_STEPS)) {
        e->merit = LAZY_MERIT; /* others got somewhere meanwhile */
    }
    if (r->space->trouble.code && r->space->trouble.code != ERROR_TIME &&
        r->space->trouble.code != ERROR_CANCELLED)
        r->trouble = r->space->trouble;
    bool hurried = r->space->trouble.code == ERROR_TIME || r->space->trouble.code == ERROR_CANCELLED;
    if (hurried) { /* the rules were asked too late: next time they are asked again */
        r->space->trouble.code = ERROR_NONE;
        state = METHOD_WORKING;
    }
    if (state == METHOD_EXHAUSTED && !race_solved(r))
        see_all(r);
    else if (state == METHOD_OVER)
        retire(r, e);
}

/* Is there one that is less often late? It goes next. */
static bool patient(struct race *r, struct entrant *late)
{
    bool found = false;
    for (uint32_t i = 0; i < r->nentrants; i++)
        found |= r->entrants[i].method && r->entrants[i].late < late->late;
    if (found) late->spent += FIRST_TURN; /* as if it had had its turn */
    return found;
}

void race_run(struct race *r, const struct budget *budget)
{
    bool by_clock = !budget_counts(budget);
    uint64_t most = budget->simulations > budget->expansions ? budget->simulations : budget->expansions,
             used = 0;
    most = budget->steps ? budget->steps : most * STEPS_PER_SIMULATION;
    double whole = budget->deadline > 0 ? budget->deadline - clock_now() : 0;
    while (!race_over(r) && !budget_over(budget) && (by_clock || used < most)) {
        struct entrant *e = next_entrant(r);
        struct turn turn = {.stop = budget->stop};
        double length = e->spent / 4;
        if (by_clock) {
            length = length < FIRST_TURN ? FIRST_TURN : length > LONGEST_TURN ? LONGEST_TURN : length;
            turn.until = clock_now() + length;
            double late = e->late < whole / 4 ? e->late : whole / 4;
            if (budget->deadline > 0 && turn.until > budget->deadline - late)
                turn.until = budget->deadline - late;
            if (turn.until <= clock_now() && patient(r, e)) continue; /* others need less */
            if (turn.until <= clock_now()) break;
        } else {
            turn.until = budget->deadline;
            turn.steps = length < 1000 ? 1000 : length > 1e6 ? 1000000 : (uint64_t)length;
            if (turn.steps > most - used) turn.steps = most - used;
        }
        take_turn(r, e, &turn, by_clock);
        used += turn.used ? turn.used : 1;
    }
}

bool race_promise(struct race *r, uint32_t *move)
{
    enum { LONGEST = 4096 };
    uint32_t *moves = malloc(LONGEST * sizeof *moves);
    bool found = false;
    for (uint32_t i = 0; i < r->nentrants && moves && !found; i++) {
        struct method *m = r->entrants[i].method;
        found = m && m->ops->promise && m->ops->promise(m, moves, LONGEST) > 0;
        if (found) *move = moves[0];
    }
    free(moves);
    return found;
}
