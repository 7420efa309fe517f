// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct frontier *self(struct method *m)
{
    return (struct frontier *)m;
}

static void offer(struct frontier *f, uint32_t parent, uint32_t move, int goal)
{
    uint32_t n = f->depth + 1;
    if (!line_wants(f->base.line, goal, n)) return;
    uint32_t *moves = malloc(n * sizeof *moves);
    if (!moves) return;
    states_path(&f->states, parent, moves);
    moves[n - 1] = move;
    line_offer(f->base.line, goal, moves, n, f->base.ops->name);
    free(moves);
}

/* Those that go on are entered, if they are new. */
static bool take(void *to, struct brood *b)
{
    struct frontier *f = to;
    uint32_t words = f->base.space->words, n = 0;
    f->base.steps += b->n;
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->goal[i] != SPACE_GOES_ON) {
            offer(f, f->at + b->parent[i], b->move[i], b->goal[i]);
            continue;
        }
        if (n != i) memmove(b->state + (size_t)n * words, b->state + (size_t)i * words, words * 8);
        b->parent[n] = f->at + b->parent[i];
        b->move[n++] = b->move[i];
    }
    states_add_many(&f->states, b->state, n, b->parent, b->move, f->number, f->fresh);
    for (uint32_t i = 0; i < n; i++) f->full |= f->number[i] == STATES_FULL;
    return !f->full && !method_solved(&f->base);
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct frontier *f = self(m);
    struct space *s = m->space;
    while (!f->full && !method_solved(m) && !turn_over(turn)) {
        if (f->at == f->last) { /* the next layer */
            if (f->last == f->states.n) return METHOD_EXHAUSTED;
            f->first = f->at;
            f->last = f->states.n;
            f->depth++;
        }
        uint32_t n = f->last - f->at < s->lanes ? f->last - f->at : s->lanes;
        uint64_t before = m->steps;
        for (uint32_t i = 0; i < n; i++) f->depths[i] = f->depth;
        bool good = space_expand(s, states_row(&f->states, f->at), f->depths, n, take, f);
        turn->used += m->steps - before;
        if (!good) break;
        f->at += n;
    }
    snprintf(m->note, sizeof m->note, "depth %u, %u states, %zu MB%s", f->depth, f->states.n,
             states_bytes(&f->states) >> 20, f->full ? ", memory is full" : "");
    return f->full || m->space->trouble.code ? METHOD_OVER : METHOD_WORKING;
}

static void release(struct method *m)
{
    struct frontier *f = self(m);
    states_done(&f->states);
    free(f->depths);
    free(f->number);
    free(f->fresh);
    free(f);
}

static const struct method_ops ops = {.name = "breadth-first", .run = run, .free = release};

struct method *frontier_new(struct space *s, struct line *line, size_t memory)
{
    struct frontier *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->base = (struct method){.ops = &ops, .space = s, .line = line};
    f->depths = malloc(s->lanes * sizeof *f->depths);
    f->number = malloc(s->lanes * sizeof *f->number);
    f->fresh = malloc(s->lanes * sizeof *f->fresh);
    bool fresh;
    if (!f->depths || !f->number || !f->fresh || !states_init(&f->states, s->words, memory) ||
        states_add(&f->states, s->root, STATES_ROOT, 0, &fresh) == STATES_FULL) {
        release(&f->base);
        return NULL;
    }
    f->last = 1;
    return &f->base;
}
