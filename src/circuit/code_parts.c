// SPDX-License-Identifier: GPL-3.0-or-later
/* Moves that are products: struct code_parts says what of.
 *
 * What a legal move requires is written out as a set of literals. Moves with the same first arguments are a
 * group; what all of a group require is its head, the rest of each its tail. How many arguments to take is
 * tried out. Equal sets are one part, and a part that is another one and a literal is made from that. The
 * sums of tails share what share.c finds they have in common. */
#include "circuit/code_internal.h"

#include "base/hash.h"
#include "circuit/lists.h"

#include <stdlib.h>

enum {
    MOST_LITERALS = 128,    /* of a move */
    MOST_VISITS = 4096,     /* to edges, for one move */
    MOST_WRITTEN = 1 << 23, /* literals of all moves */
    FEWEST_GROUPS = 256,    /* fewer than lanes would be no gain */
    MOST_IN_GROUP = (1 << CODE_NUMBER_PLANES) - 1,
};

struct set {
    uint32_t first, n; /* literals.v[first ..], ascending */
    uint64_t hash;
    uint32_t value; /* NONE: not made yet */
};

struct finder {
    struct builder *b;
    uint32_t base, n; /* moves of the role */
    bool *in_loop;    /* by gate */
    uint64_t *where;  /* by edge: fingerprint of the moves that require it */
    VEC(edge) used;   /* edges that any does, those of the same moves together */
    uint32_t *first;  /* by edge: where in `used`, if it is the first of those and stands for them, or NONE */
    uint32_t *atom;   /* by edge: the value of all it stands for, or NONE */
    VEC(edge) literals;
    uint32_t written; /* of them are moves', the others parts' */
    uint32_t visits;
    struct set *move;      /* by move: all it requires */
    VEC(struct set) parts; /* no two of them equal; 0 is the empty one */
    uint32_t *slots, mask; /* open addressing: number of the part, or NONE */
};

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* --- Literals ------------------------------------------------------------------------------------------- */

/* Add what an edge requires to the literals behind `begin`; false if that is too much. */
static bool write_out(struct finder *f, edge e, uint32_t begin)
{
    const struct builder *b = f->b;
    uint32_t w = e >> 1;
    if (++f->visits > MOST_VISITS) return false;
    if (e == EDGE_TRUE) return true;
    if (e & 1 || w < b->first_gate || f->in_loop[w - b->first_gate]) {
        for (uint32_t i = begin; i < f->literals.n; i++)
            if (f->literals.v[i] == e) return true;
        if (f->literals.n - begin == MOST_LITERALS) return false;
        vec_push(b->heap, &f->literals, e);
        return true;
    }
    const struct gate *g = &b->c->gates.v[w - b->first_gate];
    for (uint32_t i = 0; i < g->n; i++)
        if (!write_out(f, b->c->edges.v[g->first + i], begin)) return false;
    return true;
}

static bool write_out_moves(struct finder *f)
{
    for (uint32_t m = 0; m < f->n; m++) {
        struct set *s = &f->move[m];
        s->first = f->literals.n;
        f->visits = 0;
        if (s->first > MOST_WRITTEN || !write_out(f, f->b->c->legal[f->base + m], s->first)) return false;
        s->n = f->literals.n - s->first;
        qsort(f->literals.v + s->first, s->n, sizeof *f->literals.v, by_number);
        heap_poll(f->b->heap);
    }
    return true;
}

static int by_where(const void *x, const void *y, void *where)
{
    const uint64_t *w = where, a = w[*(const edge *)x], b = w[*(const edge *)y];
    return a != b ? (a < b ? -1 : 1) : by_number(x, y);
}

/* Literals that always occur together, as the three that say that a cell is empty, become one. */
static void join_literals(struct finder *f)
{
    struct builder *b = f->b;
    size_t edges = 2 * (size_t)b->nwires;
    f->where = heap_zalloc(b->heap, edges * sizeof *f->where);
    f->first = heap_alloc(b->heap, edges * sizeof *f->first);
    f->atom = heap_alloc(b->heap, edges * sizeof *f->atom);
    memset(f->first, 0xff, edges * sizeof *f->first);
    memset(f->atom, 0xff, edges * sizeof *f->atom);
    for (uint32_t m = 0; m < f->n; m++)
        for (uint32_t i = 0; i < f->move[m].n; i++) {
            edge e = f->literals.v[f->move[m].first + i];
            if (!f->where[e]) vec_push(b->heap, &f->used, e);
            f->where[e] += hash_mix(m, 1);
        }
    qsort_r(f->used.v, f->used.n, sizeof *f->used.v, by_where, f->where);
    for (uint32_t i = 0; i < f->used.n; i++)
        if (i == 0 || f->where[f->used.v[i]] != f->where[f->used.v[i - 1]]) f->first[f->used.v[i]] = i;
    for (uint32_t m = 0; m < f->n; m++) {
        edge *v = f->literals.v + f->move[m].first;
        uint32_t n = f->move[m].n;
        f->move[m].n = 0;
        for (uint32_t i = 0; i < n; i++)
            if (f->first[v[i]] != NONE) v[f->move[m].n++] = v[i];
    }
}

/* The value of a literal and all that it stands for. */
static uint32_t atom_value(struct finder *f, edge e)
{
    struct vec_u32 of = {0};
    if (f->atom[e] != NONE) return f->atom[e];
    for (uint32_t i = f->first[e]; i < f->used.n && f->where[f->used.v[i]] == f->where[e]; i++)
        vec_push(f->b->heap, &of, code_edge_value(f->b, f->used.v[i]));
    f->atom[e] = of.v[0];
    if (of.n > 1) code_and_node(f->b, f->atom[e] = code_new_value(f->b), of.v, of.n);
    vec_free(f->b->heap, &of);
    return f->atom[e];
}

/* --- Parts ---------------------------------------------------------------------------------------------- */

static uint32_t *find_slot(struct finder *f, const edge *v, uint32_t n, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & f->mask;
    for (; f->slots[i] != NONE; i = (i + 1) & f->mask) {
        const struct set *s = &f->parts.v[f->slots[i]];
        if (s->hash == hash && s->n == n && memcmp(f->literals.v + s->first, v, n * sizeof *v) == 0) break;
    }
    return &f->slots[i];
}

static uint32_t part_of(struct finder *f, const edge *v, uint32_t n)
{
    uint64_t hash = hash_bytes(v, n * sizeof *v);
    uint32_t *slot = find_slot(f, v, n, hash);
    if (*slot == NONE) {
        *slot = f->parts.n;
        struct set s = {f->literals.n, n, hash, NONE};
        for (uint32_t i = 0; i < n; i++) vec_push(f->b->heap, &f->literals, v[i]);
        vec_push(f->b->heap, &f->parts, s);
    }
    return *slot;
}

static void forget_parts(struct finder *f)
{
    memset(f->slots, 0xff, ((size_t)f->mask + 1) * sizeof *f->slots);
    f->parts.n = 0;
    f->literals.n = f->written;
    part_of(f, &(edge){0}, 0);
}

/* The literals of s that are (or are not) in `of`, which are in s. */
static uint32_t take(const struct finder *f, const struct set *s, const edge *of, uint32_t n, bool wanted,
                     edge *out)
{
    uint32_t k = 0, m = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        edge e = f->literals.v[s->first + i];
        while (k < n && of[k] < e) k++;
        if ((k < n && of[k] == e) == wanted) out[m++] = e;
    }
    return m;
}

/* Groups of moves with the same first arguments, heads and tails by number of the part. False if it is not
 * worth it. */
static bool find_groups(struct finder *f, uint32_t arguments, struct code_parts *p)
{
    const struct circuit *c = f->b->code->circuit; /* which has the terms */
    p->ngroups = 0;
    forget_parts(f);
    for (uint32_t m = 0, end; m < f->n; m = end) {
        const struct term_node *x = term_get(c->terms, c->move[f->base + m]);
        edge common[MOST_LITERALS], rest[MOST_LITERALS];
        uint32_t n = take(f, &f->move[m], common, 0, false, common);
        for (end = m + 1; end < f->n; end++) {
            const struct term_node *y = term_get(c->terms, c->move[f->base + end]);
            uint32_t k = 0;
            while (k < arguments && k < x->nargs && k < y->nargs &&
                   c->terms->pool.v[x->args + k] == c->terms->pool.v[y->args + k])
                k++;
            if (x->head != y->head || x->nargs != y->nargs || k < arguments) break;
            n = take(f, &f->move[end], common, n, true, common);
        }
        if (end - m > MOST_IN_GROUP) return false;
        p->first[p->ngroups] = m;
        p->head[p->ngroups++] = part_of(f, common, n);
        for (uint32_t i = m; i < end; i++)
            p->tail[i] = part_of(f, rest, take(f, &f->move[i], common, n, false, rest));
        if (p->ngroups + f->parts.n > f->n / 4) return false;
        heap_poll(f->b->heap);
    }
    p->first[p->ngroups] = f->n;
    return p->ngroups >= FEWEST_GROUPS;
}

/* The value of a part. Smaller ones are made before larger ones. */
static uint32_t make_part(struct finder *f, uint32_t part)
{
    struct builder *b = f->b;
    struct set s = f->parts.v[part];
    edge rest[MOST_LITERALS];
    uint32_t of[MOST_LITERALS], from = NONE, literal = 0;
    if (s.value != NONE) return s.value;
    for (uint32_t i = 0; i < s.n && s.n > 2 && from == NONE; i++) {
        literal = f->literals.v[s.first + i];
        take(f, &s, &literal, 1, false, rest);
        from = *find_slot(f, rest, s.n - 1, hash_bytes(rest, (s.n - 1) * sizeof *rest));
    }
    if (from != NONE) {
        of[0] = make_part(f, from);
        of[1] = atom_value(f, literal);
    } else {
        for (uint32_t i = 0; i < s.n; i++) of[i] = atom_value(f, f->literals.v[s.first + i]);
    }
    uint32_t value = s.n == 0 ? 0 : of[0];
    if (s.n > 1) {
        value = code_new_value(b);
        code_and_node(b, value, of, from != NONE ? 2 : s.n);
    }
    return f->parts.v[part].value = value;
}

/* --- Sums ----------------------------------------------------------------------------------------------- */

/* Groups of which the last arguments are equal are a family: only these share sums, by what share.c finds.
 * Its gates are groups and its inputs elements: a tail as one family has it, and once more if a group has it
 * twice. */
struct element {
    uint32_t family, part, times;
};

struct adder {
    struct finder *f;
    struct code_parts *p;
    struct lists l;               /* node 0, elements, groups, what they share */
    VEC(struct element) elements; /* from 1 */
    uint32_t *slots, mask;        /* open addressing: elements, 0 = none */
    uint32_t *uses;               /* by node: in how many others it is */
    uint32_t *number;             /* by node, NONE: not made yet */
};

/* The element, which may be new. */
static uint32_t element_of(struct adder *a, struct element e)
{
    uint32_t i = (uint32_t)hash_mix(hash_mix(e.family, e.part), e.times) & a->mask;
    for (; a->slots[i]; i = (i + 1) & a->mask) {
        const struct element *x = &a->elements.v[a->slots[i]];
        if (x->family == e.family && x->part == e.part && x->times == e.times) return a->slots[i];
    }
    a->slots[i] = a->elements.n;
    vec_push(a->f->b->heap, &a->elements, e);
    return a->slots[i];
}

/* The first group whose arguments from..to-1 are as those of group g. */
static uint32_t family_of(const struct adder *a, uint32_t g, uint32_t from, uint32_t to, uint32_t *slots)
{
    const struct circuit *c = a->f->b->code->circuit;
    const term *x = term_args(c->terms, c->move[a->f->base + a->p->first[g]]);
    uint32_t nargs = term_get(c->terms, c->move[a->f->base + a->p->first[g]])->nargs;
    if (nargs < to) return g;
    uint32_t i = (uint32_t)hash_bytes(x + from, (to - from) * sizeof *x) & a->mask;
    for (; slots[i] != NONE; i = (i + 1) & a->mask) {
        const term *y = term_args(c->terms, c->move[a->f->base + a->p->first[slots[i]]]);
        if (memcmp(x + from, y + from, (to - from) * sizeof *x) == 0) return slots[i];
    }
    return slots[i] = g;
}

/* Elements and lists for families by arguments from..to-1; returns how many inputs and elements there are
 * once blocks are joined: about what the sums cost. */
static uint64_t find_elements(struct adder *a, uint32_t from, uint32_t to)
{
    struct heap *heap = a->f->b->heap;
    struct code_parts *p = a->p;
    uint32_t *slots = heap_alloc(heap, ((size_t)a->mask + 1) * sizeof *slots);
    uint32_t *last = heap_alloc(heap, a->f->parts.n * sizeof *last); /* by part: group that had it last */
    uint32_t *times = heap_zalloc(heap, a->f->parts.n * sizeof *times),
             *in = heap_alloc(heap, a->f->n * sizeof *in);
    memset(slots, 0xff, ((size_t)a->mask + 1) * sizeof *slots);
    memset(last, 0xff, a->f->parts.n * sizeof *last);
    memset(a->slots, 0, ((size_t)a->mask + 1) * sizeof *a->slots);
    a->elements.n = 0;
    vec_push(heap, &a->elements, (struct element){0});
    for (uint32_t g = 0; g < p->ngroups; g++) {
        uint32_t family = family_of(a, g, from, to, slots);
        for (uint32_t m = p->first[g]; m < p->first[g + 1]; m++) {
            uint32_t part = p->tail[m];
            times[part] = last[part] == g ? times[part] + 1 : 0;
            last[part] = g;
            in[m] = element_of(a, (struct element){family, part, times[part]});
        }
    }
    a->l = (struct lists){.heap = heap, .n = a->elements.n + p->ngroups, .cap = a->elements.n + p->ngroups};
    a->l.in = heap_zalloc(heap, (size_t)a->l.cap * sizeof *a->l.in);
    for (uint32_t g = 0; g < p->ngroups; g++)
        for (uint32_t m = p->first[g]; m < p->first[g + 1]; m++)
            vec_push(heap, &a->l.in[a->elements.n + g], in[m] << 1);
    lists_join(&a->l);
    uint64_t cost = 0;
    for (uint32_t i = a->elements.n; i < a->l.n; i++) cost += a->l.in[i].n;
    heap_release(heap, slots);
    heap_release(heap, last);
    heap_release(heap, times);
    heap_release(heap, in);
    return cost;
}

/* What a node counts itself, and the numbers it adds; what nobody else needs is written out. */
static void collect(struct adder *a, uint32_t node, struct vec_u32 *wires, struct vec_u32 *numbers);

/* The last of all additions it takes; those before are numbers. */
static struct code_number sum_of(struct adder *a, uint32_t node)
{
    struct heap *work = a->f->b->heap, *heap = a->f->b->code->heap;
    struct vec_u32 wires = {0}, numbers = {0};
    collect(a, node, &wires, &numbers);
    struct code_number x = {a->p->wires.n, wires.n, NONE, NONE};
    for (uint32_t i = 0; i < wires.n; i++) vec_push(heap, &a->p->wires, wires.v[i]);
    if (numbers.n > 0) x.a = numbers.v[0];
    if (numbers.n > 1) x.b = numbers.v[1];
    for (uint32_t i = 2; i < numbers.n; i++) {
        vec_push(heap, &a->p->numbers, x);
        x = (struct code_number){0, 0, a->p->numbers.n - 1, numbers.v[i]};
    }
    vec_free(work, &wires);
    vec_free(work, &numbers);
    return x;
}

static uint32_t number_of(struct adder *a, uint32_t node)
{
    if (a->number[node] == NONE) {
        struct code_number x = sum_of(a, node);
        vec_push(a->f->b->code->heap, &a->p->numbers, x);
        a->number[node] = a->p->numbers.n - 1;
    }
    return a->number[node];
}

static void collect(struct adder *a, uint32_t node, struct vec_u32 *wires, struct vec_u32 *numbers)
{
    for (uint32_t i = 0; i < a->l.in[node].n; i++) {
        uint32_t x = a->l.in[node].v[i] >> 1;
        if (x < a->elements.n)
            vec_push(a->f->b->heap, wires, a->elements.v[x].part);
        else if (a->uses[x] == 1)
            collect(a, x, wires, numbers);
        else
            vec_push(a->f->b->heap, numbers, number_of(a, x));
    }
}

/* `arguments` is what groups were made by. */
static void find_sums(struct finder *f, struct code_parts *p, uint32_t arguments)
{
    struct heap *heap = f->b->heap;
    struct adder a = {.f = f, .p = p, .mask = f->mask};
    uint32_t best = 0, largest = 0;
    uint64_t least = UINT64_MAX;
    a.slots = heap_alloc(heap, ((size_t)a.mask + 1) * sizeof *a.slots);
    for (uint32_t from = 0; from < arguments; from++) {
        uint64_t cost = find_elements(&a, from, arguments);
        if (cost < least) least = cost, best = from;
    }
    find_elements(&a, best, arguments);
    lists_share(&a.l, 2);
    a.uses = heap_zalloc(heap, (size_t)a.l.n * sizeof *a.uses);
    for (uint32_t i = 0; i < a.l.n; i++)
        for (uint32_t k = 0; k < a.l.in[i].n; k++) a.uses[a.l.in[i].v[k] >> 1]++;
    a.number = heap_alloc(heap, (size_t)a.l.n * sizeof *a.number);
    memset(a.number, 0xff, (size_t)a.l.n * sizeof *a.number);
    for (uint32_t g = 0; g < p->ngroups; g++) {
        p->sum[g] = sum_of(&a, a.elements.n + g);
        if (p->first[g + 1] - p->first[g] > largest) largest = p->first[g + 1] - p->first[g];
    }
    while (largest >> p->planes) p->planes++;
}

/* --- Together ------------------------------------------------------------------------------------------- */

static struct code_parts *parts_of_role(struct builder *b, uint32_t role, bool *in_loop)
{
    const struct circuit *c = b->c;
    struct heap *heap = b->code->heap;
    struct finder f = {.b = b, .base = c->move_base[role], .in_loop = in_loop};
    f.n = c->move_base[role + 1] - f.base;
    if (f.n < CODE_MANY_MOVES || !b->code->circuit->terms) return NULL;
    uint32_t possible = 0, widest = 0;
    for (uint32_t m = 0; m < f.n; m++) {
        uint32_t nargs = term_get(b->code->circuit->terms, b->code->circuit->move[f.base + m])->nargs;
        possible += c->legal[f.base + m] != EDGE_FALSE;
        if (nargs > widest) widest = nargs;
    }
    if (possible < 2) return NULL;
    f.move = heap_zalloc(b->heap, f.n * sizeof *f.move);
    if (!write_out_moves(&f)) return NULL;
    join_literals(&f);
    f.written = f.literals.n;
    for (f.mask = 1; f.mask < f.n; f.mask *= 2) {
    }
    f.mask = 2 * f.mask - 1;
    f.slots = heap_alloc(b->heap, ((size_t)f.mask + 1) * sizeof *f.slots);
    struct code_parts *p = heap_zalloc(heap, sizeof *p);
    p->first = heap_alloc(heap, (f.n + 1) * sizeof *p->first);
    p->head = heap_alloc(heap, f.n * sizeof *p->head);
    p->tail = heap_alloc(heap, f.n * sizeof *p->tail);
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t k = 1; k < widest; k++)
        if (find_groups(&f, k, p) && p->ngroups + f.parts.n < least) least = p->ngroups + f.parts.n, best = k;
    if (!best) return NULL;
    find_groups(&f, best, p);
    p->sum = heap_alloc(heap, p->ngroups * sizeof *p->sum);
    find_sums(&f, p, best);
    for (uint32_t i = 0; i < f.parts.n; i++) {
        vec_push(b->heap, &b->part_values, make_part(&f, i));
        heap_poll(b->heap);
    }
    for (uint32_t g = 0; g < p->ngroups; g++) p->head[g] = f.parts.v[p->head[g]].value;
    for (uint32_t m = 0; m < f.n; m++) p->tail[m] = f.parts.v[p->tail[m]].value;
    for (uint32_t i = 0; i < p->wires.n; i++) p->wires.v[i] = f.parts.v[p->wires.v[i]].value;
    return p;
}

/* Values that are but legal moves of a role with parts. */
static bool *find_listed(struct builder *b)
{
    const struct circuit *c = b->c;
    bool *listed = heap_zalloc(b->heap, b->nvalues);
    for (uint32_t r = 0; r < c->nroles; r++)
        for (uint32_t m = c->move_base[r]; b->code->roles[r].parts && m < c->move_base[r + 1]; m++)
            if (b->legal[m] != NONE) listed[b->legal[m]] = true;
    for (uint32_t i = 0; i < b->operands.n; i++) listed[b->operands.v[i] >> 1] = false;
    for (uint32_t g = c->phase_end[PHASE_VIEW]; g < c->ngates; g++)
        for (uint32_t k = 0; k < c->gates.v[g].n; k++)
            listed[c->edges.v[c->gates.v[g].first + k] >> 1] = false;
    for (uint32_t g = 0; g < c->goals.n; g++) listed[c->goals.v[g].e >> 1] = false;
    for (uint32_t i = 0; i < c->nbits; i++) listed[c->next[i] >> 1] = false;
    for (uint32_t i = 0; i < b->part_values.n; i++) listed[b->part_values.v[i]] = false;
    listed[b->code->terminal] = false;
    return listed;
}

uint32_t code_find_parts(struct builder *b, uint32_t first)
{
    const struct circuit *c = b->c;
    bool any = false, *in_loop = heap_zalloc(b->heap, c->ngates + 1);
    for (uint32_t i = 0; i < c->loops.n; i++) memset(in_loop + c->loops.v[i].first, true, c->loops.v[i].n);
    for (uint32_t r = 0; r < c->nroles; r++)
        any |= !!(b->code->roles[r].parts = parts_of_role(b, r, in_loop));
    heap_release(b->heap, in_loop);
    if (!any) return b->nodes.n;
    bool *listed = find_listed(b);
    VEC(struct code_node) last = {0};
    uint32_t n = first;
    for (uint32_t i = first; i < b->nodes.n; i++)
        if (listed[b->nodes.v[i].value])
            vec_push(b->heap, &last, b->nodes.v[i]);
        else
            b->nodes.v[n++] = b->nodes.v[i];
    for (uint32_t i = 0; i < last.n; i++) b->nodes.v[n + i] = last.v[i];
    heap_release(b->heap, listed);
    return n;
}

void code_emit_parts(struct builder *b)
{
    for (uint32_t r = 0; r < b->c->nroles; r++) {
        struct code_parts *p = b->code->roles[r].parts;
        if (!p) continue;
        for (uint32_t g = 0; g < p->ngroups; g++) p->head[g] = b->slot[p->head[g]];
        for (uint32_t m = 0; m < p->first[p->ngroups]; m++) p->tail[m] = b->slot[p->tail[m]];
        for (uint32_t i = 0; i < p->wires.n; i++) p->wires.v[i] = b->slot[p->wires.v[i]];
    }
}
