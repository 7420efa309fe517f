// SPDX-License-Identifier: GPL-3.0-or-later
/* Building a program: the table of relations, and the walk over the forms of the sheet. */
#include "logic/program.h"

#include "base/hash.h"
#include "logic/normalise.h"

#include <string.h>

int keyword_arity(symbol s)
{
    switch (s) {
    case KW_ROLE:
    case KW_INIT:
    case KW_TRUE:
    case KW_NEXT:
    case KW_BASE: return 1;
    case KW_DOES:
    case KW_LEGAL:
    case KW_GOAL:
    case KW_INPUT:
    case KW_DISTINCT: return 2;
    case KW_TERMINAL: return 0;
    default: return -1;
    }
}

static uint32_t slot_of(const struct program *p, symbol name, uint32_t arity)
{
    uint32_t i = (uint32_t)hash_mix(name, arity) & p->mask;
    for (; p->slots[i]; i = (i + 1) & p->mask) {
        const struct relation *r = &p->relations.v[p->slots[i] - 1];
        if (r->name == name && r->arity == arity) break;
    }
    return i;
}

static void grow(struct program *p)
{
    uint32_t size = p->slots ? (p->mask + 1) * 2 : 128;
    uint32_t *slots = heap_zalloc(p->heap, size * sizeof *slots);
    heap_release(p->heap, p->slots);
    p->slots = slots;
    p->mask = size - 1;
    for (uint32_t r = 0; r < p->relations.n; r++)
        p->slots[slot_of(p, p->relations.v[r].name, p->relations.v[r].arity)] = r + 1;
}

uint32_t program_find_relation(const struct program *p, symbol name, uint32_t arity)
{
    return p->slots[slot_of(p, name, arity)] - 1; /* an empty slot wraps to NO_RELATION */
}

uint32_t program_relation(struct program *p, symbol name, uint32_t arity, uint32_t node)
{
    uint32_t slot = slot_of(p, name, arity);
    if (p->slots[slot]) {
        struct relation *r = &p->relations.v[p->slots[slot] - 1];
        if (!r->node) r->node = node;
        return p->slots[slot] - 1;
    }
    vec_push(p->heap, &p->relations, (struct relation){.name = name, .arity = arity, .node = node});
    p->slots[slot] = p->relations.n;
    uint32_t id = p->relations.n - 1;
    if (p->relations.n * 2 > p->mask) grow(p);
    return id;
}

int relation_name_length(const struct program *p, uint32_t relation)
{
    return (int)strcspn(symbol_name(p->terms, p->relations.v[relation].name), " ");
}

void norm_report(struct norm *n, bool error, const char *id, uint32_t node, const char *hint,
                 const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct node *at = &n->syntax->nodes.v[node];
    diag_add(n->diags, error, id, node ? at->offset : DIAG_NOWHERE, at->length, hint, "%s", text);
}

static void read_form(struct norm *n, uint32_t form)
{
    const struct node *f = &n->syntax->nodes.v[form];
    if (f->kind == NODE_VARIABLE) {
        norm_report(n, true, "stray-variable", form, "rules and facts begin with a parenthesis",
                    "a variable outside any rule");
        return;
    }
    if (f->kind == NODE_LIST && f->children == 0) {
        norm_report(n, false, "empty-form", form, "remove it", "empty parentheses say nothing");
        return;
    }
    if (f->kind == NODE_LIST && node_is(n->syntax, f->first, "<=")) {
        uint32_t head = n->syntax->nodes.v[f->first].next;
        if (!head) {
            norm_report(n, true, "empty-rule", form, "write (<= HEAD BODY...)",
                        "a rule without head and body");
            return;
        }
        uint32_t body = n->syntax->nodes.v[head].next;
        if (!body)
            norm_report(n, false, "empty-body", form,
                        "write it as a fact, without <=", "a rule without body is a fact");
        expand_rule(n, form, head, body);
        return;
    }
    expand_rule(n, form, form, 0);
}

struct program *program_build(struct heap *heap, const struct syntax *syntax, struct diags *diags)
{
    struct program *p = heap_zalloc(heap, sizeof *p);
    p->heap = heap;
    p->terms = terms_new(heap);
    p->syntax = syntax;
    grow(p);
    for (symbol k = 1; k < KW_COUNT; k++)
        p->keyword[k] = keyword_arity(k) >= 0 && k != KW_DISTINCT
                            ? program_relation(p, k, (uint32_t)keyword_arity(k), 0)
                            : NO_RELATION;
    struct norm n = {.heap = heap, .program = p, .syntax = syntax, .diags = diags};
    for (uint32_t i = 0; i < syntax->top.n; i++) read_form(&n, syntax->top.v[i]);
    program_depend(p, diags);
    return p;
}
