// SPDX-License-Identifier: GPL-3.0-or-later
/* a AND (b AND c), the inner gate used nowhere else: one wider gate, one store and one load less. */
#include "circuit/reduce.h"

#include <string.h>

/* How often each node is used; roots and definitions of knots count too, so that a gate used there stays. An
 * inverted use counts double: it cannot be absorbed. */
static uint32_t *count_uses(const struct net *net, const bool *mark)
{
    uint32_t *uses = heap_zalloc(net->heap, net->nodes.n * sizeof *uses);
    for (uint32_t i = 0; i < net->nodes.n; i++)
        for (uint32_t j = 0; j < net->nodes.v[i].n && mark[i]; j++) {
            edge e = net->pool.v[net->nodes.v[i].first + j];
            uses[e >> 1] += 1 + (e & 1);
        }
    for (uint32_t k = 0; k < net->knots.n; k++) uses[net->knot_def.v[k] >> 1] += 2;
    for (uint32_t m = 0; m < net->nmoves; m++) uses[net->legal[m] >> 1] += 2;
    for (uint32_t b = 0; b < net->nbits; b++) uses[net->next[b] >> 1] += 2;
    for (uint32_t g = 0; g < net->goals.n; g++) uses[net->goals.v[g].e >> 1] += 2;
    for (uint32_t i = 0; i < net->kept.n; i++) uses[net->kept.v[i] >> 1] += 2;
    uses[net->terminal >> 1] += 2;
    return uses;
}

struct net *reduce_absorb(struct net *net)
{
    struct heap *heap = net->heap;
    bool *mark = heap_alloc(heap, net->nodes.n);
    net_mark(net, mark);
    uint32_t *uses = count_uses(net, mark);
    uint32_t inputs = net_inputs(net);
    struct vec_u32 pool = {0};
    /* Bottom up: by the time a gate is written out, what it absorbs has been written out already. */
    for (uint32_t i = inputs; i < net->nodes.n; i++) {
        struct net_node *g = &net->nodes.v[i];
        if (!mark[i] || g->n == 0) continue;
        uint32_t first = pool.n;
        for (uint32_t j = 0; j < g->n; j++) {
            edge e = net->pool.v[g->first + j];
            struct net_node inner = net->nodes.v[e >> 1];
            if ((e & 1) || inner.n == 0 || uses[e >> 1] != 1) {
                vec_push(heap, &pool, e);
                continue;
            }
            for (uint32_t k = 0; k < inner.n; k++) vec_push(heap, &pool, pool.v[inner.first + k]);
        }
        g->first = first; /* from here on the node lives in the new pool */
        g->n = pool.n - first;
    }
    /* Unmarked gates still point into the old pool, but nothing reads them: net_copy follows the roots. */
    vec_free(heap, &net->pool);
    net->pool.v = pool.v, net->pool.n = pool.n, net->pool.cap = pool.cap;
    struct net *to = net_clean(net);
    heap_release(heap, mark);
    heap_release(heap, uses);
    net_free(net);
    return to;
}
