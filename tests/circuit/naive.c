// SPDX-License-Identifier: GPL-3.0-or-later
#include "naive.h"

#include <stdlib.h>

/* A random edge to a wire below `limit` that a gate of the phase may read. */
static edge random_edge(struct rng *rng, const struct circuit *c, enum circuit_phase phase, uint32_t limit)
{
    for (;;) {
        uint32_t w =
            rng_below(rng, 4) ? rng_below(rng, limit) : limit - 1 - rng_below(rng, limit < 20 ? limit : 20);
        bool move = w > c->nbits && w <= c->nbits + c->nmoves;
        if (move && phase != PHASE_STEP) continue;
        if (w >= wire_gate(c, 0)) {
            uint32_t g = w - wire_gate(c, 0);
            if (phase == PHASE_STEP && g >= c->phase_end[PHASE_VIEW] && g < c->phase_end[PHASE_GOAL])
                continue;
        }
        if (w == 0 && rng_below(rng, 20)) continue;
        return w << 1 | rng_below(rng, 2);
    }
}

static uint32_t add_gate(struct circuit *c)
{
    vec_push(c->heap, &c->gates, (struct gate){.first = c->edges.n});
    return wire_gate(c, c->ngates++);
}

static void add_input(struct circuit *c, edge e)
{
    vec_push(c->heap, &c->edges, e);
    vec_last(&c->gates).n++;
}

static void add_plain_gate(struct rng *rng, struct circuit *c, enum circuit_phase phase, uint32_t width)
{
    uint32_t limit = wire_gate(c, c->ngates),
             n = rng_below(rng, 8) ? 1 + rng_below(rng, 4) : rng_below(rng, width);
    add_gate(c);
    for (uint32_t i = 0; i < n; i++) add_input(c, random_edge(rng, c, phase, limit));
}

/* Atoms a_0 .. a_k-1 that derive each other: a_i <- outside; a_i <- a_j, a_l, outside. A wire carries the
 * inverse of an atom. */
static void add_loop(struct rng *rng, struct circuit *c, enum circuit_phase phase)
{
    uint32_t k = 2 + rng_below(rng, 6), limit = wire_gate(c, c->ngates), first = c->ngates;
    struct loop loop = {.first = first, .cut_first = c->cuts.n};
    for (uint32_t i = 0; i < 2 * k; i++) { /* two bodies per atom; the wires of the atoms come after them */
        add_gate(c);
        uint32_t n = 1 + rng_below(rng, 2);
        for (uint32_t j = 0; j < n; j++)
            add_input(c, wire_gate(c, first + 2 * k + rng_below(rng, k)) << 1 | 1);
        if (rng_below(rng, 2)) add_input(c, random_edge(rng, c, phase, limit));
    }
    for (uint32_t i = 0; i < k; i++) {
        uint32_t w = add_gate(c);
        add_input(c, wire_gate(c, first + 2 * i) << 1 | 1);
        add_input(c, wire_gate(c, first + 2 * i + 1) << 1 | 1);
        if (rng_below(rng, 2)) {
            add_input(c, random_edge(rng, c, phase, limit));
            add_input(c, random_edge(rng, c, phase, limit));
        }
        vec_push(c->heap, &c->cuts, w << 1);
    }
    loop.n = c->ngates - first;
    loop.cut_n = k;
    vec_push(c->heap, &c->loops, loop);
}

struct circuit *random_circuit(struct rng *rng, const struct random_shape *shape)
{
    struct heap *heap = heap_new(0);
    struct circuit *c = heap_zalloc(heap, sizeof *c);
    c->heap = heap;
    c->nbits = shape->nbits;
    c->nroles = shape->nroles;
    c->init = heap_zalloc(heap, c->nbits + 1);
    for (uint32_t i = 0; i < c->nbits; i++) c->init[i] = rng_below(rng, 2);
    c->move_base = heap_zalloc(heap, (c->nroles + 1) * sizeof *c->move_base);
    for (uint32_t r = 0; r < c->nroles; r++)
        c->move_base[r + 1] = c->move_base[r] + (rng_below(rng, 5) ? 1 + rng_below(rng, shape->moves) : 1);
    c->nmoves = c->move_base[c->nroles];
    for (enum circuit_phase phase = PHASE_VIEW; phase < PHASE_COUNT; phase++) {
        for (uint32_t i = 0; i < shape->loops; i++) {
            uint32_t n = rng_below(rng, shape->gates / (shape->loops + 1) + 1);
            for (uint32_t j = 0; j < n; j++) add_plain_gate(rng, c, phase, shape->width);
            add_loop(rng, c, phase);
        }
        for (uint32_t j = 0; j < shape->gates / (shape->loops + 1); j++)
            add_plain_gate(rng, c, phase, shape->width);
        c->phase_end[phase] = c->ngates;
        uint32_t limit = wire_gate(c, c->ngates);
        if (phase == PHASE_VIEW) {
            c->legal = heap_alloc(heap, c->nmoves * sizeof *c->legal);
            for (uint32_t m = 0; m < c->nmoves; m++) c->legal[m] = random_edge(rng, c, phase, limit);
            c->terminal = random_edge(rng, c, phase, limit);
        } else if (phase == PHASE_GOAL) {
            for (uint32_t r = 0; r < c->nroles; r++)
                for (uint32_t value = 0; value <= 100; value += 25)
                    vec_push(heap, &c->goals,
                             (struct circuit_goal){r, value, random_edge(rng, c, phase, limit)});
        } else {
            c->next = heap_alloc(heap, (c->nbits + 1) * sizeof *c->next);
            for (uint32_t i = 0; i < c->nbits; i++) c->next[i] = random_edge(rng, c, phase, limit);
        }
    }
    return c;
}

static bool evaluate_gate(const struct circuit *c, uint32_t g, const bool *wires)
{
    for (uint32_t i = 0; i < c->gates.v[g].n; i++)
        if (!naive_edge(wires, c->edges.v[c->gates.v[g].first + i])) return false;
    return true;
}

void naive_evaluate(const struct circuit *c, bool *wires)
{
    wires[0] = true;
    uint32_t loop = 0;
    for (uint32_t g = 0; g < c->ngates;) {
        if (loop == c->loops.n || g < c->loops.v[loop].first) {
            wires[wire_gate(c, g)] = evaluate_gate(c, g, wires);
            g++;
            continue;
        }
        const struct loop *l = &c->loops.v[loop++];
        bool *next = malloc(l->n);
        for (uint32_t i = 0; i < l->n; i++)
            wires[wire_gate(c, g + i)] = false; /* bodies: false, as all atoms */
        for (uint32_t i = 0; i < l->cut_n; i++) {
            edge e = c->cuts.v[l->cut_first + i];
            wires[e >> 1] = !(e & 1);
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t i = 0; i < l->n; i++) next[i] = evaluate_gate(c, g + i, wires);
            for (uint32_t i = 0; i < l->n; i++) {
                changed |= wires[wire_gate(c, g + i)] != next[i];
                wires[wire_gate(c, g + i)] = next[i];
            }
        }
        free(next);
        g += l->n;
    }
}
