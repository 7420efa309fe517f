// SPDX-License-Identifier: GPL-3.0-or-later
/* Everything that can ever be true: semi-naive evaluation of all clauses.
 *
 * Each clause remembers for each positive item how many rows of its table it has seen. When rows have come,
 * the clause is joined once per item with new rows: new rows there, all rows (new and old) for the items
 * before it, old rows for the items after it, so that no combination is tried twice. Clauses wait for their
 * turn by component, callees first; a relation's table is therefore complete, as far as the facts known go,
 * before anybody reads it, and complete for good if it is static, which makes its negation safe to decide.
 * Late predicates have no turn before all others are done. */
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

bool reach_clause(struct grounder *g, struct clause *c, uint64_t patience)
{
    uint32_t n = c->npositive;
    struct range *now = heap_alloc(g->heap, (n + 1) * sizeof *now);
    struct range *ranges = heap_alloc(g->heap, (n + 1) * sizeof *ranges);
    uint32_t *rows = heap_alloc(g->heap, (n + 1) * sizeof *rows);
    bool empty = false, stopped = false;
    for (uint32_t i = 0; i < n; i++) {
        now[i] = (struct range){c->seen[i], g->predicates.v[c->body[i].predicate].table.rows};
        empty |= !now[i].to;
    }
    /* Items behind i come with old rows only, so the last item without any is the first that may have new. */
    uint32_t begin = 0;
    for (uint32_t i = 0; i < n; i++)
        if (now[i].from == 0) begin = i;
    for (uint32_t i = begin; i < (n ? n : 1) && !empty && !stopped; i++) {
        heap_poll(g->heap);
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
        j.patience = patience;
        join_run(&j);
        stopped = j.stopped;
    }
    /* With an empty table nothing was tried, so nothing has been seen. */
    for (uint32_t i = 0; i < n && !empty && !stopped; i++) c->seen[i] = now[i].to;
    heap_release(g->heap, now);
    heap_release(g->heap, ranges);
    heap_release(g->heap, rows);
    return !stopped;
}

/* Clauses by component, all of them to be looked at. */
static void schedule(struct grounder *g, uint32_t first)
{
    for (uint32_t i = first; i < g->clauses.n; i++) {
        uint32_t component = g->predicates.v[g->clauses.v[i].predicate].component;
        vec_push(g->heap, &g->members[component], i);
        g->dirty[component] = true;
        if (component < g->low) g->low = component;
    }
}

/* Forget all rows, but not what was done to the clauses. */
static void start_over(struct grounder *g)
{
    for (uint32_t i = 0; i < g->predicates.n; i++) {
        table_free(g->heap, &g->predicates.v[i].table);
        g->predicates.v[i].changed = false;
    }
    vec_clear(&g->changed);
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        struct clause *c = &g->clauses.v[i];
        c->dirty = true;
        c->work = 0;
        for (uint32_t k = 0; k <= c->npositive; k++) {
            plan_free(g, &c->plans[k]);
            c->seen[k] = 0;
        }
    }
    for (uint32_t i = 0; i < g->components; i++) vec_clear(&g->members[i]);
    register_heads(g);
    g->late = false;
    schedule(g, 0);
}

/* A clause takes too long: take it apart, or see to it that less is asked of it. Taking apart helps where
 * many matches give the same head. */
static void relieve(struct grounder *g, uint32_t number)
{
    struct clause *c = &g->clauses.v[number];
    uint32_t predicate = c->predicate, clauses = g->clauses.n;
    bool many = g->predicates.v[predicate].table.rows < c->work / 16;
    if ((many && clause_decompose(g, number, 0)) ||
        (!demand_apply(g, predicate) && !many && clause_decompose(g, number, 0))) {
        schedule(g, clauses);
    } else if (g->clauses.n > clauses) {
        start_over(g);
    } else {
        c->patience *= 4;
        c->dirty = g->dirty[g->predicates.v[predicate].component] = true;
        if (g->predicates.v[predicate].component < g->low) g->low = g->predicates.v[predicate].component;
    }
}

void reach_all(struct grounder *g)
{
    g->members = heap_zalloc(g->heap, (g->components + 1) * sizeof *g->members);
    g->dirty = heap_zalloc(g->heap, g->components + 1);
    schedule(g, 0);
    for (g->low = 0; g->low < g->components || !g->late;) {
        if (g->low == g->components) { /* all facts and moves are known */
            g->late = true;
            g->low = 0;
            memset(g->dirty, true, g->components);
            continue;
        }
        uint32_t at = g->low++;
        if (!g->dirty[at]) continue;
        g->dirty[at] = false;
        for (uint32_t i = 0; i < g->members[at].n; i++) {
            uint32_t number = g->members[at].v[i];
            struct clause *c = &g->clauses.v[number];
            if (!c->dirty || c->gone || (g->predicates.v[c->predicate].late && !g->late)) continue;
            c->dirty = false;
            bool done = reach_clause(g, c, c->patience);
            tell_users(g);
            if (!done)
                relieve(g, number);
            else if (g->predicates.v[c->predicate].table.rows > g->limits.large_table &&
                     demand_apply(g, c->predicate))
                start_over(g);
            if (g->low <
                at) { /* a fact, or a demand: components below come first, the rest of this one later */
                g->dirty[at] = true;
                break;
            }
        }
    }
}
