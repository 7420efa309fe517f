// SPDX-License-Identifier: GPL-3.0-or-later
/* Ground rules: every clause with a visible head is joined once more, now that all tables are complete, and
 * each match becomes an instance, without what is static and without literals on atoms that cannot be true.
 * A clause gives each instance once; where two clauses give the same, finish.c drops one. */
#include "ground/ground_internal.h"

#include "base/hash.h"

/* The instances of one clause in the making. */
struct emission {
    struct join join;
    struct vec_u32 visible;  /* items that become literals: positive ones, then negated ones */
    uint32_t npositive;      /* how many of them are positive */
    bool repeats;            /* two matches may give the same instance */
    uint32_t first;          /* its instances begin here */
    struct table_slot *seen; /* those kept, if it repeats; row1: instance + 1 */
    uint32_t mask;
    uint32_t *tuple, head; /* the last head looked up, and its atom */
};

uint64_t instance_hash(const struct grounder *g, const struct instance *x)
{
    uint64_t h = hash_mix(x->head, x->n);
    for (uint32_t i = 0; i < x->n; i++) h = hash_mix(h, g->literals.v[x->first + i]);
    return h;
}

bool instance_same(const struct grounder *g, const struct instance *a, const struct instance *b)
{
    return a->head == b->head && a->n == b->n &&
           (a->n == 0 ||
            memcmp(g->literals.v + a->first, g->literals.v + b->first, a->n * sizeof *g->literals.v) == 0);
}

static void grow_seen(struct heap *heap, struct emission *e)
{
    uint32_t size = e->seen ? (e->mask + 1) * 2 : 1024;
    struct table_slot *slots = heap_zalloc(heap, (size_t)size * sizeof *slots);
    for (uint32_t i = 0; e->seen && i <= e->mask; i++) {
        if (!e->seen[i].row1) continue;
        uint32_t at = e->seen[i].hash & (size - 1);
        while (slots[at].row1) at = (at + 1) & (size - 1);
        slots[at] = e->seen[i];
    }
    heap_release(heap, e->seen);
    e->seen = slots;
    e->mask = size - 1;
}

/* Is there such an instance of this clause already? Otherwise the next one to be added counts as seen. */
static bool seen_before(struct grounder *g, struct emission *e, const struct instance *x)
{
    if (!e->seen || g->instances.n - e->first >= e->mask - e->mask / 3) grow_seen(g->heap, e);
    uint32_t hash = (uint32_t)(instance_hash(g, x) >> 32), at = hash & e->mask;
    for (; e->seen[at].row1; at = (at + 1) & e->mask)
        if (e->seen[at].hash == hash && instance_same(g, &g->instances.v[e->seen[at].row1 - 1], x))
            return true;
    e->seen[at] = (struct table_slot){g->instances.n + 1, hash};
    return false;
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

/* The atom of the head. Matches with the same head often follow each other. */
static uint32_t head_atom(struct grounder *g, struct emission *e, const struct clause *c)
{
    const struct predicate *p = &g->predicates.v[c->predicate];
    bool same = e->head != NONE;
    join_build(g, c);
    for (uint32_t i = 0; i < p->table.width; i++) {
        uint32_t x = join_value(g, c->head[i]);
        same &= x == e->tuple[i];
        e->tuple[i] = x;
    }
    if (!same) e->head = p->base + table_find(&p->table, e->tuple);
    return e->head;
}

static void add_instance(struct join *j)
{
    struct grounder *g = j->g;
    struct emission *e = (struct emission *)j; /* its first member */
    const struct clause *c = j->clause;
    struct instance x = {.head = head_atom(g, e, c), .first = g->literals.n};
    for (uint32_t k = 0; k < e->visible.n; k++) {
        const struct item *item = &c->body[e->visible.v[k]];
        if (k < e->npositive) {
            vec_push(g->heap, &g->literals,
                     (g->predicates.v[item->predicate].base + j->rows[e->visible.v[k]]) << 1);
            continue;
        }
        uint32_t predicate, row = item_find(g, item, &predicate);
        if (row != NO_ROW) vec_push(g->heap, &g->literals, (g->predicates.v[predicate].base + row) << 1 | 1);
    }
    bool possible = tidy(g, x.first);
    x.n = g->literals.n - x.first;
    if (!possible || (e->repeats && seen_before(g, e, &x)))
        g->literals.n = x.first;
    else
        vec_push(g->heap, &g->instances, x);
}

/* Two matches of a clause are different instances unless they differ only in registers that leave no trace,
 * or exchange the rows of two literals on the same predicate. */
static bool may_repeat(struct grounder *g, const struct emission *e, const struct clause *c)
{
    bool *shown = heap_zalloc(g->heap, c->nregisters + 1), repeats = false;
    for (uint32_t i = 0; i < g->predicates.v[c->predicate].table.width; i++)
        if (is_register(c->head[i])) shown[register_of(c->head[i])] = true;
    for (uint32_t k = 0; k < e->npositive; k++) {
        const struct item *item = &c->body[e->visible.v[k]];
        for (uint32_t i = 0; i < item->nargs; i++)
            if (is_register(item->args[i])) shown[register_of(item->args[i])] = true;
        for (uint32_t b = 0; b < k; b++) repeats |= c->body[e->visible.v[b]].predicate == item->predicate;
    }
    for (uint32_t i = 0; i < c->npositive; i++)
        for (uint32_t k = 0; k < c->body[i].nargs; k++)
            repeats |= is_register(c->body[i].args[k]) && !shown[register_of(c->body[i].args[k])];
    heap_release(g->heap, shown);
    return repeats;
}

static uint64_t join_everything(struct grounder *g, struct clause *c, void (*found)(struct join *),
                                uint64_t limit)
{
    struct range *ranges = heap_alloc(g->heap, (c->npositive + 1) * sizeof *ranges);
    struct emission e = {.first = g->instances.n, .head = NONE};
    bool empty = false;
    for (uint32_t i = 0; i < c->npositive; i++) {
        ranges[i] = (struct range){0, g->predicates.v[c->body[i].predicate].table.rows};
        empty |= !ranges[i].to;
    }
    if (!empty) {
        for (uint32_t i = 0; i < c->nbody; i++) {
            if (i == c->npositive) e.npositive = e.visible.n;
            bool literal = c->body[i].kind == ITEM_POSITIVE || c->body[i].kind == ITEM_NEGATIVE;
            if (literal && !item_is_exact(g, &c->body[i])) vec_push(g->heap, &e.visible, i);
        }
        if (c->nbody == c->npositive) e.npositive = e.visible.n;
        e.repeats = may_repeat(g, &e, c);
        e.tuple = heap_alloc(g->heap, (g->predicates.v[c->predicate].table.width + 1) * sizeof *e.tuple);
        struct plan *plan = &c->plans[c->npositive];
        if (!plan->made) plan_make(g, c, plan, ranges, true);
        e.join = (struct join){
            .g = g, .clause = c, .plan = plan, .ranges = ranges, .found = found, .limit = limit};
        e.join.rows = heap_alloc(g->heap, (c->npositive + 1) * sizeof *e.join.rows);
        e.join.patience = UINT64_MAX;
        join_run(&e.join);
        heap_release(g->heap, e.join.rows);
        heap_release(g->heap, e.tuple);
        heap_release(g->heap, e.seen);
        vec_free(g->heap, &e.visible);
    }
    heap_release(g->heap, ranges);
    return e.join.matches;
}

static void count_instance(struct join *j)
{
    if (++j->matches > j->limit) j->stopped = true;
}

/* Replace the clause if it has too many instances, or has many and comes apart well when a relation is
 * written out; true if others have taken its place. Their helpers are filled here, for reaching is over. */
static bool split(struct grounder *g, uint32_t number)
{
    enum { MANY = 1000, FEWER = 8 };
    if (g->clauses.v[number].npositive < 2) return false;
    uint64_t matches = join_everything(g, &g->clauses.v[number], count_instance, g->limits.split_instances);
    uint32_t first = g->clauses.n;
    if ((matches < MANY || !clause_unfold(g, number, (double)matches / FEWER)) &&
        (matches <= g->limits.split_instances || !clause_decompose(g, number, 0)))
        return false;
    for (uint32_t i = first; i < g->clauses.n - 1;
         i++) { /* the last one is what is left of the clause itself */
        if (g->clauses.v[i].gone) continue;
        reach_clause(g, &g->clauses.v[i], UINT64_MAX);
        struct predicate *p = &g->predicates.v[g->clauses.v[i].predicate];
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
        if (c->gone || !g->predicates.v[c->predicate].visible) continue;
        if (i < original && split(g, i)) continue;
        join_everything(g, &g->clauses.v[i], add_instance, 0);
    }
}
