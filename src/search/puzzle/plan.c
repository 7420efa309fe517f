// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/plan.h"

#include "search/puzzle/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHT = 5, BUCKETS = 8192, HANDFUL = 32 };
#define NONE UINT32_MAX
#define NEVER (BUCKETS + 1)
#define FAR (UINT16_MAX - 1) /* moves */

struct opened {
    uint32_t next, prev; /* in its bucket; NONE: the end */
    uint16_t depth, judged;
    uint16_t bucket; /* where it waits; BUCKETS: it does not; NEVER: nor ever will */
};

struct plan {
    struct method base;
    struct judge *judge;
    enum judge_kind kind;
    struct states states;
    struct opened *node; /* by number */
    uint32_t cap, most;
    uint32_t *head; /* by bucket */
    uint32_t least; /* no bucket below this has any */
    uint32_t waiting;
    bool cut;                   /* something was left out: the end proves nothing */
    int hopeless_below;         /* the best goal of the line while states were judged */
    uint32_t best_judged, best; /* the most promising state met */
    /* the handful under way, and its children */
    uint64_t *hand, *kids;
    uint32_t *hand_number, *hand_depth, *number, *fresh_number;
    bool *fresh;
    uint16_t *judged;
};

static struct plan *self(struct method *m)
{
    return (struct plan *)m;
}

static void put(struct plan *p, uint32_t number)
{
    struct opened *o = &p->node[number];
    uint32_t f = o->depth + WEIGHT * (uint32_t)o->judged;
    o->bucket = (uint16_t)(f < BUCKETS ? f : BUCKETS - 1);
    o->next = p->head[o->bucket];
    o->prev = NONE;
    if (o->next != NONE) p->node[o->next].prev = number;
    p->head[o->bucket] = number;
    if (o->bucket < p->least) p->least = o->bucket;
    p->waiting++;
}

static void take_out(struct plan *p, uint32_t number)
{
    struct opened *o = &p->node[number];
    if (o->next != NONE) p->node[o->next].prev = o->prev;
    if (o->prev != NONE)
        p->node[o->prev].next = o->next;
    else
        p->head[o->bucket] = o->next;
    o->bucket = BUCKETS;
    p->waiting--;
}

/* The most promising. */
static uint32_t take_best(struct plan *p)
{
    while (p->least < BUCKETS && p->head[p->least] == NONE) p->least++;
    if (p->least == BUCKETS) return NONE;
    uint32_t number = p->head[p->least];
    take_out(p, number);
    return number;
}

static bool room(struct plan *p, uint32_t number)
{
    if (number < p->cap) return true;
    uint64_t cap = p->cap + (uint64_t)p->cap / 2;
    if (cap > p->most) cap = p->most;
    struct opened *node = number < cap ? realloc(p->node, cap * sizeof *node) : NULL;
    if (!node) return false;
    p->node = node;
    p->cap = (uint32_t)cap;
    return true;
}

static void offer(struct plan *p, uint32_t number, uint32_t move, int goal)
{
    uint32_t n = p->node[number].depth + 1u;
    if (!line_wants(p->base.line, goal, n)) return;
    uint32_t length = states_path(&p->states, number, NULL), *moves = malloc((length + 1) * sizeof *moves);
    if (!moves) return;
    states_path(&p->states, number, moves);
    moves[length] = move;
    line_offer(p->base.line, goal, moves, length + 1, p->base.ops->name);
    free(moves);
}

/* Met again: by a shorter way? (One that was met for the first time in this sweep is not judged yet, and does
 * not wait yet.) */
static void meet_again(struct plan *p, uint32_t number, uint32_t parent, uint32_t move)
{
    struct opened *o = &p->node[number];
    uint32_t depth = p->node[parent].depth + 1u;
    if (depth >= o->depth) return;
    if (o->bucket != BUCKETS) take_out(p, number);
    o->depth = (uint16_t)depth;
    p->states.link[number] = (struct states_link){parent, move};
    if (o->judged != JUDGE_HOPELESS) put(p, number);
}

static bool take(void *to, struct brood *b)
{
    struct plan *p = to;
    uint32_t words = p->base.space->words, n = 0, kids = 0;
    p->base.steps += b->n;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t parent = p->hand_number[b->parent[i]];
        if (b->goal[i] != SPACE_GOES_ON) {
            offer(p, parent, b->move[i], b->goal[i]);
            continue;
        }
        if (n != i) memmove(b->state + (size_t)n * words, b->state + (size_t)i * words, words * 8);
        b->parent[n] = parent;
        b->move[n++] = b->move[i];
    }
    states_add_many(&p->states, b->state, n, b->parent, b->move, p->number, p->fresh);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = p->number[i];
        if (number == STATES_FULL) {
            p->cut = true;
            continue;
        }
        if (!p->fresh[i]) {
            if (number < p->cap && p->node[number].bucket != NEVER)
                meet_again(p, number, b->parent[i], b->move[i]);
            continue;
        }
        uint32_t depth = p->node[b->parent[i]].depth + 1u;
        bool there = room(p, number);
        if (there) p->node[number] = (struct opened){NONE, NONE, 0, JUDGE_HOPELESS, NEVER};
        if (!there || depth >= FAR) {
            p->cut = true;
            continue;
        }
        p->node[number] = (struct opened){NONE, NONE, (uint16_t)depth, JUDGE_HOPELESS, BUCKETS};
        memcpy(p->kids + (size_t)kids * words, b->state + (size_t)i * words, words * 8);
        p->fresh_number[kids++] = number;
    }
    if (p->base.line->goal > p->hopeless_below) p->hopeless_below = p->base.line->goal;
    judge_look(p->judge, p->kind, p->kids, kids, p->base.line, p->judged);
    for (uint32_t i = 0; i < kids; i++) {
        uint32_t number = p->fresh_number[i];
        p->node[number].judged = p->judged[i];
        if (p->judged[i] == JUDGE_HOPELESS) continue;
        if (p->judged[i] < p->best_judged) {
            p->best_judged = p->judged[i];
            p->best = number;
            p->base.nearer++;
        }
        put(p, number);
    }
    return !method_solved(&p->base);
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct plan *p = self(m);
    struct space *s = m->space;
    enum method_state state = METHOD_WORKING;
    while (!method_solved(m) && !turn_over(turn)) {
        uint32_t n = 0, number;
        uint64_t before = m->steps;
        while (n < HANDFUL && n < s->lanes && (number = take_best(p)) != NONE) {
            memcpy(p->hand + (size_t)n * s->words, states_row(&p->states, number), s->words * 8);
            p->hand_number[n] = number;
            p->hand_depth[n++] = p->node[number].depth;
        }
        if (n == 0) {
            state = p->cut ? METHOD_OVER : METHOD_EXHAUSTED;
            break;
        }
        if (!space_expand(s, p->hand, p->hand_depth, n, take, p) && !method_solved(m)) {
            /* the rules took too long: next time */
            for (uint32_t i = 0; i < n; i++)
                if (p->node[p->hand_number[i]].bucket == BUCKETS) put(p, p->hand_number[i]);
            state = METHOD_OVER;
            break;
        }
        turn->used += m->steps - before;
    }
    snprintf(m->note, sizeof m->note, "%u states, %u open, nearest %u", p->states.n, p->waiting,
             p->best_judged == NONE ? 0 : p->best_judged);
    return state;
}

static uint32_t promise(struct method *m, uint32_t *moves, uint32_t n)
{
    struct plan *p = self(m);
    if (p->best_judged == NONE || !judge_knows(p->judge)) return 0;
    uint32_t length = states_path(&p->states, p->best, NULL);
    if (length > n || length == 0) return 0;
    return states_path(&p->states, p->best, moves);
}

/* --- From another root ---------------------------------------------------------------------------------- */

enum { UNKNOWN, BELOW, ELSEWHERE };

/* Was this state reached by way of the root? Marks all on the way. */
static uint8_t whereabouts(const struct states *t, uint8_t *where, uint32_t number)
{
    uint32_t at = number;
    while (where[at] == UNKNOWN) at = t->link[at].parent;
    uint8_t found = where[at];
    for (at = number; where[at] == UNKNOWN; at = t->link[at].parent) where[at] = found;
    return found;
}

/* What is below the root stays as it is, and what is open there stays open. The rest is as far away as can
 * be, so that it opens when it is met: it has been judged already. */
static void move_root(struct plan *p, uint32_t root, uint8_t *where)
{
    struct states *t = &p->states;
    uint32_t n = t->n < p->cap ? t->n : p->cap, less = p->node[root].depth;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->link[i].parent == STATES_ROOT) where[i] = ELSEWHERE;
    where[root] = BELOW;
    t->link[root] = (struct states_link){STATES_ROOT, 0};
    for (uint32_t i = 0; i < BUCKETS; i++) p->head[i] = NONE;
    p->least = BUCKETS;
    p->waiting = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct opened *o = &p->node[i];
        bool below = whereabouts(t, where, i) == BELOW, open = o->bucket < BUCKETS;
        if (o->bucket == NEVER) continue;
        o->depth = below ? (uint16_t)(o->depth - less) : FAR;
        o->bucket = BUCKETS;
        if (!below) continue;
        if (open) put(p, i);
        if (i == root || o->judged == JUDGE_HOPELESS || o->judged >= p->best_judged) continue;
        p->best_judged = o->judged;
        p->best = i;
    }
}

static void adopt(struct method *m, struct method *before)
{
    struct plan *p = self(m), *q = self(before);
    uint32_t root =
        q->states.words == p->states.words ? states_find(&q->states, m->space->root) : STATES_FULL;
    /* what could not beat a line that is lost may be worth while now */
    if (root == STATES_FULL || root >= q->cap || m->line->goal < q->hopeless_below) return;
    if (q->node[root].bucket == NEVER || q->node[root].judged == JUDGE_HOPELESS || q->node[root].depth >= FAR)
        return;
    uint8_t *where = calloc(q->states.n, 1);
    if (!where) return;
    states_done(&p->states);
    free(p->node);
    p->states = q->states;
    p->node = q->node;
    p->cap = q->cap;
    p->hopeless_below = q->hopeless_below;
    q->states = (struct states){0};
    q->node = NULL;
    p->cut = true;
    move_root(p, root, where);
    free(where);
}

static void release(struct method *m)
{
    struct plan *p = self(m);
    states_done(&p->states);
    free(p->node);
    free(p->head);
    free(p->hand);
    free(p->kids);
    free(p->hand_number);
    free(p->hand_depth);
    free(p->number);
    free(p->fresh_number);
    free(p->fresh);
    free(p->judged);
    free(p);
}

static const struct method_ops by_plan = {
    .name = "plan", .run = run, .promise = promise, .adopt = adopt, .free = release};
static const struct method_ops by_count = {
    .name = "goal count", .run = run, .promise = promise, .adopt = adopt, .free = release};

struct method *plan_new(struct space *s, struct line *line, struct judge *judge, enum judge_kind kind,
                        size_t memory)
{
    struct plan *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->base = (struct method){.ops = kind == JUDGE_MISSING ? &by_count : &by_plan, .space = s, .line = line};
    p->judge = judge;
    p->kind = kind;
    p->best_judged = NONE;
    p->hopeless_below = -1;
    /* states and nodes share the memory in proportion to their sizes */
    size_t size = s->words * 8 + 24 + sizeof *p->node, most = memory / size;
    p->most = most > NONE - 1 ? NONE - 1 : most < 1024 ? 1024 : (uint32_t)most;
    p->cap = 1024;
    p->node = malloc(p->cap * sizeof *p->node);
    p->head = malloc(BUCKETS * sizeof *p->head);
    p->hand = malloc((size_t)HANDFUL * s->words * 8);
    p->kids = malloc((size_t)s->lanes * s->words * 8);
    p->hand_number = malloc(HANDFUL * sizeof *p->hand_number);
    p->hand_depth = malloc(HANDFUL * sizeof *p->hand_depth);
    p->number = malloc(s->lanes * sizeof *p->number);
    p->fresh_number = malloc(s->lanes * sizeof *p->fresh_number);
    p->fresh = malloc(s->lanes * sizeof *p->fresh);
    p->judged = malloc(s->lanes * sizeof *p->judged);
    bool fresh;
    if (!p->node || !p->head || !p->hand || !p->kids || !p->hand_number || !p->hand_depth || !p->number ||
        !p->fresh_number || !p->fresh || !p->judged ||
        !states_init(&p->states, s->words, memory - memory / size * sizeof *p->node) ||
        states_add(&p->states, s->root, STATES_ROOT, 0, &fresh) == STATES_FULL) {
        release(&p->base);
        return NULL;
    }
    for (uint32_t i = 0; i < BUCKETS; i++) p->head[i] = NONE;
    p->least = BUCKETS;
    p->node[0] = (struct opened){NONE, NONE, 0, 0, BUCKETS};
    put(p, 0);
    return &p->base;
}
