// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/mover.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORK 1e9 /* bits times inputs of gates */

void gpu_suppose(const struct circuit *c, edge bit, uint8_t *known)
{
    memset(known, GPU_UNKNOWN, wire_gate(c, c->ngates)); /* loops read wires before they are made */
    known[0] = GPU_KNOWN_TRUE;
    known[bit >> 1] = bit & 1 ? GPU_KNOWN_FALSE : GPU_KNOWN_TRUE;
    for (uint32_t g = 0; g < c->phase_end[PHASE_VIEW]; g++) {
        enum gpu_known all = GPU_KNOWN_TRUE;
        for (uint32_t i = 0; all != GPU_KNOWN_FALSE && i < c->gates.v[g].n; i++) {
            enum gpu_known x = gpu_known_edge(known, c->edges.v[c->gates.v[g].first + i]);
            if (x != GPU_KNOWN_TRUE) all = x;
        }
        known[wire_gate(c, g)] = (uint8_t)all;
    }
}

static bool one_move(const struct circuit *c, uint32_t role, const uint8_t *known)
{
    uint32_t possible = 0, sure = 0;
    for (uint32_t m = c->move_base[role]; m < c->move_base[role + 1]; m++) {
        enum gpu_known x = gpu_known_edge(known, c->legal[m]);
        possible += x != GPU_KNOWN_FALSE;
        sure += x == GPU_KNOWN_TRUE;
    }
    return possible == 1 && sure == 1;
}

/* The first bit that leaves each role one move only, as the edge under which it may have more; 0: there is
 * none. Bits that do so whatever they are say nothing. */
static void find_bits(const struct circuit *c, uint8_t *known, edge *free)
{
    for (uint32_t b = 0; b < c->nbits; b++)
        for (edge e = wire_bit(c, b) << 1; e <= (wire_bit(c, b) << 1 | 1); e++) {
            gpu_suppose(c, e ^ 1, known);
            for (uint32_t r = 0; r < c->nroles; r++)
                if (!free[r] && c->move_base[r + 1] - c->move_base[r] > 1 && one_move(c, r, known))
                    free[r] = e;
        }
}

static bool initially(const struct circuit *c, edge bit)
{
    return c->init[(bit >> 1) - wire_bit(c, 0)] != (bit & 1);
}

struct gpu_mover gpu_find_mover(const struct circuit *c)
{
    struct gpu_mover m = {0};
    if (c->nroles < 2 || (double)c->nbits * c->edges.n > MOST_WORK) return m;
    uint8_t *known = malloc(wire_gate(c, c->ngates));
    edge *free_if = calloc(c->nroles, sizeof *free_if);
    if (known && free_if) find_bits(c, known, free_if);
    for (uint32_t a = 0; free_if && a < c->nroles && !gpu_has_mover(&m); a++)
        for (uint32_t b = a + 1; free_if[a] && b < c->nroles && !gpu_has_mover(&m); b++) {
            edge x = free_if[a], y = free_if[b];
            if (!y || x == y || (initially(c, x) && initially(c, y))) continue;
            struct gpu_mover pair = {{a, b}, {x, y}};
            if (x == (y ^ 1) || gpu_never_both(c, &pair, initially(c, x) || initially(c, y))) m = pair;
        }
    free(free_if);
    free(known);
    return m;
}

bool gpu_both_free(const struct circuit *c, const struct gpu_mover *m, const uint64_t *state)
{
    bool both = gpu_has_mover(m);
    for (uint32_t i = 0; both && i < 2; i++) {
        uint32_t b = (m->free[i] >> 1) - wire_bit(c, 0);
        both = (state[b / 64] >> b % 64 & 1) != (m->free[i] & 1);
    }
    return both;
}

uint32_t gpu_mover_moves(const struct circuit *c, const struct gpu_mover *m, uint32_t i, uint8_t *known,
                         uint32_t *moves)
{
    uint32_t n = 0, role = m->role[i];
    gpu_suppose(c, m->free[i], known);
    for (uint32_t k = c->move_base[role]; k < c->move_base[role + 1]; k++)
        if (gpu_known_edge(known, c->legal[k]) != GPU_KNOWN_FALSE) moves[n++] = k;
    return n;
}

uint32_t gpu_mover_only_move(const struct circuit *c, const struct gpu_mover *m, uint32_t i, uint8_t *known)
{
    uint32_t k = c->move_base[m->role[i]];
    gpu_suppose(c, m->free[i] ^ 1, known);
    while (gpu_known_edge(known, c->legal[k]) != GPU_KNOWN_TRUE) k++;
    return k;
}
