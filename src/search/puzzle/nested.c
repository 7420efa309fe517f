// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/nested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3 };

/* What follows a state: the legal moves and where they lead. */
struct kids {
    uint32_t n, cap;
    uint64_t *row;
    uint32_t *move;
    int16_t *goal;
};

struct level {
    uint64_t *row; /* where it stands */
    uint32_t depth;
    struct kids kids;
    bool looked;      /* kids are those of row */
    uint32_t at;      /* the next kid to try */
    struct line best; /* from the root */
};

struct nested {
    struct method base;
    struct level level[LEVELS + 1]; /* level[0] is not used */
    uint32_t now, top;              /* the level at work, the level of the whole game; now 0: begin one */
    uint32_t runs;
    uint32_t *path; /* the moves to where the lowest level stands */
    uint32_t path_cap;
    struct roll roll;
    uint32_t *kid_of;
    bool broken; /* no memory */
};

static struct nested *self(struct method *m)
{
    return (struct nested *)m;
}

static bool add_kid(void *to, struct brood *b)
{
    struct nested *d = to;
    struct kids *k = &d->level[d->now].kids;
    uint32_t words = d->base.space->words;
    if (k->n + b->n > k->cap) {
        uint32_t cap = 2 * (k->n + b->n);
        uint64_t *row = realloc(k->row, (size_t)cap * words * 8);
        if (row) k->row = row;
        uint32_t *move = row ? realloc(k->move, cap * sizeof *move) : NULL;
        if (move) k->move = move;
        int16_t *goal = move ? realloc(k->goal, cap * sizeof *goal) : NULL;
        if (goal) k->goal = goal;
        if (!goal) return d->broken = true, false;
        k->cap = cap;
    }
    memcpy(k->row + (size_t)k->n * words, b->state, (size_t)b->n * words * 8);
    memcpy(k->move + k->n, b->move, b->n * sizeof *k->move);
    memcpy(k->goal + k->n, b->goal, b->n * sizeof *k->goal);
    k->n += b->n;
    d->base.steps += b->n;
    return true;
}

static bool look(struct nested *d)
{
    struct level *l = &d->level[d->now];
    if (l->looked) return true;
    l->kids.n = 0;
    l->at = 0;
    return l->looked = space_expand(d->base.space, l->row, &l->depth, 1, add_kid, d);
}

static bool room(struct nested *d, uint32_t n)
{
    if (n <= d->path_cap) return true;
    uint32_t *path = realloc(d->path, 2 * n * sizeof *path);
    if (!path) return !(d->broken = true);
    d->path = path;
    d->path_cap = 2 * n;
    return true;
}

/* A game that was played out: the path, then one move, then those of a roll. */
static void note(struct nested *d, struct level *l, uint32_t move, const uint32_t *more, uint32_t n, int goal)
{
    uint32_t length = l->depth + 1 + n;
    /* as good is not better: the level goes on with what it has */
    if (goal <= l->best.goal && goal <= d->base.line->goal) return;
    if (!room(d, length)) return;
    d->path[l->depth] = move;
    if (n) memcpy(d->path + l->depth + 1, more, n * sizeof *more);
    if (goal > l->best.goal) line_offer(&l->best, goal, d->path, length, NULL);
    line_offer(d->base.line, goal, d->path, length, d->base.ops->name);
}

/* Random games after all kids at once: as many each as there are lanes for. False: no time. */
static bool roll_kids(struct nested *d, struct level *l, struct turn *turn)
{
    struct space *s = d->base.space;
    struct roll *r = &d->roll;
    uint32_t goes_on = 0, given_up = 0;
    for (uint32_t i = 0; i < l->kids.n; i++) {
        goes_on += l->kids.goal[i] == SPACE_GOES_ON;
        if (l->kids.goal[i] != SPACE_GOES_ON) note(d, l, l->kids.move[i], NULL, 0, l->kids.goal[i]);
    }
    if (goes_on == 0) return true;
    uint32_t each = s->code && goes_on < s->lanes ? s->lanes / goes_on : 1;
    for (uint32_t at = 0, copy = 0; at < l->kids.n;) {
        for (r->n = 0; r->n < s->lanes && at < l->kids.n;) {
            if (l->kids.goal[at] == SPACE_GOES_ON && copy < each) {
                memcpy(r->state + (size_t)r->n * s->words, l->kids.row + (size_t)at * s->words, s->words * 8);
                r->depth[r->n] = l->depth + 1;
                d->kid_of[r->n++] = at;
                copy++;
            } else {
                at++;
                copy = 0;
            }
        }
        uint64_t before = turn->used;
        space_roll(s, r, turn);
        d->base.steps += turn->used - before;
        if (s->trouble.code) return false;
        for (uint32_t i = 0; i < r->n; i++) {
            if (r->goal[i] == SPACE_GOES_ON)
                given_up++;
            else
                note(d, l, l->kids.move[d->kid_of[i]], r->moves + (size_t)i * r->max_steps, r->length[i],
                     r->goal[i]);
        }
        if (turn_over(turn)) return false;
    }
    d->broken = !roll_lengthen(r, s, given_up);
    return !d->broken;
}

/* The level plays the next move of its best game; false: its game is over. */
static bool advance(struct nested *d, struct level *l)
{
    struct space *s = d->base.space;
    if (l->best.goal < 0 || l->best.n <= l->depth) return false;
    uint32_t move = l->best.moves[l->depth];
    for (uint32_t i = 0; i < l->kids.n; i++) {
        if (l->kids.move[i] != move) continue;
        if (l->kids.goal[i] != SPACE_GOES_ON || !room(d, l->depth + 1)) return false;
        memcpy(l->row, l->kids.row + (size_t)i * s->words, s->words * 8);
        d->path[l->depth++] = move;
        l->looked = false;
        return true;
    }
    return false;
}

static void enter(struct nested *d, uint32_t level, const uint64_t *row, uint32_t depth)
{
    struct level *l = &d->level[level];
    memcpy(l->row, row, d->base.space->words * 8);
    l->depth = depth;
    l->looked = false;
    l->best.goal = -1;
    l->best.n = 0;
    d->now = level;
}

/* What a game of the level below brought is a game of this level, too. */
static void leave(struct nested *d)
{
    struct level *l = &d->level[d->now++];
    if (d->now > d->top) {
        d->now = 0;
        return;
    }
    struct level *up = &d->level[d->now];
    if (l->best.goal > up->best.goal) line_offer(&up->best, l->best.goal, l->best.moves, l->best.n, NULL);
}

static void step_up(struct nested *d, struct level *l)
{
    while (l->at < l->kids.n && l->kids.goal[l->at] != SPACE_GOES_ON) {
        note(d, l, l->kids.move[l->at], NULL, 0, l->kids.goal[l->at]);
        l->at++;
    }
    if (l->at < l->kids.n) {
        uint32_t i = l->at++;
        if (!room(d, l->depth + 1)) return;
        d->path[l->depth] = l->kids.move[i];
        enter(d, d->now - 1, l->kids.row + (size_t)i * d->base.space->words, l->depth + 1);
    } else if (!advance(d, l)) {
        leave(d);
    }
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct nested *d = self(m);
    while (!d->broken && !m->space->trouble.code && !method_solved(m) && !turn_over(turn)) {
        if (d->now == 0) { /* 1 2 1 3 1 2 1 3 ... */
            d->top = (uint32_t)__builtin_ctz(++d->runs) + 1;
            if (d->top > LEVELS) d->top = LEVELS;
            enter(d, d->top, m->space->root, 0);
        }
        struct level *l = &d->level[d->now];
        uint64_t before = m->steps;
        if (!look(d)) continue;
        turn->used += m->steps - before;
        if (d->now > 1)
            step_up(d, l);
        else if (roll_kids(d, l, turn) && !advance(d, l))
            leave(d);
    }
    snprintf(m->note, sizeof m->note, "game %u, of level %u", d->runs, d->top);
    return d->broken || m->space->trouble.code ? METHOD_OVER : METHOD_WORKING;
}

static void release(struct method *m)
{
    struct nested *d = self(m);
    for (uint32_t i = 1; i <= LEVELS; i++) {
        struct level *l = &d->level[i];
        free(l->row);
        free(l->kids.row);
        free(l->kids.move);
        free(l->kids.goal);
        line_done(&l->best);
    }
    free(d->path);
    roll_done(&d->roll);
    free(d->kid_of);
    free(d);
}

static const struct method_ops ops = {.name = "nested", .run = run, .free = release};

struct method *nested_new(struct space *s, struct line *line)
{
    struct nested *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->base = (struct method){.ops = &ops, .space = s, .line = line};
    d->kid_of = malloc(s->lanes * sizeof *d->kid_of);
    bool good = roll_init(&d->roll, s) && d->kid_of;
    for (uint32_t i = 1; i <= LEVELS; i++) {
        line_init(&d->level[i].best);
        d->level[i].row = malloc(s->words * 8);
        good = good && d->level[i].row;
    }
    if (good) return &d->base;
    release(&d->base);
    return NULL;
}
