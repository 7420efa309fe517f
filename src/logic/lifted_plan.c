// SPDX-License-Identifier: GPL-3.0-or-later
/* From rules to plans: literals in join order, each turned into ops on the slots of a frame. The first slots
 * are the key of the call; every other slot is set by exactly one op, so going back needs no undoing. */
#include "logic/lifted_internal.h"

#include <string.h>

enum { NONE = -1, NEXT_OP = -2, MOST_ARGUMENTS = 60000, MOST_CHOICES = 10000 };

/* A compound term of the rule and the slot that holds its value. */
struct held {
    term pattern;
    uint32_t slot;
};

/* An op before it has an address: it goes back to ops by number. */
struct draft {
    struct op op;
    int32_t fail, back;
};

struct compiler {
    struct lifted *e;
    const struct proc *proc;
    const struct rule *rule;
    bool *bound;       /* by variable */
    uint32_t *slot_of; /* by variable, if bound */
    uint32_t *uses;    /* by variable: occurrences in the rule, without those in unwanted arguments */
    uint32_t niters;
    VEC(int32_t) setter; /* by slot: the last generator that has a say in its value, or NONE */
    VEC(struct draft) ops;
    int32_t generator;        /* the last one so far, or NONE */
    VEC(struct held) pending; /* to be taken apart */
    VEC(struct held) known;   /* need not be built */
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

static bool has_part(const struct terms *t, term x, term part)
{
    if (x == part) return true;
    const struct term_node *n = term_get(t, x);
    for (uint32_t i = 0; i < n->nargs && !n->ground; i++)
        if (has_part(t, term_arg(t, x, i), part)) return true;
    return false;
}

/* Is the term of a fact needed anywhere but in the `true` around it? */
static bool is_wanted(const struct compiler *c, term fact)
{
    const struct terms *t = c->e->terms;
    if (term_get(t, fact)->ground) return false;
    if (has_part(t, c->rule->head, fact)) return true;
    for (uint32_t i = 0; i < c->rule->nbody; i++) {
        const struct literal *l = &c->rule->body[i];
        bool around = l->kind != LITERAL_DISTINCT && c->e->relations[l->relation].kind == RELATION_TRUE;
        if (has_part(t, l->atom, fact) && !(around && term_arg(t, l->atom, 0) == fact)) return true;
    }
    return false;
}

/* ---- ops ---- */

static int32_t later(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t setter_of(const struct compiler *c, operand x)
{
    return x >= 0 ? c->setter.v[x] : NONE;
}

static void add_op(struct compiler *c, struct op op)
{
    struct draft d = {.op = op, .fail = NONE};
    for (uint32_t i = 0; i < op.nin; i++) d.fail = later(d.fail, setter_of(c, op.in[i]));
    if (op.code == OP_UNPACK || op.code == OP_NOT_DOES)
        for (uint32_t i = 0; i < op.nout; i++)
            if (op.out[i].kind == ACTION_SAME) d.fail = later(d.fail, setter_of(c, (operand)op.out[i].x));
    d.back = op.code == OP_EMIT ? d.fail : c->generator;
    d.op.loose = arena_cut(&c->e->plans, (op.nin + 1u) * sizeof *d.op.loose);
    for (uint32_t i = 0; i < op.nin; i++)
        if (op.in[i] >= 0) d.op.loose[d.op.nloose++] = (struct loose){(uint32_t)op.in[i], i};
    vec_reserve(c->e->heap, &c->e->key, op.nin); /* where keys and rows are put together */
    vec_push(c->e->heap, &c->ops, d);
}

static void add_generator(struct compiler *c, struct op op)
{
    op.iter = c->niters++;
    op.plain = true;
    for (uint32_t i = 0; i < op.nout; i++) op.plain &= op.out[i].kind == ACTION_BIND;
    add_op(c, op);
    c->generator = (int32_t)c->ops.n - 1;
}

static operand *cut_operands(struct compiler *c, uint32_t n)
{
    return arena_cut(&c->e->plans, (n + 1) * sizeof(operand));
}

static struct action *cut_actions(struct compiler *c, uint32_t n)
{
    return arena_cut(&c->e->plans, (n + 1) * sizeof(struct action));
}

/* A term whose variables are bound, as an operand; a compound one is built into a slot of its own. */
static operand operand_of(struct compiler *c, term x)
{
    struct term_node n = *term_get(c->e->terms, x);
    if (n.ground) return OPERAND_CONST(x);
    if (n.variable) return (operand)c->slot_of[n.head];
    for (uint32_t i = 0; i < c->known.n; i++)
        if (c->known.v[i].pattern == x) return (operand)c->known.v[i].slot;
    struct op op = {.code = OP_BUILD, .functor = n.head, .in = cut_operands(c, n.nargs)};
    op.nin = (uint16_t)n.nargs;
    int32_t setter = NONE;
    for (uint32_t i = 0; i < n.nargs; i++) {
        op.in[i] = operand_of(c, term_arg(c->e->terms, x, i));
        setter = later(setter, setter_of(c, op.in[i]));
    }
    op.slot = new_slot(c, setter);
    add_op(c, op);
    vec_push(c->e->heap, &c->known, (struct held){x, op.slot});
    return (operand)op.slot;
}

static struct action action_of_operand(operand x)
{
    return x >= 0 ? (struct action){ACTION_SAME, (uint32_t)x} : (struct action){ACTION_CONST, (term)~x};
}

/* What to do with a value that must match `x`, which is not bound as a whole; `setter` is where the value
 * comes from. Compound terms are taken apart afterwards. */
static struct action action_of(struct compiler *c, term x, int32_t setter)
{
    struct term_node n = *term_get(c->e->terms, x);
    if (n.variable && c->bound[n.head]) return (struct action){ACTION_SAME, c->slot_of[n.head]};
    if (n.variable && c->uses[n.head] == 1) return (struct action){ACTION_SKIP, 0};
    uint32_t slot = new_slot(c, setter);
    if (n.variable) {
        c->bound[n.head] = true;
        c->slot_of[n.head] = slot;
    } else {
        vec_push(c->e->heap, &c->pending, (struct held){x, slot});
    }
    return (struct action){ACTION_BIND, slot};
}

/* Match values with these terms. What is bound is made ready first, since building comes before the rows.
 * `setter` is where the values come from: NEXT_OP if from the op that is about to be added. */
static void match_terms(struct compiler *c, const term *terms, uint32_t n, int32_t setter, struct op *op)
{
    bool *ready = heap_zalloc(c->e->heap, n + 1);
    op->out = cut_actions(c, n);
    for (uint32_t i = 0; i < n; i++)
        if ((ready[i] = all_bound(c, terms[i]))) op->out[i] = action_of_operand(operand_of(c, terms[i]));
    if (setter == NEXT_OP) setter = (int32_t)c->ops.n;
    for (uint32_t i = 0; i < n; i++)
        if (!ready[i]) op->out[i] = action_of(c, terms[i], setter);
    op->nout = (uint16_t)n;
    heap_release(c->e->heap, ready);
}

static term *copy_terms(struct compiler *c, const term *terms, uint32_t n)
{
    term *copy = heap_alloc(c->e->heap, (n + 1) * sizeof *copy);
    if (n) memcpy(copy, terms, n * sizeof *copy);
    return copy;
}

static void take_apart(struct compiler *c)
{
    for (uint32_t k = 0; k < c->pending.n; k++) {
        struct held p = c->pending.v[k];
        struct term_node n = *term_get(c->e->terms, p.pattern);
        struct op op = {.code = OP_UNPACK, .functor = n.head, .nin = 1, .in = cut_operands(c, 1)};
        op.in[0] = (operand)p.slot;
        term *args = copy_terms(c, term_args(c->e->terms, p.pattern), n.nargs);
        match_terms(c, args, n.nargs, c->setter.v[p.slot], &op);
        heap_release(c->e->heap, args);
        add_op(c, op);
        vec_push(c->e->heap, &c->known, p);
    }
    c->pending.n = 0;
}

/* ---- the head ---- */

/* Key slots become variables, are compared, or are taken apart. */
static void match_head(struct compiler *c)
{
    const struct terms *t = c->e->terms;
    struct term_node head = *term_get(t, c->rule->head);
    for (uint32_t i = 0; i < c->proc->nbound; i++) new_slot(c, NONE);
    for (uint32_t i = 0, k = 0; i < head.nargs; i++) {
        if (c->proc->pattern[i] != 'b') continue;
        uint32_t slot = k++;
        term x = term_arg(t, c->rule->head, i);
        const struct term_node *n = term_get(t, x);
        if (n->ground && slot == c->proc->choice) continue; /* the rule is only tried when they are equal */
        if (n->variable && !c->bound[n->head]) {
            c->bound[n->head] = true;
            c->slot_of[n->head] = slot;
        } else if (n->variable || n->ground) {
            struct op op = {.code = OP_EQUAL, .nin = 2, .in = cut_operands(c, 2)};
            op.in[0] = (operand)slot;
            op.in[1] = operand_of(c, x);
            add_op(c, op);
        } else {
            vec_push(c->e->heap, &c->pending, (struct held){x, slot});
        }
    }
    take_apart(c);
}

/* ---- literals ---- */

/* Pattern, key and columns of an atom's arguments. */
static char *ask_arguments(struct compiler *c, const term *args, uint32_t nargs, struct op *op)
{
    struct heap *heap = c->e->heap;
    char *pattern = arena_cut(&c->e->plans, nargs + 2); /* room for one more letter */
    op->in = cut_operands(c, nargs);
    term *free_args = heap_alloc(heap, (nargs + 1) * sizeof *free_args);
    uint32_t nfree = 0;
    for (uint32_t i = 0; i < nargs; i++) {
        const struct term_node *n = term_get(c->e->terms, args[i]);
        pattern[i] = all_bound(c, args[i]) ? 'b' : n->variable && c->uses[n->head] == 1 ? '_' : 'f';
        if (pattern[i] == 'b') op->in[op->nin++] = operand_of(c, args[i]);
        if (pattern[i] == 'f') free_args[nfree++] = args[i];
    }
    pattern[nargs] = pattern[nargs + 1] = '\0';
    match_terms(c, free_args, nfree, NEXT_OP, op);
    heap_release(heap, free_args);
    return pattern;
}

static void ask_facts(struct compiler *c, term fact, bool negative, struct op *op)
{
    struct lifted *e = c->e;
    struct term_node f = *term_get(e->terms, fact);
    if (f.variable && c->bound[f.head]) {
        op->code = negative ? OP_NOT_IS_FACT : OP_IS_FACT;
        op->nin = 1;
        op->in = cut_operands(c, 1);
        op->in[0] = operand_of(c, fact);
        return;
    }
    if (f.variable) {
        op->code = OP_ALL_FACTS;
        match_terms(c, &fact, 1, NEXT_OP, op);
        return;
    }
    term *args = copy_terms(c, term_args(e->terms, fact), f.nargs);
    char *pattern = ask_arguments(c, args, f.nargs, op);
    heap_release(e->heap, args);
    pattern[f.nargs] = '_';
    if (!negative && is_wanted(c, fact)) { /* one more column: the fact itself */
        struct action *out = cut_actions(c, op->nout + 1u);
        memcpy(out, op->out, op->nout * sizeof *out);
        uint32_t slot = new_slot(c, (int32_t)c->ops.n);
        out[op->nout++] = (struct action){ACTION_BIND, slot};
        op->out = out;
        vec_push(e->heap, &c->known, (struct held){fact, slot});
        pattern[f.nargs] = 't';
    }
    op->code = negative ? OP_NOT_FACTS : op->nout ? OP_FACTS : OP_IS_FACTS;
    op->facts = fact_view(e, fact_group(e, f.head, f.nargs), pattern);
}

static void add_literal(struct compiler *c, const struct literal *l, bool whole)
{
    struct lifted *e = c->e;
    struct term_node a = *term_get(e->terms, l->atom);
    bool negative = l->kind == LITERAL_NEGATIVE;
    struct op op = {0};
    term *args = copy_terms(c, term_args(e->terms, l->atom), a.nargs);
    if (l->kind == LITERAL_DISTINCT) {
        op = (struct op){.code = OP_DISTINCT, .nin = 2, .in = cut_operands(c, 2)};
        for (int i = 0; i < 2; i++) op.in[i] = operand_of(c, args[i]);
    } else {
        const char *pattern;
        switch (e->relations[l->relation].kind) {
        case RELATION_STATIC:
            pattern = ask_arguments(c, args, a.nargs, &op);
            op.code = negative ? OP_NOT_STATIC : op.nout ? OP_STATIC : OP_IS_STATIC;
            op.facts_always = static_view(e, l->relation, pattern);
            break;
        case RELATION_DOES:
            op.code = negative ? OP_NOT_DOES : OP_DOES;
            match_terms(c, args, a.nargs, NEXT_OP, &op);
            break;
        case RELATION_TRUE: ask_facts(c, args[0], negative, &op); break;
        case RELATION_CALLED:
            if (whole) {
                char *all = arena_cut(&e->plans, a.nargs + 1);
                memset(all, 'f', a.nargs);
                pattern = all;
                match_terms(c, args, a.nargs, NEXT_OP, &op);
            } else {
                pattern = ask_arguments(c, args, a.nargs, &op);
            }
            op.code = negative ? OP_NOT_HOLDS : op.nout ? OP_CALL : OP_HOLDS;
            op.proc = proc_get(e, l->relation, pattern, whole ? PROC_WHOLE : PROC_TABLE);
            break;
        }
    }
    if (op.code == OP_STATIC || op.code == OP_FACTS || op.code == OP_CALL || op.code == OP_DOES ||
        op.code == OP_ALL_FACTS)
        add_generator(c, op);
    else
        add_op(c, op);
    take_apart(c);
    heap_release(e->heap, args);
}

/* ---- plans ---- */

static struct plan *finish(struct compiler *c)
{
    struct arena *a = &c->e->plans;
    struct plan *plan = arena_cut(a, sizeof *plan);
    *plan = (struct plan){.rule = c->rule, .nops = c->ops.n, .nslots = c->setter.n, .niters = c->niters};
    plan->ops = arena_cut(a, c->ops.n * sizeof *plan->ops);
    for (uint32_t i = 0; i < c->ops.n; i++) {
        const struct draft *d = &c->ops.v[i];
        plan->ops[i] = d->op;
        plan->ops[i].fail = d->fail == NONE ? NULL : &plan->ops[d->fail];
        plan->ops[i].back = d->back == NONE ? NULL : &plan->ops[d->back];
    }
    return plan;
}

/* Can the rule fire at all? */
static bool is_possible(const struct lifted *e, const struct rule *rule)
{
    for (uint32_t i = 0; i < rule->nbody; i++) {
        const struct literal *l = &rule->body[i];
        if (l->kind != LITERAL_POSITIVE) continue;
        if (e->relations[l->relation].kind == RELATION_STATIC && e->relations[l->relation].nrows == 0)
            return false;
    }
    return true;
}

static struct plan *compile(struct lifted *e, const struct proc *p, const struct rule *rule)
{
    struct heap *heap = e->heap;
    struct compiler c = {.e = e, .proc = p, .rule = rule, .generator = NONE};
    c.bound = heap_zalloc(heap, rule->nvars + 1);
    c.slot_of = heap_zalloc(heap, (rule->nvars + 1) * sizeof *c.slot_of);
    c.uses = heap_zalloc(heap, (rule->nvars + 1) * sizeof *c.uses);
    uint32_t *order = heap_alloc(heap, (rule->nbody + 1) * sizeof *order);
    order_body(e, rule, p->pattern, p->kind == PROC_WHOLE, order);
    struct term_node head = *term_get(e->terms, rule->head);
    for (uint32_t i = 0; i < head.nargs; i++)
        if (p->pattern[i] != '_') count_uses(&c, term_arg(e->terms, rule->head, i));
    for (uint32_t i = 0; i < rule->nbody; i++) count_uses(&c, rule->body[i].atom);
    match_head(&c);
    for (uint32_t k = 0; k < rule->nbody; k++) {
        const struct literal *l = &rule->body[order[k]];
        add_literal(&c, l, p->kind == PROC_WHOLE && k == 0 && order_drives(e, rule, l));
    }
    struct op emit = {.code = OP_EMIT, .in = cut_operands(&c, head.nargs)};
    for (uint32_t i = 0; i < head.nargs; i++)
        if (p->pattern[i] == 'f') emit.in[emit.nin++] = operand_of(&c, term_arg(e->terms, rule->head, i));
    add_op(&c, emit);
    struct plan *plan = finish(&c);
    vec_free(heap, &c.ops);
    vec_free(heap, &c.setter);
    vec_free(heap, &c.pending);
    vec_free(heap, &c.known);
    heap_release(heap, c.bound);
    heap_release(heap, c.slot_of);
    heap_release(heap, c.uses);
    heap_release(heap, order);
    return plan;
}

/* ---- procs ---- */

/* The constant that the head of a rule has in the chosen argument, or 0. */
static term chosen_constant(const struct lifted *e, const struct proc *p, const struct rule *rule)
{
    for (uint32_t i = 0, k = 0; i < e->relations[p->relation].arity; i++) {
        if (p->pattern[i] != 'b' || k++ != p->choice) continue;
        term x = term_arg(e->terms, rule->head, i);
        return term_get(e->terms, x)->ground ? x : 0;
    }
    return 0;
}

/* Find the bound argument in which most heads have constants. */
static void choose_argument(const struct lifted *e, struct proc *p, const struct rule *const *rules,
                            uint32_t n)
{
    uint32_t best = NO_CHOICE, most = 1;
    for (p->choice = 0; p->choice < p->nbound; p->choice++) {
        uint32_t constants = 0;
        for (uint32_t i = 0; i < n; i++) constants += chosen_constant(e, p, rules[i]) != 0;
        if (constants > most && (uint64_t)(n - constants) * constants < MOST_CHOICES)
            best = p->choice, most = constants;
    }
    p->choice = best;
}

static void arrange_plans(struct lifted *e, struct proc *p, struct plan *const *plans, uint32_t n)
{
    keys_done(e->heap, &p->constants);
    keys_init(e->heap, &p->constants, 1);
    for (uint32_t i = 0; i < n && p->choice != NO_CHOICE; i++) {
        term x = chosen_constant(e, p, plans[i]->rule);
        if (x) keys_add(e->heap, &p->constants, &x);
    }
    p->plans = arena_cut(&e->plans, (p->constants.n + 1) * sizeof *p->plans);
    for (uint32_t k = 0; k <= p->constants.n; k++) {
        struct plan **list = p->plans[k] = arena_cut(&e->plans, (n + 1) * sizeof *list);
        for (uint32_t i = 0; i < n; i++) {
            term x = p->choice == NO_CHOICE ? 0 : chosen_constant(e, p, plans[i]->rule);
            if (!x || (k < p->constants.n && p->constants.values.v[k] == x)) *list++ = plans[i];
        }
        *list = NULL;
    }
}

void proc_compile(struct lifted *e, struct proc *p)
{
    const struct vec_u32 *all = &e->program->relations.v[p->relation].rules;
    const struct rule **rules = heap_alloc(e->heap, (all->n + 1) * sizeof *rules);
    uint32_t n = 0;
    if (e->relations[p->relation].arity > MOST_ARGUMENTS)
        heap_fail(e->heap, ERROR_INPUT, "a relation has more than %d arguments", MOST_ARGUMENTS);
    for (uint32_t i = 0; i < all->n; i++) {
        const struct rule *rule = &e->rules[all->v[i]];
        if (rule->nbody && is_possible(e, rule)) rules[n++] = rule; /* those without body are given */
    }
    choose_argument(e, p, rules, n);
    struct plan **plans = heap_alloc(e->heap, (n + 1) * sizeof *plans);
    p->frame_slots = p->nbound;
    p->frame_iters = 0;
    for (uint32_t i = 0; i < n; i++) {
        plans[i] = compile(e, p, rules[i]);
        if (plans[i]->nslots > p->frame_slots) p->frame_slots = plans[i]->nslots;
        if (plans[i]->niters > p->frame_iters) p->frame_iters = plans[i]->niters;
    }
    arrange_plans(e, p, plans, n);
    heap_release(e->heap, plans);
    heap_release(e->heap, rules);
    if (e->relations[p->relation].nrows) p->given = static_view(e, p->relation, p->pattern);
    p->compiled = true;
}

void plans_forget(struct lifted *e)
{
    order_forget(e);
    for (uint32_t i = 0; i < e->procs.n; i++) {
        e->procs.v[i]->compiled = false;
        e->procs.v[i]->plans = NULL;
    }
    arena_reset(&e->plans);
}
