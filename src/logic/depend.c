// SPDX-License-Identifier: GPL-3.0-or-later
/* Who depends on whom: Tarjan's components over the graph of relations, without recursion (sheets can be
 * chains of a hundred thousand relations), then what each component needs. Components come out callees first.
 */
#include "logic/normalise.h"

#include <string.h>

struct visit {
    uint32_t relation;
    uint32_t rule, literal; /* where we are in its list of rules */
};

struct tarjan {
    struct program *p;
    uint32_t *index, *low; /* index 0: not seen yet */
    bool *on_stack;
    struct vec_u32 stack;
    VEC(struct visit) path;
    uint32_t next;
};

static void enter(struct tarjan *t, uint32_t r)
{
    t->index[r] = t->low[r] = ++t->next;
    t->on_stack[r] = true;
    vec_push(t->p->heap, &t->stack, r);
    vec_push(t->p->heap, &t->path, (struct visit){r, 0, 0});
}

/* The next relation that `v` depends on, or NO_RELATION at the end. */
static uint32_t next_callee(const struct program *p, struct visit *v)
{
    const struct relation *r = &p->relations.v[v->relation];
    for (; v->rule < r->rules.n; v->rule++, v->literal = 0) {
        const struct rule *rule = &p->rules.v[r->rules.v[v->rule]];
        while (v->literal < rule->nbody) {
            const struct literal *l = &rule->body[v->literal++];
            if (l->kind != LITERAL_DISTINCT) return l->relation;
        }
    }
    return NO_RELATION;
}

static void pop_component(struct tarjan *t, uint32_t root)
{
    struct program *p = t->p;
    bool several = vec_last(&t->stack) != root;
    for (uint32_t r = NO_RELATION; r != root;) {
        r = vec_pop(&t->stack);
        t->on_stack[r] = false;
        p->relations.v[r].component = p->components;
        p->relations.v[r].recursive = several;
    }
    p->components++;
}

static void search(struct tarjan *t, uint32_t start)
{
    enter(t, start);
    while (t->path.n) {
        struct visit *v = &vec_last(&t->path);
        uint32_t r = v->relation, callee = next_callee(t->p, v);
        if (callee != NO_RELATION) {
            if (!t->index[callee])
                enter(t, callee);
            else if (t->on_stack[callee] && t->index[callee] < t->low[r])
                t->low[r] = t->index[callee];
            continue;
        }
        if (t->low[r] == t->index[r]) pop_component(t, r);
        t->path.n--;
        if (t->path.n && t->low[r] < t->low[vec_last(&t->path).relation])
            t->low[vec_last(&t->path).relation] = t->low[r];
    }
}

/* In order of components a relation's callees are settled first, except within its own component: settle
 * those by repetition. */
static void mark_needs(struct program *p)
{
    p->relations.v[p->keyword[KW_TRUE]].needs_true = true;
    p->relations.v[p->keyword[KW_DOES]].needs_does = true;
    uint32_t n = p->relations.n, *order = heap_alloc(p->heap, (n + 1) * sizeof *order);
    uint32_t *count = heap_zalloc(p->heap, (p->components + 1) * sizeof *count);
    for (uint32_t r = 0; r < n; r++) count[p->relations.v[r].component + 1]++;
    for (uint32_t c = 0; c < p->components; c++) count[c + 1] += count[c];
    for (uint32_t r = 0; r < n; r++) order[count[p->relations.v[r].component]++] = r;
    for (uint32_t from = 0, to; from < n; from = to) {
        bool needs_true = false, needs_does = false;
        for (to = from;
             to < n && p->relations.v[order[to]].component == p->relations.v[order[from]].component; to++) {
            const struct relation *r = &p->relations.v[order[to]];
            needs_true |= r->needs_true, needs_does |= r->needs_does;
            struct visit v = {order[to], 0, 0};
            for (uint32_t c; (c = next_callee(p, &v)) != NO_RELATION;)
                needs_true |= p->relations.v[c].needs_true, needs_does |= p->relations.v[c].needs_does;
        }
        for (uint32_t i = from; i < to; i++)
            p->relations.v[order[i]].needs_true = needs_true,
            p->relations.v[order[i]].needs_does = needs_does;
    }
    heap_release(p->heap, order);
    heap_release(p->heap, count);
}

static void find_components(struct program *p)
{
    uint32_t n = p->relations.n;
    struct tarjan t = {.p = p};
    t.index = heap_zalloc(p->heap, n * sizeof *t.index);
    t.low = heap_zalloc(p->heap, n * sizeof *t.low);
    t.on_stack = heap_zalloc(p->heap, n);
    p->components = 0;
    for (uint32_t r = 0; r < n; r++)
        if (!t.index[r]) search(&t, r);
    heap_release(p->heap, t.index);
    heap_release(p->heap, t.low);
    heap_release(p->heap, t.on_stack);
    vec_free(p->heap, &t.stack);
    vec_free(p->heap, &t.path);
}

/* Mark relations that call themselves directly, and return the first literal that negates a relation of its
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

void program_depend(struct program *p, struct diags *diags)
{
    uint32_t rule = 0;
    const struct literal *l;
    for (find_components(p); (l = negative_cycle(p, &rule)); find_components(p)) {
        const struct node *at = &p->syntax->nodes.v[l->node];
        const char *head = symbol_name(p->terms, p->relations.v[p->rules.v[rule].relation].name);
        const char *callee = symbol_name(p->terms, p->relations.v[l->relation].name);
        if (!split_component(p, p->relations.v[l->relation].component)) {
            diag_add(diags, true, "unstratified", at->offset, at->length,
                     "break the cycle: a relation must not depend on its own negation",
                     "'%s' depends on the negation of '%s', which depends on it", head, callee);
            break;
        }
        diag_add(diags, false, "unstratified-relation", at->offset, at->length,
                 "give the two meanings different names to follow the standard",
                 "'%s' depends on the negation of '%s'; it has a meaning only because their arguments differ",
                 head, callee);
    }
    mark_needs(p);
}
