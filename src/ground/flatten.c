// SPDX-License-Identifier: GPL-3.0-or-later
/* Rules to clauses: see the head of ground_internal.h for what flat means. */
#include "ground/ground_internal.h"

#include "base/hash.h"

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
        n.exact = true;
    } else {
        const struct relation *r = &p->relations.v[relation];
        bool carrier = carrier_argument(g, relation) >= 0;
        n.table.width = carrier && functor ? r->arity - 1 + arity : r->arity;
        n.exact = relation_is_static(r);
        n.visible = !n.exact || relation == p->keyword[KW_NEXT] || relation == p->keyword[KW_LEGAL] ||
                    relation == p->keyword[KW_GOAL] || relation == p->keyword[KW_TERMINAL];
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

static operand *cut_operands(struct grounder *g, uint32_t n)
{
    return heap_cut(g->heap, n * sizeof(operand));
}

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

static void take_items(struct draft *d, struct clause *c, enum item_kind kind, int exact)
{
    for (uint32_t i = 0; i < d->items.n; i++)
        if (d->items.v[i].kind == kind &&
            (exact < 0 || d->g->predicates.v[d->items.v[i].predicate].exact == exact))
            c->body[c->nbody++] = d->items.v[i];
}

void clause_add(struct grounder *g, struct clause c)
{
    c.seen = heap_zalloc(g->heap, (c.npositive + 1) * sizeof *c.seen);
    c.plans = heap_zalloc(g->heap, (c.npositive + 1) * sizeof *c.plans);
    c.dirty = true;
    for (uint32_t i = 0; i < c.npositive; i++) {
        struct vec_u32 *users = &g->predicates.v[c.body[i].predicate].users;
        if (!users->n || vec_last(users) != g->clauses.n) vec_push(g->heap, users, g->clauses.n);
    }
    if (c.nregisters > g->nregisters) {
        g->nregisters = c.nregisters;
        g->registers = heap_realloc(g->heap, g->registers, c.nregisters * sizeof *g->registers);
    }
    vec_push(g->heap, &g->clauses, c);
}

static void finish_clause(struct draft *d)
{
    struct grounder *g = d->g;
    const struct rule *r = &g->program->rules.v[d->rule];
    struct clause c = {.rule = d->rule, .component = g->program->relations.v[r->relation].component};
    flatten_literals(d, LITERAL_POSITIVE);
    flatten_literals(d, LITERAL_NEGATIVE);
    flatten_literals(d, LITERAL_DISTINCT);
    uint32_t before_head = d->items.n, nargs;
    c.head = flatten_atom(d, r->relation, d->head, false, true, &c.predicate, &nargs);
    uint32_t all = d->items.n;
    c.nbuild = all - before_head;
    c.nregisters = d->nregisters;
    c.body = heap_cut(g->heap, (all + 1) * sizeof *c.body);
    d->items.n = before_head;
    take_items(d, &c, ITEM_POSITIVE, true);
    take_items(d, &c, ITEM_POSITIVE, false);
    c.npositive = c.nbody;
    take_items(d, &c, ITEM_TERM, -1);
    take_items(d, &c, ITEM_BUILD, -1);
    take_items(d, &c, ITEM_NEGATIVE, -1);
    take_items(d, &c, ITEM_DISTINCT, -1);
    take_items(d, &c, ITEM_CONSTANT, -1);
    for (uint32_t i = before_head; i < all; i++) c.body[c.nbody++] = d->items.v[i];
    clause_add(g, c);
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

void flatten_program(struct grounder *g)
{
    const struct program *p = g->program;
    for (uint32_t i = 0; i < p->rules.n; i++)
        if (g->relevant[p->rules.v[i].relation]) flatten_rule(g, i);
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
