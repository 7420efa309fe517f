// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/lists.h"

#include <string.h>

enum { FEW = 64 };

/* Does a node depend on moves? A knot does if its definition does, which may be found later. */
static void find_moved(struct lists *l)
{
    const struct net *net = l->net;
    l->moved = heap_zalloc(l->heap, net->nodes.n);
    memset(l->moved + 1 + net->nbits, true, net->nmoves);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = net_inputs(net); i < net->nodes.n; i++)
            for (uint32_t j = 0; j < l->in[i].n && !l->moved[i]; j++)
                l->moved[i] = l->moved[l->in[i].v[j] >> 1];
        for (uint32_t k = 0; k < net->knots.n; k++) {
            bool *knot = &l->moved[net->knots.v[k]];
            if (*knot || !l->moved[net->knot_def.v[k] >> 1]) continue;
            *knot = again = true;
        }
        heap_poll(l->heap);
    }
}

void lists_open(struct lists *l, struct net *net)
{
    *l = (struct lists){.heap = net->heap, .net = net, .n = net->nodes.n, .cap = net->nodes.n};
    l->in = heap_zalloc(l->heap, (size_t)l->cap * sizeof *l->in);
    bool *mark = heap_alloc(l->heap, net->nodes.n);
    net_mark(net, mark);
    for (uint32_t i = net_inputs(net); i < net->nodes.n; i++) {
        struct net_node g = net->nodes.v[i];
        if (!mark[i] || g.n == 0) continue;
        vec_reserve(l->heap, &l->in[i], g.n);
        memcpy(l->in[i].v, net->pool.v + g.first, g.n * sizeof(edge));
        l->in[i].n = g.n;
    }
    heap_release(l->heap, mark);
    find_moved(l);
}

uint32_t lists_add(struct lists *l)
{
    if (l->n == l->cap) {
        uint32_t cap = l->cap + l->cap / 2 + 64;
        l->in = heap_realloc(l->heap, l->in, (size_t)cap * sizeof *l->in);
        memset(l->in + l->cap, 0, (cap - l->cap) * sizeof *l->in);
        l->cap = cap;
    }
    return l->n++;
}

/* Make the new gate (and those it reads that are new too) in the net being written. */
static edge write_gate(struct lists *l, struct net *to, uint32_t node)
{
    if (l->map[node] != UINT32_MAX) return l->map[node];
    edge few[FEW], *e = l->in[node].n <= FEW ? few : heap_alloc(l->heap, l->in[node].n * sizeof *e);
    for (uint32_t i = 0; i < l->in[node].n; i++)
        e[i] = write_gate(l, to, l->in[node].v[i] >> 1) ^ (l->in[node].v[i] & 1);
    edge made = net_and(to, e, l->in[node].n);
    if (e != few) heap_release(l->heap, e);
    return l->map[node] = made;
}

struct net *lists_close(struct lists *l)
{
    struct net *from = l->net, *to = net_new(l->heap, from->nbits, from->move_base, from->nroles);
    l->map = heap_alloc(l->heap, (size_t)l->n * sizeof *l->map);
    for (uint32_t i = 0; i < l->n; i++) l->map[i] = i < net_inputs(from) ? i << 1 : UINT32_MAX;
    for (uint32_t k = 0; k < from->knots.n; k++) l->map[from->knots.v[k]] = net_knot(to);
    /* What does not depend on moves comes first: a new gate may read it wherever it was. */
    for (int moved = 0; moved < 2; moved++)
        for (uint32_t i = net_inputs(from); i < from->nodes.n; i++)
            if (l->in[i].n && l->moved[i] == moved) write_gate(l, to, i);
#define MAPPED(e) (l->map[(e) >> 1] ^ ((e)&1))
    for (uint32_t k = 0; k < from->knots.n; k++)
        if (l->map[from->knot_def.v[k] >> 1] != UINT32_MAX)
            net_define_knot(to, l->map[from->knots.v[k]], MAPPED(from->knot_def.v[k]));
    for (uint32_t m = 0; m < from->nmoves; m++) to->legal[m] = MAPPED(from->legal[m]);
    for (uint32_t b = 0; b < from->nbits; b++) to->next[b] = MAPPED(from->next[b]);
    for (uint32_t g = 0; g < from->goals.n; g++) {
        struct circuit_goal goal = from->goals.v[g];
        goal.e = MAPPED(goal.e);
        vec_push(l->heap, &to->goals, goal);
    }
    to->terminal = MAPPED(from->terminal);
    for (uint32_t i = 0; i < from->kept.n; i++) vec_push(l->heap, &to->kept, MAPPED(from->kept.v[i]));
#undef MAPPED
    for (uint32_t i = 0; i < l->n; i++) vec_free(l->heap, &l->in[i]);
    heap_release(l->heap, l->in);
    heap_release(l->heap, l->map);
    heap_release(l->heap, l->moved);
    net_free(from);
    return to;
}
