// SPDX-License-Identifier: GPL-3.0-or-later
/* The names of a sheet: each should have one arity, be defined, be used, and not be a keyword. Relations come
 * from the program; functions are found by a walk over the syntax tree, which knows their places. */
#include "base/spell.h"
#include "logic/validate.h"

#include <string.h>
#include <strings.h>

struct vocabulary {
    const struct program *p;
    struct diags *d;
    uint32_t *arity, *node; /* of functions, by symbol: what was seen first; node 0: nothing */
    bool *reported;
};

static uint32_t line_of(const struct program *p, uint32_t node)
{
    return source_place(p->syntax->source, p->syntax->nodes.v[node].offset).line;
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- terms ---- */

static void check_term_head(struct vocabulary *v, uint32_t node, uint32_t head, uint32_t nargs)
{
    const struct program *p = v->p;
    symbol s = symbol_find(p->terms, node_text(p->syntax, head), p->syntax->nodes.v[head].length);
    if (!s) return;
    if (s < KW_COUNT && nargs) {
        /* (true (or a b)): whoever writes this means something else than a function called `or` */
        bool logical = s >= KW_DISTINCT;
        validate_report(p, v->d, logical, "keyword-as-function", node,
                        logical ? "connect statements, not objects: (or (true a) (true b))"
                                : "it is taken as the name of a thing; choose another name",
                        "the keyword '%s' is used as a function", symbol_name(p->terms, s));
    }
    if (!nargs || s < KW_COUNT) return;
    if (!v->node[s]) {
        v->node[s] = node;
        v->arity[s] = nargs;
    } else if (v->arity[s] != nargs && !v->reported[s]) {
        v->reported[s] = true;
        validate_report(p, v->d, false, "two-arities", node, "give one of the two another name",
                        "the function '%s' has %u argument%s here, but %u on line %u",
                        symbol_name(p->terms, s), nargs, plural(nargs), v->arity[s], line_of(p, v->node[s]));
    }
}

static void walk_term(struct vocabulary *v, uint32_t node)
{
    const struct node *n = &v->p->syntax->nodes.v[node];
    if (n->kind != NODE_LIST || !n->first || v->p->syntax->nodes.v[n->first].kind != NODE_ATOM) return;
    check_term_head(v, node, n->first, n->children - 1);
    for (uint32_t c = v->p->syntax->nodes.v[n->first].next; c; c = v->p->syntax->nodes.v[c].next)
        walk_term(v, c);
}

/* A statement: connectives are looked through, the arguments of an atom are terms. */
static void walk_statement(struct vocabulary *v, uint32_t node, bool in_body)
{
    const struct syntax *s = v->p->syntax;
    const struct node *n = &s->nodes.v[node];
    if (n->kind != NODE_LIST || !n->first) return;
    bool connective =
        in_body && (node_is(s, n->first, "or") || node_is(s, n->first, "and") || node_is(s, n->first, "not"));
    for (uint32_t c = s->nodes.v[n->first].next; c; c = s->nodes.v[c].next)
        connective ? walk_statement(v, c, true) : walk_term(v, c);
    if (n->children == 1 && node_is(s, n->first, "terminal"))
        validate_report(v->p, v->d, false, "parentheses", node, "write terminal",
                        "'terminal' has no arguments and so no parentheses");
}

static void walk_sheet(struct vocabulary *v)
{
    const struct syntax *s = v->p->syntax;
    for (uint32_t i = 0; i < s->top.n; i++) {
        const struct node *form = &s->nodes.v[s->top.v[i]];
        if (form->kind != NODE_LIST || !form->first || !node_is(s, form->first, "<=")) {
            walk_statement(v, s->top.v[i], false);
            continue;
        }
        uint32_t head = s->nodes.v[form->first].next;
        if (!head) continue;
        walk_statement(v, head, false);
        for (uint32_t c = s->nodes.v[head].next; c; c = s->nodes.v[c].next) walk_statement(v, c, true);
    }
}

/* Names that differ only in case are one name: tell authors who count on the contrary. */
static void check_spellings(struct vocabulary *v)
{
    const struct program *p = v->p;
    bool *told = heap_zalloc(v->d->heap, p->terms->names.n);
    for (uint32_t i = 1; i < p->syntax->nodes.n; i++) {
        const struct node *n = &p->syntax->nodes.v[i];
        if (n->kind != NODE_ATOM) continue;
        symbol s = symbol_find(p->terms, node_text(p->syntax, i), n->length);
        if (s < KW_COUNT || told[s] ||
            memcmp(symbol_name(p->terms, s), node_text(p->syntax, i), n->length) == 0)
            continue;
        told[s] = true;
        validate_report(p, v->d, false, "two-spellings", i, "names that differ only in case are the same",
                        "'%.*s' is spelled '%.60s' elsewhere", (int)(n->length < 60 ? n->length : 60),
                        node_text(p->syntax, i), symbol_name(p->terms, s));
    }
    heap_release(v->d->heap, told);
}

/* ---- relations ---- */

/* A relation of the sheet's own, neither a keyword's nor made by normalisation. */
static bool is_plain(const struct relation *r)
{
    return !r->invented && r->name >= KW_COUNT;
}

static void check_arities(struct vocabulary *v)
{
    const struct program *p = v->p;
    uint32_t *first = heap_zalloc(v->d->heap, p->terms->names.n * sizeof *first);
    for (uint32_t i = 0; i < p->relations.n; i++) {
        const struct relation *r = &p->relations.v[i];
        if (!is_plain(r) || !r->rules.n) continue; /* those without rules are reported as undefined */
        if (!first[r->name]) {
            first[r->name] = i + 1;
            continue;
        }
        const struct relation *other = &p->relations.v[first[r->name] - 1];
        validate_report(p, v->d, false, "two-arities", r->node, "they are taken as two relations; rename one",
                        "the relation '%s' has %u argument%s here, but %u on line %u",
                        symbol_name(p->terms, r->name), r->arity, plural(r->arity), other->arity,
                        line_of(p, other->node));
    }
    heap_release(v->d->heap, first);
}

/* What may have been meant by the name of a relation without rules; the text goes to `hint`. */
static const char *guess_relation(const struct vocabulary *v, const struct relation *r, char *hint,
                                  size_t size)
{
    const struct program *p = v->p;
    const char *name = symbol_name(p->terms, r->name);
    unsigned best = spell_tolerance(name) + 1;
    const char *near = NULL;
    heap_poll_slow(v->d->heap);
    for (uint32_t i = 0; i < p->relations.n; i++) {
        const struct relation *other = &p->relations.v[i];
        if (!other->rules.n || other->invented) continue;
        if (other->name == r->name) {
            snprintf(hint, size, "it is defined with %u argument%s on line %u", other->arity,
                     plural(other->arity), line_of(p, other->node));
            return hint;
        }
        const char *candidate = symbol_name(p->terms, other->name);
        unsigned d = other->arity == r->arity ? spell_distance(name, candidate, best - 1) : best;
        if (d < best) best = d, near = candidate;
    }
    if (near)
        snprintf(hint, size, "did you mean '%.100s'?", near);
    else if (v->node[r->name])
        snprintf(hint, size, "did you mean (true (%.100s ...))?", name);
    return near || v->node[r->name] ? hint : NULL;
}

static void check_definitions(struct vocabulary *v)
{
    const struct program *p = v->p;
    bool *used = heap_zalloc(v->d->heap, p->relations.n + 1),
         *seen = heap_zalloc(v->d->heap, p->relations.n + 1);
    for (uint32_t i = 0; i < p->rules.n; i++)
        for (uint32_t j = 0; j < p->rules.v[i].nbody; j++) {
            const struct literal *l = &p->rules.v[i].body[j];
            if (l->kind == LITERAL_DISTINCT) continue;
            const struct relation *r = &p->relations.v[l->relation];
            if (r->component != p->relations.v[p->rules.v[i].relation].component) used[l->relation] = true;
            bool hint_only = r->name == KW_BASE || r->name == KW_INPUT;
            if (r->rules.n || seen[l->relation] || !(is_plain(r) || hint_only)) continue;
            seen[l->relation] = true;
            char hint[200];
            validate_report(p, v->d, false, "undefined-relation", l->node,
                            guess_relation(v, r, hint, sizeof hint),
                            "nothing says when '%s' with %u argument%s holds, so it never does",
                            symbol_name(p->terms, r->name), r->arity, plural(r->arity));
        }
    for (uint32_t i = 0; i < p->relations.n; i++) {
        const struct relation *r = &p->relations.v[i];
        if (!is_plain(r) || !r->rules.n || used[i]) continue;
        const struct rule *rule = &p->rules.v[r->rules.v[0]];
        /* Nobody asks for it, so it is meant for whoever runs the game: the keyword of GDL-II. */
        if (r->arity == 2 && strcasecmp(symbol_name(p->terms, r->name), "sees") == 0) {
            validate_report(p, v->d, true, "hidden-information", rule->head_node,
                            "Ludens plays GDL, in which everybody sees everything",
                            "'sees' makes this a game of hidden information (GDL-II)");
            continue;
        }
        validate_report(p, v->d, false, "unused-relation", rule->head_node, NULL,
                        "no rule needs '%s' with %u argument%s", symbol_name(p->terms, r->name), r->arity,
                        plural(r->arity));
    }
    heap_release(v->d->heap, used);
    heap_release(v->d->heap, seen);
}

/* ---- facts of the state, and moves ---- */

/* Which names begin the facts (or moves) that the rules for a keyword can make? */
struct shapes {
    VEC(struct term_node) list;
    bool any; /* a head ends in a variable: everything is possible */
};

/* (<= (next ?f) (true ?f) ...) only keeps facts; it makes none. */
static bool is_frame_axiom(const struct program *p, const struct rule *r, term fact)
{
    for (uint32_t j = 0; j < r->nbody; j++)
        if (r->body[j].kind == LITERAL_POSITIVE && r->body[j].relation == p->keyword[KW_TRUE] &&
            term_arg(p->terms, r->body[j].atom, 0) == fact)
            return true;
    return false;
}

static void add_shapes(const struct vocabulary *v, struct shapes *s, enum keyword k, uint32_t place)
{
    const struct program *p = v->p;
    const struct relation *r = &p->relations.v[p->keyword[k]];
    for (uint32_t i = 0; i < r->rules.n; i++) {
        const struct rule *rule = &p->rules.v[r->rules.v[i]];
        term t = term_arg(p->terms, rule->head, place);
        const struct term_node *n = term_get(p->terms, t);
        if (n->variable) {
            s->any |= !is_frame_axiom(p, rule, t);
            continue;
        }
        bool known = false;
        heap_poll_slow(v->d->heap);
        for (uint32_t j = 0; j < s->list.n && !known; j++)
            known = s->list.v[j].head == n->head && s->list.v[j].nargs == n->nargs;
        if (!known) vec_push(v->d->heap, &s->list, *n);
    }
}

static void check_shape(struct vocabulary *v, const struct shapes *s, const struct literal *l, uint32_t place,
                        const char *id, const char *what)
{
    const struct program *p = v->p;
    const struct term_node *n = term_get(p->terms, term_arg(p->terms, l->atom, place));
    if (n->variable || s->any || n->head < KW_COUNT) return;
    const char *name = symbol_name(p->terms, n->head), *near = NULL;
    unsigned best = spell_tolerance(name) + 1;
    bool other_arity = false;
    heap_poll_slow(v->d->heap); /* sheets may have a hundred thousand names, and each is compared with all */
    for (uint32_t i = 0; i < s->list.n; i++) {
        if (s->list.v[i].head == n->head && s->list.v[i].nargs == n->nargs) return;
        other_arity |= s->list.v[i].head == n->head;
    }
    for (uint32_t i = 0; i < s->list.n; i++) {
        const char *candidate = symbol_name(p->terms, s->list.v[i].head);
        unsigned d = s->list.v[i].nargs == n->nargs ? spell_distance(name, candidate, best - 1) : best;
        if (d < best) best = d, near = candidate;
    }
    char hint[200];
    if (other_arity)
        snprintf(hint, sizeof hint, "elsewhere it has another number of arguments");
    else if (near)
        snprintf(hint, sizeof hint, "did you mean '%.100s'?", near);
    validate_report(p, v->d, false, id, l->node, other_arity || near ? hint : NULL,
                    "no rule %s '%s' with %u argument%s", what, name, n->nargs, plural(n->nargs));
}

static void check_shapes(struct vocabulary *v)
{
    const struct program *p = v->p;
    struct shapes facts = {0}, moves = {0};
    add_shapes(v, &facts, KW_INIT, 0);
    add_shapes(v, &facts, KW_NEXT, 0);
    add_shapes(v, &moves, KW_LEGAL, 1);
    for (uint32_t i = 0; i < p->rules.n; i++)
        for (uint32_t j = 0; j < p->rules.v[i].nbody; j++) {
            const struct literal *l = &p->rules.v[i].body[j];
            if (l->kind == LITERAL_DISTINCT) continue;
            if (l->relation == p->keyword[KW_TRUE])
                check_shape(v, &facts, l, 0, "never-true", "ever makes a fact");
            if (l->relation == p->keyword[KW_DOES])
                check_shape(v, &moves, l, 1, "never-done", "ever allows a move");
        }
    vec_free(v->d->heap, &facts.list);
    vec_free(v->d->heap, &moves.list);
}

void validate_vocabulary(const struct program *p, struct diags *diags, bool complete)
{
    struct vocabulary v = {.p = p, .d = diags};
    v.arity = heap_zalloc(diags->heap, p->terms->names.n * sizeof *v.arity);
    v.node = heap_zalloc(diags->heap, p->terms->names.n * sizeof *v.node);
    v.reported = heap_zalloc(diags->heap, p->terms->names.n);
    walk_sheet(&v);
    check_spellings(&v);
    check_arities(&v);
    if (complete) {
        check_definitions(&v);
        check_shapes(&v);
    }
    heap_release(diags->heap, v.arity);
    heap_release(diags->heap, v.node);
    heap_release(diags->heap, v.reported);
}
