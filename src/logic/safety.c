// SPDX-License-Identifier: GPL-3.0-or-later
/* The last steps from a conjunction to a rule in normal form: equations are solved, negations made safe,
 * variables checked and renumbered, duplicates dropped. */
#include "logic/normalise.h"

#include <string.h>

/* Equations over shared variables can stand for terms that are exponentially large (x1 = f(x0, x0), x2 =
 * f(x1, x1),
 * ...) or deeper than the rest of the program may recurse: every look at a term is counted. */
#define MAX_STEPS 100000

struct unifier {
    const struct terms *terms;
    term *binding; /* by variable; 0: free */
    uint32_t steps;
    bool too_large;
};

static bool step(struct unifier *u, uint32_t depth)
{
    if (++u->steps > MAX_STEPS || depth > SYNTAX_MAX_DEPTH) u->too_large = true;
    return !u->too_large;
}

/* Follow bindings of variables at the top of a term. */
static term walk(const struct unifier *u, term x)
{
    while (term_get(u->terms, x)->variable && u->binding[term_get(u->terms, x)->head])
        x = u->binding[term_get(u->terms, x)->head];
    return x;
}

/* Does the variable occur in the term? UINT32_MAX for a look at all of it, which only measures. */
static bool occurs(struct unifier *u, uint32_t var, term x, uint32_t depth)
{
    x = walk(u, x);
    const struct term_node *n = term_get(u->terms, x);
    if (!step(u, depth)) return true;
    if (n->variable) return n->head == var;
    for (uint32_t i = 0; i < n->nargs && !n->ground; i++)
        if (occurs(u, var, term_arg(u->terms, x, i), depth + 1)) return true;
    return false;
}

static bool unify(struct unifier *u, term a, term b, uint32_t depth)
{
    const struct terms *t = u->terms;
    a = walk(u, a), b = walk(u, b);
    if (a == b) return true;
    if (!step(u, depth)) return false;
    const struct term_node *na = term_get(t, a), *nb = term_get(t, b);
    if (na->variable) return !occurs(u, na->head, b, depth) && (u->binding[na->head] = b, true);
    if (nb->variable) return unify(u, b, a, depth);
    if (na->head != nb->head || na->nargs != nb->nargs) return false;
    for (uint32_t i = 0; i < na->nargs; i++)
        if (!unify(u, term_arg(t, a, i), term_arg(t, b, i), depth + 1)) return false;
    return true;
}

static term resolve(struct terms *t, term x, const term *binding)
{
    for (term y;; x = y) /* bindings may contain bound variables: repeat until nothing changes */
        if ((y = term_substitute(t, x, binding)) == x) return x;
}

static bool is_equation(const struct norm *n, const struct literal *l)
{
    return l->kind == LITERAL_POSITIVE && term_get(n->program->terms, l->atom)->head == KW_DISTINCT;
}

enum solution { SOLVED, NO_SOLUTION, TOO_LARGE };

/* Solve the equations and put the values into the rule. */
static enum solution solve_equations(struct norm *n, struct draft *d)
{
    struct terms *t = n->program->terms;
    struct unifier u = {.terms = t};
    bool solved = true;
    for (uint32_t i = 0; i < d->body.n && solved; i++) {
        if (!is_equation(n, &d->body.v[i])) continue;
        if (!u.binding) u.binding = heap_zalloc(n->heap, (d->names.n + 1) * sizeof *u.binding);
        term e = d->body.v[i].atom;
        solved = unify(&u, term_arg(t, e, 0), term_arg(t, e, 1), 0);
    }
    if (!u.binding) return SOLVED;
    occurs(&u, UINT32_MAX, d->head, 0);
    for (uint32_t i = 0; i < d->body.n; i++) occurs(&u, UINT32_MAX, d->body.v[i].atom, 0);
    if (!solved || u.too_large) return u.too_large ? TOO_LARGE : NO_SOLUTION;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->body.n; i++) {
        struct literal l = d->body.v[i];
        if (is_equation(n, &l)) continue;
        l.atom = resolve(t, l.atom, u.binding);
        d->body.v[kept++] = l;
    }
    d->body.n = kept;
    d->head = resolve(t, d->head, u.binding);
    heap_release(n->heap, u.binding);
    return SOLVED;
}

static void mark_variables(const struct terms *t, term x, bool *mark)
{
    const struct term_node *n = term_get(t, x);
    if (n->ground) return;
    if (n->variable) mark[n->head] = true;
    for (uint32_t i = 0; i < n->nargs; i++) mark_variables(t, term_arg(t, x, i), mark);
}

/* A variable of the term that is not marked, or UINT32_MAX. */
static uint32_t unmarked_variable(const struct terms *t, term x, const bool *mark)
{
    const struct term_node *n = term_get(t, x);
    if (n->ground) return UINT32_MAX;
    if (n->variable) return mark[n->head] ? UINT32_MAX : n->head;
    for (uint32_t i = 0; i < n->nargs; i++) {
        uint32_t v = unmarked_variable(t, term_arg(t, x, i), mark);
        if (v != UINT32_MAX) return v;
    }
    return UINT32_MAX;
}

/* Renumber the variables in order of appearance and put the rule into the program. */
static void add_rule(struct norm *n, struct draft *d)
{
    struct program *p = n->program;
    struct terms *t = p->terms;
    uint32_t total = d->names.n;
    bool *used = heap_zalloc(n->heap, total + 1);
    mark_variables(t, d->head, used);
    for (uint32_t i = 0; i < d->body.n; i++) mark_variables(t, d->body.v[i].atom, used);
    struct rule r = {.head = d->head, .node = d->node, .head_node = d->head_node, .nbody = d->body.n};
    term *binding = heap_zalloc(n->heap, (total + 1) * sizeof *binding);
    r.names = heap_cut(n->heap, (total + 1) * sizeof *r.names);
    for (uint32_t i = 0; i < total; i++) {
        if (!used[i]) continue;
        binding[i] = term_variable(t, r.nvars);
        r.names[r.nvars++] = d->names.v[i];
    }
    r.head = term_substitute(t, d->head, binding);
    r.body = heap_cut(n->heap, (d->body.n + 1) * sizeof *r.body);
    for (uint32_t i = 0; i < d->body.n; i++) {
        r.body[i] = d->body.v[i];
        r.body[i].atom = term_substitute(t, r.body[i].atom, binding);
        struct term_node a = *term_get(t, r.body[i].atom);
        r.body[i].relation = r.body[i].kind == LITERAL_DISTINCT
                                 ? NO_RELATION
                                 : program_relation(p, a.head, a.nargs, r.body[i].node);
    }
    struct term_node h = *term_get(t, r.head);
    r.relation = program_relation(p, h.head, h.nargs, r.head_node);
    heap_release(n->heap, used);
    heap_release(n->heap, binding);
    vec_push(p->heap, &p->relations.v[r.relation].rules, p->rules.n);
    vec_push(p->heap, &p->rules, r);
}

/* Replace the negated atom by one of an invented relation that knows only the variables bound elsewhere:
 *     (not (attacked ?x ?by)), ?by bound nowhere   =>   (not (some1 ?x)),  (<= (some1 ?x) (attacked ?x ?by))
 */
static void forget_variables(struct norm *n, const struct draft *d, struct literal *l, const bool *bound)
{
    struct terms *t = n->program->terms;
    bool *mine = heap_zalloc(n->heap, d->names.n + 1);
    mark_variables(t, l->atom, mine);
    struct vec_u32 args = {0};
    for (uint32_t i = 0; i < d->names.n; i++)
        if (mine[i] && bound[i]) vec_push(n->heap, &args, term_variable(t, i));
    char name[80];
    snprintf(name, sizeof name, "%.40s #some%u", symbol_name(t, term_get(t, l->atom)->head), ++n->invented);
    term head = term_make(t, symbol_intern(t, name, strlen(name)), args.v, args.n);
    struct draft helper = {.head = head, .node = d->node, .head_node = l->node};
    vec_push(n->heap, &helper.body, (struct literal){LITERAL_POSITIVE, 0, l->atom, l->node});
    for (uint32_t i = 0; i < d->names.n; i++) vec_push(n->heap, &helper.names, d->names.v[i]);
    add_rule(n, &helper);
    n->program->relations.v[n->program->rules.v[n->program->rules.n - 1].relation].invented = true;
    l->atom = head;
    vec_free(n->heap, &helper.body);
    vec_free(n->heap, &helper.names);
    vec_free(n->heap, &args);
    heap_release(n->heap, mine);
}

/* Drop repeated literals and `distinct`s that are decided; false if the body cannot hold. */
static bool tidy(struct norm *n, struct draft *d)
{
    const struct terms *t = n->program->terms;
    uint32_t kept = 0, size = 16;
    while (size < 2 * d->body.n) size *= 2;
    uint32_t *seen = heap_zalloc(n->heap, size * sizeof *seen); /* by hash: place in the body + 1 */
    bool can_hold = true;
    for (uint32_t i = 0; i < d->body.n; i++, heap_poll(n->heap)) {
        struct literal l = d->body.v[i];
        if (l.kind == LITERAL_DISTINCT) {
            term a = term_arg(t, l.atom, 0), b = term_arg(t, l.atom, 1);
            if (a == b) {
                norm_report(n, false, "never-distinct", l.node, NULL,
                            "a term is never distinct from itself; the rule cannot fire");
                can_hold = false;
                break;
            }
            if (term_get(t, a)->ground && term_get(t, b)->ground) continue;
        }
        uint32_t h = (l.atom * 2654435761u ^ (uint32_t)l.kind) & (size - 1);
        while (seen[h] && (d->body.v[seen[h] - 1].atom != l.atom || d->body.v[seen[h] - 1].kind != l.kind))
            h = (h + 1) & (size - 1);
        if (seen[h]) continue;
        d->body.v[kept++] = l;
        seen[h] = kept;
    }
    heap_release(n->heap, seen);
    if (can_hold) d->body.n = kept;
    return can_hold;
}

bool finish_rule(struct norm *n, struct draft *d)
{
    struct terms *t = n->program->terms;
    enum solution solution = solve_equations(n, d);
    if (solution == TOO_LARGE)
        norm_report(n, true, "term-too-large", d->node, "give parts of the body a relation of their own",
                    "the equations of this rule make its terms too large");
    if (solution != SOLVED || !tidy(n, d)) return solution != TOO_LARGE;
    bool *bound = heap_zalloc(n->heap, d->names.n + 1);
    for (uint32_t i = 0; i < d->body.n; i++)
        if (d->body.v[i].kind == LITERAL_POSITIVE) mark_variables(t, d->body.v[i].atom, bound);
    bool good = true;
    uint32_t v = unmarked_variable(t, d->head, bound);
    if (v != UINT32_MAX) {
        norm_report(n, true, "unsafe-head", d->head_node,
                    "every variable of the head must occur in a positive literal of the body",
                    "nothing in the body says what %s may be", d->names.v[v]);
        good = false;
    }
    for (uint32_t i = 0; i < d->body.n && good; i++) {
        struct literal *l = &d->body.v[i];
        if (l->kind == LITERAL_POSITIVE || (v = unmarked_variable(t, l->atom, bound)) == UINT32_MAX) continue;
        if (l->kind == LITERAL_DISTINCT) {
            norm_report(n, true, "unsafe-distinct", l->node,
                        "every variable of a distinct must occur in a positive literal of the body",
                        "nothing in the body says what %s may be", d->names.v[v]);
            good = false;
        } else {
            norm_report(n, false, "unsafe-negation", l->node, "read as: there is no such value at all",
                        "nothing in the body says what %s may be", d->names.v[v]);
            forget_variables(n, d, l, bound);
        }
    }
    if (good) add_rule(n, d);
    heap_release(n->heap, bound);
    return good;
}
