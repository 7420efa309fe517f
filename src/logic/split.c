// SPDX-License-Identifier: GPL-3.0-or-later
/* Sheets say things like
 *
 *     (<= (goal ?r 100) (won ?r))         (<= (goal ?r 0) (not (goal ?r 100)))
 *
 * where `goal` seems to depend on its own negation. It has a clear meaning all the same: no single atom does.
 * When all heads of such a relation have a constant in the same place, each constant gets a relation of its
 * own ("goal #100", "goal #0": names with a blank, which no sheet can use) that takes over the rules and the
 * calls that name it, and the old relation becomes their union. A part may be split again by another
 * argument; a union never, so that splitting ends. */
#include "logic/normalise.h"

#include <string.h>

/* Is there a ground term in place `i` of every head? At least two different ones are needed for a split to
 * help. */
static bool can_split(const struct program *p, const struct relation *r, uint32_t i)
{
    term first = 0;
    bool differ = false;
    for (uint32_t k = 0; k < r->rules.n; k++) {
        term x = term_arg(p->terms, p->rules.v[r->rules.v[k]].head, i);
        if (!term_get(p->terms, x)->ground) return false;
        if (!first) first = x;
        differ |= x != first;
    }
    return differ;
}

static uint32_t part_of(struct program *p, uint32_t relation, term value)
{
    struct text name;
    text_init(&name, p->heap);
    text_printf(&name, "%s #", symbol_name(p->terms, p->relations.v[relation].name));
    term_print(p->terms, value, true, NULL, &name);
    symbol s = symbol_intern(p->terms, name.s, name.n);
    heap_release(p->heap, name.s);
    uint32_t part = program_relation(p, s, p->relations.v[relation].arity, p->relations.v[relation].node);
    p->relations.v[part].invented = true;
    return part;
}

static term renamed(struct program *p, term atom, uint32_t relation)
{
    struct term_node n = *term_get(p->terms, atom);
    return term_make(p->terms, p->relations.v[relation].name, p->terms->pool.v + n.args, n.nargs);
}

static void split(struct program *p, uint32_t relation, uint32_t i)
{
    struct vec_u32 rules = p->relations.v[relation].rules, parts = {0};
    p->relations.v[relation].rules = (struct vec_u32){0};
    p->relations.v[relation].is_union = true;
    for (uint32_t k = 0; k < rules.n; k++) {
        struct rule *r = &p->rules.v[rules.v[k]];
        uint32_t part = part_of(p, relation, term_arg(p->terms, r->head, i));
        r->head = renamed(p, r->head, part);
        r->relation = part;
        if (p->relations.v[part].rules.n == 0) vec_push(p->heap, &parts, rules.v[k]);
        vec_push(p->heap, &p->relations.v[part].rules, rules.v[k]);
    }
    for (uint32_t k = 0; k < p->rules.n; k++)
        for (uint32_t j = 0; j < p->rules.v[k].nbody; j++) {
            struct literal *l = &p->rules.v[k].body[j];
            if (l->kind == LITERAL_DISTINCT || l->relation != relation) continue;
            term x = term_arg(p->terms, l->atom, i);
            if (!term_get(p->terms, x)->ground) continue;
            l->relation = part_of(p, relation, x);
            l->atom = renamed(p, l->atom, l->relation);
        }
    /* The union: (<= (goal ?0 100) ("goal #100" ?0 100)) for each part. */
    for (uint32_t k = 0; k < parts.n; k++) {
        const struct rule *model = &p->rules.v[parts.v[k]];
        struct relation *whole = &p->relations.v[relation];
        struct rule r = {.relation = relation,
                         .nvars = whole->arity - 1,
                         .node = model->node,
                         .head_node = model->head_node,
                         .nbody = 1};
        static const char *const any = "?any";
        r.names = heap_cut(p->heap, whole->arity * sizeof *r.names);
        term *args = heap_cut(p->heap, whole->arity * sizeof *args),
             value = term_arg(p->terms, model->head, i);
        for (uint32_t a = 0, v = 0; a < whole->arity; a++) {
            r.names[a] = any;
            args[a] = a == i ? value : term_variable(p->terms, v++);
        }
        r.head = term_make(p->terms, whole->name, args, whole->arity);
        r.body = heap_cut(p->heap, sizeof *r.body);
        r.body[0] = (struct literal){LITERAL_POSITIVE, model->relation, renamed(p, r.head, model->relation),
                                     model->head_node};
        vec_push(p->heap, &whole->rules, p->rules.n);
        vec_push(p->heap, &p->rules, r);
    }
}

bool split_component(struct program *p, uint32_t component)
{
    bool any = false;
    for (uint32_t r = 0, n = p->relations.n; r < n; r++) {
        const struct relation *rel = &p->relations.v[r];
        if (rel->component != component || rel->is_union) continue;
        for (uint32_t i = 0; i < rel->arity; i++)
            if (can_split(p, rel, i)) {
                split(p, r, i);
                any = true;
                break;
            }
    }
    return any;
}
