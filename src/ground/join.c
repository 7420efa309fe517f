// SPDX-License-Identifier: GPL-3.0-or-later
/* Running a plan: nested loops, one per step. Tables may grow while a join reads them (the head's table may
 * be among them), so cells are addressed anew for every row; the ranges keep the new rows out of sight. */
#include "ground/ground_internal.h"

static inline bool transfer_row(struct grounder *g, const struct step *s, const uint32_t *row)
{
    for (uint32_t i = 0; i < s->nset; i++) g->registers[register_of(s->set[i].with)] = row[s->set[i].column];
    for (uint32_t i = 0; i < s->ncheck; i++)
        if (row[s->check[i].column] != join_value(g, s->check[i].with)) return false;
    return true;
}

uint32_t item_find(struct grounder *g, const struct item *item, uint32_t *predicate)
{
    uint32_t few[32], *tuple = few, nargs = item->nargs;
    *predicate = item->predicate;
    const term *opened = NULL;
    uint32_t extra = 0;
    if (item->predicate == NONE) { /* the last operand is a whole fact or move */
        const struct term_node *n = term_get(g->terms, join_value(g, item->args[nargs - 1]));
        *predicate = predicate_find(g, item->relation, n->nargs ? n->head : 0, n->nargs);
        if (*predicate == NONE) return NO_ROW;
        if (n->nargs) opened = g->terms->pool.v + n->args, extra = n->nargs, nargs--;
    }
    if (nargs + extra > 32) tuple = heap_alloc(g->heap, (nargs + extra) * sizeof *tuple);
    for (uint32_t i = 0; i < nargs; i++) tuple[i] = join_value(g, item->args[i]);
    for (uint32_t i = 0; i < extra; i++) tuple[nargs + i] = opened[i];
    uint32_t row = table_find(&g->predicates.v[*predicate].table, tuple);
    if (tuple != few) heap_release(g->heap, tuple);
    return row;
}

/* Relations without end would be followed until memory is full: terms that are nested this deep mean one. */
static term build_term(struct grounder *g, symbol functor, const term *args, uint32_t n)
{
    term t = term_make(g->terms, functor, args, n);
    if (t < g->depth.n) return t; /* not new */
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < n; i++)
        if (args[i] < g->depth.n && g->depth.v[args[i]] > deepest) deepest = g->depth.v[args[i]];
    if (deepest >= TERM_MAX_DEPTH)
        heap_fail(g->heap, ERROR_MEMORY,
                  "the rules build terms nested more than %d deep: %s grows without end", TERM_MAX_DEPTH,
                  symbol_name(g->terms, functor));
    vec_resize_zero(g->heap, &g->depth, t + 1);
    g->depth.v[t] = deepest + 1;
    return t;
}

static term make_term(struct grounder *g, const struct item *item, bool only_find)
{
    uint32_t few[32], n = item->nargs - 1,
                      *tuple = n < 32 ? few : heap_alloc(g->heap, (n + 1) * sizeof *tuple);
    for (uint32_t i = 0; i < n; i++) tuple[i + 1] = join_value(g, item->args[i + 1]);
    term t = only_find ? term_find(g->terms, item->functor, tuple + 1, n)
                       : build_term(g, item->functor, tuple + 1, n);
    if (!only_find && item->predicate != NONE) {
        bool added;
        tuple[0] = t;
        table_add(g->heap, &g->predicates.v[item->predicate].table, tuple, &added);
    }
    if (tuple != few) heap_release(g->heap, tuple);
    return t;
}

void join_build(struct grounder *g, const struct clause *c)
{
    for (uint32_t i = c->nbody - c->nbuild; i < c->nbody; i++)
        g->registers[register_of(c->body[i].args[0])] = make_term(g, &c->body[i], false);
}

static bool filter(struct grounder *g, const struct item *item)
{
    uint32_t predicate;
    switch (item->kind) {
    case ITEM_NEGATIVE: return item_find(g, item, &predicate) == NO_ROW;
    case ITEM_DISTINCT: return join_value(g, item->args[0]) != join_value(g, item->args[1]);
    default: return term_get(g->terms, join_value(g, item->args[0]))->nargs == 0;
    }
}

/* Run the steps from number k on; true if there was a match. */
static bool run(struct join *j, uint32_t k)
{
    struct grounder *g = j->g;
    if (k == j->plan->nsteps) {
        j->found(j);
        return true;
    }
    const struct step *s = &j->plan->steps[k];
    const struct item *item = &j->clause->body[s->item];
    struct range all = {0, UINT32_MAX}, range = item->kind == ITEM_POSITIVE ? j->ranges[s->item] : all;
    uint32_t *at = item->kind == ITEM_POSITIVE ? &j->rows[s->item] : NULL;
    bool matched = false;
    switch (s->kind) {
    case STEP_SCAN: {
        const struct table *t = &g->predicates.v[s->predicate].table;
        uint32_t to = range.to < t->rows ? range.to : t->rows;
        for (uint32_t r = range.from; r < to; r++) {
            if (++j->clause->work > j->patience) j->stopped = true;
            heap_poll(g->heap);
            if (!transfer_row(g, s, table_row(t, r))) continue;
            if (at) *at = r;
            matched |= run(j, k + 1);
            if (s->once || (s->exists && matched) || j->stopped) break;
        }
        return matched;
    }
    case STEP_PROBE: {
        const struct table *t = &g->predicates.v[s->predicate].table;
        const struct table_index *x = &t->indexes.v[s->index];
        uint32_t key[TABLE_MAX_KEY];
        for (uint32_t i = 0; i < x->ncolumns; i++) key[i] = join_value(g, item->args[x->column[i]]);
        for (uint32_t r = table_probe(t, x, key); r != NO_ROW && r >= range.from; r = x->next[r]) {
            if (++j->clause->work > j->patience) j->stopped = true;
            heap_poll(g->heap);
            if (r >= range.to || !transfer_row(g, s, table_row(t, r))) continue;
            if (at) *at = r;
            matched |= run(j, k + 1);
            if (s->once || (s->exists && matched) || j->stopped) break;
        }
        return matched;
    }
    case STEP_MEMBER: {
        uint32_t predicate, row = item_find(g, item, &predicate);
        j->clause->work++;
        heap_poll(g->heap);
        if (row == NO_ROW || row < range.from || row >= range.to) return false;
        if (at) *at = row;
        return run(j, k + 1);
    }
    case STEP_APART: {
        term x = join_value(g, item->args[0]);
        const struct term_node *n = term_get(g->terms, x);
        if (n->head != item->functor || n->nargs != item->nargs - 1) return false;
        const term *args = term_args(g->terms, x) - 1; /* column 0 is the term itself */
        for (uint32_t i = 0; i < s->nset; i++)
            g->registers[register_of(s->set[i].with)] = args[s->set[i].column];
        for (uint32_t i = 0; i < s->ncheck; i++)
            if (args[s->check[i].column] != join_value(g, s->check[i].with)) return false;
        return run(j, k + 1);
    }
    case STEP_LOOK_UP: {
        term x = make_term(g, item, true);
        if (!x) return false;
        g->registers[register_of(item->args[0])] = x;
        return run(j, k + 1);
    }
    case STEP_BUILD:
        g->registers[register_of(item->args[0])] = make_term(g, item, false);
        return run(j, k + 1);
    case STEP_FILTER: return filter(g, item) && run(j, k + 1);
    }
    return false;
}

void join_run(struct join *j)
{
    struct grounder *g = j->g;
    for (uint32_t k = 0; k < j->plan->nsteps; k++) {
        struct step *s = &j->plan->steps[k];
        if (s->kind == STEP_PROBE)
            s->index = table_index(g->heap, &g->predicates.v[s->predicate].table, s->columns);
    }
    run(j, 0);
}
