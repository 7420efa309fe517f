// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/nrpa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3, ITERATIONS = 50 };
#define ALPHA 1.0f

struct level {
    float *policy;
    uint32_t done; /* iterations */
    struct line best;
};

struct nrpa {
    struct method base;
    struct level level[LEVELS + 1]; /* level[0] is not used */
    uint32_t now, runs;             /* now 0: begin again */
    uint32_t nmoves;                /* policies have room for */
    float *chance;                  /* exp of the policy of level 1 */
    float *adapted;
    struct roll roll;
    const uint32_t *line; /* being adapted to */
    float *policy;
    bool broken;
};

static struct nrpa *self(struct method *m)
{
    return (struct nrpa *)m;
}

/* Moves come to be known while playing where there is no circuit. */
static bool room(struct nrpa *d)
{
    uint32_t n = d->base.space->nmoves;
    if (d->nmoves && n <= d->nmoves) return true;
    n = 2 * n + 16;
    float *chance = realloc(d->chance, n * sizeof *chance);
    if (chance) d->chance = chance;
    float *adapted = chance ? realloc(d->adapted, n * sizeof *adapted) : NULL;
    if (!adapted) return !(d->broken = true);
    d->adapted = adapted;
    for (uint32_t l = 1; l <= LEVELS; l++) {
        float *policy = realloc(d->level[l].policy, n * sizeof *policy);
        if (!policy) return !(d->broken = true);
        for (uint32_t i = d->nmoves; i < n; i++) policy[i] = 0;
        d->level[l].policy = policy;
    }
    d->nmoves = n;
    return true;
}

/* One step of the gradient: towards the move that was made, away from all that were legal by their chances
 * under the old policy. */
static void adapt_step(void *to, uint32_t step, const uint32_t *legal, uint32_t n)
{
    struct nrpa *d = to;
    float sum = 0;
    for (uint32_t i = 0; i < n; i++)
        if (legal[i] < d->nmoves) sum += expf(d->policy[legal[i]]);
    for (uint32_t i = 0; i < n; i++)
        if (legal[i] < d->nmoves) d->adapted[legal[i]] -= ALPHA * expf(d->policy[legal[i]]) / sum;
    if (d->line[step] < d->nmoves) d->adapted[d->line[step]] += ALPHA;
}

static void adapt(struct nrpa *d, struct level *l)
{
    if (l->best.goal < 0 || !room(d)) return;
    memcpy(d->adapted, l->policy, d->nmoves * sizeof *d->adapted);
    d->policy = l->policy;
    d->line = l->best.moves;
    space_follow(d->base.space, l->best.moves, l->best.n, adapt_step, d);
    memcpy(l->policy, d->adapted, d->nmoves * sizeof *d->adapted);
}

/* Games of level 0; false: no time. */
static bool play(struct nrpa *d, struct turn *turn)
{
    struct space *s = d->base.space;
    struct level *l = &d->level[1];
    struct roll *r = &d->roll;
    if (!room(d)) return false;
    for (uint32_t i = 0; i < d->nmoves; i++) d->chance[i] = expf(fminf(l->policy[i], 60));
    r->weight = d->chance;
    r->nweights = d->nmoves;
    r->n = s->code ? s->lanes : 1;
    uint64_t before = turn->used;
    space_roll(s, r, turn);
    d->base.steps += turn->used - before;
    uint32_t given_up = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint32_t *moves = r->moves + (size_t)i * r->max_steps;
        given_up += r->goal[i] == SPACE_GOES_ON;
        if (r->goal[i] == SPACE_GOES_ON) continue;
        line_offer(d->base.line, r->goal[i], moves, r->length[i], d->base.ops->name);
        /* as good is taken, too: the policy drifts instead of freezing */
        if (r->goal[i] < l->best.goal) continue;
        l->best.goal = -1;
        line_offer(&l->best, r->goal[i], moves, r->length[i], NULL);
    }
    if (turn_over(turn) || s->trouble.code) return false;
    d->broken = !roll_lengthen(r, s, given_up);
    return !d->broken;
}

static void enter(struct nrpa *d, uint32_t level)
{
    struct level *l = &d->level[level];
    l->done = 0;
    l->best.goal = -1;
    l->best.n = 0;
    if (level == LEVELS)
        memset(l->policy, 0, d->nmoves * sizeof *l->policy);
    else
        memcpy(l->policy, d->level[level + 1].policy, d->nmoves * sizeof *l->policy);
    d->now = level;
}

/* An iteration of the level above is complete. */
static void leave(struct nrpa *d)
{
    struct level *l = &d->level[d->now];
    if (d->now == LEVELS) {
        d->now = 0;
        return;
    }
    struct level *up = &d->level[++d->now];
    if (l->best.goal >= up->best.goal && l->best.goal >= 0) {
        up->best.goal = -1;
        line_offer(&up->best, l->best.goal, l->best.moves, l->best.n, NULL);
    }
    adapt(d, up);
    up->done++;
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct nrpa *d = self(m);
    while (!d->broken && !m->space->trouble.code && !method_solved(m) && !turn_over(turn)) {
        if (!room(d)) break;
        if (d->now == 0) {
            d->runs++;
            enter(d, LEVELS);
        }
        if (d->level[d->now].done == ITERATIONS) {
            leave(d);
        } else if (d->now > 1) {
            enter(d, d->now - 1);
        } else if (play(d, turn)) {
            adapt(d, &d->level[1]);
            d->level[1].done++;
        }
    }
    snprintf(m->note, sizeof m->note, "run %u, iteration %u of level %d", d->runs, d->level[LEVELS].done,
             LEVELS);
    return d->broken || m->space->trouble.code ? METHOD_OVER : METHOD_WORKING;
}

static void release(struct method *m)
{
    struct nrpa *d = self(m);
    for (uint32_t i = 1; i <= LEVELS; i++) {
        free(d->level[i].policy);
        line_done(&d->level[i].best);
    }
    free(d->chance);
    free(d->adapted);
    roll_done(&d->roll);
    free(d);
}

static const struct method_ops ops = {.name = "nrpa", .run = run, .free = release};

struct method *nrpa_new(struct space *s, struct line *line)
{
    struct nrpa *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->base = (struct method){.ops = &ops, .space = s, .line = line};
    for (uint32_t i = 1; i <= LEVELS; i++) line_init(&d->level[i].best);
    if (!roll_init(&d->roll, s) || !room(d)) {
        release(&d->base);
        return NULL;
    }
    for (uint32_t i = 0; i < s->lanes; i++)
        memcpy(d->roll.state + (size_t)i * s->words, s->root, s->words * 8);
    return &d->base;
}
