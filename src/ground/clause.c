// SPDX-License-Identifier: GPL-3.0-or-later
/* The tables of predicates and clauses. */
#include "base/hash.h"
#include "ground/ground_internal.h"

static uint32_t slot_of(const struct grounder *g, uint32_t relation, symbol functor, uint32_t arity)
{
    uint32_t at = (uint32_t)hash_mix((uint64_t)relation << 32 | functor, arity) & g->mask;
    for (; g->slots[at]; at = (at + 1) & g->mask) {
        const struct predicate *p = &g->predicates.v[g->slots[at] - 1];
        if (p->relation == relation && p->functor == functor && p->arity == arity) break;
    }
    return at;
}

static void grow(struct grounder *g)
{
    uint32_t size = g->slots ? (g->mask + 1) * 2 : 64;
    heap_release(g->heap, g->slots);
    g->slots = heap_zalloc(g->heap, size * sizeof *g->slots);
    g->mask = size - 1;
    for (uint32_t i = 0; i < g->predicates.n; i++) {
        const struct predicate *p = &g->predicates.v[i];
        if (p->relation != HELPER_RELATION) g->slots[slot_of(g, p->relation, p->functor, p->arity)] = i + 1;
    }
}

uint32_t predicate_find(const struct grounder *g, uint32_t relation, symbol functor, uint32_t arity)
{
    return g->slots ? g->slots[slot_of(g, relation, functor, arity)] - 1 : NONE;
}

uint32_t predicate_get(struct grounder *g, uint32_t relation, symbol functor, uint32_t arity)
{
    if (g->predicates.n * 2 >= (g->slots ? g->mask : 0)) grow(g);
    uint32_t found = predicate_find(g, relation, functor, arity);
    if (found != NONE) return found;
    const struct program *p = g->program;
    struct predicate n = {.relation = relation, .functor = functor, .arity = arity, .feeds = NONE};
    if (relation == NO_RELATION) {
        n.table.width = arity + 1;
    } else {
        const struct relation *r = &p->relations.v[relation];
        bool carrier = carrier_argument(g, relation) >= 0;
        n.table.width = carrier && functor ? r->arity - 1 + arity : r->arity;
        if (relation == p->keyword[KW_INIT] || relation == p->keyword[KW_NEXT])
            n.feeds = predicate_get(g, p->keyword[KW_TRUE], functor, arity);
        else if (relation == p->keyword[KW_LEGAL])
            n.feeds = predicate_get(g, p->keyword[KW_DOES], functor, arity);
    }
    vec_push(g->heap, &g->predicates, n);
    g->slots[slot_of(g, relation, functor, arity)] = g->predicates.n;
    if (g->predicates.n * 2 >= g->mask) grow(g);
    return g->predicates.n - 1;
}

uint32_t predicate_invent(struct grounder *g, uint32_t width, bool exact, uint32_t parent)
{
    struct predicate n = {.relation = HELPER_RELATION, .feeds = NONE, .exact = exact, .visible = !exact};
    n.table.width = width;
    n.component = g->predicates.v[parent].component;
    n.late = g->predicates.v[parent].late;
    vec_push(g->heap, &g->predicates, n);
    return g->predicates.n - 1;
}

operand *cut_operands(struct grounder *g, uint32_t n)
{
    return heap_cut(g->heap, n * sizeof(operand));
}

static void take_items(struct clause *c, const struct item *items, uint32_t n, enum item_kind kind)
{
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == kind) c->body[c->nbody++] = items[i];
}

uint32_t clause_make(struct grounder *g, uint32_t rule, uint32_t predicate, operand *head,
                     const struct item *items, uint32_t nbody, uint32_t nitems, uint32_t nregisters)
{
    struct clause c = {
        .rule = rule, .predicate = predicate, .head = head, .nregisters = nregisters, .dirty = true};
    c.nbuild = nitems - nbody;
    c.patience = g->limits.patience;
    c.body = heap_cut(g->heap, (nitems + 1) * sizeof *c.body);
    take_items(&c, items, nbody, ITEM_POSITIVE);
    c.npositive = c.nbody;
    take_items(&c, items, nbody, ITEM_TERM);
    take_items(&c, items, nbody, ITEM_BUILD);
    take_items(&c, items, nbody, ITEM_NEGATIVE);
    take_items(&c, items, nbody, ITEM_DISTINCT);
    take_items(&c, items, nbody, ITEM_CONSTANT);
    for (uint32_t i = nbody; i < nitems; i++) c.body[c.nbody++] = items[i];
    c.seen = heap_zalloc(g->heap, (c.npositive + 1) * sizeof *c.seen);
    c.plans = heap_zalloc(g->heap, (c.npositive + 1) * sizeof *c.plans);
    for (uint32_t i = 0; i < c.npositive; i++) {
        struct vec_u32 *users = &g->predicates.v[c.body[i].predicate].users;
        if (!users->n || vec_last(users) != g->clauses.n) vec_push(g->heap, users, g->clauses.n);
    }
    if (nregisters > g->nregisters) {
        g->nregisters = nregisters;
        g->registers = heap_realloc(g->heap, g->registers, nregisters * sizeof *g->registers);
    }
    vec_push(g->heap, &g->clauses, c);
    return g->clauses.n - 1;
}

/* Terms that patterns may have to be matched with are in the tables of terms. Those that rules build get
 * there when they are built; those that stand in heads as they are, now. */
static void register_term(struct grounder *g, term x)
{
    const struct term_node n = *term_get(g->terms, x);
    if (!n.nargs || !n.ground) return;
    for (uint32_t i = 0; i < n.nargs; i++) register_term(g, term_arg(g->terms, x, i));
    uint32_t p = predicate_find(g, NO_RELATION, n.head, n.nargs);
    if (p == NONE) return;
    term *row = heap_alloc(g->heap, (n.nargs + 1) * sizeof *row);
    row[0] = x;
    memcpy(row + 1, term_args(g->terms, x), n.nargs * sizeof *row);
    bool added;
    table_add(g->heap, &g->predicates.v[p].table, row, &added);
    heap_release(g->heap, row);
}

void register_heads(struct grounder *g)
{
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        struct clause *c = &g->clauses.v[i];
        for (uint32_t k = 0; k < g->predicates.v[c->predicate].table.width; k++)
            if (!is_register(c->head[k])) register_term(g, c->head[k]);
        for (uint32_t k = 0; k < c->nbody; k++) {
            struct item *item = &c->body[k];
            if (item->kind != ITEM_BUILD) continue;
            item->predicate = predicate_find(g, NO_RELATION, item->functor, item->nargs - 1);
            for (uint32_t a = 1; a < item->nargs; a++)
                if (!is_register(item->args[a])) register_term(g, item->args[a]);
        }
    }
}
