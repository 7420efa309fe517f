// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/alone.h"

#include <stdlib.h>

enum { FAR = 64 }; /* conditions of a move that are looked at */

/* What must hold for an edge to be true: itself and, if it is a gate, all that goes into it. */
struct conditions {
    edge v[FAR];
    uint32_t n;
};

static void add(struct conditions *k, edge e)
{
    if (k->n < FAR) k->v[k->n++] = e;
}

static void find_conditions(struct conditions *k, const struct circuit *c, edge e)
{
    k->n = 0;
    add(k, e);
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t w = k->v[i] >> 1;
        if (k->v[i] & 1 || w < wire_gate(c, 0)) continue;
        const struct gate *g = &c->gates.v[w - wire_gate(c, 0)];
        for (uint32_t j = 0; j < g->n; j++) add(k, c->edges.v[g->first + j]);
    }
}

static bool contradict(const struct conditions *a, const struct conditions *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < b->n; j++)
            if (a->v[i] == (b->v[j] ^ 1)) return true;
    return false;
}

static bool excludes_others(const struct circuit *c, uint32_t move, uint32_t from, uint32_t to)
{
    struct conditions own, other;
    find_conditions(&own, c, c->legal[move]);
    for (uint32_t m = from; m < to; m++) {
        if (m == move) continue;
        find_conditions(&other, c, c->legal[m]);
        if (!contradict(&own, &other)) return false;
    }
    return true;
}

struct lone_moves *circuit_lone_moves(const struct circuit *c)
{
    struct lone_moves *l = calloc(1, sizeof *l + c->nmoves * sizeof *l->is);
    if (!l) return NULL;
    l->base = c->move_base;
    for (uint32_t r = 0; r < c->nroles; r++)
        for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++)
            l->is[m] = excludes_others(c, m, c->move_base[r], c->move_base[r + 1]);
    return l;
}
