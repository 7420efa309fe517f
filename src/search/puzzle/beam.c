// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/beam.h"

#include "search/puzzle/trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WIDTH = 16, LIKE_A_FEW = 4, KINDS = 4 };

struct beam {
    struct method base;
    struct judge *judge;
    enum judge_kind kind;
    uint32_t width, most, depth, runs;
    struct states seen; /* of the last layers */
    struct trail trail;
    /* this layer and the next: rows, twigs, judgements */
    uint64_t *row, *next_row;
    uint32_t *twig, *next_twig;
    uint16_t *next_judged;
    uint32_t n, at, next, next_cap;
    bool narrowed;           /* in this run something was left out */
    struct frontier *source; /* whose last layer this run begins with; NULL: no longer needed */
    uint32_t source_at;
    uint32_t handful; /* expanded at a time */
    uint32_t *hand_depth, *number;
    bool *fresh;
    uint16_t *judged;
};

static struct beam *self(struct method *m)
{
    return (struct beam *)m;
}

static void offer(struct beam *b, uint32_t twig, uint32_t move, int goal)
{
    uint32_t n = b->trail.v[twig].depth + 1;
    if (!line_wants(b->base.line, goal, n)) return;
    uint32_t *moves = malloc(n * sizeof *moves);
    if (!moves) return;
    trail_path(&b->trail, twig, moves);
    moves[n - 1] = move;
    line_offer(b->base.line, goal, moves, n, b->base.ops->name);
    free(moves);
}

/* Keep the best `width` of the next layer. */
static void narrow(struct beam *b)
{
    if (b->next <= b->width) return;
    uint32_t words = b->base.space->words, kept = 0, below = 0, cut = 0, take_equal;
    uint32_t *count = calloc(65536, sizeof *count);
    if (!count) return; /* the layer stays wide; there is room for it */
    for (uint32_t i = 0; i < b->next; i++) count[b->next_judged[i]]++;
    while (below + count[cut] <= b->width) below += count[cut++];
    take_equal = b->width - below;
    /* of those on the border every one has the same chance */
    uint32_t border = count[cut];
    free(count);
    for (uint32_t i = 0; i < b->next; i++) {
        bool take = b->next_judged[i] < cut;
        if (b->next_judged[i] == cut) {
            take = rng_below(&b->base.space->rng, border--) < take_equal;
            take_equal -= take;
        }
        if (!take) {
            trail_drop(&b->trail, b->next_twig[i]);
            continue;
        }
        memmove(b->next_row + (size_t)kept * words, b->next_row + (size_t)i * words, words * 8);
        b->next_judged[kept] = b->next_judged[i];
        b->next_twig[kept++] = b->next_twig[i];
    }
    b->next = kept;
    b->narrowed = true;
}

static bool take(void *to, struct brood *brood)
{
    struct beam *b = to;
    uint32_t words = b->base.space->words, n = 0, left = 0;
    b->base.steps += brood->n;
    for (uint32_t i = 0; i < brood->n; i++) {
        uint32_t twig = b->twig[b->at + brood->parent[i]];
        if (brood->goal[i] != SPACE_GOES_ON) {
            offer(b, twig, brood->move[i], brood->goal[i]);
            continue;
        }
        if (n != i) memmove(brood->state + (size_t)n * words, brood->state + (size_t)i * words, words * 8);
        brood->parent[n] = twig;
        brood->move[n++] = brood->move[i];
    }
    states_add_many(&b->seen, brood->state, n, brood->parent, brood->move, b->number, b->fresh);
    for (uint32_t i = 0; i < n;
         i++) { /* when the table is full states count as new: rather twice than never */
        if (!b->fresh[i] && b->number[i] != STATES_FULL) continue;
        if (left != i)
            memmove(brood->state + (size_t)left * words, brood->state + (size_t)i * words, words * 8);
        brood->parent[left] = brood->parent[i];
        brood->move[left++] = brood->move[i];
    }
    judge_look(b->judge, b->kind, brood->state, left, b->base.line, b->judged);
    for (uint32_t i = 0; i < left; i++) {
        if (b->judged[i] == JUDGE_HOPELESS) continue;
        if (b->next == b->next_cap) narrow(b);
        uint32_t twig = b->next < b->next_cap ? trail_grow(&b->trail, brood->parent[i], brood->move[i]) : 0;
        if (!twig) {
            b->narrowed = true;
            continue;
        }
        memcpy(b->next_row + (size_t)b->next * words, brood->state + (size_t)i * words, words * 8);
        b->next_twig[b->next] = twig;
        b->next_judged[b->next++] = b->judged[i];
    }
    return !method_solved(&b->base);
}

static void start(struct beam *b)
{
    static const enum judge_kind kinds[KINDS] = {JUDGE_PLAN, JUDGE_PRESENT, JUDGE_CHANCE, JUDGE_MISSING};
    bool fresh;
    uint32_t wider = 2 * (b->runs / KINDS);
    b->width = wider < 16 && FIRST_WIDTH << wider < b->most ? FIRST_WIDTH << wider : b->most;
    b->kind = kinds[b->runs++ % KINDS];
    b->depth = b->at = b->next = 0;
    b->narrowed = false;
    states_clear(&b->seen);
    states_add(&b->seen, b->base.space->root, STATES_ROOT, 0, &fresh);
    memcpy(b->row, b->base.space->root, b->base.space->words * 8);
    b->twig[0] = TRAIL_ROOT;
    b->trail.v[TRAIL_ROOT].used++;
    b->n = 1;
}

/* Forget what was seen long ago if there is no more room: the layer at hand is entered anew. */
static void forget(struct beam *b)
{
    if (states_bytes(&b->seen) < b->seen.limit / 2) return;
    states_clear(&b->seen);
    bool fresh;
    for (uint32_t i = 0; i < b->n; i++)
        states_add(&b->seen, b->row + (size_t)i * b->base.space->words, STATES_ROOT, 0, &fresh);
}

static void descend(struct beam *b)
{
    for (uint32_t i = 0; i < b->n; i++) trail_drop(&b->trail, b->twig[i]);
    narrow(b);
    memcpy(b->row, b->next_row, (size_t)b->next * b->base.space->words * 8);
    memcpy(b->twig, b->next_twig, b->next * sizeof *b->twig);
    b->n = b->next;
    b->at = b->next = 0;
    b->depth++;
    forget(b);
}

/* A state of the frontier with the moves that lead to it. */
static bool seed(struct beam *b, uint32_t number, uint16_t judged)
{
    const struct states *t = &b->source->states;
    uint32_t words = b->base.space->words, length = states_path(t, number, NULL), twig = TRAIL_ROOT;
    uint32_t *moves = malloc((length + 1) * sizeof *moves);
    if (!moves) return false;
    states_path(t, number, moves);
    for (uint32_t k = 0; k < length; k++) {
        uint32_t grown = trail_grow(&b->trail, twig, moves[k]);
        if (twig != TRAIL_ROOT) trail_drop(&b->trail, twig);
        twig = grown;
        if (!twig) break;
    }
    free(moves);
    if (!twig) return false;
    memcpy(b->next_row + (size_t)b->next * words, states_row(t, number), words * 8);
    b->next_twig[b->next] = twig;
    b->next_judged[b->next++] = judged;
    return true;
}

/* Judge the next states of the frontier that was handed over. */
static void seed_some(struct beam *b)
{
    const struct states *t = &b->source->states;
    uint16_t judged[RELAX_LANES];
    uint32_t n = t->n - b->source_at < RELAX_LANES ? t->n - b->source_at : RELAX_LANES;
    judge_look(b->judge, b->kind, states_row(t, b->source_at), n, b->base.line, judged);
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        if (judged[i] == JUDGE_HOPELESS) continue;
        if (b->next == b->next_cap) narrow(b);
        good = b->next < b->next_cap && seed(b, b->source_at + i, judged[i]);
    }
    b->source_at += n;
    if (good && b->source_at < t->n) return;
    method_free(&b->source->base);
    b->source = NULL;
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct beam *b = self(m);
    struct space *s = m->space;
    enum method_state state = METHOD_WORKING;
    while (!method_solved(m) && !turn_over(turn)) {
        if (b->source) {
            seed_some(b);
            continue;
        }
        if (b->at == b->n) {
            if (b->next > 0) {
                descend(b);
            } else {
                for (uint32_t i = 0; i < b->n; i++) trail_drop(&b->trail, b->twig[i]);
                if (!b->narrowed) {
                    state = METHOD_EXHAUSTED;
                    b->n = b->at = 0;
                    break;
                }
                start(b);
            }
        }
        uint32_t n = b->n - b->at < b->handful ? b->n - b->at : b->handful;
        uint64_t before = m->steps;
        for (uint32_t i = 0; i < n; i++) b->hand_depth[i] = b->trail.v[b->twig[b->at + i]].depth;
        bool good = space_expand(s, b->row + (size_t)b->at * s->words, b->hand_depth, n, take, b);
        turn->used += m->steps - before;
        b->handful = space_handful(s, n, m->steps - before);
        if (!good && !method_solved(m)) {
            state = METHOD_OVER;
            break;
        }
        b->at += n;
    }
    snprintf(m->note, sizeof m->note, "width %u, depth %u, run %u", b->width, b->depth, b->runs);
    return state;
}

static void release(struct method *m)
{
    struct beam *b = self(m);
    if (b->source) method_free(&b->source->base);
    states_done(&b->seen);
    trail_done(&b->trail);
    free(b->row);
    free(b->next_row);
    free(b->twig);
    free(b->next_twig);
    free(b->next_judged);
    free(b->hand_depth);
    free(b->number);
    free(b->fresh);
    free(b->judged);
    free(b);
}

static const struct method_ops ops = {.name = "beam", .run = run, .free = release};

struct method *beam_new(struct space *s, struct line *line, struct judge *judge, size_t memory)
{
    struct beam *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->base = (struct method){.ops = &ops, .space = s, .line = line};
    b->judge = judge;
    /* a quarter each for what was seen, for moves, for the next layer and for this one */
    size_t most = memory / 4 / ((s->words * 8 + 6) * LIKE_A_FEW);
    b->most = most > 1u << 24 ? 1u << 24 : most < 16 ? 16 : (uint32_t)most;
    b->next_cap = LIKE_A_FEW * b->most;
    b->row = malloc((size_t)b->next_cap * s->words * 8);
    b->next_row = malloc((size_t)b->next_cap * s->words * 8);
    b->twig = malloc(b->next_cap * sizeof *b->twig);
    b->next_twig = malloc(b->next_cap * sizeof *b->next_twig);
    b->next_judged = malloc(b->next_cap * sizeof *b->next_judged);
    b->handful = s->lanes;
    b->hand_depth = malloc(s->lanes * sizeof *b->hand_depth);
    b->number = malloc(s->lanes * sizeof *b->number);
    b->fresh = malloc(s->lanes * sizeof *b->fresh);
    b->judged = malloc(s->lanes * sizeof *b->judged);
    if (!b->row || !b->next_row || !b->twig || !b->next_twig || !b->next_judged || !b->hand_depth ||
        !b->number || !b->fresh || !b->judged || !trail_init(&b->trail, memory / 4) ||
        !states_init(&b->seen, s->words, memory / 4)) {
        release(&b->base);
        return NULL;
    }
    start(b);
    return &b->base;
}

struct method *beam_after(struct frontier *f, struct judge *judge, size_t memory)
{
    struct method *m = beam_new(f->base.space, f->base.line, judge, memory);
    if (!m) return NULL;
    struct beam *b = self(m);
    trail_drop(&b->trail, b->twig[0]);
    b->n = b->at = 0;
    b->width = b->most;
    b->narrowed = true;
    b->source = f;
    b->source_at = f->at;
    b->depth = f->depth;
    return m;
}
