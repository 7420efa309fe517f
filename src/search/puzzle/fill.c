// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/fill.h"

#include "search/puzzle/states.h"
#include "search/puzzle/trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(RELAX_LANES == 64, "what holds is kept as words");
enum { FIRST_LIMIT = 300, LEAST_CONJUNCTS = 3, MOST_KIDS = 1000, MOST_RANKED = 16 };

struct ranked {
    uint32_t kid, rank;
};

struct fill {
    struct method base;
    struct judge *judge;
    struct trail trail;
    struct states seen; /* in this attempt; links are not used */
    /* the stack */
    uint64_t *row;
    uint32_t *twig, n, cap;
    uint64_t nodes, limit; /* expanded in this attempt, and how many it may be */
    uint32_t attempts, deepest;
    bool by_time; /* games end by themselves: the deeper, the nearer */
    /* the state at hand and what follows it; row 0 is the state itself */
    uint64_t *kid;
    uint32_t *move, kids, kid_cap, here;
    bool *hopeful;
    uint64_t *holds; /* kid / 64 * conjuncts + conjunct: bit kid % 64 */
    uint32_t *brings;
    struct ranked *order;
    uint64_t *ranking;
    bool *was_hopeful;       /* by move */
    const struct turn *turn; /* under way */
    bool broken;
};

static struct fill *self(struct method *m)
{
    return (struct fill *)m;
}

static void offer(struct fill *f, uint32_t move, int goal)
{
    uint32_t n = f->trail.v[f->here].depth + 1;
    if (!line_wants(f->base.line, goal, n)) return;
    uint32_t *moves = malloc(n * sizeof *moves);
    if (!moves) return;
    trail_path(&f->trail, f->here, moves);
    moves[n - 1] = move;
    line_offer(f->base.line, goal, moves, n, f->base.ops->name);
    free(moves);
}

static bool make_room(struct fill *f, uint32_t kids)
{
    uint32_t words = f->base.space->words, conjuncts = relax_conjuncts(f->judge->relax);
    if (kids <= f->kid_cap) return true;
    uint32_t cap = 2 * kids;
    uint64_t *kid = realloc(f->kid, (size_t)cap * words * 8);
    if (kid) f->kid = kid;
    uint32_t *move = kid ? realloc(f->move, cap * sizeof *move) : NULL;
    if (move) f->move = move;
    struct ranked *order = move ? realloc(f->order, cap * sizeof *order) : NULL;
    if (order) f->order = order;
    bool *hopeful = order ? realloc(f->hopeful, cap * sizeof *hopeful) : NULL;
    if (hopeful) f->hopeful = hopeful;
    uint64_t *holds = hopeful ? realloc(f->holds, (size_t)(cap / 64 + 1) * conjuncts * 8) : NULL;
    if (!holds) return !(f->broken = true);
    f->holds = holds;
    f->kid_cap = cap;
    return true;
}

static bool take(void *to, struct brood *b)
{
    struct fill *f = to;
    uint32_t words = f->base.space->words;
    f->base.steps += b->n;
    if (!make_room(f, f->kids + b->n)) return false;
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->goal[i] != SPACE_GOES_ON) {
            offer(f, b->move[i], b->goal[i]);
            continue;
        }
        memcpy(f->kid + (size_t)f->kids * words, b->state + (size_t)i * words, words * 8);
        f->move[f->kids++] = b->move[i];
    }
    return !method_solved(&f->base);
}

/* What the relaxation says of the state and its kids. */
static void look(struct fill *f)
{
    struct relax *r = f->judge->relax;
    uint32_t words = f->base.space->words, conjuncts = relax_conjuncts(r);
    struct relax_view view[RELAX_LANES];
    for (uint32_t at = 0; at < f->kids; at += RELAX_LANES) {
        uint32_t n = f->kids - at < RELAX_LANES ? f->kids - at : RELAX_LANES;
        relax_look(r, f->kid + (size_t)at * words, n, f->base.line->goal, false, view);
        for (uint32_t i = 0; i < n; i++) f->hopeful[at + i] = view[i].bound > f->base.line->goal;
        for (uint32_t k = 0; k < conjuncts; k++)
            f->holds[(size_t)(at / 64) * conjuncts + k] = relax_holds(r, k);
    }
}

static inline bool holds(const struct fill *f, uint32_t kid, uint32_t conjunct)
{
    return f->holds[(size_t)(kid / 64) * relax_conjuncts(f->judge->relax) + conjunct] >> kid % 64 & 1;
}

/* The conjunct that the fewest moves bring about; UINT32_MAX: none does. */
static uint32_t choose(struct fill *f)
{
    uint32_t conjuncts = relax_conjuncts(f->judge->relax), best = UINT32_MAX, ties = 0;
    memset(f->brings, 0, conjuncts * sizeof *f->brings);
    for (uint32_t at = 0; at < f->kids; at += 64) {
        uint64_t hopeful = 0;
        for (uint32_t i = at; i < f->kids && i < at + 64; i++) hopeful |= (uint64_t)f->hopeful[i] << i % 64;
        if (at == 0) hopeful &= ~(uint64_t)1;
        for (uint32_t k = 0; k < conjuncts; k++)
            if (!holds(f, 0, k))
                f->brings[k] +=
                    (uint32_t)__builtin_popcountll(f->holds[(size_t)(at / 64) * conjuncts + k] & hopeful);
    }
    for (uint32_t k = 0; k < conjuncts; k++) {
        if (!f->brings[k]) continue;
        if (best == UINT32_MAX || f->brings[k] < f->brings[best])
            best = k, ties = 1;
        else if (f->brings[k] == f->brings[best] && rng_below(&f->base.space->rng, ++ties) == 0)
            best = k;
    }
    return best;
}

static void push(struct fill *f, uint32_t kid)
{
    uint32_t words = f->base.space->words;
    const uint64_t *row = f->kid + (size_t)kid * words;
    bool fresh;
    uint32_t number = states_add(&f->seen, row, STATES_ROOT, 0, &fresh);
    if (!fresh && number != STATES_FULL) return;
    if (f->n == f->cap) {
        uint64_t *rows = realloc(f->row, (size_t)f->cap * 2 * words * 8);
        if (rows) f->row = rows;
        uint32_t *twigs = rows ? realloc(f->twig, f->cap * 2 * sizeof *twigs) : NULL;
        if (!twigs) {
            f->broken = true;
            return;
        }
        f->twig = twigs;
        f->cap *= 2;
    }
    uint32_t twig = trail_grow(&f->trail, f->here, f->move[kid]);
    if (!twig) {
        f->broken = true;
        return;
    }
    memcpy(f->row + (size_t)f->n * words, row, words * 8);
    f->twig[f->n++] = twig;
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = ((const struct ranked *)a)->rank, y = ((const struct ranked *)b)->rank;
    return (x > y) - (x < y);
}

/* Moves that leave the goal in reach, for each kid that is looked at. What put it out of reach before is
 * taken to do so again: that need not be true, but it is not worth asking. */
static bool count_hopeful(void *to, struct brood *b)
{
    struct fill *f = to;
    struct relax_view view[RELAX_LANES];
    uint32_t words = f->base.space->words, n = 0;
    f->base.steps += b->n;
    for (uint32_t i = 0; i < b->n; i++) {
        if (!f->was_hopeful[b->move[i]]) continue;
        if (b->goal[i] != SPACE_GOES_ON) {
            f->order[b->parent[i]].rank += b->goal[i] > f->base.line->goal;
            continue;
        }
        memmove(b->state + (size_t)n * words, b->state + (size_t)i * words, words * 8);
        b->parent[n++] = b->parent[i];
    }
    for (uint32_t at = 0; at < n; at += RELAX_LANES) {
        uint32_t some = n - at < RELAX_LANES ? n - at : RELAX_LANES;
        if (turn_over(f->turn)) return false;
        relax_look(f->judge->relax, b->state + (size_t)at * words, some, f->base.line->goal, false, view);
        for (uint32_t i = 0; i < some; i++)
            f->order[b->parent[at + i]].rank += view[i].bound > f->base.line->goal;
    }
    return true;
}

/* How many moves the first n kids in order leave open; a little by lot, so that no two attempts are the same.
 */
static void rank(struct fill *f, uint32_t n)
{
    struct space *s = f->base.space;
    uint32_t depth[MOST_RANKED];
    if (n > s->lanes) n = s->lanes;
    memset(f->was_hopeful, 0, s->nmoves * sizeof *f->was_hopeful);
    for (uint32_t i = 1; i < f->kids; i++) f->was_hopeful[f->move[i]] = f->hopeful[i];
    for (uint32_t i = 0; i < n; i++) {
        depth[i] = f->trail.v[f->here].depth + 1;
        memcpy(f->ranking + (size_t)i * s->words, f->kid + (size_t)f->order[i].kid * s->words, s->words * 8);
    }
    space_expand(s, f->ranking, depth, n, count_hopeful, f);
    for (uint32_t i = 0; i < n; i++) f->order[i].rank = 1 + f->order[i].rank * 8 + rng_below(&s->rng, 8);
}

/* The moves to be tried: those that leave least open first onto the stack, so that those that leave most are
 * tried first. Of many, a few are looked at. */
static void branch(struct fill *f)
{
    uint32_t chosen = choose(f), n = 0;
    for (uint32_t i = 1; i < f->kids; i++)
        if (f->hopeful[i] && (chosen == UINT32_MAX || holds(f, i, chosen)))
            f->order[n++] = (struct ranked){i, 0};
    for (uint32_t i = 0; i < n; i++) { /* drawn by lot */
        uint32_t k = i + rng_below(&f->base.space->rng, n - i);
        struct ranked swap = f->order[i];
        f->order[i] = f->order[k];
        f->order[k] = swap;
    }
    if (n > 1 && f->kids <= MOST_KIDS && !turn_over(f->turn)) rank(f, n < MOST_RANKED ? n : MOST_RANKED);
    qsort(f->order, n, sizeof *f->order, by_rank);
    for (uint32_t i = 0; i < n; i++) push(f, f->order[i].kid);
}

static void begin(struct fill *f)
{
    while (f->n > 0) trail_drop(&f->trail, f->twig[--f->n]);
    states_clear(&f->seen);
    memcpy(f->row, f->base.space->root, f->base.space->words * 8);
    f->trail.v[TRAIL_ROOT].used++;
    f->twig[0] = TRAIL_ROOT;
    f->n = 1;
    f->nodes = 0;
    /* 1 1 2 1 1 2 4 ... times the first limit (Luby) */
    uint32_t x = ++f->attempts;
    while ((x & (x + 1)) != 0) x -= (1u << (31 - __builtin_clz(x))) - 1;
    f->limit = FIRST_LIMIT * (uint64_t)((x + 1) / 2);
}

static void work(struct fill *f)
{
    struct space *s = f->base.space;
    f->n--;
    f->here = f->twig[f->n];
    uint32_t depth = f->trail.v[f->here].depth;
    if (depth > f->deepest) {
        f->deepest = depth;
        f->base.nearer += f->by_time;
    }
    f->kids = 1;
    f->move[0] = 0;
    memcpy(f->kid, f->row + (size_t)f->n * s->words, s->words * 8);
    f->nodes++;
    if (space_expand(s, f->row + (size_t)f->n * s->words, &depth, 1, take, f)) {
        look(f);
        branch(f);
    }
    trail_drop(&f->trail, f->here);
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct fill *f = self(m);
    f->turn = turn;
    while (!f->broken && !m->space->trouble.code && !method_solved(m) && !turn_over(turn)) {
        if (f->n == 0) return METHOD_OVER;
        if (f->nodes >= f->limit) begin(f);
        uint64_t before = m->steps;
        work(f);
        turn->used += m->steps - before;
    }
    snprintf(m->note, sizeof m->note, "attempt %u, %u deep", f->attempts, f->deepest);
    return f->broken || m->space->trouble.code ? METHOD_OVER : METHOD_WORKING;
}

static void release(struct method *m)
{
    struct fill *f = self(m);
    trail_done(&f->trail);
    states_done(&f->seen);
    free(f->row);
    free(f->twig);
    free(f->kid);
    free(f->move);
    free(f->hopeful);
    free(f->holds);
    free(f->brings);
    free(f->order);
    free(f->ranking);
    free(f->was_hopeful);
    free(f);
}

static const struct method_ops ops = {.name = "fill", .run = run, .free = release};

struct method *fill_new(struct space *s, struct line *line, struct judge *judge, size_t memory)
{
    uint32_t conjuncts = judge_knows(judge) ? relax_conjuncts(judge->relax) : 0;
    struct fill *f = conjuncts >= LEAST_CONJUNCTS ? calloc(1, sizeof *f) : NULL;
    if (!f) return NULL;
    f->base = (struct method){.ops = &ops, .space = s, .line = line};
    f->judge = judge;
    f->cap = 1024;
    f->row = malloc((size_t)f->cap * s->words * 8);
    f->twig = malloc(f->cap * sizeof *f->twig);
    f->brings = malloc(conjuncts * sizeof *f->brings);
    f->ranking = malloc((size_t)MOST_RANKED * s->words * 8);
    f->was_hopeful = malloc((s->nmoves + 1) * sizeof *f->was_hopeful);
    if (!f->row || !f->twig || !f->brings || !f->ranking || !f->was_hopeful || !make_room(f, 256) ||
        !trail_init(&f->trail, memory / 4) || !states_init(&f->seen, s->words, memory / 2)) {
        release(&f->base);
        return NULL;
    }
    begin(f);
    struct relax_view view;
    relax_look(judge->relax, s->root, 1, line->goal, false, &view);
    f->by_time = relax_ends_by_itself(judge->relax, 0);
    return &f->base;
}
