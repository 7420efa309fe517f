// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/ida.h"

#include "base/hash.h"
#include "search/puzzle/trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4 };


struct ida {
    struct method base;
    struct judge *judge;
    struct trail trail;
    /* the stack: rows and their twigs */
    uint64_t *row;
    uint32_t *twig, n, cap, most;
    /* the table: buckets of WAYS entries, `words` words and one of depth and threshold each */
    uint64_t *entry;
    uint64_t mask; /* buckets - 1 */
    uint32_t threshold, next;
    uint64_t cut; /* subtrees left out for want of room: then an end proves nothing */
    /* the handful under way */
    uint64_t *hand;
    uint32_t *hand_twig, *hand_depth;
    uint16_t *distance;
};

static struct ida *self(struct method *m)
{
    return (struct ida *)m;
}

static uint64_t stamp(uint32_t depth, uint32_t threshold)
{
    return (uint64_t)threshold << 32 | (depth + 1);
}

/* Has it been searched with so few moves under this threshold? If not, remember that it is now. */
static bool known(struct ida *d, const uint64_t *row, uint32_t depth)
{
    uint32_t words = d->base.space->words, size = words + 1;
    uint64_t h = 0;
    for (uint32_t i = 0; i < words; i++) h = hash_mix(h + i, row[i]);
    uint64_t *bucket = d->entry + (h & d->mask) * WAYS * size, *victim = bucket;
    for (uint32_t w = 0; w < WAYS; w++) {
        uint64_t *e = bucket + (size_t)w * size, s = e[words];
        if (s && memcmp(e, row, words * 8) == 0) {
            if (s >> 32 == d->threshold && (uint32_t)s - 1 <= depth) return true;
            e[words] = stamp(depth, d->threshold);
            return false;
        }
        /* old thresholds go first, then what is deep: little hangs on it */
        uint64_t v = victim[words];
        if (s >> 32 < v >> 32 || (s >> 32 == v >> 32 && (uint32_t)s > (uint32_t)v)) victim = e;
    }
    memcpy(victim, row, words * 8);
    victim[words] = stamp(depth, d->threshold);
    return false;
}

static void offer(struct ida *d, uint32_t twig, uint32_t move, int goal)
{
    uint32_t n = d->trail.v[twig].depth + 1;
    if (!line_wants(d->base.line, goal, n)) return;
    uint32_t *moves = malloc(n * sizeof *moves);
    if (!moves) return;
    trail_path(&d->trail, twig, moves);
    moves[n - 1] = move;
    line_offer(d->base.line, goal, moves, n, d->base.ops->name);
    free(moves);
}

static bool push(struct ida *d, const uint64_t *row, uint32_t twig)
{
    uint32_t words = d->base.space->words;
    if (d->n == d->cap) {
        uint32_t cap = d->cap < d->most / 2 ? 2 * d->cap : d->most;
        if (cap == d->cap) return false;
        uint64_t *rows = realloc(d->row, (size_t)cap * words * 8);
        if (rows) d->row = rows;
        uint32_t *twigs = rows ? realloc(d->twig, cap * sizeof *twigs) : NULL;
        if (!twigs) return false;
        d->twig = twigs;
        d->cap = cap;
    }
    memcpy(d->row + (size_t)d->n * words, row, words * 8);
    d->twig[d->n++] = twig;
    return true;
}

static bool take(void *to, struct brood *b)
{
    struct ida *d = to;
    uint32_t words = d->base.space->words, n = 0;
    d->base.steps += b->n;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t twig = d->hand_twig[b->parent[i]];
        if (b->goal[i] != SPACE_GOES_ON) {
            offer(d, twig, b->move[i], b->goal[i]);
            continue;
        }
        if (n != i) memmove(b->state + (size_t)n * words, b->state + (size_t)i * words, words * 8);
        b->parent[n] = b->parent[i];
        b->move[n++] = b->move[i];
    }
    /* those the table knows need no distance */
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t depth = d->trail.v[d->hand_twig[b->parent[i]]].depth + 1;
        if (depth > d->threshold) {
            if (depth < d->next) d->next = depth;
            continue;
        }
        if (known(d, b->state + (size_t)i * words, depth)) continue;
        if (left != i) memmove(b->state + (size_t)left * words, b->state + (size_t)i * words, words * 8);
        b->parent[left] = b->parent[i];
        b->move[left++] = b->move[i];
    }
    judge_look(d->judge, JUDGE_LAYERS, b->state, left, d->base.line, d->distance);
    for (uint32_t i = 0; i < left; i++) {
        uint32_t parent = d->hand_twig[b->parent[i]], f = d->trail.v[parent].depth + 1 + d->distance[i];
        if (d->distance[i] == JUDGE_HOPELESS) continue;
        if (f > d->threshold) {
            if (f < d->next) d->next = f;
            continue;
        }
        uint32_t twig = trail_grow(&d->trail, parent, b->move[i]);
        if (!twig || !push(d, b->state + (size_t)i * words, twig)) {
            if (twig) trail_drop(&d->trail, twig);
            d->cut++;
        }
    }
    return !method_solved(&d->base);
}

/* The top of the stack is expanded. */
static bool work(struct ida *d)
{
    struct space *s = d->base.space;
    uint32_t n = d->n < s->lanes / 4 + 1 ? d->n : s->lanes / 4 + 1;
    d->n -= n;
    memcpy(d->hand, d->row + (size_t)d->n * s->words, (size_t)n * s->words * 8);
    for (uint32_t i = 0; i < n; i++) {
        d->hand_twig[i] = d->twig[d->n + i];
        d->hand_depth[i] = d->trail.v[d->hand_twig[i]].depth;
    }
    bool good = space_expand(s, d->hand, d->hand_depth, n, take, d);
    for (uint32_t i = 0; i < n; i++) trail_drop(&d->trail, d->hand_twig[i]);
    return good;
}

static void begin(struct ida *d)
{
    d->next = UINT32_MAX;
    d->trail.v[TRAIL_ROOT].used++;
    push(d, d->base.space->root, TRAIL_ROOT);
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct ida *d = self(m);
    enum method_state state = METHOD_WORKING;
    while (!method_solved(m) && !turn_over(turn)) {
        uint64_t before = m->steps;
        if (d->n == 0 && d->next == UINT32_MAX) {
            state = d->cut ? METHOD_OVER : METHOD_EXHAUSTED;
            break;
        }
        if (d->n == 0) {
            d->threshold = d->next;
            begin(d);
        }
        if (!work(d) && !method_solved(m)) {
            state = METHOD_OVER;
            break;
        }
        turn->used += m->steps - before;
    }
    snprintf(m->note, sizeof m->note, "threshold %u, %u waiting", d->threshold, d->n);
    return state;
}

static void release(struct method *m)
{
    struct ida *d = self(m);
    trail_done(&d->trail);
    free(d->row);
    free(d->twig);
    free(d->entry);
    free(d->hand);
    free(d->hand_twig);
    free(d->hand_depth);
    free(d->distance);
    free(d);
}

static const struct method_ops ops = {.name = "ida", .run = run, .free = release};

struct method *ida_new(struct space *s, struct line *line, struct judge *judge, size_t memory)
{
    struct ida *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    size_t bucket = WAYS * (s->words + 1) * 8;
    uint64_t buckets = 64;
    d->base = (struct method){.ops = &ops, .space = s, .line = line};
    d->judge = judge;
    while (buckets * 2 * bucket <= memory / 2) buckets *= 2;
    d->mask = buckets - 1;
    d->entry = calloc(buckets, bucket); /* pages come when they are touched */
    d->cap = 4096;
    size_t most = memory / 4 / (s->words * 8 + 4);
    d->most = most > UINT32_MAX / 2 ? UINT32_MAX / 2 : most < d->cap ? d->cap : (uint32_t)most;
    d->row = malloc((size_t)d->cap * s->words * 8);
    d->twig = malloc(d->cap * sizeof *d->twig);
    d->hand = malloc((size_t)s->lanes * s->words * 8);
    d->hand_twig = malloc(s->lanes * sizeof *d->hand_twig);
    d->hand_depth = malloc(s->lanes * sizeof *d->hand_depth);
    d->distance = malloc(s->lanes * sizeof *d->distance);
    if (!d->entry || !d->row || !d->twig || !d->hand || !d->hand_twig || !d->hand_depth || !d->distance ||
        !trail_init(&d->trail, memory / 4)) {
        release(&d->base);
        return NULL;
    }
    uint16_t distance;
    judge_look(judge, JUDGE_LAYERS, s->root, 1, line, &distance);
    d->threshold = distance == JUDGE_HOPELESS ? 0 : distance;
    begin(d);
    return &d->base;
}
