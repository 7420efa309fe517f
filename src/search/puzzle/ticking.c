// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/ticking.h"

#include <stdlib.h>

struct finder {
    const struct circuit *c;
    uint32_t wires;
    uint32_t *first, *reader; /* readers of wire w: reader[first[w]] .. reader[first[w + 1] - 1], as gates */
    uint32_t *next_first, *next_bit; /* the bits whose next value is wire w, plain or inverted */
    uint8_t *mark;
    uint32_t *stack, n;
};

static bool is_bit(const struct circuit *c, uint32_t wire)
{
    return wire >= 1 && wire <= c->nbits;
}

static void push(struct finder *f, uint32_t wire)
{
    if (f->mark[wire]) return;
    f->mark[wire] = 1;
    f->stack[f->n++] = wire;
}

/* Sort pairs (key, value) into rows by key. */
static void index_readers(struct finder *f)
{
    const struct circuit *c = f->c;
    for (uint32_t i = 0; i < c->edges.n; i++) f->first[(c->edges.v[i] >> 1) + 1]++;
    for (uint32_t b = 0; b < c->nbits; b++) f->next_first[(c->next[b] >> 1) + 1]++;
    for (uint32_t w = 0; w < f->wires; w++) {
        f->first[w + 1] += f->first[w];
        f->next_first[w + 1] += f->next_first[w];
    }
    for (uint32_t g = 0; g < c->ngates; g++)
        for (uint32_t i = 0; i < c->gates.v[g].n; i++)
            f->reader[f->first[c->edges.v[c->gates.v[g].first + i] >> 1]++] = g;
    for (uint32_t b = 0; b < c->nbits; b++) f->next_bit[f->next_first[c->next[b] >> 1]++] = b;
    for (uint32_t w = f->wires; w > 0; w--) { /* filling moved each row's beginning to its end */
        f->first[w] = f->first[w - 1];
        f->next_first[w] = f->next_first[w - 1];
    }
    f->first[0] = f->next_first[0] = 0;
}

/* Everything that moves can have an influence on, through any number of steps. */
static void spread(struct finder *f, bool *ticking)
{
    const struct circuit *c = f->c;
    for (uint32_t m = 0; m < c->nmoves; m++) push(f, wire_move(c, m));
    while (f->n > 0) {
        uint32_t w = f->stack[--f->n];
        if (is_bit(c, w)) ticking[w - 1] = false;
        for (uint32_t i = f->first[w]; i < f->first[w + 1]; i++) push(f, wire_gate(c, f->reader[i]));
        for (uint32_t i = f->next_first[w]; i < f->next_first[w + 1]; i++)
            push(f, wire_bit(c, f->next_bit[i]));
    }
}

/* Ticking bits that legal moves or other bits depend on count like others. */
static void trace(struct finder *f, bool *ticking)
{
    const struct circuit *c = f->c;
    for (uint32_t m = 0; m < c->nmoves; m++) push(f, c->legal[m] >> 1);
    for (uint32_t b = 0; b < c->nbits; b++)
        if (!ticking[b]) push(f, c->next[b] >> 1);
    while (f->n > 0) {
        uint32_t w = f->stack[--f->n];
        if (is_bit(c, w) && ticking[w - 1]) {
            ticking[w - 1] = false;
            push(f, c->next[w - 1] >> 1);
        }
        if (w < wire_gate(c, 0)) continue;
        const struct gate *g = &c->gates.v[w - wire_gate(c, 0)];
        for (uint32_t i = 0; i < g->n; i++) push(f, c->edges.v[g->first + i] >> 1);
    }
}

bool ticking_find(const struct circuit *c, bool *ticking)
{
    struct finder f = {.c = c, .wires = wire_gate(c, c->ngates)};
    f.first = calloc(f.wires + 2, sizeof *f.first);
    f.next_first = calloc(f.wires + 2, sizeof *f.next_first);
    f.reader = malloc((c->edges.n + 1) * sizeof *f.reader);
    f.next_bit = malloc((c->nbits + 1) * sizeof *f.next_bit);
    f.mark = calloc(f.wires + 1, 1);
    f.stack = malloc((f.wires + 1) * sizeof *f.stack);
    bool good = f.first && f.next_first && f.reader && f.next_bit && f.mark && f.stack;
    if (good) {
        memset(ticking, true, c->nbits * sizeof *ticking);
        index_readers(&f);
        spread(&f, ticking);
        memset(f.mark, 0, f.wires + 1);
        trace(&f, ticking);
    }
    free(f.first);
    free(f.next_first);
    free(f.reader);
    free(f.next_bit);
    free(f.mark);
    free(f.stack);
    return good;
}
