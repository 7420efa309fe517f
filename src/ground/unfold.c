// SPDX-License-Identifier: GPL-3.0-or-later
/* Static relations written out where they are used.
 *
 *     line <- cell(1 p), cell(2 q), cell(3 r), alike(p q r)               |pieces|^3 instances
 *     alike(p q r) <- has(p a), has(q a), has(r a)                        static
 *
 * With alike in the place of its body the clause comes apart, attribute by attribute:
 *
 *     h1(a) <- cell(1 p), has(p a)  ...  line <- h1(a), h2(a), h3(a)      |has| * 3 + |attributes|
 *
 * Nothing is won by a relation whose rule forgets no variable, nor by one that is given as facts. */
#include "ground/ground_internal.h"

/* The one clause of a static predicate, if it can be written out: different registers in its head, at least
 * one more in its body, and nothing there that makes terms or takes them apart. */
static const struct clause *definition(const struct grounder *g, uint32_t predicate)
{
    const struct predicate *p = &g->predicates.v[predicate];
    const struct clause *only = NULL;
    if (!p->exact || p->demanded || p->relation == NO_RELATION || p->relation == HELPER_RELATION) return NULL;
    for (uint32_t i = 0; i < g->clauses.n; i++) {
        const struct clause *c = &g->clauses.v[i];
        if (c->gone || c->predicate != predicate) continue;
        if (only) return NULL;
        only = c;
    }
    if (!only || only->nregisters <= p->table.width) return NULL;
    for (uint32_t i = 0; i < p->table.width; i++) {
        if (!is_register(only->head[i])) return NULL;
        for (uint32_t k = 0; k < i; k++)
            if (only->head[k] == only->head[i]) return NULL;
    }
    for (uint32_t i = 0; i < only->nbody; i++)
        if (only->body[i].kind != ITEM_POSITIVE && only->body[i].kind != ITEM_DISTINCT) return NULL;
    return only;
}

/* An item of the definition as it is for these arguments; registers of its own come behind the others. */
static struct item written_out(struct grounder *g, const struct clause *definition, const struct item *use,
                               const struct item *item, uint32_t nregisters)
{
    struct item x = *item;
    x.args = cut_operands(g, x.nargs);
    for (uint32_t i = 0; i < x.nargs; i++) {
        x.args[i] = item->args[i];
        if (!is_register(x.args[i])) continue;
        x.args[i] += nregisters;
        for (uint32_t k = 0; k < use->nargs; k++)
            if (definition->head[k] == item->args[i]) x.args[i] = use->args[k];
    }
    return x;
}

static bool unfold_item(struct grounder *g, uint32_t number, uint32_t at, double most)
{
    const struct clause c = g->clauses.v[number]; /* a copy: the vector may move */
    const struct clause *found = definition(g, c.body[at].predicate);
    if (!found) return false;
    const struct clause d = *found;
    VEC(struct item) items = {0};
    for (uint32_t i = 0; i < c.nbody - c.nbuild; i++) {
        if (i != at) {
            vec_push(g->heap, &items, c.body[i]);
            continue;
        }
        for (uint32_t k = 0; k < d.nbody; k++)
            vec_push(g->heap, &items, written_out(g, &d, &c.body[at], &d.body[k], c.nregisters));
    }
    uint32_t nbody = items.n;
    for (uint32_t i = c.nbody - c.nbuild; i < c.nbody; i++) vec_push(g->heap, &items, c.body[i]);
    uint32_t whole =
        clause_make(g, c.rule, c.predicate, c.head, items.v, nbody, items.n, c.nregisters + d.nregisters);
    bool better = clause_decompose(g, whole, most);
    g->clauses.v[whole].gone = true;
    if (better) g->clauses.v[number].gone = true;
    vec_free(g->heap, &items);
    return better;
}

bool clause_unfold(struct grounder *g, uint32_t clause, double most)
{
    for (uint32_t i = 0; i < g->clauses.v[clause].npositive; i++)
        if (unfold_item(g, clause, i, most)) return true;
    return false;
}
