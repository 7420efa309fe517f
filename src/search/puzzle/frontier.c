// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORTH_STUDYING = 256 }; /* states */

static struct frontier *self(struct method *m)
{
    return (struct frontier *)m;
}

static void offer(struct frontier *f, uint32_t parent, uint32_t move, int goal)
{
    uint32_t n = f->depth + 1;
    uint32_t *moves = malloc(n * sizeof *moves);
    if (!moves) return;
    states_path(&f->states, parent, moves);
    moves[n - 1] = move;
    line_offer(f->base.line, goal, moves, n, f->base.ops->name);
    free(moves);
}

/* Back where its parent came from, or still there? That is known without a look at the table. */
static inline bool returns(const struct frontier *f, uint32_t parent, const uint64_t *row, uint32_t words)
{
    uint32_t grand = f->states.link[parent].parent;
    const uint64_t *there = states_row(&f->states, grand == STATES_ROOT ? parent : grand);
    uint64_t differs = 0;
    for (uint32_t k = 0; k < words; k++) differs |= row[k] ^ there[k];
    return differs == 0;
}

/* Those that go on and do not go back, to the front; returns how many. Every other child goes back, or every
 * third: nobody could guess which, so all are copied. */
static inline __attribute__((always_inline)) uint32_t sift(struct frontier *f, struct brood *b,
                                                           uint32_t words, bool look_back)
{
    uint32_t n = 0, backs = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t parent = f->at + b->parent[i], move = b->move[i];
        const uint64_t *row = b->state + (size_t)i * words;
        bool over = b->goal[i] != SPACE_GOES_ON, back = look_back && returns(f, parent, row, words);
        if (line_wants(f->base.line, b->goal[i], f->depth + 1)) /* never, where it goes on */
            offer(f, parent, move, b->goal[i]);
        for (uint32_t k = 0; k < words; k++) b->state[(size_t)n * words + k] = row[k];
        b->parent[n] = parent;
        b->move[n] = move;
        n += !over & !back;
        backs += back;
    }
    f->goes_back |= backs > 0;
    return n;
}

static uint32_t sift_rows(struct frontier *f, struct brood *b, uint32_t words)
{
    if (!f->look_back) return sift(f, b, words, false);
    return words == 1 ? sift(f, b, 1, true) : words == 2 ? sift(f, b, 2, true) : sift(f, b, words, true);
}

/* Those that are left are entered, if they are new. */
static bool take(void *to, struct brood *b)
{
    struct frontier *f = to;
    f->base.steps += b->n;
    f->cut_off |= b->cut_off;
    uint32_t n = sift_rows(f, b, f->base.space->words);
    f->full |= !states_add_many(&f->states, b->state, n, b->parent, b->move, f->number, f->fresh);
    return !f->full && !method_solved(&f->base);
}

static void next_layer(struct frontier *f)
{
    f->first = f->at;
    f->last = f->states.n;
    f->depth++;
    f->whole = f->cut_off;
    f->cut_off = false;
    f->look_back = f->goes_back || !f->studied;
    f->goes_back = false;
    if (f->studied || f->states.n < WORTH_STUDYING) return;
    commute_prove(&f->commute, f->base.space);
    f->studied = true;
}

static bool expand(struct frontier *f, uint32_t n)
{
    struct space *s = f->base.space;
    bool some = f->commute.any && !f->whole;
    for (uint32_t i = 0; i < n; i++) f->depths[i] = f->depth;
    for (uint32_t i = 0; i < n && some; i++) {
        const struct states_link *link = &f->states.link[f->at + i];
        f->avoid[i] = link->parent == STATES_ROOT ? NULL : commute_skip(&f->commute, link->move);
    }
    s->avoid = some ? f->avoid : NULL;
    bool good = space_expand(s, states_row(&f->states, f->at), f->depths, n, take, f);
    s->avoid = NULL;
    if (!good) return false;
    f->at += n;
    if (some && f->cut_off) { /* once more, and all of it */
        f->at = f->first;
        f->whole = true;
    }
    return true;
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct frontier *f = self(m);
    while (!f->full && !method_solved(m) && !turn_over(turn)) {
        if (f->at == f->last) {
            if (f->last == f->states.n) return METHOD_EXHAUSTED;
            next_layer(f);
        }
        uint32_t left = f->last - f->at;
        uint64_t before = m->steps;
        uint32_t n = left < f->handful ? left : f->handful;
        bool good = expand(f, n);
        turn->used += m->steps - before;
        f->handful = space_handful(m->space, n, m->steps - before);
        if (!good) break;
    }
    snprintf(m->note, sizeof m->note, "depth %u, %u states, %zu MB%s", f->depth, f->states.n,
             states_bytes(&f->states) >> 20, f->full ? ", memory is full" : "");
    return f->full || m->space->trouble.code ? METHOD_OVER : METHOD_WORKING;
}

static void release(struct method *m)
{
    struct frontier *f = self(m);
    states_done(&f->states);
    commute_done(&f->commute);
    free(f->avoid);
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
    f->handful = s->lanes;
    f->depths = malloc(s->lanes * sizeof *f->depths);
    f->avoid = malloc(s->lanes * sizeof *f->avoid);
    f->number = malloc(s->lanes * sizeof *f->number);
    f->fresh = malloc(s->lanes * sizeof *f->fresh);
    bool fresh;
    if (!f->depths || !f->avoid || !f->number || !f->fresh || !states_init(&f->states, s->words, memory) ||
        states_add(&f->states, s->root, STATES_ROOT, 0, &fresh) == STATES_FULL) {
        release(&f->base);
        return NULL;
    }
    f->last = 1;
    f->look_back = true;
    return &f->base;
}
