// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/unread.h"

#include <stdlib.h>

struct cone {
    uint8_t *mark; /* by wire */
    uint32_t *stack, n;
};

static void push(struct cone *k, edge e)
{
    if (k->mark[e >> 1]) return;
    k->mark[e >> 1] = 1;
    k->stack[k->n++] = e >> 1;
}

/* Everything that moves, the end and goals depend on, through any number of steps. */
static void trace(struct cone *k, const struct circuit *c)
{
    for (uint32_t m = 0; m < c->nmoves; m++) push(k, c->legal[m]);
    for (uint32_t i = 0; i < c->goals.n; i++) push(k, c->goals.v[i].e);
    push(k, c->terminal);
    while (k->n > 0) {
        uint32_t w = k->stack[--k->n];
        if (w >= 1 && w <= c->nbits) push(k, c->next[w - 1]);
        if (w < wire_gate(c, 0)) continue;
        const struct gate *g = &c->gates.v[w - wire_gate(c, 0)];
        for (uint32_t i = 0; i < g->n; i++) push(k, c->edges.v[g->first + i]);
    }
}

uint64_t *circuit_read_bits(const struct circuit *c)
{
    uint32_t wires = wire_gate(c, c->ngates), read = 0;
    struct cone k = {.mark = calloc(wires, 1), .stack = malloc(wires * sizeof *k.stack)};
    uint64_t *bits = calloc((c->nbits + 63) / 64 + 1, sizeof *bits);
    if (k.mark && k.stack && bits) {
        trace(&k, c);
        for (uint32_t b = 0; b < c->nbits; b++)
            if (k.mark[wire_bit(c, b)]) bits[b / 64] |= (uint64_t)1 << (b % 64), read++;
    }
    free(k.mark);
    free(k.stack);
    if (read > 0 && read < c->nbits) return bits;
    free(bits);
    return NULL;
}
