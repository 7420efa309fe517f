// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls that are not worth a table are written out where they are made:
 *
 *     (<= (occupied ?x ?y) (true (cell ?x ?y ?p)))           a relation with one short rule
 *     (<= (legal ...) ... (occupied 3 ?v) ...)               becomes   ... (true (cell 3 ?v ?q)) ...
 *     (<= (next ...) ... (not (occupied ?x 1)) ...)          becomes   ... (not (true (cell ?x 1 ?q))) ...
 *
 * In a negated literal a variable that stands nowhere else is read as "for no value of it". Variables of the
 * rule that are not in its head must stand there once only: then they can be asked for as unwanted arguments,
 * and no duplicates come from them that a table would have removed. */
#include "logic/lifted_internal.h"

#include <string.h>

enum { SHORT_BODY = 3, LONG_BODY = 16, MANY_VARIABLES = 120 };

struct rewrite {
    struct lifted *e;
    struct rule rule; /* in the making */
    VEC(struct literal) body;
    VEC(const char *) names; /* of the variables */
};

static void count(const struct terms *t, term x, uint32_t *counts)
{
    const struct term_node *n = term_get(t, x);
    if (n->variable) counts[n->head]++;
    for (uint32_t i = 0; i < n->nargs && !n->ground; i++) count(t, term_arg(t, x, i), counts);
}

static bool is_cheap(const struct lifted *e, const struct literal *l)
{
    return l->kind == LITERAL_DISTINCT || e->relations[l->relation].kind != RELATION_CALLED;
}

/* Can the literal be negated: are its variables that are not in the head arguments of their own? */
static bool can_negate(const struct lifted *e, const struct literal *l, const uint32_t *in_head)
{
    const struct terms *t = e->terms;
    if (l->kind != LITERAL_POSITIVE) return false;
    term atom = e->relations[l->relation].kind == RELATION_TRUE ? term_arg(t, l->atom, 0) : l->atom;
    const struct term_node *a = term_get(t, atom);
    if (a->variable) return in_head[a->head];
    for (uint32_t i = 0; i < a->nargs; i++) {
        uint32_t inside[MANY_VARIABLES] = {0};
        term x = term_arg(t, atom, i);
        if (term_get(t, x)->variable) continue;
        count(t, x, inside);
        for (uint32_t v = 0; v < MANY_VARIABLES; v++)
            if (inside[v] && !in_head[v]) return false;
    }
    return true;
}

/* The rule that can stand for calls of the relation, or NULL. `negated`: for those that are negated. */
static const struct rule *only_rule(const struct lifted *e, uint32_t relation, bool negated)
{
    const struct relation *r = &e->program->relations.v[relation];
    const struct terms *t = e->terms;
    if (e->relations[relation].kind != RELATION_CALLED || r->recursive || r->rules.n != 1) return NULL;
    const struct rule *rule = &e->rules[r->rules.v[0]];
    if (rule->nbody == 0 || rule->nbody > (negated ? 1 : SHORT_BODY)) return NULL;
    if (rule->nvars > MANY_VARIABLES / 2) return NULL;
    for (uint32_t i = 0; i < rule->nbody; i++)
        if (rule->nbody > 1 && !is_cheap(e, &rule->body[i])) return NULL;
    uint32_t in_head[MANY_VARIABLES] = {0}, in_body[MANY_VARIABLES] = {0};
    for (uint32_t i = 0; i < r->arity; i++) {
        const struct term_node *n = term_get(t, term_arg(t, rule->head, i));
        if (!n->variable || in_head[n->head]++) return NULL;
    }
    for (uint32_t i = 0; i < rule->nbody; i++) count(t, rule->body[i].atom, in_body);
    for (uint32_t v = 0; v < rule->nvars; v++)
        if (!in_head[v] && in_body[v] > 1) return NULL;
    if (negated && !can_negate(e, &rule->body[0], in_head)) return NULL;
    return rule;
}

static void add_literal(struct rewrite *w, struct literal l)
{
    for (uint32_t i = 0; i < w->body.n; i++)
        if (w->body.v[i].atom == l.atom && w->body.v[i].kind == l.kind) return;
    vec_push(w->e->heap, &w->body, l);
}

/* Put the body of `rule` in the place of a literal that calls it. */
static void write_out(struct rewrite *w, const struct literal *call, const struct rule *rule)
{
    struct lifted *e = w->e;
    term binding[MANY_VARIABLES] = {0};
    for (uint32_t i = 0; i < e->relations[rule->relation].arity; i++)
        binding[term_get(e->terms, term_arg(e->terms, rule->head, i))->head] =
            term_arg(e->terms, call->atom, i);
    for (uint32_t v = 0; v < rule->nvars; v++) {
        if (binding[v]) continue;
        binding[v] = term_variable(e->terms, w->names.n);
        vec_push(e->heap, &w->names, rule->names[v]);
    }
    for (uint32_t i = 0; i < rule->nbody; i++) {
        struct literal l = rule->body[i];
        l.atom = term_substitute(e->terms, l.atom, binding);
        if (call->kind == LITERAL_NEGATIVE) l.kind = LITERAL_NEGATIVE;
        add_literal(w, l);
    }
}

static void rewrite_rule(struct lifted *e, uint32_t number)
{
    const struct rule *old = &e->rules[number];
    struct rewrite w = {.e = e, .rule = *old};
    bool changed = false;
    if (old->nbody >= LONG_BODY) return; /* nothing more is written into it */
    for (uint32_t v = 0; v < old->nvars; v++) vec_push(e->heap, &w.names, old->names[v]);
    for (uint32_t i = 0; i < old->nbody; i++) {
        const struct literal *l = &old->body[i];
        const struct rule *callee = NULL;
        if (l->kind != LITERAL_DISTINCT) callee = only_rule(e, l->relation, l->kind == LITERAL_NEGATIVE);
        if (callee && w.body.n + old->nbody - i + callee->nbody <= LONG_BODY &&
            w.names.n + callee->nvars <= MANY_VARIABLES) {
            write_out(&w, l, callee);
            changed = true;
        } else {
            add_literal(&w, *l);
        }
    }
    if (changed) {
        w.rule.nvars = w.names.n;
        w.rule.names = w.names.v;
        w.rule.nbody = w.body.n;
        w.rule.body = w.body.v;
        e->rules[number] = w.rule;
    } else {
        vec_free(e->heap, &w.names);
        vec_free(e->heap, &w.body);
    }
}

/* Callees come first, so that what is written out has its own calls written out already. */
void inline_calls(struct lifted *e, const uint32_t *order)
{
    const struct program *p = e->program;
    for (uint32_t i = 0; i < p->relations.n; i++) {
        const struct relation *r = &p->relations.v[order[i]];
        if (e->relations[order[i]].kind != RELATION_CALLED) continue;
        for (uint32_t k = 0; k < r->rules.n; k++) rewrite_rule(e, r->rules.v[k]);
    }
}
