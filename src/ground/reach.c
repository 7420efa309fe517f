// SPDX-License-Identifier: GPL-3.0-or-later
/* Everything that can ever be true: semi-naive evaluation of all clauses.
 *
 * Each clause remembers for each positive item how many rows of its table it has seen. When rows have come,
 * the clause is joined once per item with new rows: new rows there, all rows (new and old) for the items
 * before it, old rows for the items after it, so that no combination is tried twice. Clauses wait for their
 * turn by component, callees first; a relation's table is therefore complete, as far as the facts known go,
 * before anybody reads it, and complete for good if it is static, which makes its negation safe to decide. */
#include "ground/ground_internal.h"

static void note_change(struct grounder *g, uint32_t predicate)
{
    if (g->predicates.v[predicate].changed) return;
    g->predicates.v[predicate].changed = true;
    vec_push(g->heap, &g->changed, predicate);
}

static bool is_role(const struct grounder *g, term x)
{
    uint32_t roles = predicate_find(g, g->program->keyword[KW_ROLE], 0, 0);
    return roles != NONE && table_find(&g->predicates.v[roles].table, &x) != NO_ROW;
}

/* The match's head goes into its table, and on to `true` or `does`. */
static void add_head(struct join *j)
{
    struct grounder *g = j->g;
    const struct clause *c = j->clause;
    join_build(g, c);
    struct predicate *p = &g->predicates.v[c->predicate];
    uint32_t few[64],
        *tuple = p->table.width <= 64 ? few : heap_alloc(g->heap, p->table.width * sizeof *tuple);
    for (uint32_t i = 0; i < p->table.width; i++) tuple[i] = join_value(g, c->head[i]);
    bool added;
    table_add(g->heap, &p->table, tuple, &added);
    if (added) {
        g->report->tuples++;
        note_change(g, c->predicate);
        bool move = p->relation == g->program->keyword[KW_LEGAL];
        if (p->feeds != NONE && (!move || is_role(g, tuple[0]))) {
            table_add(g->heap, &g->predicates.v[p->feeds].table, tuple, &added);
            if (added) note_change(g, p->feeds);
        }
    }
    if (tuple != few) heap_release(g->heap, tuple);
}

static void tell_users(struct grounder *g)
{
    while (g->changed.n) {
        struct predicate *p = &g->predicates.v[vec_pop(&g->changed)];
        p->changed = false;
        for (uint32_t i = 0; i < p->users.n; i++) {
            struct clause *c = &g->clauses.v[p->users.v[i]];
            c->dirty = true;
            uint32_t component = g->predicates.v[c->predicate].component;
            g->dirty[component] = true;
            if (component < g->low) g->low = component;
        }
    }
}

/* Has the world changed so much that the order of the join should be thought over? */
static bool outgrown(const struct clause *c, const struct plan *plan, const struct range *ranges)
{
    for (uint32_t i = 0; i < c->npositive; i++) {
        uint32_t now = ranges[i].to - ranges[i].from, then = plan->sizes[i];
        if (now / 8 > then + 8 || then / 64 > now + 64) return true;
    }
    return false;
}

void reach_clause(struct grounder *g, struct clause *c)
{
    uint32_t n = c->npositive;
    struct range *now = heap_alloc(g->heap, (n + 1) * sizeof *now);
    struct range *ranges = heap_alloc(g->heap, (n + 1) * sizeof *ranges);
    uint32_t *rows = heap_alloc(g->heap, (n + 1) * sizeof *rows);
    bool empty = false;
    for (uint32_t i = 0; i < n; i++) {
        now[i] = (struct range){c->seen[i], g->predicates.v[c->body[i].predicate].table.rows};
        empty |= !now[i].to;
    }
    for (uint32_t i = 0; i < (n ? n : 1) && !empty; i++) {
        if (n && now[i].from == now[i].to) continue;
        bool nothing = false;
        for (uint32_t k = 0; k < n; k++) {
            ranges[k] = k < i   ? (struct range){0, now[k].to}
                        : k > i ? (struct range){0, now[k].from}
                                : now[i];
            nothing |= ranges[k].from == ranges[k].to;
        }
        if (nothing) continue;
        struct plan *plan = &c->plans[i];
        if (!plan->made || outgrown(c, plan, ranges)) plan_make(g, c, plan, ranges, false);
        struct join j = {
            .g = g, .clause = c, .plan = plan, .ranges = ranges, .rows = rows, .found = add_head};
        join_run(&j);
    }
    /* With an empty table nothing was tried, so nothing has been seen. */
    for (uint32_t i = 0; i < n && !empty; i++) c->seen[i] = now[i].to;
    heap_release(g->heap, now);
    heap_release(g->heap, ranges);
    heap_release(g->heap, rows);
}

void reach_all(struct grounder *g)
{
    uint32_t components = g->components;
    struct vec_u32 *members = heap_zalloc(g->heap, (components + 1) * sizeof *members);
    g->dirty = heap_zalloc(g->heap, components + 1);
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        uint32_t component = g->predicates.v[g->clauses.v[i].predicate].component;
        vec_push(g->heap, &members[component], i);
        g->dirty[component] = true;
    }
    for (g->low = 0; g->low < components;) {
        uint32_t at = g->low++;
        if (!g->dirty[at]) continue;
        g->dirty[at] = false;
        for (uint32_t i = 0; i < members[at].n; i++) {
            struct clause *c = &g->clauses.v[members[at].v[i]];
            if (!c->dirty || c->gone) continue;
            c->dirty = false;
            reach_clause(g, c);
            tell_users(g);
        }
    }
}
