// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums in which each move has a sum of its own: m1·(c1·x11 + c2·x12 + ...) + m2·(c1·x21 + c2·x22 + ...) + ...
 *
 * "What the pit that is emptied holds is added to the store" reads so: for each pit, all pairs of what is in
 * the store and in the pit. Grouped by the c that all moves have, the moves only select:
 *
 *     c1·(m1·x11 + m2·x21 + ...) + c2·(m1·x12 + m2·x22 + ...) + ...
 *
 * and the inner sums are the same for many such sums. Where they are not, nothing is gained: the net that was
 * given is kept unless the new one is much smaller.
 */
#include "circuit/lists.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = 8, DEEPEST = 3 }; /* products; sums in sums */

struct product {
    edge c, x;
    edge move; /* or what else depends on moves */
};

struct regrouper {
    struct lists *l;
    struct heap *heap;
    uint32_t *count; /* by edge: products it is in, zero between sums */
    VEC(struct product) products;
    struct vec_u32 terms; /* gates that are regrouped */
    struct vec_u32 flat;  /* inputs of the present one */
};

/* The OR of products of two edges each that a gate is the inverse of? */
static bool is_sum_of_pairs(const struct lists *l, edge e)
{
    const struct vec_u32 *in = &l->in[e >> 1];
    if (e >> 1 >= l->net->nodes.n || !(e & 1) || in->n < 2 || l->moved[e >> 1]) return false;
    for (uint32_t i = 0; i < in->n; i++)
        if (!(in->v[i] & 1) || l->in[in->v[i] >> 1].n != 2) return false;
    return true;
}

/* The inputs of a product, those of products in it written out. */
static void flatten(struct regrouper *r, uint32_t gate)
{
    const struct vec_u32 *in = &r->l->in[gate];
    vec_clear(&r->flat);
    for (uint32_t i = 0; i < in->n; i++) {
        const struct vec_u32 *inner = &r->l->in[in->v[i] >> 1];
        bool product = !(in->v[i] & 1) && inner->n;
        if (!product) vec_push(r->heap, &r->flat, in->v[i]);
        for (uint32_t k = 0; product && k < inner->n; k++) vec_push(r->heap, &r->flat, inner->v[k]);
    }
}

/* All of a product but one input, as one edge. */
static edge rest_of(struct regrouper *r, uint32_t but)
{
    if (r->flat.n == 2) return r->flat.v[1 - but];
    uint32_t rest = lists_add(r->l);
    for (uint32_t i = 0; i < r->flat.n; i++)
        if (i != but) vec_push(r->heap, &r->l->in[rest], r->flat.v[i]);
    return rest << 1;
}

static edge pair_of(struct regrouper *r, edge a, edge b)
{
    uint32_t gate = lists_add(r->l);
    vec_push(r->heap, &r->l->in[gate], a);
    vec_push(r->heap, &r->l->in[gate], b);
    return gate << 1;
}

/* The products of a sum of pairs with what depends on moves; large sums among the pairs are written out. */
static void add_pairs(struct regrouper *r, uint32_t sum, edge move, uint32_t depth)
{
    const struct lists *l = r->l;
    for (uint32_t i = 0; i < l->in[sum].n; i++) {
        const edge *in = l->in[l->in[sum].v[i] >> 1].v, pair[2] = {in[0], in[1]};
        uint32_t inner = is_sum_of_pairs(l, pair[1]) && l->in[pair[1] >> 1].n >= FEWEST;
        if (is_sum_of_pairs(l, pair[inner]) && l->in[pair[inner] >> 1].n >= FEWEST && depth < DEEPEST) {
            add_pairs(r, pair[inner] >> 1, pair_of(r, move, pair[1 - inner]), depth + 1);
            continue;
        }
        vec_push(r->heap, &r->products, (struct product){pair[0], pair[1], move});
        r->count[pair[0]]++;
        r->count[pair[1]]++;
    }
}

/* Is the gate a product of moves and a sum of pairs that does not depend on moves? */
static void read_term(struct regrouper *r, uint32_t gate)
{
    const struct lists *l = r->l;
    if (!l->moved[gate] || l->in[gate].n < 2) return;
    flatten(r, gate);
    uint32_t which = 0;
    while (which < r->flat.n && !is_sum_of_pairs(l, r->flat.v[which])) which++;
    if (which == r->flat.n) return;
    uint32_t sum = r->flat.v[which] >> 1;
    edge move = rest_of(r, which);
    add_pairs(r, sum, move, 0);
    vec_push(r->heap, &r->terms, gate);
}

static int by_c(const void *a, const void *b)
{
    const struct product *p = a, *q = b;
    if (p->c != q->c) return p->c < q->c ? -1 : 1;
    if (p->move != q->move) return p->move < q->move ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static void regroup(struct regrouper *r, uint32_t gate)
{
    struct product *p = r->products.v;
    uint32_t n = r->products.n;
    for (uint32_t i = 0; i < n; i++)
        if (r->count[p[i].x] > r->count[p[i].c]) {
            edge t = p[i].c;
            p[i].c = p[i].x;
            p[i].x = t;
        }
    qsort(p, n, sizeof *p, by_c);
    struct vec_u32 *in = &r->l->in[gate];
    for (uint32_t i = 0, kept = 0; i <= in->n; i++) {
        bool gone = false;
        for (uint32_t k = 0; k < r->terms.n && i < in->n && !gone; k++)
            gone = in->v[i] == (r->terms.v[k] << 1 | 1);
        if (i == in->n)
            in->n = kept;
        else if (!gone)
            in->v[kept++] = in->v[i];
    }
    for (uint32_t i = 0, j; i < n; i = j) {
        uint32_t sum = lists_add(r->l);
        for (j = i; j < n && p[j].c == p[i].c; j++) {
            edge selected = pair_of(r, p[j].move, p[j].x) ^ 1;
            vec_push(r->heap, &r->l->in[sum], selected);
        }
        edge product = pair_of(r, p[i].c, sum << 1 | 1) ^ 1;
        vec_push(r->heap, &r->l->in[gate], product);
    }
}

static struct net *regrouped(struct net *net)
{
    struct lists l;
    lists_open(&l, net);
    struct regrouper r = {.l = &l, .heap = net->heap};
    r.count = heap_zalloc(r.heap, (size_t)net->nodes.n * 2 * sizeof *r.count);
    for (uint32_t i = net_inputs(net); i < net->nodes.n; i++) {
        if (!l.moved[i]) continue;
        vec_clear(&r.products);
        vec_clear(&r.terms);
        for (uint32_t k = 0; k < l.in[i].n; k++)
            if (l.in[i].v[k] & 1) read_term(&r, l.in[i].v[k] >> 1);
        if (r.terms.n > 1 && r.products.n >= FEWEST) regroup(&r, i);
        for (uint32_t k = 0; k < r.products.n; k++)
            r.count[r.products.v[k].c] = r.count[r.products.v[k].x] = 0;
        heap_poll(r.heap);
    }
    heap_release(r.heap, r.count);
    vec_free(r.heap, &r.products);
    vec_free(r.heap, &r.terms);
    vec_free(r.heap, &r.flat);
    return lists_close(&l);
}

struct net *reduce_regroup(struct net *net)
{
    struct net *other = regrouped(net_clean(net));
    bool smaller = net_size(other).edges < net_size(net).edges / 10 * 9;
    net_free(smaller ? net : other);
    return smaller ? other : net;
}
