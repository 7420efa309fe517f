// SPDX-License-Identifier: GPL-3.0-or-later
/* Rules to clauses: see the head of ground_internal.h for what flat means. */
#include "ground/ground_internal.h"

/* A clause in the making: the rule's terms with variables for whole facts replaced. */
struct draft {
    struct grounder *g;
    uint32_t rule;
    term head;
    term *atoms; /* of the body's literals */
    uint32_t nregisters;
    VEC(struct item) items;
    VEC(struct transfer) known; /* compound terms that have a register: column = term, with = operand */
};

static operand flatten_term(struct draft *d, term x, bool match);

/* t is f(..): to be matched against known terms in positive literals, to be built anywhere else. */
static operand flatten_compound(struct draft *d, term x, bool match)
{
    struct grounder *g = d->g;
    for (uint32_t i = 0; i < d->known.n; i++)
        if (d->known.v[i].column == x) return d->known.v[i].with;
    struct term_node n = *term_get(g->terms, x);
    struct item item = {.kind = match ? ITEM_TERM : ITEM_BUILD, .functor = n.head, .nargs = n.nargs + 1};
    item.args = cut_operands(g, item.nargs);
    item.args[0] = OPERAND_REGISTER | d->nregisters++;
    for (uint32_t i = 0; i < n.nargs; i++)
        item.args[i + 1] = flatten_term(d, term_arg(g->terms, x, i), match);
    item.predicate = match ? predicate_get(g, NO_RELATION, n.head, n.nargs) : NONE;
    vec_push(g->heap, &d->items, item);
    vec_push(g->heap, &d->known, (struct transfer){x, item.args[0]});
    return item.args[0];
}

static operand flatten_term(struct draft *d, term x, bool match)
{
    const struct term_node *n = term_get(d->g->terms, x);
    if (n->variable) return OPERAND_REGISTER | n->head;
    return n->ground ? x : flatten_compound(d, x, match);
}

/* The predicate of an atom and its columns. */
static operand *flatten_atom(struct draft *d, uint32_t relation, term atom, bool match, bool in_head,
                             uint32_t *predicate, uint32_t *nargs)
{
    struct grounder *g = d->g;
    const struct term_node a = *term_get(g->terms, atom);
    int carrier = carrier_argument(g, relation);
    term carried = carrier >= 0 ? term_arg(g->terms, atom, (uint32_t)carrier) : 0;
    struct term_node c = *term_get(g->terms, carried);
    bool open = carrier >= 0 && !c.variable && c.nargs;
    /* A negated variable is looked up by what it turns out to be: see item_find. */
    bool later = !match && carrier >= 0 && c.variable && !in_head;
    *predicate = later ? NONE : predicate_get(g, relation, open ? c.head : 0, open ? c.nargs : 0);
    *nargs = open ? a.nargs - 1 + c.nargs : a.nargs;
    operand *args = cut_operands(g, *nargs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < a.nargs; i++)
        if (!open || (int)i != carrier) args[n++] = flatten_term(d, term_arg(g->terms, atom, i), match);
    for (uint32_t i = 0; open && i < c.nargs; i++)
        args[n++] = flatten_term(d, term_arg(g->terms, carried, i), match);
    return args;
}

static void flatten_literals(struct draft *d, enum literal_kind kind)
{
    struct grounder *g = d->g;
    const struct rule *r = &g->program->rules.v[d->rule];
    for (uint32_t i = 0; i < r->nbody; i++) {
        if (r->body[i].kind != kind) continue;
        struct item item = {.predicate = NONE};
        if (kind == LITERAL_DISTINCT) {
            item.kind = ITEM_DISTINCT;
            item.nargs = 2;
            item.args = cut_operands(g, 2);
            for (uint32_t k = 0; k < 2; k++)
                item.args[k] = flatten_term(d, term_arg(g->terms, d->atoms[i], k), false);
        } else {
            item.kind = kind == LITERAL_POSITIVE ? ITEM_POSITIVE : ITEM_NEGATIVE;
            item.relation = r->body[i].relation;
            item.args = flatten_atom(d, r->body[i].relation, d->atoms[i], kind == LITERAL_POSITIVE, false,
                                     &item.predicate, &item.nargs);
        }
        vec_push(g->heap, &d->items, item);
    }
}

static void finish_clause(struct draft *d)
{
    struct grounder *g = d->g;
    const struct rule *r = &g->program->rules.v[d->rule];
    flatten_literals(d, LITERAL_POSITIVE);
    flatten_literals(d, LITERAL_NEGATIVE);
    flatten_literals(d, LITERAL_DISTINCT);
    uint32_t before_head = d->items.n, predicate, nargs;
    operand *head = flatten_atom(d, r->relation, d->head, false, true, &predicate, &nargs);
    clause_make(g, d->rule, predicate, head, d->items.v, before_head, d->items.n, d->nregisters);
}

/* A variable that stands for a whole fact or move in the head or a positive literal. */
struct whole {
    term variable;
    bool moves; /* a move; otherwise a fact */
};

struct specialisation {
    struct grounder *g;
    uint32_t rule;
    VEC(struct whole) wholes;
    bool *constant; /* by whole: it is to be one without arguments */
    term *binding;  /* by variable of the rule */
    uint32_t nvars;
};

static void note_whole(struct specialisation *s, uint32_t relation, term atom)
{
    struct grounder *g = s->g;
    int carrier = carrier_argument(g, relation);
    if (carrier < 0) return;
    term x = term_arg(g->terms, atom, (uint32_t)carrier);
    if (!term_get(g->terms, x)->variable) return;
    for (uint32_t i = 0; i < s->wholes.n; i++)
        if (s->wholes.v[i].variable == x) return;
    vec_push(g->heap, &s->wholes, (struct whole){x, carrier == 1});
}

static void flatten_specialised(struct specialisation *s)
{
    struct grounder *g = s->g;
    const struct rule *r = &g->program->rules.v[s->rule];
    struct draft d = {.g = g, .rule = s->rule, .nregisters = s->nvars};
    d.head = term_substitute(g->terms, r->head, s->binding);
    d.atoms = heap_alloc(g->heap, (r->nbody + 1) * sizeof *d.atoms);
    for (uint32_t i = 0; i < r->nbody; i++)
        d.atoms[i] = term_substitute(g->terms, r->body[i].atom, s->binding);
    for (uint32_t i = 0; i < s->wholes.n; i++) {
        if (!s->constant[i]) continue;
        struct item item = {.kind = ITEM_CONSTANT, .predicate = NONE, .nargs = 1, .args = cut_operands(g, 1)};
        item.args[0] = OPERAND_REGISTER | term_get(g->terms, s->wholes.v[i].variable)->head;
        vec_push(g->heap, &d.items, item);
    }
    finish_clause(&d);
    heap_release(g->heap, d.atoms);
    vec_free(g->heap, &d.items);
    vec_free(g->heap, &d.known);
}

/* Choose a functor for the i-th whole variable and go on with the next. */
static void specialise(struct specialisation *s, uint32_t i)
{
    struct grounder *g = s->g;
    if (i == s->wholes.n) {
        flatten_specialised(s);
        return;
    }
    const struct whole w = s->wholes.v[i];
    uint32_t number = term_get(g->terms, w.variable)->head, nvars = s->nvars;
    uint32_t n = w.moves ? g->move_functors.n : g->fact_functors.n;
    for (uint32_t k = 0; k < n; k++) {
        struct functor f = w.moves ? g->move_functors.v[k] : g->fact_functors.v[k];
        s->constant[i] = !f.name;
        if (f.name) {
            term *args = heap_alloc(g->heap, f.arity * sizeof *args);
            for (uint32_t a = 0; a < f.arity; a++) args[a] = term_variable(g->terms, s->nvars++);
            s->binding[number] = term_make(g->terms, f.name, args, f.arity);
            heap_release(g->heap, args);
        }
        specialise(s, i + 1);
        s->binding[number] = 0;
        s->nvars = nvars;
    }
}

static void flatten_rule(struct grounder *g, uint32_t number)
{
    const struct rule *r = &g->program->rules.v[number];
    struct specialisation s = {.g = g, .rule = number, .nvars = r->nvars};
    for (uint32_t i = 0; i < r->nbody; i++)
        if (r->body[i].kind == LITERAL_POSITIVE) note_whole(&s, r->body[i].relation, r->body[i].atom);
    note_whole(&s, r->relation, r->head);
    s.binding = heap_zalloc(g->heap, (r->nvars + 1) * sizeof *s.binding);
    s.constant = heap_zalloc(g->heap, s.wholes.n + 1);
    specialise(&s, 0);
    heap_release(g->heap, s.binding);
    heap_release(g->heap, s.constant);
    vec_free(g->heap, &s.wholes);
}

void flatten_program(struct grounder *g)
{
    const struct program *p = g->program;
    for (uint32_t i = 0; i < p->rules.n; i++)
        if (g->relevant[p->rules.v[i].relation]) flatten_rule(g, i);
}
