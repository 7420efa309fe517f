// SPDX-License-Identifier: GPL-3.0-or-later
/* Ground rules: every clause with a visible head is joined once more, now that all tables are complete, and
 * each match becomes an instance, without what is static and without literals on atoms that cannot be true.
 * Instances are kept sorted within and once each. */
#include "ground/ground_internal.h"

#include "base/hash.h"

/* A clause with more instances than this is taken apart, if that makes them fewer. */
#define SPLIT_INSTANCES 50000

static uint64_t hash_instance(const struct grounder *g, const struct instance *x)
{
    uint64_t h = hash_mix(x->head, x->n);
    for (uint32_t i = 0; i < x->n; i++) h = hash_mix(h, g->literals.v[x->first + i]);
    return h;
}

static bool same_instance(const struct grounder *g, const struct instance *a, const struct instance *b)
{
    return a->head == b->head && a->n == b->n &&
           memcmp(g->literals.v + a->first, g->literals.v + b->first, a->n * sizeof *g->literals.v) == 0;
}

static void grow_slots(struct grounder *g)
{
    uint32_t size = g->instance_slots ? (g->instance_mask + 1) * 2 : 1024;
    struct table_slot *slots = heap_zalloc(g->heap, (size_t)size * sizeof *slots);
    for (uint32_t i = 0; g->instance_slots && i <= g->instance_mask; i++) {
        if (!g->instance_slots[i].row1) continue;
        uint32_t at = g->instance_slots[i].hash & (size - 1);
        while (slots[at].row1) at = (at + 1) & (size - 1);
        slots[at] = g->instance_slots[i];
    }
    heap_release(g->heap, g->instance_slots);
    g->instance_slots = slots;
    g->instance_mask = size - 1;
}

/* Keep the instance whose literals are the last of g->literals, or take them back if it is known. */
static void keep(struct grounder *g, struct instance x)
{
    if (!g->instance_slots || g->instances.n >= g->instance_mask - g->instance_mask / 3) grow_slots(g);
    uint32_t hash = (uint32_t)(hash_instance(g, &x) >> 32), at = hash & g->instance_mask;
    for (; g->instance_slots[at].row1; at = (at + 1) & g->instance_mask) {
        if (g->instance_slots[at].hash != hash) continue;
        if (same_instance(g, &g->instances.v[g->instance_slots[at].row1 - 1], &x)) {
            g->literals.n = x.first;
            return;
        }
    }
    vec_push(g->heap, &g->instances, x);
    g->instance_slots[at] = (struct table_slot){g->instances.n, hash};
}

/* Sort the literals from `first` on and drop repetitions; false if an atom is there with and without
 * negation. */
static bool tidy(struct grounder *g, uint32_t first)
{
    uint32_t *v = g->literals.v + first, n = g->literals.n - first, kept = 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = v[i], k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (kept && v[kept - 1] == v[i]) continue;
        if (kept && (v[kept - 1] ^ v[i]) == 1) return false;
        v[kept++] = v[i];
    }
    g->literals.n = first + kept;
    return true;
}

static void add_instance(struct join *j)
{
    struct grounder *g = j->g;
    const struct clause *c = j->clause;
    join_build(g, c);
    struct item head = {
        .predicate = c->predicate, .nargs = g->predicates.v[c->predicate].table.width, .args = c->head};
    uint32_t predicate, row = item_find(g, &head, &predicate);
    struct instance x = {.head = g->predicates.v[predicate].base + row, .first = g->literals.n};
    for (uint32_t i = 0; i < c->nbody; i++) {
        const struct item *item = &c->body[i];
        if (item->kind == ITEM_POSITIVE && !item_is_exact(g, item))
            vec_push(g->heap, &g->literals, (g->predicates.v[item->predicate].base + j->rows[i]) << 1);
        else if (item->kind == ITEM_NEGATIVE && !item_is_exact(g, item)) {
            row = item_find(g, item, &predicate);
            if (row != NO_ROW)
                vec_push(g->heap, &g->literals, (g->predicates.v[predicate].base + row) << 1 | 1);
        }
    }
    if (!tidy(g, x.first)) {
        g->literals.n = x.first;
        return;
    }
    x.n = g->literals.n - x.first;
    keep(g, x);
}

static void join_everything(struct grounder *g, struct clause *c, void (*found)(struct join *),
                            uint64_t limit, uint64_t *matches)
{
    struct range *ranges = heap_alloc(g->heap, (c->npositive + 1) * sizeof *ranges);
    uint32_t *rows = heap_alloc(g->heap, (c->npositive + 1) * sizeof *rows);
    bool empty = false;
    for (uint32_t i = 0; i < c->npositive; i++) {
        ranges[i] = (struct range){0, g->predicates.v[c->body[i].predicate].table.rows};
        empty |= !ranges[i].to;
    }
    if (!empty) {
        struct plan *plan = &c->plans[c->npositive];
        if (!plan->made) plan_make(g, c, plan, ranges, true);
        struct join j = {.g = g, .clause = c, .plan = plan, .ranges = ranges, .rows = rows, .found = found};
        j.limit = limit;
        j.patience = UINT64_MAX;
        join_run(&j);
        *matches = j.matches;
    }
    heap_release(g->heap, ranges);
    heap_release(g->heap, rows);
}

static void count_instance(struct join *j)
{
    if (++j->matches > j->limit) j->stopped = true;
}

/* Replace the clause if it has too many instances; true if others have taken its place. Their helpers are
 * filled here, for reaching is over. */
static bool split(struct grounder *g, uint32_t number)
{
    uint64_t matches = 0;
    if (g->clauses.v[number].npositive < 2) return false;
    join_everything(g, &g->clauses.v[number], count_instance, SPLIT_INSTANCES, &matches);
    uint32_t first = g->clauses.n;
    if (matches <= SPLIT_INSTANCES || !clause_decompose(g, number)) return false;
    for (uint32_t i = first; i < g->clauses.n; i++) {
        struct predicate *p = &g->predicates.v[g->clauses.v[i].predicate];
        if (p->relation != HELPER_RELATION) continue;
        reach_clause(g, &g->clauses.v[i], UINT64_MAX);
        p = &g->predicates.v[g->clauses.v[i].predicate];
        if (!p->visible) continue;
        p->base = g->natoms;
        if (p->table.rows >= (GROUND_NONE >> 1) - g->natoms)
            heap_fail(g->heap, ERROR_MEMORY, "more than 2 billion atoms");
        g->natoms += p->table.rows;
    }
    return true;
}

void emit_all(struct grounder *g)
{
    uint64_t atoms = 0;
    for (uint32_t i = 0; i < g->predicates.n; i++) {
        struct predicate *p = &g->predicates.v[i];
        if (!p->visible) continue;
        p->base = (uint32_t)atoms;
        atoms += p->table.rows;
    }
    if (atoms >= GROUND_NONE >> 1) heap_fail(g->heap, ERROR_MEMORY, "more than 2 billion atoms");
    g->natoms = (uint32_t)atoms;
    uint32_t original = g->clauses.n;
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        struct clause *c = &g->clauses.v[i];
        uint64_t matches;
        if (c->gone || !g->predicates.v[c->predicate].visible) continue;
        if (i < original && split(g, i)) continue;
        join_everything(g, &g->clauses.v[i], add_instance, 0, &matches);
    }
}
