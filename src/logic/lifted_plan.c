// SPDX-License-Identifier: GPL-3.0-or-later
/* From rules to plans: literals in join order, each turned into ops on the slots of a frame. The first slots
 * are the key of the call; every other slot is set by exactly one op, so going back needs no undoing. */
#include "logic/lifted_internal.h"

#include <string.h>

struct pending {
    term pattern;
    uint32_t slot;
};

struct compiler {
    struct lifted *e;
    const struct proc *proc;
    const struct rule *rule;
    bool *bound;       /* by variable */
    uint32_t *slot_of; /* by variable, if bound */
    uint32_t *uses;    /* by variable: occurrences in the rule, without those in unwanted arguments */
    uint32_t niters;
    VEC(int32_t) setter; /* by slot: the last generator that has a say in its value, or OP_NONE */
    VEC(struct op) ops;
    int32_t generator;           /* the last one so far, or OP_NONE */
    VEC(struct pending) pending; /* slots that are to be taken apart */
};

static uint32_t new_slot(struct compiler *c, int32_t setter)
{
    vec_push(c->e->heap, &c->setter, setter);
    return c->setter.n - 1;
}

static void count_uses(struct compiler *c, term x)
{
    const struct term_node *n = term_get(c->e->terms, x);
    if (n->variable) c->uses[n->head]++;
    for (uint32_t i = 0; i < n->nargs && !n->ground; i++) count_uses(c, term_arg(c->e->terms, x, i));
}

static bool all_bound(const struct compiler *c, term x)
{
    const struct term_node *n = term_get(c->e->terms, x);
    if (n->ground) return true;
    if (n->variable) return c->bound[n->head];
    for (uint32_t i = 0; i < n->nargs; i++)
        if (!all_bound(c, term_arg(c->e->terms, x, i))) return false;
    return true;
}

static int32_t later(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t setter_of(const struct compiler *c, operand x)
{
    return x >= 0 ? c->setter.v[x] : OP_NONE;
}

static void add_op(struct compiler *c, struct op op)
{
    op.fail = OP_NONE;
    for (uint32_t i = 0; i < op.nin; i++) op.fail = later(op.fail, setter_of(c, op.in[i]));
    if (op.code == OP_UNPACK || op.code == OP_NOT_DOES)
        for (uint32_t i = 0; i < op.nout; i++)
            if (op.out[i].kind == ACTION_SAME) op.fail = later(op.fail, setter_of(c, (operand)op.out[i].x));
    op.back = op.code == OP_EMIT ? op.fail : c->generator;
    vec_reserve(c->e->heap, &c->e->key, op.nin); /* where keys and rows are put together */
    vec_push(c->e->heap, &c->ops, op);
}

static void add_generator(struct compiler *c, struct op op)
{
    op.iter = c->niters++;
    add_op(c, op);
    c->generator = (int32_t)c->ops.n - 1;
}

static operand *cut_operands(struct compiler *c, uint32_t n)
{
    return arena_cut(&c->e->plans, (n + 1) * sizeof(operand));
}

/* A term whose variables are bound, as an operand; compound ones are built into a slot of their own. */
static operand operand_of(struct compiler *c, term x)
{
    struct term_node n = *term_get(c->e->terms, x);
    if (n.ground) return OPERAND_CONST(x);
    if (n.variable) return (operand)c->slot_of[n.head];
    struct op op = {.code = OP_BUILD, .nin = n.nargs, .functor = n.head, .in = cut_operands(c, n.nargs)};
    int32_t setter = OP_NONE;
    for (uint32_t i = 0; i < n.nargs; i++) {
        op.in[i] = operand_of(c, term_arg(c->e->terms, x, i));
        setter = later(setter, setter_of(c, op.in[i]));
    }
    op.slot = new_slot(c, setter);
    add_op(c, op);
    return (operand)op.slot;
}

/* What to do with a value that must match `x`; `setter` is where the value comes from. */
static struct action action_of(struct compiler *c, term x, bool buildable, int32_t setter)
{
    struct term_node n = *term_get(c->e->terms, x);
    if (n.ground) return (struct action){ACTION_CONST, x};
    if (n.variable) {
        if (c->bound[n.head]) return (struct action){ACTION_SAME, c->slot_of[n.head]};
        if (c->uses[n.head] == 1) return (struct action){ACTION_SKIP, 0};
        c->bound[n.head] = true;
        c->slot_of[n.head] = new_slot(c, setter);
        return (struct action){ACTION_BIND, c->slot_of[n.head]};
    }
    if (buildable) return (struct action){ACTION_SAME, (uint32_t)operand_of(c, x)};
    uint32_t slot = new_slot(c, setter);
    vec_push(c->e->heap, &c->pending, (struct pending){x, slot});
    return (struct action){ACTION_BIND, slot};
}

static void take_apart(struct compiler *c)
{
    for (uint32_t k = 0; k < c->pending.n; k++) {
        struct pending p = c->pending.v[k];
        struct term_node n = *term_get(c->e->terms, p.pattern);
        struct op op = {.code = OP_UNPACK, .functor = n.head, .nin = 1, .nout = n.nargs};
        op.in = cut_operands(c, 1);
        op.in[0] = (operand)p.slot;
        op.out = arena_cut(&c->e->plans, (n.nargs + 1) * sizeof *op.out);
        bool *buildable = heap_zalloc(c->e->heap, n.nargs + 1);
        for (uint32_t i = 0; i < n.nargs; i++)
            buildable[i] = all_bound(c, term_arg(c->e->terms, p.pattern, i));
        for (uint32_t i = 0; i < n.nargs; i++)
            op.out[i] = action_of(c, term_arg(c->e->terms, p.pattern, i), buildable[i], c->setter.v[p.slot]);
        heap_release(c->e->heap, buildable);
        add_op(c, op);
    }
    c->pending.n = 0;
}

/* The head: key slots become variables, are compared, or are taken apart. */
static void match_head(struct compiler *c)
{
    const struct terms *t = c->e->terms;
    struct term_node head = *term_get(t, c->rule->head);
    for (uint32_t i = 0; i < c->proc->nbound; i++) new_slot(c, OP_NONE);
    for (uint32_t i = 0, k = 0; i < head.nargs; i++) {
        if (c->proc->pattern[i] != 'b') continue;
        uint32_t slot = k++;
        term x = term_arg(t, c->rule->head, i);
        const struct term_node *n = term_get(t, x);
        if (n->variable && !c->bound[n->head]) {
            c->bound[n->head] = true;
            c->slot_of[n->head] = slot;
        } else if (n->variable || n->ground) {
            struct op op = {.code = OP_EQUAL, .nin = 2, .in = cut_operands(c, 2)};
            op.in[0] = (operand)slot;
            op.in[1] = operand_of(c, x);
            add_op(c, op);
        } else {
            vec_push(c->e->heap, &c->pending, (struct pending){x, slot});
        }
    }
    take_apart(c);
}

/* Pattern, key and columns of an atom's arguments. `whole`: ask for everything and compare here. */
static char *arguments(struct compiler *c, const term *args_in_pool, uint32_t nargs, bool whole,
                       struct op *op)
{
    struct heap *heap = c->e->heap;
    term *args = heap_alloc(heap, (nargs + 1) * sizeof *args); /* the pool may move */
    if (nargs) memcpy(args, args_in_pool, nargs * sizeof *args);
    char *pattern = arena_cut(&c->e->plans, nargs + 1);
    pattern[nargs] = '\0';
    op->nin = op->nout = 0;
    op->in = cut_operands(c, nargs);
    op->out = arena_cut(&c->e->plans, (nargs + 1) * sizeof *op->out);
    bool *bound = heap_zalloc(heap, nargs + 1);
    for (uint32_t i = 0; i < nargs; i++) {
        const struct term_node *n = term_get(c->e->terms, args[i]);
        bound[i] = all_bound(c, args[i]);
        pattern[i] = whole ? 'f' : bound[i] ? 'b' : n->variable && c->uses[n->head] == 1 ? '_' : 'f';
        if (pattern[i] == 'b') op->in[op->nin++] = operand_of(c, args[i]);
    }
    /* Building comes before the rows are looked up. */
    operand *ready = cut_operands(c, nargs);
    for (uint32_t i = 0; i < nargs; i++)
        if (pattern[i] == 'f' && bound[i]) ready[i] = operand_of(c, args[i]);
    int32_t at = (int32_t)c->ops.n;
    for (uint32_t i = 0; i < nargs; i++) {
        if (pattern[i] != 'f') continue;
        op->out[op->nout++] = !bound[i]       ? action_of(c, args[i], false, at)
                              : ready[i] >= 0 ? (struct action){ACTION_SAME, (uint32_t)ready[i]}
                                              : (struct action){ACTION_CONST, (term)~ready[i]};
    }
    heap_release(heap, bound);
    heap_release(heap, args);
    return pattern;
}

static void add_literal(struct compiler *c, const struct literal *l, bool whole)
{
    struct lifted *e = c->e;
    const struct terms *t = e->terms;
    struct term_node a = *term_get(t, l->atom);
    bool negative = l->kind == LITERAL_NEGATIVE;
    struct op op = {0};
    if (l->kind == LITERAL_DISTINCT) {
        op = (struct op){.code = OP_DISTINCT, .nin = 2, .in = cut_operands(c, 2)};
        op.in[0] = operand_of(c, term_arg(t, l->atom, 0));
        op.in[1] = operand_of(c, term_arg(t, l->atom, 1));
        add_op(c, op);
        return;
    }
    switch (e->relations[l->relation].kind) {
    case RELATION_STATIC: {
        const char *pattern = arguments(c, term_args(t, l->atom), a.nargs, false, &op);
        op.code = negative ? OP_NOT_STATIC : OP_STATIC;
        op.facts_always = static_view(e, l->relation, pattern);
        break;
    }
    case RELATION_DOES:
        arguments(c, term_args(t, l->atom), a.nargs, true, &op);
        op.code = negative ? OP_NOT_DOES : OP_DOES;
        break;
    case RELATION_TRUE: {
        term fact = term_arg(t, l->atom, 0);
        struct term_node f = *term_get(t, fact);
        if (f.variable && c->bound[f.head]) {
            op = (struct op){.code = negative ? OP_NOT_IS_FACT : OP_IS_FACT, .nin = 1};
            op.in = cut_operands(c, 1);
            op.in[0] = operand_of(c, fact);
        } else if (f.variable) {
            arguments(c, term_args(t, l->atom), 1, true, &op);
            op.code = OP_ALL_FACTS;
        } else {
            const char *pattern = arguments(c, term_args(t, fact), f.nargs, false, &op);
            op.code = negative ? OP_NOT_FACTS : OP_FACTS;
            op.facts = fact_view(e, fact_group(e, f.head, f.nargs), pattern);
        }
        break;
    }
    case RELATION_CALLED: {
        const char *pattern = arguments(c, term_args(t, l->atom), a.nargs, whole, &op);
        op.code = negative ? OP_NOT_CALL : OP_CALL;
        op.proc = proc_get(e, l->relation, pattern, whole);
        break;
    }
    }
    if (op.nout && !negative)
        add_generator(c, op);
    else
        add_op(c, op);
    take_apart(c);
}

static struct plan *compile(struct lifted *e, const struct proc *p, const struct rule *rule)
{
    struct heap *heap = e->heap;
    struct compiler c = {.e = e, .proc = p, .rule = rule, .generator = OP_NONE};
    c.bound = heap_zalloc(heap, rule->nvars + 1);
    c.slot_of = heap_zalloc(heap, (rule->nvars + 1) * sizeof *c.slot_of);
    c.uses = heap_zalloc(heap, (rule->nvars + 1) * sizeof *c.uses);
    uint32_t *order = heap_alloc(heap, (rule->nbody + 1) * sizeof *order);
    order_body(e, rule, p->pattern, p->whole, order);
    struct term_node head = *term_get(e->terms, rule->head);
    for (uint32_t i = 0; i < head.nargs; i++)
        if (p->pattern[i] != '_') count_uses(&c, term_arg(e->terms, rule->head, i));
    for (uint32_t i = 0; i < rule->nbody; i++) count_uses(&c, rule->body[i].atom);
    match_head(&c);
    bool possible = true;
    for (uint32_t k = 0; k < rule->nbody; k++) {
        const struct literal *l = &rule->body[order[k]];
        bool whole = p->whole && k == 0 && l->kind == LITERAL_POSITIVE &&
                     e->relations[l->relation].kind == RELATION_CALLED &&
                     e->program->relations.v[l->relation].component ==
                         e->program->relations.v[rule->relation].component;
        if (l->kind == LITERAL_POSITIVE && e->relations[l->relation].kind == RELATION_STATIC &&
            e->relations[l->relation].nrows == 0)
            possible = false;
        add_literal(&c, l, whole);
    }
    struct op emit = {.code = OP_EMIT, .in = cut_operands(&c, head.nargs)};
    for (uint32_t i = 0; i < head.nargs; i++)
        if (p->pattern[i] == 'f') emit.in[emit.nin++] = operand_of(&c, term_arg(e->terms, rule->head, i));
    add_op(&c, emit);
    struct plan *plan = arena_cut(&e->plans, sizeof *plan);
    *plan = (struct plan){.rule = rule, .nops = c.ops.n, .nslots = c.setter.n, .niters = c.niters};
    plan->ops = arena_cut(&e->plans, c.ops.n * sizeof *plan->ops);
    memcpy(plan->ops, c.ops.v, c.ops.n * sizeof *plan->ops);
    vec_free(heap, &c.ops);
    vec_free(heap, &c.setter);
    vec_free(heap, &c.pending);
    heap_release(heap, c.bound);
    heap_release(heap, c.slot_of);
    heap_release(heap, c.uses);
    heap_release(heap, order);
    return possible ? plan : NULL;
}

void proc_compile(struct lifted *e, struct proc *p)
{
    const struct vec_u32 *rules = &e->program->relations.v[p->relation].rules;
    p->plans = arena_cut(&e->plans, (rules->n + 1) * sizeof *p->plans);
    p->nplans = 0;
    for (uint32_t i = 0; i < rules->n; i++) {
        if (e->program->rules.v[rules->v[i]].nbody == 0) continue; /* given */
        struct plan *plan = compile(e, p, &e->program->rules.v[rules->v[i]]);
        if (!plan) continue;
        p->plans[p->nplans++] = plan;
        if (plan->nslots > p->frame_slots) p->frame_slots = plan->nslots;
        if (plan->niters > p->frame_iters) p->frame_iters = plan->niters;
    }
    if (e->relations[p->relation].nrows) p->given = static_view(e, p->relation, p->pattern);
    p->compiled = true;
}

void plans_forget(struct lifted *e)
{
    order_forget(e);
    for (uint32_t i = 0; i < e->procs.n; i++) {
        struct proc *p = e->procs.v[i];
        p->compiled = false;
        p->plans = NULL;
        p->frame_slots = p->frame_iters = 0;
    }
    arena_reset(&e->plans);
}
