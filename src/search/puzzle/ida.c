// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/ida.h"

#include "base/hash.h"
#include "base/pages.h"
#include "search/puzzle/commute.h"
#include "search/puzzle/trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4, ENOUGH_ASKED = 20000, SELDOM = 10, FIRST_BUCKETS = 4096, GROWTH = 8 };

struct ida {
    struct method base;
    struct judge *judge;
    struct trail trail;
    struct commute commute;
    bool sampled; /* for commute */
    /* the stack: rows and their twigs */
    uint64_t *row;
    uint32_t *twig, n, cap, most;
    /* the table: buckets of WAYS entries, `words` words and one of depth and threshold each */
    uint64_t *entry;
    size_t table, table_most; /* bytes */
    uint64_t stored;          /* under this threshold */
    uint64_t mask;            /* buckets - 1 */
    uint32_t threshold, next;
    uint64_t asked, told; /* distances, and those that kept a state from being searched */
    bool blind;           /* they seldom did: do without */
    uint64_t cut;         /* subtrees left out for want of room: then an end proves nothing */
    /* the handful under way */
    uint64_t *hand;
    uint32_t *hand_twig, *hand_depth;
    uint16_t *distance;
    const uint64_t **avoid;
    uint64_t **bucket;
};

static struct ida *self(struct method *m)
{
    return (struct ida *)m;
}

static uint64_t stamp(uint32_t depth, uint32_t threshold)
{
    return (uint64_t)threshold << 32 | (depth + 1);
}

static uint64_t *bucket_of(const struct ida *d, const uint64_t *row)
{
    uint32_t words = d->base.space->words;
    uint64_t h = 0;
    for (uint32_t i = 0; i < words; i++) h = hash_mix(h + i, row[i]);
    return d->entry + (h & d->mask) * WAYS * (words + 1);
}

/* Has it been searched with so few moves under this threshold? If not, remember that it is now. */
static bool known(struct ida *d, uint64_t *bucket, const uint64_t *row, uint32_t depth)
{
    uint32_t words = d->base.space->words, size = words + 1;
    uint64_t *victim = bucket;
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
    d->stored++;
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
        d->bucket[n] = bucket_of(d, b->state + (size_t)n * words);
        __builtin_prefetch(d->bucket[n]);
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
        if (known(d, d->bucket[i], b->state + (size_t)i * words, depth)) continue;
        if (left != i) memmove(b->state + (size_t)left * words, b->state + (size_t)i * words, words * 8);
        b->parent[left] = b->parent[i];
        b->move[left++] = b->move[i];
    }
    if (d->blind)
        memset(d->distance, 0, left * sizeof *d->distance);
    else
        judge_look(d->judge, JUDGE_LAYERS, b->state, left, d->base.line, d->distance);
    for (uint32_t i = 0; i < left; i++) {
        uint32_t parent = d->hand_twig[b->parent[i]], f = d->trail.v[parent].depth + 1 + d->distance[i];
        /* what is one move before the threshold costs less to expand than to judge */
        d->told += d->distance[i] > 1 && f > d->threshold;
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
    d->asked += left;
    if (d->asked > ENOUGH_ASKED && d->told * SELDOM < d->asked) d->blind = true;
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
        d->avoid[i] = d->hand_depth[i] ? commute_skip(&d->commute, d->trail.v[d->hand_twig[i]].move) : NULL;
    }
    s->avoid = d->avoid;
    bool good = space_expand(s, d->hand, d->hand_depth, n, take, d);
    s->avoid = NULL;
    bool again = !good && !method_solved(&d->base); /* the rules took too long: next time */
    for (uint32_t i = 0; i < n; i++) {
        if (again && push(d, d->hand + (size_t)i * s->words, d->hand_twig[i])) continue;
        trail_drop(&d->trail, d->hand_twig[i]);
        d->cut += again;
    }
    return good;
}

/* Under a new threshold nothing that was stored counts any more: so the table can be made larger by making it
 * anew. Memory that is never touched costs nothing, but touching it for the first time does. */
static void enlarge(struct ida *d)
{
    size_t bucket = WAYS * (d->base.space->words + 1) * 8;
    uint64_t buckets = d->mask + 1;
    while (buckets * WAYS < GROWTH * d->stored && 2 * buckets * bucket <= d->table_most) buckets *= 2;
    d->stored = 0;
    if (buckets == d->mask + 1) return;
    uint64_t *entry = pages_map(buckets * bucket);
    if (!entry) return;
    pages_unmap(d->entry, d->table);
    d->entry = entry;
    d->table = buckets * bucket;
    d->mask = buckets - 1;
}

static void begin(struct ida *d)
{
    enlarge(d);
    d->next = UINT32_MAX;
    d->trail.v[TRAIL_ROOT].used++;
    push(d, d->base.space->root, TRAIL_ROOT);
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct ida *d = self(m);
    enum method_state state = METHOD_WORKING;
    if (!d->sampled) {
        commute_init(&d->commute, m->space, turn);
        d->sampled = true;
        d->cut += d->commute.any; /* pairs that were not seen to differ might */
    }
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
    snprintf(m->note, sizeof m->note, "threshold %u, %u waiting%s%s", d->threshold, d->n,
             d->blind ? ", distances not asked for" : "",
             d->commute.any ? ", some moves in one order only" : "");
    return state;
}

static void release(struct method *m)
{
    struct ida *d = self(m);
    trail_done(&d->trail);
    commute_done(&d->commute);
    free(d->row);
    free(d->twig);
    pages_unmap(d->entry, d->table);
    free(d->hand);
    free(d->hand_twig);
    free(d->hand_depth);
    free(d->distance);
    free(d->avoid);
    free(d->bucket);
    free(d);
}

static const struct method_ops ops = {.name = "ida", .run = run, .free = release};

struct method *ida_new(struct space *s, struct line *line, struct judge *judge, size_t memory)
{
    struct ida *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    size_t bucket = WAYS * (s->words + 1) * 8;
    d->base = (struct method){.ops = &ops, .space = s, .line = line};
    d->judge = judge;
    d->table_most = memory / 2;
    d->mask = FIRST_BUCKETS - 1;
    d->table = FIRST_BUCKETS * bucket;
    d->entry = pages_map(d->table);
    d->cap = 4096;
    size_t most = memory / 4 / (s->words * 8 + 4);
    d->most = most > UINT32_MAX / 2 ? UINT32_MAX / 2 : most < d->cap ? d->cap : (uint32_t)most;
    d->row = malloc((size_t)d->cap * s->words * 8);
    d->twig = malloc(d->cap * sizeof *d->twig);
    d->hand = malloc((size_t)s->lanes * s->words * 8);
    d->hand_twig = malloc(s->lanes * sizeof *d->hand_twig);
    d->hand_depth = malloc(s->lanes * sizeof *d->hand_depth);
    d->distance = malloc(s->lanes * sizeof *d->distance);
    d->avoid = malloc(s->lanes * sizeof *d->avoid);
    d->bucket = malloc(s->lanes * sizeof *d->bucket);
    if (!d->entry || !d->row || !d->twig || !d->hand || !d->hand_twig || !d->hand_depth || !d->distance ||
        !d->avoid || !d->bucket || !trail_init(&d->trail, memory / 4)) {
        release(&d->base);
        return NULL;
    }
    uint16_t distance;
    judge_look(judge, JUDGE_LAYERS, s->root, 1, line, &distance);
    d->threshold = distance == JUDGE_HOPELESS ? 0 : distance;
    begin(d);
    return &d->base;
}
