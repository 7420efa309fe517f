// SPDX-License-Identifier: GPL-3.0-or-later
/* Who depends on whom: the components of the graph of relations, and what each needs. */
#include "base/scc.h"
#include "logic/normalise.h"

#include <string.h>

/* The graph of relations: relation r calls to[first[r]] .. to[first[r + 1] - 1]. */
struct graph {
    uint32_t *first;
    struct vec_u32 to;
};

static void make_graph(struct program *p, struct graph *g)
{
    g->first = heap_alloc(p->heap, (p->relations.n + 1) * sizeof *g->first);
    for (uint32_t r = 0; r < p->relations.n; r++) {
        g->first[r] = g->to.n;
        const struct vec_u32 *rules = &p->relations.v[r].rules;
        for (uint32_t i = 0; i < rules->n; i++) {
            const struct rule *rule = &p->rules.v[rules->v[i]];
            for (uint32_t j = 0; j < rule->nbody; j++)
                if (rule->body[j].kind != LITERAL_DISTINCT) vec_push(p->heap, &g->to, rule->body[j].relation);
        }
    }
    g->first[p->relations.n] = g->to.n;
}

static void drop_graph(struct program *p, struct graph *g)
{
    heap_release(p->heap, g->first);
    vec_free(p->heap, &g->to);
}

static void find_components(struct program *p)
{
    struct graph g = {0};
    make_graph(p, &g);
    uint32_t *component = heap_alloc(p->heap, p->relations.n * sizeof *component);
    p->components = scc_find(p->heap, p->relations.n, g.first, g.to.v, component);
    for (uint32_t r = 0; r < p->relations.n; r++) {
        p->relations.v[r].component = component[r];
        p->relations.v[r].recursive = false; /* negative_cycle() knows better */
    }
    heap_release(p->heap, component);
    drop_graph(p, &g);
}

/* Callees are settled first; within a component all relations need the same. */
static void mark_needs(struct program *p)
{
    struct graph g = {0};
    make_graph(p, &g);
    uint32_t n = p->relations.n;
    uint32_t *component = heap_alloc(p->heap, n * sizeof *component),
             *order = heap_alloc(p->heap, n * sizeof *order);
    uint32_t *start = heap_alloc(p->heap, (p->components + 1) * sizeof *start);
    for (uint32_t r = 0; r < n; r++) component[r] = p->relations.v[r].component;
    scc_sort(n, component, p->components, start, order);
    p->relations.v[p->keyword[KW_TRUE]].needs_true = true;
    p->relations.v[p->keyword[KW_DOES]].needs_does = true;
    for (uint32_t c = 0; c < p->components; c++) {
        bool needs_true = false, needs_does = false;
        for (uint32_t i = start[c]; i < start[c + 1]; i++) {
            uint32_t r = order[i];
            needs_true |= p->relations.v[r].needs_true, needs_does |= p->relations.v[r].needs_does;
            for (uint32_t e = g.first[r]; e < g.first[r + 1]; e++)
                needs_true |= p->relations.v[g.to.v[e]].needs_true,
                    needs_does |= p->relations.v[g.to.v[e]].needs_does;
        }
        for (uint32_t i = start[c]; i < start[c + 1]; i++)
            p->relations.v[order[i]].needs_true = needs_true,
            p->relations.v[order[i]].needs_does = needs_does;
    }
    heap_release(p->heap, component);
    heap_release(p->heap, order);
    heap_release(p->heap, start);
    drop_graph(p, &g);
}

/* Mark the recursive relations, and return the first literal that negates a relation of its
 * head's own component. */
static const struct literal *negative_cycle(struct program *p, uint32_t *in_rule)
{
    const struct literal *found = NULL;
    for (uint32_t i = 0; i < p->rules.n; i++) {
        const struct rule *rule = &p->rules.v[i];
        struct relation *head = &p->relations.v[rule->relation];
        for (uint32_t j = 0; j < rule->nbody; j++) {
            const struct literal *l = &rule->body[j];
            if (l->kind == LITERAL_DISTINCT || p->relations.v[l->relation].component != head->component)
                continue;
            head->recursive = true;
            if (l->kind == LITERAL_NEGATIVE && !found) found = l, *in_rule = i;
        }
    }
    return found;
}

/* A negation that made splitting necessary. */
struct split_at {
    uint32_t node, head, callee;
};

void program_depend(struct program *p, struct diags *diags)
{
    uint32_t rule = 0;
    const struct literal *l;
    VEC(struct split_at) splits = {0};
    for (find_components(p); (l = negative_cycle(p, &rule)); find_components(p)) {
        struct split_at s = {l->node, p->rules.v[rule].relation, l->relation};
        const struct node *at = &p->syntax->nodes.v[s.node];
        vec_push(p->heap, &splits, s);
        if (split_component(p, p->relations.v[s.callee].component)) continue;
        diag_add(diags, true, "unstratified", at->offset, at->length,
                 "break the cycle: a relation must not depend on its own negation",
                 "'%.*s' depends on the negation of '%.*s', which depends on it", RELATION_NAME(p, s.head),
                 RELATION_NAME(p, s.callee));
        break;
    }
    for (uint32_t i = 0; i < splits.n && !l; i++) {
        const struct node *at = &p->syntax->nodes.v[splits.v[i].node];
        diag_add(
            diags, false, "unstratified-relation", at->offset, at->length,
            "give the two meanings different names to follow the standard",
            "'%.*s' depends on the negation of '%.*s'; it has a meaning only because their arguments differ",
            RELATION_NAME(p, splits.v[i].head), RELATION_NAME(p, splits.v[i].callee));
    }
    vec_free(p->heap, &splits);
    mark_needs(p);
}
