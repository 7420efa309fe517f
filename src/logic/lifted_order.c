// SPDX-License-Identifier: GPL-3.0-or-later
/* Join orders: which literal of a body comes next. Greedy: what is decided comes first, then what gives the
 * fewest rows by the sizes seen so far. */
#include "logic/lifted_internal.h"

static bool all_bound(const struct terms *t, term x, const bool *bound)
{
    const struct term_node *n = term_get(t, x);
    if (n->ground) return true;
    if (n->variable) return bound[n->head];
    for (uint32_t i = 0; i < n->nargs; i++)
        if (!all_bound(t, term_arg(t, x, i), bound)) return false;
    return true;
}

/* A relation of `rows` rows with these numbers of different values per column, asked with some bound. */
static double share(const struct terms *t, double rows, const uint32_t *distinct, uint32_t guess,
                    const term *args, uint32_t nargs, const bool *bound)
{
    bool whole = true;
    for (uint32_t i = 0; i < nargs; i++)
        if (all_bound(t, args[i], bound))
            rows /= distinct ? (distinct[i] ? distinct[i] : 1) : guess;
        else
            whole = false;
    return whole && rows > 0.2 ? 0.2 : rows;
}

static double literal_cost(struct lifted *e, const struct literal *l, const bool *bound)
{
    const struct terms *t = e->terms;
    const struct term_node *a = term_get(t, l->atom);
    const term *args = term_args(t, l->atom);
    const struct lifted_relation *r = &e->relations[l->relation];
    switch (r->kind) {
    case RELATION_STATIC: return share(t, r->nrows, r->distinct, 0, args, a->nargs, bound);
    case RELATION_DOES: return share(t, e->program->relations.n ? 2 : 2, NULL, 2, args, a->nargs, bound);
    case RELATION_TRUE: {
        const struct term_node *f = term_get(t, args[0]);
        if (f->variable) return bound[f->head] ? 0.2 : 100;
        const struct fact_group *g = fact_group(e, f->head, f->nargs);
        return share(t, g->rows ? g->rows : 8, g->rows ? g->distinct : NULL, 4, term_args(t, args[0]),
                     f->nargs, bound);
    }
    case RELATION_CALLED: {
        double rows = share(t, 30, NULL, 6, args, a->nargs, bound);
        return rows <= 0.2 ? 0.6 : 0.5 + 1.5 * rows;
    }
    }
    return 1;
}

uint32_t order_next(struct lifted *e, const struct rule *rule, const bool *bound, const bool *done,
                    bool whole)
{
    uint32_t best = UINT32_MAX;
    double least = 0;
    uint32_t component = e->program->relations.v[rule->relation].component;
    bool first = true;
    for (uint32_t i = 0; i < rule->nbody; i++) first &= !done[i];
    for (uint32_t i = 0; i < rule->nbody; i++) {
        const struct literal *l = &rule->body[i];
        if (done[i]) continue;
        double cost;
        if (l->kind == LITERAL_DISTINCT) {
            if (!all_bound(e->terms, l->atom, bound)) continue;
            cost = -2;
        } else if (l->kind == LITERAL_NEGATIVE) {
            if (!all_bound(e->terms, l->atom, bound)) continue;
            cost = e->relations[l->relation].kind == RELATION_CALLED ? 0.65 : -1;
        } else {
            cost = literal_cost(e, l, bound);
            /* Bottom-up, recursion drives the rule: each row of the relation itself comes along once. */
            if (whole && first && e->program->relations.v[l->relation].component == component) cost = -3;
        }
        if (best == UINT32_MAX || cost < least) best = i, least = cost;
    }
    return best;
}
