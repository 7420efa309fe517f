// SPDX-License-Identifier: GPL-3.0-or-later
/* Which goals can still come, on wires.
 *
 * Some bits latch: a mark stays, a cell that is taken is never free again. What lasts is found in rounds:
 *
 *     first     a bit has a value for ever if its next value is the same again by three-valued logic, when
 *               nothing else is known
 *     then      the same with all that is known from the round before to last: a cell has no x and is taken;
 *               so it will never have one
 *
 * A move is known not to be made where it is known not to be legal. What comes out are wires, for every bit
 * "false for ever" and "true for ever". From these every gate of the goals has "may be true some day" and
 * "may be false some day". */
#include "circuit/reduce.h"

#include <string.h>

#define ROUNDS 3
#define MOST_WORK 100000000 /* edges looked at: some tenths of a second */
#define MOST_EDGES 300000   /* of the net, before it is tidied */

struct outlook {
    struct heap *heap;
    const struct circuit *c;
    struct net *net;
    edge *lasts[2]; /* by bit: an edge of the net, true where the bit is false, true for ever */
    edge *known[2]; /* by wire: the same of all wires, when nothing else is known; from the round before */
    edge *held[2];  /* ... and when one bit is known to be what it is */
    uint32_t *changed, bit; /* by wire: it is not the same when this bit, counted from 1, is held */
    bool *step;             /* by gate: the next state depends on it */
    VEC(edge) args;
    uint64_t work;
};

static edge look_up(struct outlook *o, edge e, bool value, bool holding)
{
    uint32_t wire = e >> 1;
    bool plain = value ^ (e & 1);
    return holding && o->changed[wire] == o->bit ? o->held[plain][wire] : o->known[plain][wire];
}

/* A gate is false as soon as one input is, true when all are. */
static edge any_or_all(struct outlook *o, uint32_t gate, bool value, bool holding)
{
    struct gate g = o->c->gates.v[gate];
    o->args.n = 0;
    for (uint32_t i = 0; i < g.n; i++)
        vec_push(o->heap, &o->args, look_up(o, o->c->edges.v[g.first + i], value, holding));
    return value ? net_and(o->net, o->args.v, o->args.n) : net_or(o->net, o->args.v, o->args.n);
}

static bool is_changed(const struct outlook *o, uint32_t gate)
{
    struct gate g = o->c->gates.v[gate];
    for (uint32_t i = 0; i < g.n; i++)
        if (o->changed[o->c->edges.v[g.first + i] >> 1] == o->bit) return true;
    return false;
}

static void know_gates(struct outlook *o, uint32_t from, uint32_t to)
{
    for (uint32_t g = from; g < to; g++) {
        if (!o->step[g]) continue;
        for (int v = 0; v < 2; v++) o->known[v][wire_gate(o->c, g)] = any_or_all(o, g, v, false);
        heap_poll(o->heap);
    }
}

/* What lasts of all wires, by what lasts of the bits. */
static void know(struct outlook *o)
{
    const struct circuit *c = o->c;
    for (uint32_t b = 0; b < c->nbits; b++)
        for (int v = 0; v < 2; v++) o->known[v][wire_bit(c, b)] = o->lasts[v][b];
    know_gates(o, 0, c->phase_end[PHASE_VIEW]);
    for (uint32_t m = 0; m < c->nmoves; m++)
        o->known[0][wire_move(c, m)] = look_up(o, c->legal[m], false, false);
    know_gates(o, c->phase_end[PHASE_GOAL], c->ngates);
}

static void hold_gates(struct outlook *o, uint32_t from, uint32_t to)
{
    for (uint32_t g = from; g < to; g++) {
        uint32_t wire = wire_gate(o->c, g);
        if (!o->step[g]) continue;
        o->work += o->c->gates.v[g].n;
        if (!is_changed(o, g)) continue;
        for (int v = 0; v < 2; v++) o->held[v][wire] = any_or_all(o, g, v, true);
        if (o->held[0][wire] != o->known[0][wire] || o->held[1][wire] != o->known[1][wire])
            o->changed[wire] = o->bit;
    }
}

/* The same when the bit has the value. */
static void hold(struct outlook *o, uint32_t bit, bool value)
{
    const struct circuit *c = o->c;
    memset(o->changed, 0, wire_gate(c, c->ngates) * sizeof *o->changed);
    o->work += c->ngates / 8;
    o->changed[wire_bit(c, bit)] = o->bit;
    o->held[value][wire_bit(c, bit)] = EDGE_TRUE;
    o->held[!value][wire_bit(c, bit)] = EDGE_FALSE;
    hold_gates(o, 0, c->phase_end[PHASE_VIEW]);
    for (uint32_t m = 0; m < c->nmoves; m++) {
        uint32_t wire = wire_move(c, m);
        if (o->changed[c->legal[m] >> 1] != o->bit) continue;
        o->held[0][wire] = look_up(o, c->legal[m], false, true);
        o->held[1][wire] = EDGE_FALSE;
        o->changed[wire] = o->bit;
    }
    hold_gates(o, c->phase_end[PHASE_GOAL], c->ngates);
}

static edge lasting(struct outlook *o, uint32_t bit, bool value)
{
    hold(o, bit, value);
    heap_poll_slow(o->heap);
    if (o->work > MOST_WORK || o->net->pool.n > MOST_EDGES)
        heap_fail(o->heap, ERROR_MEMORY, "what lasts would take too much to find");
    edge both[] = {net_bit(o->net, bit) ^ !value, look_up(o, o->c->next[bit], value, true)};
    return net_and(o->net, both, 2);
}

static void find_lasting(struct outlook *o)
{
    const struct circuit *c = o->c;
    size_t bytes = (c->nbits + 1) * sizeof(edge);
    edge *found[2] = {heap_alloc(o->heap, bytes), heap_alloc(o->heap, bytes)};
    for (int round = 0; round < ROUNDS; round++) {
        know(o);
        for (o->bit = 1; o->bit <= c->nbits; o->bit++)
            for (int v = 0; v < 2; v++) found[v][o->bit - 1] = lasting(o, o->bit - 1, v);
        for (int v = 0; v < 2; v++) memcpy(o->lasts[v], found[v], bytes);
    }
}

static void find_cone(struct outlook *o)
{
    const struct circuit *c = o->c;
    bool *wires = heap_zalloc(o->heap, wire_gate(c, c->ngates));
    for (uint32_t b = 0; b < c->nbits; b++) wires[c->next[b] >> 1] = true;
    for (uint32_t m = 0; m < c->nmoves; m++) wires[c->legal[m] >> 1] = true;
    circuit_close(c, wires);
    o->step = wires + wire_gate(c, 0);
}

/* What may come of it is what does not last otherwise. */
static void look_out(struct outlook *o)
{
    const struct circuit *c = o->c;
    memset(o->step, true, c->ngates);
    know(o);
    know_gates(o, c->phase_end[PHASE_VIEW], c->phase_end[PHASE_GOAL]);
    uint32_t k = 0;
    for (uint32_t r = 0; r < c->nroles; r++)
        for (uint32_t i = 0; i < c->goals.n; i++)
            if (c->goals.v[i].role == r) o->net->legal[k++] = look_up(o, c->goals.v[i].e, false, false) ^ 1;
}

static void build(struct circuit *out, const struct circuit *c)
{
    struct heap *heap = out->heap;
    out->nroles = c->nroles, out->nbits = c->nbits, out->nmoves = c->goals.n;
    out->move_base = heap_zalloc(heap, (c->nroles + 1) * sizeof *out->move_base);
    for (uint32_t i = 0; i < c->goals.n; i++) out->move_base[c->goals.v[i].role + 1]++;
    for (uint32_t r = 0; r < c->nroles; r++) out->move_base[r + 1] += out->move_base[r];
    out->init = heap_zalloc(heap, c->nbits + 1);
    memcpy(out->init, c->init, c->nbits);
    struct outlook o = {.heap = heap, .c = c};
    size_t wires = wire_gate(c, c->ngates);
    for (int v = 0; v < 2; v++) {
        o.lasts[v] = heap_alloc(heap, (c->nbits + 1) * sizeof *o.lasts[v]);
        o.known[v] = heap_alloc(heap, wires * sizeof *o.known[v]);
        o.held[v] = heap_alloc(heap, wires * sizeof *o.held[v]);
        for (size_t i = 0; i < wires; i++) o.known[v][i] = EDGE_FALSE;
        for (uint32_t b = 0; b <= c->nbits; b++) o.lasts[v][b] = EDGE_FALSE;
    }
    o.known[1][0] = EDGE_TRUE; /* the constant */
    o.changed = heap_zalloc(heap, wires * sizeof *o.changed);
    o.net = net_new(heap, c->nbits, out->move_base, c->nroles);
    find_cone(&o);
    find_lasting(&o);
    look_out(&o);
    bool telling = false;
    for (uint32_t k = 0; k < out->nmoves; k++) telling |= o.net->legal[k] > EDGE_FALSE;
    if (!telling) heap_fail(heap, ERROR_INPUT, "nothing that lasts tells which goals can still come");
    for (uint32_t b = 0; b < c->nbits; b++) o.net->next[b] = net_bit(o.net, b);
    o.net->terminal = EDGE_FALSE;
    struct net *net = net_clean(o.net);
    net_free(o.net);
    for (int v = 0; v < 2; v++) {
        heap_release(heap, o.lasts[v]);
        heap_release(heap, o.known[v]);
        heap_release(heap, o.held[v]);
    }
    heap_release(heap, o.changed);
    circuit_emit(out, reduce_share(reduce_absorb(net)));
}

struct circuit *circuit_outlook(const struct circuit *c, double seconds, const atomic_bool *cancel,
                                struct error *error)
{
    return circuit_derive(c, build, seconds, cancel, error);
}
