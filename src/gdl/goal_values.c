// SPDX-License-Identifier: GPL-3.0-or-later
/* Which numbers may become the value of a goal?
 *
 *     (<= (goal ?r ?score) (true (pieces ?r ?n)) (points ?n ?score))      (points 12 100)
 *
 * A column is a place for an argument: (name, arity, index). Two columns are joined when a variable of a rule
 * stands in both, for then what is in one may come into the other. The numbers that stand in a column joined
 * with the second argument of goal are those sought: perhaps too many, never too few. */
#include "base/hash.h"
#include "gdl/scramble.h"

struct constant {
    symbol name;
    uint32_t set;
};

struct columns {
    struct heap *heap;
    const struct syntax *syntax;
    const struct terms *names;
    struct vec_u32 parent; /* union-find: sets of columns and of variables */
    VEC(uint64_t) keys;    /* open addressing by column: the key, and its set in `sets` */
    uint32_t *sets, mask, used;
    VEC(struct constant) constants;
    uint32_t *variable_set, *variable_form; /* by symbol; the set belongs to that form only */
    uint32_t form;
};

static uint32_t root(struct columns *c, uint32_t x)
{
    while (c->parent.v[x] != x) x = c->parent.v[x] = c->parent.v[c->parent.v[x]];
    return x;
}

static void join(struct columns *c, uint32_t a, uint32_t b)
{
    a = root(c, a), b = root(c, b);
    c->parent.v[a < b ? b : a] = a < b ? a : b;
}

static uint32_t new_set(struct columns *c)
{
    uint32_t set = c->parent.n;
    vec_push(c->heap, &c->parent, set);
    return set;
}

static void grow(struct columns *c)
{
    uint32_t size = c->keys.n ? c->keys.n * 2 : 256, *sets = heap_zalloc(c->heap, size * sizeof *sets);
    VEC(uint64_t) keys = {0};
    vec_resize_zero(c->heap, &keys, size);
    for (uint32_t i = 0; i < c->keys.n; i++) {
        if (!c->keys.v[i]) continue;
        uint32_t slot = (uint32_t)c->keys.v[i] & (size - 1);
        while (keys.v[slot]) slot = (slot + 1) & (size - 1);
        keys.v[slot] = c->keys.v[i];
        sets[slot] = c->sets[i];
    }
    vec_free(c->heap, &c->keys);
    heap_release(c->heap, c->sets);
    c->keys.v = keys.v, c->keys.n = keys.n, c->keys.cap = keys.cap;
    c->sets = sets;
    c->mask = size - 1;
}

/* The set of a column. Facts are facts, whether they are true now, at first or next; moves are moves. */
static uint32_t column(struct columns *c, symbol name, uint32_t arity, uint32_t index)
{
    if (name == KW_INIT || name == KW_NEXT || name == KW_BASE) name = KW_TRUE;
    if (name == KW_DOES || name == KW_INPUT) name = KW_LEGAL;
    uint64_t key = hash_mix((uint64_t)name << 32 | arity, index) | 1; /* should two share one: too many */
    uint32_t slot = (uint32_t)key & c->mask;
    for (; c->keys.v[slot]; slot = (slot + 1) & c->mask)
        if (c->keys.v[slot] == key) return c->sets[slot];
    uint32_t set = new_set(c);
    c->keys.v[slot] = key;
    c->sets[slot] = set;
    if (++c->used * 2 > c->mask) grow(c);
    return set;
}

static symbol name_of(const struct columns *c, uint32_t node)
{
    return symbol_find(c->names, node_text(c->syntax, node), c->syntax->nodes.v[node].length);
}

static void walk_arguments(struct columns *c, uint32_t list);

static void walk_term(struct columns *c, uint32_t node, uint32_t set)
{
    const struct node *n = &c->syntax->nodes.v[node];
    if (n->kind == NODE_LIST) {
        walk_arguments(c, node);
        return;
    }
    symbol s = name_of(c, node);
    if (n->kind == NODE_ATOM) {
        vec_push(c->heap, &c->constants, (struct constant){s, set});
    } else if (c->variable_form[s] == c->form) {
        join(c, set, c->variable_set[s]);
    } else {
        c->variable_form[s] = c->form;
        c->variable_set[s] = set;
    }
}

static void walk_arguments(struct columns *c, uint32_t list)
{
    const struct node *n = &c->syntax->nodes.v[list];
    if (!n->first || c->syntax->nodes.v[n->first].kind == NODE_LIST) return; /* not a term at all */
    symbol name = name_of(c, n->first);
    uint32_t index = 0, shared = name == KW_DISTINCT ? new_set(c) : 0;
    for (uint32_t a = c->syntax->nodes.v[n->first].next; a; a = c->syntax->nodes.v[a].next, index++)
        walk_term(c, a, name == KW_DISTINCT ? shared : column(c, name, n->children - 1, index));
}

static void walk_statement(struct columns *c, uint32_t node)
{
    const struct node *n = &c->syntax->nodes.v[node];
    if (n->kind != NODE_LIST || !n->first) return;
    symbol s = c->syntax->nodes.v[n->first].kind == NODE_ATOM ? name_of(c, n->first) : 0;
    if (s != KW_ARROW && s != KW_NOT && s != KW_OR && s != KW_AND) {
        walk_arguments(c, node);
        return;
    }
    for (uint32_t a = c->syntax->nodes.v[n->first].next; a; a = c->syntax->nodes.v[a].next)
        walk_statement(c, a);
}

void goal_values_mark(struct heap *heap, const struct syntax *syntax, const struct terms *names, bool *mark)
{
    struct columns c = {.heap = heap, .syntax = syntax, .names = names};
    c.variable_set = heap_zalloc(heap, names->names.n * sizeof *c.variable_set);
    c.variable_form = heap_zalloc(heap, names->names.n * sizeof *c.variable_form);
    grow(&c);
    for (uint32_t i = 0; i < syntax->top.n; i++) {
        c.form = i + 1;
        walk_statement(&c, syntax->top.v[i]);
        heap_poll(heap);
    }
    uint32_t goals = root(&c, column(&c, KW_GOAL, 2, 1));
    for (uint32_t i = 0; i < c.constants.n; i++)
        if (root(&c, c.constants.v[i].set) == goals) mark[c.constants.v[i].name] = true;
    heap_release(heap, c.variable_set);
    heap_release(heap, c.variable_form);
    heap_release(heap, c.sets);
    vec_free(heap, &c.keys);
    vec_free(heap, &c.parent);
    vec_free(heap, &c.constants);
}
