// SPDX-License-Identifier: GPL-3.0-or-later
/* The recursion restriction of the standard: where a rule calls a relation of its head's own cycle, each
 * argument of the call must be ground, or an argument of the head, or an argument of some literal outside the
 * cycle. Then recursion only walks among terms that are there already, and ends.
 *
 *     (<= (plus ?x (s ?y) (s ?z)) (plus ?x ?y ?z))         ?y is none of these; plus has no end
 *     (<= (far ?x ?z) (far ?x ?y) (far ?y ?z))             neither, but far cannot leave its finite domain
 *
 * A rule of a cycle that makes terms deeper is the graver case: the relation is infinite, and only an engine
 * that never asks for all of it can play on. Simulation tells whether ours can; here both are warnings. */
#include "base/hash.h"
#include "logic/validate.h"

#include <string.h>

static bool has_argument(const struct terms *t, term atom, term x)
{
    for (uint32_t i = 0; i < term_get(t, atom)->nargs; i++)
        if (term_arg(t, atom, i) == x) return true;
    return false;
}

static bool in_cycle(const struct program *p, const struct rule *r, const struct literal *l)
{
    return l->kind != LITERAL_DISTINCT &&
           p->relations.v[l->relation].component == p->relations.v[r->relation].component;
}

static bool guarded(const struct program *p, const struct rule *r, term x)
{
    if (term_get(p->terms, x)->ground || has_argument(p->terms, r->head, x)) return true;
    for (uint32_t j = 0; j < r->nbody; j++)
        if (r->body[j].kind == LITERAL_POSITIVE && !in_cycle(p, r, &r->body[j]) &&
            has_argument(p->terms, r->body[j].atom, x))
            return true;
    return false;
}

/* The deepest place of each variable in a term, 1 for an argument of the atom itself. */
static void measure_depth(const struct terms *t, term x, uint32_t depth, uint32_t *deepest)
{
    const struct term_node *n = term_get(t, x);
    if (n->variable && deepest[n->head] < depth) deepest[n->head] = depth;
    for (uint32_t i = 0; i < n->nargs && !n->ground; i++)
        measure_depth(t, term_arg(t, x, i), depth + 1, deepest);
}

/* Does the rule put a variable that only the recursion binds deeper than it found it? If no rule of a cycle
 * does, its terms cannot become arbitrarily deep, and there are finitely many of them. */
static bool grows(const struct program *p, struct heap *heap, const struct rule *r)
{
    uint32_t *in_head = heap_zalloc(heap, 3 * (r->nvars + 1) * sizeof *in_head);
    uint32_t *in_calls = in_head + r->nvars + 1, *outside = in_calls + r->nvars + 1;
    bool recursive = false, result = false;
    measure_depth(p->terms, r->head, 0, in_head);
    for (uint32_t j = 0; j < r->nbody; j++) {
        if (r->body[j].kind != LITERAL_POSITIVE) continue;
        bool call = in_cycle(p, r, &r->body[j]);
        measure_depth(p->terms, r->body[j].atom, 0, call ? in_calls : outside);
        recursive |= call;
    }
    for (uint32_t v = 0; v < r->nvars; v++) result |= !outside[v] && in_head[v] > in_calls[v];
    heap_release(heap, in_head);
    return recursive && result;
}

static bool *growing_components(const struct program *p, struct heap *heap)
{
    bool *growing = heap_zalloc(heap, p->components + 1);
    for (uint32_t i = 0; i < p->rules.n; i++) {
        const struct relation *head = &p->relations.v[p->rules.v[i].relation];
        if (head->recursive && grows(p, heap, &p->rules.v[i])) growing[head->component] = true;
    }
    return growing;
}

static void check_rule(const struct program *p, struct diags *d, const struct rule *r, bool growing)
{
    for (uint32_t j = 0; j < r->nbody; j++) {
        const struct literal *l = &r->body[j];
        if (!in_cycle(p, r, l)) continue;
        for (uint32_t a = 0; a < term_get(p->terms, l->atom)->nargs; a++) {
            term x = term_arg(p->terms, l->atom, a);
            if (guarded(p, r, x)) continue;
            struct text s;
            text_init(&s, d->heap);
            term_print(p->terms, x, false, r->names, &s);
            validate_report(
                p, d, false, growing ? "endless-recursion" : "recursion-restriction", l->node,
                "bind it with a relation that is not part of the recursion, such as a list of values",
                "'%.*s' %s with %.60s, which neither the head nor a literal outside the recursion provides",
                RELATION_NAME(p, r->relation), growing ? "has no end: it calls itself" : "calls itself", s.s);
            heap_release(d->heap, s.s);
            break;
        }
    }
}

static uint64_t rule_hash(const struct rule *r)
{
    uint64_t h = hash_mix(r->head, r->nbody);
    for (uint32_t j = 0; j < r->nbody; j++) h = hash_mix(h, (uint64_t)r->body[j].atom << 2 | r->body[j].kind);
    return h;
}

static bool same_rule(const struct rule *a, const struct rule *b)
{
    if (a->head != b->head || a->nbody != b->nbody) return false;
    for (uint32_t j = 0; j < a->nbody; j++)
        if (a->body[j].atom != b->body[j].atom || a->body[j].kind != b->body[j].kind) return false;
    return true;
}

/* Rules given twice: the same literals in the same order, whatever the variables are called. */
static void check_duplicates(const struct program *p, struct diags *d)
{
    uint32_t size = 64;
    while (size < p->rules.n * 2) size *= 2;
    uint32_t *slots = heap_zalloc(d->heap, size * sizeof *slots);
    for (uint32_t i = 0; i < p->rules.n; i++) {
        const struct rule *r = &p->rules.v[i], *other = NULL;
        if (p->relations.v[r->relation].invented) continue;
        uint32_t s = (uint32_t)rule_hash(r) & (size - 1);
        for (; slots[s] && !other; s = (s + 1) & (size - 1))
            if (same_rule(&p->rules.v[slots[s] - 1], r)) other = &p->rules.v[slots[s] - 1];
        if (!other) {
            slots[s] = i + 1;
            continue;
        }
        if (other->node == r->node) continue; /* two alternatives of one form */
        if (d->list.n >= DIAG_MAX) break;     /* counting lines costs more than anybody will read */
        struct source_place at = source_place(p->syntax->source, p->syntax->nodes.v[other->node].offset);
        validate_report(p, d, false, "duplicate-rule", r->node, "remove one of them",
                        "this was said before, on line %u", at.line);
    }
    heap_release(d->heap, slots);
}

void validate_rules(const struct program *p, struct diags *diags)
{
    bool *growing = growing_components(p, diags->heap);
    for (uint32_t i = 0; i < p->rules.n; i++)
        if (p->relations.v[p->rules.v[i].relation].recursive)
            check_rule(p, diags, &p->rules.v[i], growing[p->relations.v[p->rules.v[i].relation].component]);
    heap_release(diags->heap, growing);
    check_duplicates(p, diags);
}
