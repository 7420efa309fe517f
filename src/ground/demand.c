// SPDX-License-Identifier: GPL-3.0-or-later
/* Grounding a predicate only where somebody asks (magic sets).
 *
 *     count(w b)             <- loop(inner ne 0 0 w b)
 *     loop(x y w1 b1 w b)    <- one(x y w1 b1 w2 b2), after(x y u v), loop(u v w2 b2 w b)
 *
 * `loop` is true for any start values, but asked for few. With a demand predicate for the arguments that are
 * known at every call,
 *
 *     asked(inner ne 0 0)
 *     asked(u v w2 b2)       <- asked(x y w1 b1), one(x y w1 b1 w2 b2), after(x y u v)
 *     loop(x y w1 b1 w b)    <- asked(x y w1 b1), one(..), after(..), loop(..)
 *
 * it stays small. The predicates that call it are treated the same way, because what they know of their own
 * arguments is known at their calls; each predicate gets one demand, for the arguments bound at all its
 * calls. An argument counts as bound if a constant stands there or a variable that occurs in the head's
 * demand, in a positive literal on a predicate without demand, or in a call written before it.
 *
 * Negated calls ask too. The demand clauses belong to the component of the predicate asked for and so run
 * before its callers: what a caller finds of an exact predicate is complete for what it asked. */
#include "ground/ground_internal.h"

struct demand {
    struct grounder *g;
    bool *wanted;    /* by predicate: gets a demand now */
    bool **bound;    /* by predicate, then argument */
    uint32_t *asked; /* by predicate: its demand predicate */
    bool *known;     /* by register */
};

static bool is_call(const struct demand *d, const struct item *item)
{
    return (item->kind == ITEM_POSITIVE || item->kind == ITEM_NEGATIVE) && item->predicate != NONE &&
           d->wanted[item->predicate];
}

static bool may_be_asked(const struct grounder *g, uint32_t predicate)
{
    const struct predicate *p = &g->predicates.v[predicate];
    if (p->demanded || !p->table.width) return false;
    if (p->relation == HELPER_RELATION) return true;
    if (p->relation == NO_RELATION) return false;
    const uint32_t *keyword = g->program->keyword;
    return p->relation != keyword[KW_ROLE] && p->relation != keyword[KW_INIT] &&
           p->relation != keyword[KW_TRUE] && p->relation != keyword[KW_DOES] &&
           p->relation != keyword[KW_LEGAL] && p->relation != keyword[KW_NEXT] &&
           p->relation != keyword[KW_GOAL] && p->relation != keyword[KW_TERMINAL];
}

/* The predicate and everything that calls it, directly or not. */
static void want_callers(struct demand *d, uint32_t predicate)
{
    struct grounder *g = d->g;
    d->wanted[predicate] = true;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < g->clauses.n; i++) {
            const struct clause *c = &g->clauses.v[i];
            if (c->gone || d->wanted[c->predicate] || !may_be_asked(g, c->predicate)) continue;
            for (uint32_t k = 0; k < c->nbody && !d->wanted[c->predicate]; k++)
                if (is_call(d, &c->body[k])) d->wanted[c->predicate] = again = true;
        }
    }
}

static void know(struct demand *d, operand o)
{
    if (is_register(o)) d->known[register_of(o)] = true;
}

static bool knows(const struct demand *d, operand o)
{
    return !is_register(o) || d->known[register_of(o)];
}

/* Is item k among those that may bind arguments of the call `at`? */
static bool comes_before(const struct demand *d, const struct clause *c, uint32_t k, uint32_t at)
{
    return c->body[k].kind == ITEM_POSITIVE && (!d->wanted[c->body[k].predicate] || k < at);
}

/* What is known when the call is made: by the head's demand and by the items before it, and what terms are
 * made of that. */
static void know_before(struct demand *d, const struct clause *c, uint32_t at)
{
    memset(d->known, 0, c->nregisters);
    for (uint32_t i = 0; d->wanted[c->predicate] && i < d->g->predicates.v[c->predicate].table.width; i++)
        if (d->bound[c->predicate][i]) know(d, c->head[i]);
    for (uint32_t k = 0; k < c->npositive; k++)
        for (uint32_t i = 0; comes_before(d, c, k, at) && i < c->body[k].nargs; i++)
            know(d, c->body[k].args[i]);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = c->npositive; k < c->nbody - c->nbuild; k++) {
            const struct item *item = &c->body[k];
            if (item->kind != ITEM_TERM && item->kind != ITEM_BUILD) continue;
            bool all = true;
            for (uint32_t i = 1; i < item->nargs; i++) all &= knows(d, item->args[i]);
            if (all == knows(d, item->args[0])) continue;
            if (!all && item->kind == ITEM_BUILD) continue;
            for (uint32_t i = 0; i < item->nargs; i++) know(d, item->args[i]);
            again = true;
        }
    }
}

/* Arguments that a head builds from parts cannot be asked for. */
static void forbid_built(struct demand *d, const struct clause *c)
{
    for (uint32_t k = c->nbody - c->nbuild; k < c->nbody; k++)
        for (uint32_t i = 0; i < d->g->predicates.v[c->predicate].table.width; i++)
            if (c->head[i] == c->body[k].args[0]) d->bound[c->predicate][i] = false;
}

/* From "all arguments are bound everywhere" downwards to what is. */
static void find_bound(struct demand *d)
{
    struct grounder *g = d->g;
    for (uint32_t p = 0; p < g->predicates.n; p++) {
        if (!d->wanted[p]) continue;
        d->bound[p] = heap_cut(g->heap, g->predicates.v[p].table.width);
        memset(d->bound[p], true, g->predicates.v[p].table.width);
    }
    for (uint32_t i = 0; i < g->clauses.n; i++)
        if (!g->clauses.v[i].gone && d->wanted[g->clauses.v[i].predicate]) forbid_built(d, &g->clauses.v[i]);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < g->clauses.n; i++) {
            const struct clause *c = &g->clauses.v[i];
            for (uint32_t k = 0; !c->gone && k < c->nbody; k++) {
                const struct item *item = &c->body[k];
                if (!is_call(d, item)) continue;
                know_before(d, c, k);
                bool *bound = d->bound[item->predicate];
                for (uint32_t a = 0; a < item->nargs; a++)
                    if (bound[a] && !knows(d, item->args[a])) bound[a] = false, again = true;
            }
            heap_poll(g->heap);
        }
        /* Without a bound argument there is nothing to ask with: the predicate is computed in full. */
        for (uint32_t p = 0; p < g->predicates.n; p++) {
            bool any = false;
            for (uint32_t a = 0; d->wanted[p] && a < g->predicates.v[p].table.width; a++)
                any |= d->bound[p][a];
            if (d->wanted[p] && !any) d->wanted[p] = false, again = true;
        }
    }
}

static struct item asked_item(struct demand *d, uint32_t predicate, const operand *args)
{
    struct grounder *g = d->g;
    struct item item = {.kind = ITEM_POSITIVE, .relation = HELPER_RELATION, .predicate = d->asked[predicate]};
    uint32_t width = g->predicates.v[predicate].table.width;
    item.args = cut_operands(g, width);
    for (uint32_t a = 0; a < width; a++)
        if (d->bound[predicate][a]) item.args[item.nargs++] = args[a];
    return item;
}

/* asked(..) <- the head's demand and everything before the call */
static void ask(struct demand *d, const struct clause *c, uint32_t at)
{
    struct grounder *g = d->g;
    VEC(struct item) items = {0};
    know_before(d, c, at);
    if (d->wanted[c->predicate]) vec_push(g->heap, &items, asked_item(d, c->predicate, c->head));
    bool *here = heap_zalloc(g->heap, c->nregisters + 1); /* bound by positive items */
    for (uint32_t i = 0; items.n && i < items.v[0].nargs; i++)
        if (is_register(items.v[0].args[i])) here[register_of(items.v[0].args[i])] = true;
    for (uint32_t k = 0; k < c->npositive; k++) {
        if (!comes_before(d, c, k, at)) continue;
        vec_push(g->heap, &items, c->body[k]);
        for (uint32_t i = 0; i < c->body[k].nargs; i++)
            if (is_register(c->body[k].args[i])) here[register_of(c->body[k].args[i])] = true;
    }
    for (uint32_t k = c->npositive; k < c->nbody - c->nbuild; k++) {
        struct item item = c->body[k];
        bool all = true;
        for (uint32_t i = 0; i < item.nargs; i++) all &= knows(d, item.args[i]);
        if (!all || item.kind == ITEM_NEGATIVE) continue;
        /* A term that no item here brings along may not exist yet: make it, and ask. */
        if (item.kind == ITEM_TERM && !here[register_of(item.args[0])]) {
            bool parts = true;
            for (uint32_t i = 1; i < item.nargs; i++)
                parts &= !is_register(item.args[i]) || here[register_of(item.args[i])];
            if (parts) item.kind = ITEM_BUILD;
        }
        if (item.kind == ITEM_TERM || item.kind == ITEM_BUILD)
            for (uint32_t i = 0; i < item.nargs; i++)
                if (is_register(item.args[i])) here[register_of(item.args[i])] = true;
        vec_push(g->heap, &items, item);
    }
    heap_release(g->heap, here);
    const struct item *call = &c->body[at];
    struct item head = asked_item(d, call->predicate, call->args);
    clause_make(g, c->rule, head.predicate, head.args, items.v, items.n, items.n, c->nregisters);
    vec_free(g->heap, &items);
}

static void rewrite(struct demand *d, uint32_t number)
{
    struct grounder *g = d->g;
    const struct clause c = g->clauses.v[number]; /* a copy: the vector may move */
    for (uint32_t k = 0; k < c.nbody; k++)
        if (is_call(d, &c.body[k])) ask(d, &c, k);
    if (!d->wanted[c.predicate]) return;
    VEC(struct item) items = {0};
    vec_push(g->heap, &items, asked_item(d, c.predicate, c.head));
    for (uint32_t k = 0; k < c.nbody; k++) vec_push(g->heap, &items, c.body[k]);
    clause_make(g, c.rule, c.predicate, c.head, items.v, items.n - c.nbuild, items.n, c.nregisters);
    vec_free(g->heap, &items);
    g->clauses.v[number].gone = true;
}

bool demand_apply(struct grounder *g, uint32_t predicate)
{
    if (!may_be_asked(g, predicate)) return false;
    uint32_t n = g->predicates.n;
    struct demand d = {
        .g = g, .wanted = heap_zalloc(g->heap, n), .bound = heap_zalloc(g->heap, n * sizeof *d.bound)};
    d.asked = heap_alloc(g->heap, n * sizeof *d.asked);
    d.known = heap_alloc(g->heap, g->nregisters + 1);
    want_callers(&d, predicate);
    find_bound(&d);
    bool done = d.wanted[predicate];
    if (done) {
        for (uint32_t p = 0; p < n; p++) {
            if (!d.wanted[p]) continue;
            uint32_t width = 0;
            for (uint32_t a = 0; a < g->predicates.v[p].table.width; a++) width += d.bound[p][a];
            d.asked[p] = predicate_invent(g, width, true, p);
            g->predicates.v[p].demanded = g->predicates.v[d.asked[p]].demanded = true;
        }
        for (uint32_t i = 0, clauses = g->clauses.n; i < clauses; i++)
            if (!g->clauses.v[i].gone) rewrite(&d, i);
        g->report->demanded++;
    } else {
        g->predicates.v[predicate].demanded = true; /* do not try again */
    }
    heap_release(g->heap, d.wanted);
    heap_release(g->heap, d.bound);
    heap_release(g->heap, d.asked);
    heap_release(g->heap, d.known);
    return done;
}
