// SPDX-License-Identifier: GPL-3.0-or-later
#include "gdl/term.h"

#include "base/hash.h"
#include "gdl/syntax.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *const keyword_names[KW_COUNT] = {"",     "role",     "init", "true", "does",  "legal",
                                                    "next", "terminal", "goal", "base", "input", "distinct",
                                                    "not",  "or",       "and",  "<="};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static uint64_t name_hash(const char *s, size_t n)
{
    uint64_t h = n;
    for (size_t i = 0; i < n; i++) h = (h ^ (uint64_t)(unsigned char)lower(s[i])) * 0x100000001b3u;
    return h ^ h >> 29;
}

/* Where the symbol is, or the free slot where it belongs. */
static uint32_t symbol_slot(const struct terms *t, const char *name, size_t n)
{
    uint32_t i = (uint32_t)name_hash(name, n) & t->symbol_mask;
    for (; t->symbol_slots[i]; i = (i + 1) & t->symbol_mask) {
        const char *other = t->names.v[t->symbol_slots[i]];
        if (strncasecmp(other, name, n) == 0 && other[n] == '\0') break;
    }
    return i;
}

static void grow_symbols(struct terms *t)
{
    uint32_t size = t->symbol_slots ? (t->symbol_mask + 1) * 2 : 256;
    uint32_t *slots = heap_zalloc(t->heap, size * sizeof *slots);
    heap_release(t->heap, t->symbol_slots);
    t->symbol_slots = slots;
    t->symbol_mask = size - 1;
    for (symbol s = 1; s < t->names.n; s++)
        t->symbol_slots[symbol_slot(t, t->names.v[s], strlen(t->names.v[s]))] = s;
}

symbol symbol_find(const struct terms *t, const char *name, size_t length)
{
    return t->symbol_slots[symbol_slot(t, name, length)];
}

symbol symbol_intern(struct terms *t, const char *name, size_t length)
{
    uint32_t slot = symbol_slot(t, name, length);
    if (t->symbol_slots[slot]) return t->symbol_slots[slot];
    symbol s = t->names.n;
    vec_push(t->heap, &t->names, heap_strdup(t->heap, name, length));
    t->symbol_slots[slot] = s;
    if (t->names.n * 2 > t->symbol_mask) grow_symbols(t);
    return s;
}

static uint64_t shape_hash(uint32_t head, bool variable, const term *args, uint32_t nargs)
{
    uint64_t h = (uint64_t)head << 1 | variable;
    for (uint32_t i = 0; i < nargs; i++) h = hash_mix(h, args[i]);
    return hash_mix(h, nargs);
}

static uint32_t term_slot(const struct terms *t, uint32_t head, bool variable, const term *args,
                          uint32_t nargs)
{
    uint32_t i = (uint32_t)shape_hash(head, variable, args, nargs) & t->term_mask;
    for (; t->term_slots[i]; i = (i + 1) & t->term_mask) {
        const struct term_node *n = &t->nodes.v[t->term_slots[i]];
        if (n->head == head && n->nargs == nargs && n->variable == variable &&
            (nargs == 0 || memcmp(t->pool.v + n->args, args, nargs * sizeof *args) == 0))
            break;
    }
    return i;
}

static void resize_slots(struct terms *t, uint32_t size)
{
    uint32_t *slots = heap_zalloc(t->heap, size * sizeof *slots);
    heap_release(t->heap, t->term_slots);
    t->term_slots = slots;
    t->term_mask = size - 1;
    for (term x = 1; x < t->nodes.n; x++) {
        const struct term_node *n = &t->nodes.v[x];
        t->term_slots[term_slot(t, n->head, n->variable, t->pool.v + n->args, n->nargs)] = x;
    }
}

static void grow_terms(struct terms *t)
{
    resize_slots(t, t->term_slots ? (t->term_mask + 1) * 2 : 1024);
}

static bool slots_suffice(uint32_t terms, uint32_t mask)
{
    return terms <= mask - mask / 3;
}

void terms_shrink(struct terms *t, uint32_t count)
{
    if (count >= t->nodes.n) return;
    t->pool.n = t->nodes.v[count].args; /* arguments lie in the order of their terms */
    t->nodes.n = count;
    t->nodes.v = heap_realloc(t->heap, t->nodes.v, count * sizeof *t->nodes.v);
    t->nodes.cap = count;
    if (t->pool.n) {
        t->pool.v = heap_realloc(t->heap, t->pool.v, t->pool.n * sizeof *t->pool.v);
        t->pool.cap = t->pool.n;
    }
    uint32_t size = t->term_mask + 1;
    while (size > 1024 && slots_suffice(count, size / 2 - 1)) size /= 2;
    resize_slots(t, size);
}

static term intern(struct terms *t, uint32_t head, bool variable, const term *args, uint32_t nargs)
{
    uint32_t slot = term_slot(t, head, variable, args, nargs);
    if (t->term_slots[slot]) return t->term_slots[slot];
    struct term_node n = {.head = head, .nargs = nargs, .variable = variable, .ground = !variable};
    bool inside = nargs && args >= t->pool.v && args < t->pool.v + t->pool.n;
    size_t from = inside ? (size_t)(args - t->pool.v) : 0;
    vec_reserve(t->heap, &t->pool, (uint64_t)t->pool.n + nargs);
    if (inside) args = t->pool.v + from; /* the pool may have moved */
    n.args = t->pool.n;
    for (uint32_t i = 0; i < nargs; i++) {
        t->pool.v[t->pool.n + i] = args[i];
        n.ground &= t->nodes.v[args[i]].ground;
    }
    term x = t->nodes.n;
    vec_push(t->heap, &t->nodes, n);
    t->pool.n += nargs;
    t->term_slots[slot] = x;
    if (!slots_suffice(t->nodes.n, t->term_mask)) grow_terms(t);
    return x;
}

term term_make(struct terms *t, symbol head, const term *args, uint32_t nargs)
{
    return intern(t, head, false, args, nargs);
}

term term_bracketed(struct terms *t, symbol head)
{
    uint32_t known = t->nodes.n;
    term x = term_make(t, head, NULL, 0);
    if (x >= known) t->nodes.v[x].bracketed = true;
    return x;
}

term term_find(const struct terms *t, symbol head, const term *args, uint32_t nargs)
{
    return t->term_slots[term_slot(t, head, false, args, nargs)];
}

term term_variable(struct terms *t, uint32_t number)
{
    return intern(t, number, true, NULL, 0);
}

struct terms *terms_new(struct heap *heap)
{
    struct terms *t = heap_zalloc(heap, sizeof *t);
    t->heap = heap;
    vec_push(heap, &t->names, "");
    vec_push(heap, &t->nodes, (struct term_node){0});
    grow_symbols(t);
    grow_terms(t);
    for (int k = 1; k < KW_COUNT; k++) symbol_intern(t, keyword_names[k], strlen(keyword_names[k]));
    return t;
}

static void *copy(struct heap *heap, const void *p, size_t size)
{
    void *q = heap_alloc(heap, size);
    if (size) memcpy(q, p, size);
    return q;
}

struct terms *terms_clone(struct heap *heap, const struct terms *from)
{
    struct terms *t = heap_zalloc(heap, sizeof *t);
    t->heap = heap;
    t->names.v = heap_alloc(heap, from->names.n * sizeof *t->names.v);
    t->names.n = t->names.cap = from->names.n;
    for (symbol s = 0; s < from->names.n; s++)
        t->names.v[s] = heap_strdup(heap, from->names.v[s], strlen(from->names.v[s]));
    t->nodes.v = copy(heap, from->nodes.v, from->nodes.n * sizeof *t->nodes.v);
    t->nodes.n = t->nodes.cap = from->nodes.n;
    t->pool.v = copy(heap, from->pool.v, from->pool.n * sizeof *t->pool.v);
    t->pool.n = t->pool.cap = from->pool.n;
    t->symbol_mask = from->symbol_mask;
    t->symbol_slots =
        copy(heap, from->symbol_slots, ((size_t)from->symbol_mask + 1) * sizeof *t->symbol_slots);
    t->term_mask = from->term_mask;
    t->term_slots = copy(heap, from->term_slots, ((size_t)from->term_mask + 1) * sizeof *t->term_slots);
    return t;
}

/* Rebuilding a compound term: arguments are gathered on the C stack when few, on the heap otherwise. Depth is
 * bounded by the parser's limit and by what rules can build in a state, which the engines bound. */
#define FEW 16

term term_substitute(struct terms *t, term x, const term *binding)
{
    struct term_node n = t->nodes.v[x];
    if (n.ground) return x;
    if (n.variable) return binding[n.head] ? binding[n.head] : x;
    term few[FEW] = {0}, *args = n.nargs <= FEW ? few : heap_alloc(t->heap, n.nargs * sizeof *args);
    for (uint32_t i = 0; i < n.nargs; i++) args[i] = term_substitute(t, t->pool.v[n.args + i], binding);
    term y = term_make(t, n.head, args, n.nargs);
    if (args != few) heap_release(t->heap, args);
    return y;
}

term term_import(struct terms *t, const struct terms *from, term x)
{
    const struct term_node *n = &from->nodes.v[x];
    if (n->variable) return term_variable(t, n->head);
    const char *name = from->names.v[n->head];
    symbol head = symbol_intern(t, name, strlen(name));
    term few[FEW] = {0}, *args = n->nargs <= FEW ? few : heap_alloc(t->heap, n->nargs * sizeof *args);
    for (uint32_t i = 0; i < n->nargs; i++) args[i] = term_import(t, from, from->pool.v[n->args + i]);
    term y = n->bracketed ? term_bracketed(t, head) : term_make(t, head, args, n->nargs);
    if (args != few) heap_release(t->heap, args);
    return y;
}

void term_print(const struct terms *t, term x, bool lower_case, const char *const *names, struct text *out)
{
    const struct term_node *n = &t->nodes.v[x];
    if (n->variable) {
        if (names)
            text_puts(out, names[n->head]);
        else
            text_printf(out, "?%u", n->head);
        return;
    }
    if (n->nargs || n->bracketed) text_char(out, '(');
    size_t start = out->n;
    text_puts(out, t->names.v[n->head]);
    if (lower_case)
        for (size_t i = start; i < out->n; i++) out->s[i] = lower(out->s[i]);
    for (uint32_t i = 0; i < n->nargs; i++) {
        text_char(out, ' ');
        term_print(t, t->pool.v[n->args + i], lower_case, names, out);
    }
    if (n->nargs || n->bracketed) text_char(out, ')');
}

static term from_node(struct terms *t, const struct syntax *s, uint32_t node)
{
    const struct node *n = &s->nodes.v[node];
    if (n->kind == NODE_VARIABLE)
        heap_fail(t->heap, ERROR_INPUT, "'%.*s' is a variable; a term without variables is needed",
                  (int)n->length, node_text(s, node));
    if (n->kind == NODE_ATOM) return term_atom(t, symbol_intern(t, node_text(s, node), n->length));
    uint32_t head = n->first;
    if (!head || s->nodes.v[head].kind != NODE_ATOM)
        heap_fail(t->heap, ERROR_INPUT, "a term must begin with a name: '%.*s'",
                  (int)(n->length < 60 ? n->length : 60), node_text(s, node));
    symbol name = symbol_intern(t, node_text(s, head), s->nodes.v[head].length);
    term few[FEW] = {0}, *args = n->children <= FEW ? few : heap_alloc(t->heap, n->children * sizeof *args);
    uint32_t nargs = 0;
    for (uint32_t c = s->nodes.v[head].next; c; c = s->nodes.v[c].next) args[nargs++] = from_node(t, s, c);
    term x = nargs == 0 ? term_bracketed(t, name) : term_make(t, name, args, nargs);
    if (args != few) heap_release(t->heap, args);
    return x;
}

term term_read(struct terms *t, const char *s, size_t n, struct error *error)
{
    struct heap *scratch = heap_new(16 * n + (1 << 20));
    if (!scratch) return error_set(error, ERROR_MEMORY, "out of memory"), 0;
    struct heap_guard guard, inner;
    volatile term x = 0;
    if (HEAP_ENTER(scratch, &guard, error)) {
        struct source *source = source_copy(scratch, "term", s, n);
        struct diags diags;
        diags_init(&diags, scratch, source);
        struct syntax *syntax = syntax_parse(scratch, source, &diags);
        if (diags_to_error(&diags, error))
            ;
        else if (syntax->top.n != 1)
            error_set(error, ERROR_INPUT, "expected one term, found %u in '%.60s'", syntax->top.n,
                      source->text);
        else if (HEAP_ENTER(t->heap, &inner, error)) {
            x = from_node(t, syntax, syntax->top.v[0]);
            heap_leave(t->heap);
        }
        heap_leave(scratch);
    }
    heap_free(scratch);
    return x;
}
