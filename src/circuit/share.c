// SPDX-License-Identifier: GPL-3.0-or-later
/* What wide gates have in common becomes a gate of its own, in two steps.
 *
 * Blocks: inputs that occur in exactly the same gates, and in at least two, are joined. Linear in the size of
 * the net; it does most of the work on the sums of moves that frame axioms are made of.
 *
 * Pairs: the pair of inputs that most gates share is taken out, again and again (greedy, as for common
 * subexpressions of linear forms). Taking out a pair that k gates share saves k - 2 reads and costs one gate.
 */
#include "base/hash.h"
#include "circuit/lists.h"

#include <stdlib.h>
#include <string.h>

enum { WORTH = 4 /* gates to share a pair */, WIDEST = 128, MAX_PAIRS = 6000000 };

/* Blocks. */
struct occurrence {
    uint64_t where; /* fingerprint of the set of gates it is in */
    uint32_t count;
    edge e;
};

static int by_where(const void *a, const void *b)
{
    const struct occurrence *x = a, *y = b;
    if (x->where != y->where) return x->where < y->where ? -1 : 1;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return x->e < y->e ? -1 : x->e > y->e;
}

static void find_blocks(struct lists *l)
{
    uint32_t n = l->n * 2;
    struct occurrence *o = heap_zalloc(l->heap, (size_t)n * sizeof *o);
    for (uint32_t e = 0; e < n; e++) o[e].e = e;
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t j = 0; j < l->in[i].n && l->in[i].n > 2; j++) {
            struct occurrence *x = &o[l->in[i].v[j]];
            x->where += hash_mix(i, 0x5bd1e995u); /* a sum: the order does not matter */
            x->count++;
        }
    qsort(o, n, sizeof *o, by_where);
    uint32_t *block =
        heap_zalloc(l->heap, (size_t)n * sizeof *block); /* by edge: its block's gate, 0 = none */
    uint32_t old = l->n;
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && o[to].where == o[from].where && o[to].count == o[from].count; to++) {
        }
        if (o[from].count < 2 || to - from < 2 || (uint64_t)(to - from - 1) * (o[from].count - 1) < 2)
            continue;
        uint32_t gate = lists_add(l);
        for (uint32_t i = from; i < to; i++) {
            vec_push(l->heap, &l->in[gate], o[i].e);
            block[o[i].e] = gate;
        }
        heap_poll(l->heap);
    }
    for (uint32_t i = 0; i < old; i++) {
        struct vec_u32 *in = &l->in[i];
        if (in->n <= 2) continue;
        uint32_t kept = 0;
        struct vec_u32 made = {0};
        for (uint32_t j = 0; j < in->n; j++) {
            uint32_t b = block[in->v[j]];
            if (!b) {
                in->v[kept++] = in->v[j];
                continue;
            }
            if (l->in[b].v[0] == in->v[j]) vec_push(l->heap, &made, b << 1); /* once per block */
        }
        for (uint32_t j = 0; j < made.n; j++) in->v[kept++] = made.v[j];
        in->n = kept;
        vec_free(l->heap, &made);
    }
    heap_release(l->heap, o);
    heap_release(l->heap, block);
}

/* Pairs: counts in an open hash table, candidates in a heap ordered by the count they had when pushed. */
struct pair {
    uint64_t key; /* smaller edge << 32 | larger edge; 0 = empty */
    uint32_t count;
};

struct candidate {
    uint32_t count;
    uint64_t key;
};

struct pairs {
    struct lists *l;
    struct pair *table;
    uint32_t mask, used;
    VEC(struct candidate) queue; /* binary heap, largest count first */
    struct vec_u32 *gates;       /* by edge: gates that (once) had it */
    uint32_t edges;              /* room in gates */
    uint32_t worth;
};

static uint64_t pair_key(edge a, edge b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static struct pair *pair_find(struct pairs *p, uint64_t key)
{
    uint32_t i = (uint32_t)hash_mix(key, 7) & p->mask;
    while (p->table[i].key && p->table[i].key != key) i = (i + 1) & p->mask;
    return &p->table[i];
}

static void grow_table(struct pairs *p)
{
    struct pair *old = p->table;
    uint32_t size = old ? p->mask + 1 : 0;
    p->mask = old ? size * 2 - 1 : (1u << 16) - 1;
    p->table = heap_zalloc(p->l->heap, ((size_t)p->mask + 1) * sizeof *p->table);
    for (uint32_t i = 0; i < size; i++)
        if (old[i].key) *pair_find(p, old[i].key) = old[i];
    heap_release(p->l->heap, old);
}

static void queue_push(struct pairs *p, struct candidate c)
{
    vec_push(p->l->heap, &p->queue, c);
    struct candidate *q = p->queue.v;
    uint32_t i = p->queue.n - 1;
    for (; i > 0 && q[(i - 1) / 2].count < c.count; i = (i - 1) / 2) q[i] = q[(i - 1) / 2];
    q[i] = c;
}

static struct candidate queue_pop(struct pairs *p)
{
    struct candidate *q = p->queue.v, top = q[0], last = vec_pop(&p->queue);
    uint32_t n = p->queue.n, i = 0;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && q[child + 1].count > q[child].count) child++;
        if (q[child].count <= last.count) break;
        q[i] = q[child];
    }
    if (n) q[i] = last;
    return top;
}

static void count_pair(struct pairs *p, edge a, edge b, int by)
{
    struct pair *x = pair_find(p, pair_key(a, b));
    if (!x->key) {
        if (by < 0) return;
        x->key = pair_key(a, b);
        x->count = 0;
        p->used++;
    }
    x->count = (uint32_t)((int)x->count + by);
    if (by > 0 && p->used > p->mask / 2) grow_table(p);
}

static bool has(const struct vec_u32 *in, edge e)
{
    for (uint32_t i = 0; i < in->n; i++)
        if (in->v[i] == e) return true;
    return false;
}

static void remove_input(struct vec_u32 *in, edge e)
{
    for (uint32_t i = 0; i < in->n; i++)
        if (in->v[i] == e) {
            in->v[i] = vec_pop(in);
            return;
        }
}

static bool countable(const struct vec_u32 *in)
{
    return in->n > 2 && in->n <= WIDEST;
}

static void take_out(struct pairs *p, edge a, edge b)
{
    struct lists *l = p->l;
    uint32_t node = lists_add(l);
    edge made = node << 1;
    if (made + 1 >= p->edges) {
        uint32_t room = p->edges + p->edges / 2 + 64;
        p->gates = heap_realloc(l->heap, p->gates, (size_t)room * sizeof *p->gates);
        memset(p->gates + p->edges, 0, (room - p->edges) * sizeof *p->gates);
        p->edges = room;
    }
    const struct vec_u32 *few = p->gates[a].n < p->gates[b].n ? &p->gates[a] : &p->gates[b];
    for (uint32_t i = 0; i < few->n; i++) {
        struct vec_u32 *in = &l->in[few->v[i]];
        if (!has(in, a) || !has(in, b)) continue;
        remove_input(in, a);
        remove_input(in, b);
        for (uint32_t j = 0; j < in->n; j++) {
            count_pair(p, a, in->v[j], -1);
            count_pair(p, b, in->v[j], -1);
            count_pair(p, made, in->v[j], +1);
        }
        vec_push(l->heap, in, made);
        vec_push(l->heap, &p->gates[made], few->v[i]);
    }
    vec_push(l->heap, &l->in[node], a);
    vec_push(l->heap, &l->in[node], b);
    struct pair *x = pair_find(p, pair_key(a, b));
    x->count = 0;
    /* New candidates: the new gate with each input it now meets. */
    for (uint32_t i = 0; i < p->gates[made].n; i++) {
        const struct vec_u32 *in = &l->in[p->gates[made].v[i]];
        for (uint32_t j = 0; j < in->n; j++) {
            if (in->v[j] == made) continue;
            struct pair *y = pair_find(p, pair_key(made, in->v[j]));
            if (y->key && y->count >= p->worth) queue_push(p, (struct candidate){y->count, y->key});
        }
    }
}

static void find_pairs(struct lists *l, uint32_t worth)
{
    struct pairs p = {.l = l, .edges = l->n * 2 + 64, .worth = worth};
    uint64_t total = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (countable(&l->in[i])) total += (uint64_t)l->in[i].n * (l->in[i].n - 1) / 2;
    if (total > MAX_PAIRS) return;
    p.gates = heap_zalloc(l->heap, (size_t)p.edges * sizeof *p.gates);
    grow_table(&p);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct vec_u32 *in = &l->in[i];
        if (!countable(in)) continue;
        for (uint32_t j = 0; j < in->n; j++) {
            vec_push(l->heap, &p.gates[in->v[j]], i);
            for (uint32_t k = j + 1; k < in->n; k++) count_pair(&p, in->v[j], in->v[k], +1);
        }
        heap_poll(l->heap);
    }
    for (uint32_t i = 0; i <= p.mask; i++)
        if (p.table[i].count >= worth) queue_push(&p, (struct candidate){p.table[i].count, p.table[i].key});
    while (p.queue.n) {
        struct candidate c = queue_pop(&p);
        uint32_t now = pair_find(&p, c.key)->count;
        if (now < worth) continue;
        if (now < c.count) {
            queue_push(&p, (struct candidate){now, c.key});
            continue;
        }
        take_out(&p, (edge)(c.key >> 32), (edge)c.key);
        heap_poll(l->heap);
    }
    for (uint32_t i = 0; i < p.edges; i++) vec_free(l->heap, &p.gates[i]);
    heap_release(l->heap, p.gates);
    heap_release(l->heap, p.table);
    vec_free(l->heap, &p.queue);
}

void lists_join(struct lists *l)
{
    find_blocks(l);
}

void lists_share(struct lists *l, uint32_t worth)
{
    find_pairs(l, worth);
}

struct net *reduce_share(struct net *net)
{
    struct lists l;
    lists_open(&l, net);
    lists_join(&l);
    lists_share(&l, WORTH);
    return lists_close(&l);
}
