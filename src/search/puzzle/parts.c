// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/parts.h"

#include "search/puzzle/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_AT_A_TIME = 20000, LONGEST_TAIL = 1000, TRIES = 20, MOST_OPEN = 16 };

/* A part as a space of its own, for breadth-first search: a state ends it where the part says what the goal
 * asks of it. */
struct part_space {
    struct space base;
    struct space *inner;
    struct parts *parts;
    uint32_t part;
    uint64_t *outside;      /* moves of other parts, as a set */
    uint64_t *wait;         /* those that stand for all of them, one for every turn */
    const uint64_t **avoid; /* by lane */
    const uint32_t *kept;   /* bits of a row */
    uint32_t nkept;
    brood_sink *sink; /* of the expansion under way */
    void *to;
};

enum part_is { PART_OPEN, PART_FOUND, PART_SEEN, PART_FULL };

struct part {
    uint32_t number;
    enum part_is is;
    struct part_space *space; /* NULL: not looked at yet, or done with */
    struct method *search;
    struct line line; /* to what it has to say */
    uint64_t *wait;   /* of a part that is found: moves in its line for which any outside will do */
};

struct parts {
    struct method base;
    const struct factors *factors;
    const struct circuit *c;
    struct state root;
    uint32_t goal; /* of the circuit */
    enum factor_join join;
    bool exact;
    struct part *part;
    uint32_t n, open, tries; /* parts; those that are being looked at; how often the plans were played */
    size_t memory;           /* of a part */
    struct rng rng;
    /* evaluation of wires in one state */
    uint64_t *state;
    uint32_t *seen, looks; /* by wire */
    bool *value;
};

static struct parts *self(struct method *m)
{
    return (struct parts *)m;
}

/* --- What a part says ----------------------------------------------------------------------------------- */

static bool holds(struct parts *p, edge e)
{
    const struct circuit *c = p->c;
    uint32_t wire = e >> 1;
    if (p->seen[wire] != p->looks) {
        bool value = true;
        if (wire && wire <= c->nbits)
            value = p->state[(wire - 1) / 64] >> (wire - 1) % 64 & 1;
        else if (wire) {
            const struct gate *g = &c->gates.v[wire - wire_gate(c, 0)];
            for (uint32_t i = 0; i < g->n && value; i++) value = holds(p, c->edges.v[g->first + i]);
        }
        p->seen[wire] = p->looks;
        p->value[wire] = value;
    }
    return p->value[wire] ^ (e & 1);
}

/* The operands of the goal that are read from the part, in a state of which all else is as at the root. */
static bool says(struct part_space *s, const uint64_t *row)
{
    struct parts *p = s->parts;
    const struct factors *f = p->factors;
    memcpy(p->state, p->root.w, p->root.words * sizeof *p->state);
    for (uint32_t i = 0; i < s->nkept; i++) {
        uint32_t bit = s->kept[i];
        p->state[bit / 64] &= ~(1ull << bit % 64);
        p->state[bit / 64] |= (row[i / 64] >> i % 64 & 1) << bit % 64;
    }
    p->looks++;
    bool any = false, all = true;
    for (uint32_t i = 0; i < f->operands.n; i++) {
        const struct factor_operand *o = &f->operands.v[i];
        if (o->goal != p->goal || o->part != s->part) continue;
        bool is = holds(p, o->e);
        any |= is;
        all &= is;
    }
    return p->join == JOIN_AND ? all : any;
}

static bool relabel(void *to, struct brood *b)
{
    struct part_space *s = to;
    int most = s->base.most;
    for (uint32_t i = 0; i < b->n; i++) {
        if (says(s, b->state + (size_t)i * s->base.words))
            b->goal[i] = (int16_t)most;
        else if (b->goal[i] != SPACE_GOES_ON)
            b->goal[i] = -1; /* a dead end, and no line */
    }
    return s->sink(s->to, b);
}

static bool expand(struct space *base, const uint64_t *states, const uint32_t *depth, uint32_t n,
                   brood_sink *sink, void *to)
{
    struct part_space *s = (struct part_space *)base;
    s->sink = sink;
    s->to = to;
    bool good = space_expand(s->inner, states, depth, n, relabel, s);
    base->trouble = s->inner->trouble;
    return good;
}

static void release_space(struct space *base)
{
    struct part_space *s = (struct part_space *)base;
    if (!s) return;
    space_free(s->inner);
    free(s->outside);
    free(s->wait);
    free(s->avoid);
    free(s);
}

static const struct space_ops part_ops = {.expand = expand, .free = release_space};

static bool outside(const struct parts *p, uint32_t part, uint32_t move)
{
    return p->factors->move[move] != part && p->factors->move[move] != FACTOR_SEVERAL;
}

static bool limit_moves(struct part_space *s)
{
    uint32_t nmoves = s->inner->nmoves, words = (nmoves + 63) / 64;
    s->outside = calloc(words + 1, 8);
    s->wait = calloc(words + 1, 8);
    s->avoid = calloc(s->inner->lanes, sizeof *s->avoid);
    if (!s->outside || !s->wait || !s->avoid) return false;
    uint16_t covered = 0; /* turns: what a move does where it is not possible nobody knows */
    for (uint32_t m = 0; m < nmoves; m++) {
        if (!outside(s->parts, s->part, m)) continue;
        bool needed = s->parts->factors->when[m] & ~covered;
        (needed ? s->wait : s->outside)[m / 64] |= 1ull << m % 64;
        covered |= s->parts->factors->when[m];
    }
    for (uint32_t i = 0; i < s->inner->lanes; i++) s->avoid[i] = s->outside;
    s->inner->avoid = s->avoid;
    s->inner->always = s->wait;
    return true;
}

static struct part_space *space_of(struct parts *p, uint32_t part)
{
    struct error ignored;
    struct space *whole = p->base.space;
    struct part_space *s = calloc(1, sizeof *s);
    bool *keep = calloc(p->c->nbits + 1, sizeof *keep);
    bool good = s && keep;
    for (uint32_t b = 0; b < p->c->nbits && good; b++)
        keep[b] = p->factors->bit[b] == part || p->factors->bit[b] == FACTOR_NONE;
    if (good) {
        *s = (struct part_space){.parts = p, .part = part};
        s->inner = space_of_bits(whole->reasoner, whole->code, &p->root, keep, p->exact, 1, &ignored);
        good = s->inner && limit_moves(s);
    }
    free(keep);
    if (!good) return s ? release_space(&s->base) : (void)0, NULL;
    s->base = (struct space){.ops = &part_ops,
                             .reasoner = whole->reasoner,
                             .code = whole->code,
                             .words = s->inner->words,
                             .lanes = s->inner->lanes,
                             .nmoves = s->inner->nmoves,
                             .root = s->inner->root,
                             .most = (int)p->c->goals.v[p->goal].value,
                             .merges = s->inner->merges};
    s->kept = space_kept(s->inner, &s->nkept);
    return s;
}

/* --- The plans played ----------------------------------------------------------------------------------- */

struct walk {
    struct parts *p;
    struct reasoner *r;
    struct state here, next;
    struct list legal;
    struct line line;
    bool ended;
};

static bool make_move(struct walk *w, uint32_t move)
{
    struct reasoner *r = w->r;
    if (!line_reserve(&w->line, w->line.n + 64 - w->line.n % 64)) return false;
    w->line.moves[w->line.n++] = move;
    if (!r->ops->next(r, &w->here, &move, &w->next) || !r->ops->terminal(r, &w->next, &w->ended))
        return false;
    struct state swap = w->here;
    w->here = w->next;
    w->next = swap;
    return true;
}

/* A legal move that does nothing anywhere. False: there is none. */
static bool idle(struct walk *w)
{
    w->legal.n = 0;
    if (!w->r->ops->legal(w->r, &w->here, 0, &w->legal)) return false;
    for (uint32_t i = 0; i < w->legal.n; i++)
        if (w->p->factors->move[w->legal.v[i]] == FACTOR_NONE) return make_move(w, w->legal.v[i]);
    return false;
}

/* A legal move for which it is all the same to the part; FACTOR_NONE: for whatever has been done. False:
 * there is none. */
static bool wait(struct walk *w, uint32_t part)
{
    uint32_t n = 0;
    w->legal.n = 0;
    if (!w->r->ops->legal(w->r, &w->here, 0, &w->legal)) return false;
    for (uint32_t i = 0; i < w->legal.n; i++)
        if (part == FACTOR_NONE || outside(w->p, part, w->legal.v[i])) w->legal.v[n++] = w->legal.v[i];
    return n && make_move(w, w->legal.v[rng_below(&w->p->rng, n)]);
}

static bool follow(struct walk *w, const struct part *part)
{
    const uint64_t *waits = part->wait;
    for (uint32_t i = 0; i < part->line.n && !w->ended; i++) {
        uint32_t move = part->line.moves[i];
        bool found = false;
        if (waits[move / 64] >> move % 64 & 1) {
            if (!wait(w, part->number)) return false;
            continue;
        }
        w->legal.n = 0;
        if (!w->r->ops->legal(w->r, &w->here, 0, &w->legal)) return false;
        for (uint32_t k = 0; k < w->legal.n; k++) found |= w->legal.v[k] == move;
        if (!found || !make_move(w, move)) return false;
    }
    return true;
}

/* One way to play it, waits being drawn by lot. What comes behind the plans is given up when it is long and
 * the turn is over. */
static bool play(struct walk *w, const struct turn *turn)
{
    struct parts *p = w->p;
    uint32_t only = FACTOR_NONE;
    int goal;
    w->line.n = 0;
    w->ended = false;
    if (!state_copy(&w->here, &p->root)) return false;
    for (uint32_t i = 0; i < p->n && !w->ended; i++) {
        if (p->part[i].is != PART_FOUND) continue;
        if (!follow(w, &p->part[i])) return false;
        if (p->join != JOIN_AND) only = p->part[i].number;
    }
    /* what is done may be undone by moving on, and need not end by standing still */
    bool still = p->tries % 2 == 0;
    for (uint32_t i = 1; !w->ended; i++)
        if ((i % LONGEST_TAIL == 0 && turn_over(turn)) ||
            (!(still && idle(w)) && !wait(w, only) && !wait(w, FACTOR_NONE)))
            return false;
    return w->ended && reasoner_goal(w->r, &w->here, 0, &goal) && goal == (int)p->c->goals.v[p->goal].value;
}

/* False: the turn was over before it was known whether it can be played. */
static bool offer(struct parts *p, const struct turn *turn)
{
    struct walk w = {.p = p, .r = p->base.space->reasoner};
    struct turn clock = {.until = turn->until, .stop = turn->stop}; /* counts are for searches */
    bool good = false;
    line_init(&w.line);
    do good = play(&w, &clock);
    while (!good && ++p->tries < TRIES && !turn_over(&clock));
    if (good)
        line_offer(p->base.line, (int)p->c->goals.v[p->goal].value, w.line.moves, w.line.n,
                   p->base.ops->name);
    state_done(&w.here);
    state_done(&w.next);
    list_done(&w.legal);
    line_done(&w.line);
    return good || p->tries >= TRIES;
}

/* --- The search ----------------------------------------------------------------------------------------- */

static void close_part(struct parts *p, struct part *part)
{
    p->open -= part->space != NULL;
    if (part->search) method_free(part->search);
    if (part->space) release_space(&part->space->base);
    part->search = NULL;
    part->space = NULL;
}

static bool open_part(struct parts *p, struct part *part)
{
    part->space = space_of(p, part->number);
    p->open += part->space != NULL;
    part->search = part->space ? frontier_new(&part->space->base, &part->line, p->memory) : NULL;
    return part->search != NULL;
}

/* The one that has seen least, of a few at a time. */
static struct part *next_part(struct parts *p)
{
    struct part *best = NULL;
    for (uint32_t i = 0; i < p->n; i++) {
        struct part *part = &p->part[i];
        if (part->is != PART_OPEN || (!part->search && p->open == MOST_OPEN)) continue;
        if (!part->search) return part;
        if (!best || part->search->steps < best->search->steps) best = part;
    }
    return best;
}

static void go_on(struct parts *p, struct part *part, struct turn *turn)
{
    if (!part->search && !open_part(p, part)) {
        part->is = PART_FULL;
        close_part(p, part);
        return;
    }
    struct turn some = *turn;
    uint64_t left = turn->steps ? turn->steps - turn->used : STEPS_AT_A_TIME;
    some.used = 0;
    some.steps = left < STEPS_AT_A_TIME ? left : STEPS_AT_A_TIME;
    enum method_state state = part->search->ops->run(part->search, &some);
    turn->used += some.used;
    p->base.steps += some.used;
    if (part->line.goal >= part->space->base.most) {
        part->is = PART_FOUND;
        part->wait = part->space->wait;
        part->space->wait = NULL;
    } else if (state != METHOD_WORKING)
        part->is = state == METHOD_EXHAUSTED ? PART_SEEN : PART_FULL;
    if (part->is != PART_OPEN) close_part(p, part);
}

/* The goal is out of reach: the next one is the most there is. */
static void rule_out(struct parts *p)
{
    int value = (int)p->c->goals.v[p->goal].value, next = 0;
    for (uint32_t i = 0; i < p->c->goals.n; i++) {
        int v = (int)p->c->goals.v[i].value;
        if (v < value && v > next) next = v;
    }
    if (p->base.space->most == value) p->base.space->most = next;
}

static enum method_state run(struct method *m, struct turn *turn)
{
    struct parts *p = self(m);
    uint32_t found = 0, seen = 0;
    bool over = false;
    while (!over && !turn_over(turn)) {
        struct part *part = next_part(p);
        if (part) go_on(p, part, turn);
        found = seen = 0;
        for (uint32_t i = 0; i < p->n; i++) {
            found += p->part[i].is == PART_FOUND;
            seen += p->part[i].is == PART_SEEN;
        }
        over = !part || (p->join == JOIN_AND ? seen || found == p->n : found > 0);
    }
    snprintf(m->note, sizeof m->note, "%u parts, %u of them done", p->n, found);
    if (!over) return METHOD_WORKING;
    if ((p->join == JOIN_AND ? found == p->n : found > 0) && !offer(p, turn)) return METHOD_WORKING;
    if (p->exact && (p->join == JOIN_AND ? seen > 0 : seen == p->n)) rule_out(p);
    return METHOD_OVER;
}

static void release(struct method *m)
{
    struct parts *p = self(m);
    for (uint32_t i = 0; i < p->n && p->part; i++) {
        close_part(p, &p->part[i]);
        line_done(&p->part[i].line);
        free(p->part[i].wait);
    }
    state_done(&p->root);
    free(p->part);
    free(p->state);
    free(p->seen);
    free(p->value);
    free(p);
}

static const struct method_ops ops = {.name = "part by part", .run = run, .free = release};

/* The highest that is not known to be out of reach; UINT32_MAX: there is none. */
static uint32_t highest_goal(const struct circuit *c, int most)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < c->goals.n; i++)
        if ((int)c->goals.v[i].value <= most &&
            (best == UINT32_MAX || c->goals.v[i].value > c->goals.v[best].value))
            best = i;
    return best;
}

/* Is there something to be gained, and does it go this way? */
static bool is_for(const struct parts *p)
{
    const struct factors *f = p->factors;
    if (f->n < 2 || p->goal == UINT32_MAX || p->c->loops.n) return false;
    if (p->join != JOIN_AND) return p->join == JOIN_OR || p->join == JOIN_ONE;
    for (uint32_t i = 0; i < f->n; i++)
        if (!f->parts.v[i].stays) return false;
    return !f->at_once;
}

static bool make_parts(struct parts *p, size_t memory)
{
    const struct factors *f = p->factors;
    bool *asked = calloc(f->n, sizeof *asked), good = asked;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->operands.n && good; i++) {
        const struct factor_operand *o = &f->operands.v[i];
        if (o->goal == p->goal && o->part == FACTOR_NONE) p->exact = false; /* it may come by itself */
        if (o->goal != p->goal || o->part >= f->n || asked[o->part]) continue;
        asked[o->part] = true;
        n++;
    }
    p->part = calloc(n + 1, sizeof *p->part);
    good = good && p->part && n;
    for (uint32_t i = 0; i < f->n && good; i++) {
        if (!asked[i]) continue;
        struct part *part = &p->part[p->n++];
        part->number = i;
        line_init(&part->line);
    }
    if (good) p->memory = memory / (n < MOST_OPEN ? n : MOST_OPEN);
    rng_init(&p->rng, 1);
    free(asked);
    return good;
}

struct method *parts_new(struct space *s, struct line *line, const struct state *root,
                         const struct factors *factors, size_t memory)
{
    struct parts *p = s->code ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->base = (struct method){.ops = &ops, .space = s, .line = line};
    p->factors = factors;
    p->c = s->code->circuit;
    p->goal = highest_goal(p->c, s->most);
    p->join = factors->n > 1 && p->goal != UINT32_MAX ? factors->goal[p->goal] : JOIN_NONE;
    p->exact = factors->terminal == JOIN_NONE && !factors->at_once;
    uint32_t wires = wire_gate(p->c, p->c->ngates);
    p->state = calloc(root->words + 1, sizeof *p->state);
    p->seen = calloc(wires, sizeof *p->seen);
    p->value = calloc(wires, sizeof *p->value);
    if (!is_for(p) || !p->state || !p->seen || !p->value || !state_copy(&p->root, root) ||
        !make_parts(p, memory)) {
        release(&p->base);
        return NULL;
    }
    return &p->base;
}
