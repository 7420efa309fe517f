// SPDX-License-Identifier: GPL-3.0-or-later
/* What depends on what, predicate by predicate: finer than the program's relations, because next:cell and
 * next:control are two things here.
 *
 * A fact is frozen when its only rule is (<= (next F) (true F)): it is true in every state or in none. Many
 * sheets keep their walls and boards that way. Frozen facts are as good as static relations, and so is
 * everything that depends on nothing else.
 *
 * A predicate is late when no fact and no move can come of it: goals, the end, and what stands only behind
 * dynamic negation, which counts as possible anyway. Late predicates wait until all facts and moves are
 * known. */
#include "base/scc.h"
#include "ground/ground_internal.h"

/* next:f(x, y, ..) <- true:f(x, y, ..), all different registers and nothing else? */
static bool passes_on(const struct grounder *g, const struct clause *c)
{
    const struct predicate *p = &g->predicates.v[c->predicate];
    if (c->nbody != 1 || c->npositive != 1 || c->body[0].predicate != p->feeds) return false;
    for (uint32_t i = 0; i < p->table.width; i++) {
        if (!is_register(c->head[i]) || c->head[i] != c->body[0].args[i]) return false;
        for (uint32_t k = 0; k < i; k++)
            if (c->head[k] == c->head[i]) return false;
    }
    return true;
}

static void find_frozen(struct grounder *g)
{
    const uint32_t *keyword = g->program->keyword;
    if (!relation_is_static(&g->program->relations.v[keyword[KW_INIT]])) return;
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        const struct clause *c = &g->clauses.v[i];
        const struct predicate *p = &g->predicates.v[c->predicate];
        if (p->relation == keyword[KW_NEXT] && passes_on(g, c)) g->predicates.v[p->feeds].frozen = true;
    }
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        const struct clause *c = &g->clauses.v[i];
        const struct predicate *p = &g->predicates.v[c->predicate];
        if (p->relation == keyword[KW_NEXT] && !passes_on(g, c)) g->predicates.v[p->feeds].frozen = false;
    }
}

struct edges {
    struct grounder *g;
    uint32_t *first; /* by predicate; counts until they are added up */
    uint32_t *to;    /* NULL while counting */
};

static void add_edge(struct edges *e, uint32_t from, uint32_t to)
{
    if (e->to)
        e->to[e->first[from]++] = to;
    else
        e->first[from]++;
}

static void add_edges(struct edges *e)
{
    struct grounder *g = e->g;
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        const struct clause *c = &g->clauses.v[i];
        for (uint32_t k = 0; k < c->nbody; k++) {
            const struct item *item = &c->body[k];
            if (item->kind != ITEM_POSITIVE && item->kind != ITEM_NEGATIVE) continue;
            if (item->predicate != NONE) {
                add_edge(e, c->predicate, item->predicate);
                continue;
            }
            for (uint32_t p = 0; p < g->predicates.n; p++)
                if (g->predicates.v[p].relation == item->relation) add_edge(e, c->predicate, p);
        }
    }
    for (uint32_t p = 0; p < g->predicates.n; p++) {
        const struct predicate *q = &g->predicates.v[p];
        if (!q->frozen) continue;
        uint32_t init = predicate_find(g, g->program->keyword[KW_INIT], q->functor, q->arity);
        if (init != NONE) add_edge(e, p, init);
    }
}

/* In order of components; a predicate is exact if all that its component depends on is. */
static void find_exact(struct grounder *g, const struct edges *e, const uint32_t *start,
                       const uint32_t *order)
{
    const uint32_t *keyword = g->program->keyword;
    for (uint32_t c = 0; c < g->components; c++) {
        bool exact = true;
        for (uint32_t i = start[c]; i < start[c + 1]; i++) {
            const struct predicate *p = &g->predicates.v[order[i]];
            exact &= (p->relation != keyword[KW_TRUE] || p->frozen) && p->relation != keyword[KW_DOES];
            for (uint32_t k = e->first[order[i]]; k < e->first[order[i] + 1]; k++) {
                const struct predicate *q = &g->predicates.v[e->to[k]];
                exact &= q->component == c || q->exact;
            }
        }
        for (uint32_t i = start[c]; i < start[c + 1]; i++) {
            struct predicate *p = &g->predicates.v[order[i]];
            uint32_t r = p->relation;
            p->exact = exact;
            p->visible = r != NO_RELATION &&
                         (!exact || r == keyword[KW_TRUE] || r == keyword[KW_NEXT] ||
                          r == keyword[KW_LEGAL] || r == keyword[KW_GOAL] || r == keyword[KW_TERMINAL]);
        }
    }
}

static void find_late(struct grounder *g)
{
    const uint32_t *keyword = g->program->keyword;
    for (uint32_t p = 0; p < g->predicates.n; p++) {
        struct predicate *q = &g->predicates.v[p];
        q->late = !q->exact && q->relation != keyword[KW_NEXT] && q->relation != keyword[KW_LEGAL] &&
                  q->relation != keyword[KW_TRUE] && q->relation != keyword[KW_DOES];
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < g->clauses.n; i++) {
            const struct clause *c = &g->clauses.v[i];
            if (g->predicates.v[c->predicate].late) continue;
            for (uint32_t k = 0; k < c->npositive; k++) {
                struct predicate *q = &g->predicates.v[c->body[k].predicate];
                again |= q->late;
                q->late = false;
            }
        }
    }
}

void strata_find(struct grounder *g)
{
    uint32_t n = g->predicates.n;
    find_frozen(g);
    struct edges e = {.g = g, .first = heap_zalloc(g->heap, (n + 2) * sizeof *e.first)};
    add_edges(&e);
    uint32_t total = 0;
    for (uint32_t p = 0; p <= n; p++) {
        uint32_t count = e.first[p];
        e.first[p] = total;
        total += count;
    }
    e.to = heap_alloc(g->heap, (total + 1) * sizeof *e.to);
    add_edges(&e); /* leaves in first[p] where p + 1 begins */
    memmove(e.first + 1, e.first, n * sizeof *e.first);
    e.first[0] = 0;
    uint32_t *component = heap_alloc(g->heap, (n + 1) * sizeof *component);
    g->components = scc_find(g->heap, n, e.first, e.to, component);
    uint32_t *start = heap_alloc(g->heap, (g->components + 1) * sizeof *start);
    uint32_t *order = heap_alloc(g->heap, (n + 1) * sizeof *order);
    scc_sort(n, component, g->components, start, order);
    for (uint32_t p = 0; p < n; p++) g->predicates.v[p].component = component[p];
    find_exact(g, &e, start, order);
    find_late(g);
    heap_release(g->heap, e.first);
    heap_release(g->heap, e.to);
    heap_release(g->heap, component);
    heap_release(g->heap, start);
    heap_release(g->heap, order);
}
