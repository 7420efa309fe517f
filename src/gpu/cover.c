// SPDX-License-Identifier: GPL-3.0-or-later
/* Which nodes become gates: cuts of at most three leaves, chosen by area flow.
 *
 * A cut of a node is a set of nodes from which it can be computed, with the table that does it. The area of a
 * cut is one gate and a share of what its leaves need, shared among those that read them. The best cuts of
 * the inputs give the cuts of a node. Nodes of a loop and nodes outside are never put into one gate: what is
 * outside is not computed again with every sweep, and what is inside is read when the loop has ended. */
#include "gpu/lut.h"

#define CUTS 8

struct cut {
    uint32_t leaf[3];
    uint8_t n, table;
    float area;
};

struct covering {
    struct lut_net *net;
    struct cut *cuts; /* CUTS by node */
    uint8_t *ncuts;
    float *area;     /* by node: of its best cut, shared among its readers */
    uint32_t *reads; /* by node: how many read it, as far as is known */
};

/* The table of a cut seen from other leaves, of which its own are some. */
static uint8_t widen(const struct cut *c, const uint32_t *leaf, uint32_t n)
{
    uint8_t out = 0;
    uint32_t place[3] = {0};
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (c->leaf[i] == leaf[j]) place[i] = j;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t from = 0;
        for (uint32_t i = 0; i < c->n; i++) from |= (k >> (2 - place[i]) & 1) << (2 - i);
        out |= (uint8_t)((c->table >> from & 1) << k);
    }
    return out;
}

/* Leaves of both, ascending; 4 when there are too many. */
static uint32_t join(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb, uint32_t *out)
{
    uint32_t i = 0, j = 0, n = 0;
    while (i < na || j < nb) {
        uint32_t next = j == nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];
        if (n == 3) return 4;
        out[n++] = next;
        if (i < na && a[i] == next) i++;
        if (j < nb && b[j] == next) j++;
    }
    return n;
}

static void keep_cut(struct covering *x, uint32_t node, struct cut c)
{
    struct cut *cuts = x->cuts + (size_t)node * CUTS;
    uint32_t n = x->ncuts[node];
    for (uint32_t i = 0; i < n; i++)
        if (cuts[i].n == c.n && memcmp(cuts[i].leaf, c.leaf, sizeof c.leaf) == 0) return;
    if (n == CUTS && cuts[n - 1].area <= c.area) return;
    uint32_t at = n < CUTS ? n : CUTS - 1;
    for (; at > 0 && cuts[at - 1].area > c.area; at--) cuts[at] = cuts[at - 1];
    cuts[at] = c;
    if (n < CUTS) x->ncuts[node]++;
}

/* The cuts of an input: its own, and itself; the latter alone where it is another loop's. */
static uint32_t choices(const struct covering *x, uint32_t node, uint32_t input, struct cut *out)
{
    const struct lut_node *in = &x->net->nodes.v[input];
    uint32_t n = 0;
    out[n++] = (struct cut){.leaf = {input}, .n = 1, .table = 0xf0};
    if (in->kind != LUT_GATE || in->loop != x->net->nodes.v[node].loop) return n;
    for (uint32_t i = 0; i < x->ncuts[input]; i++) out[n++] = x->cuts[(size_t)input * CUTS + i];
    return n;
}

static void find_cuts(struct covering *x, uint32_t node)
{
    const struct lut_node *g = &x->net->nodes.v[node];
    struct cut in[3][CUTS + 1];
    uint32_t n[3] = {1, 1, 1};
    in[2][0] = (struct cut){0};
    for (uint32_t i = 0; i < g->n; i++) n[i] = choices(x, node, g->in[i], in[i]);
    x->ncuts[node] = 0;
    for (uint32_t a = 0; a < n[0]; a++)
        for (uint32_t b = 0; b < n[1]; b++) {
            uint32_t two[3], ntwo = join(in[0][a].leaf, in[0][a].n, in[1][b].leaf, in[1][b].n, two);
            for (uint32_t c = 0; ntwo <= 3 && c < n[2]; c++) {
                struct cut cut = {.area = 1};
                uint32_t all = join(two, ntwo, in[2][c].leaf, in[2][c].n, cut.leaf);
                if (all > 3) continue;
                cut.n = (uint8_t)all;
                uint8_t t[3] = {widen(&in[0][a], cut.leaf, all), widen(&in[1][b], cut.leaf, all),
                                g->n > 2 ? widen(&in[2][c], cut.leaf, all) : 0};
                for (uint32_t k = 0; k < 8; k++)
                    cut.table |= (uint8_t)((g->table >> ((t[0] >> k & 1) << 2 | (t[1] >> k & 1) << 1 |
                                                         (t[2] >> k & 1)) &
                                            1)
                                           << k);
                for (uint32_t i = 0; i < all; i++) cut.area += x->area[cut.leaf[i]];
                keep_cut(x, node, cut);
            }
        }
    uint32_t readers = x->reads[node] ? x->reads[node] : 1;
    x->area[node] = x->cuts[(size_t)node * CUTS].area / (float)readers;
}

/* Which nodes the best cuts need, from the roots down; how often each is read then. */
static void spread(struct covering *x, const uint32_t *roots, uint32_t nroots, bool *used)
{
    const struct lut_net *net = x->net;
    memset(used, 0, net->nodes.n);
    memset(x->reads, 0, net->nodes.n * sizeof *x->reads);
    for (uint32_t i = 0; i < nroots; i++) used[roots[i] >> 1] = true, x->reads[roots[i] >> 1]++;
    for (uint32_t i = net->nodes.n; i-- > 0;) {
        if (!used[i] || net->nodes.v[i].kind != LUT_GATE) continue;
        const struct cut *c = &x->cuts[(size_t)i * CUTS];
        for (uint32_t k = 0; k < c->n; k++) used[c->leaf[k]] = true, x->reads[c->leaf[k]]++;
    }
}

void lut_cover(struct lut_net *net, const uint32_t *roots, uint32_t nroots, bool *used)
{
    struct heap *heap = net->heap;
    uint32_t n = net->nodes.n;
    struct covering x = {.net = net};
    x.cuts = heap_alloc(heap, (size_t)n * CUTS * sizeof *x.cuts);
    x.ncuts = heap_zalloc(heap, n);
    x.area = heap_zalloc(heap, n * sizeof *x.area);
    x.reads = heap_zalloc(heap, n * sizeof *x.reads);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < net->nodes.v[i].n; k++) x.reads[net->nodes.v[i].in[k]]++;
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < n; i++)
            if (net->nodes.v[i].kind == LUT_GATE) {
                find_cuts(&x, i);
                heap_poll(heap);
            }
        spread(&x, roots, nroots, used);
    }
    for (uint32_t i = 0; i < n; i++)
        if (used[i] && net->nodes.v[i].kind == LUT_GATE) {
            const struct cut *c = &x.cuts[(size_t)i * CUTS];
            struct lut_node *g = &net->nodes.v[i];
            memcpy(g->in, c->leaf, sizeof g->in);
            g->n = c->n;
            g->table = c->table;
        }
    heap_release(heap, x.reads);
    heap_release(heap, x.area);
    heap_release(heap, x.ncuts);
    heap_release(heap, x.cuts);
}
