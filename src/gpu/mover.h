/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has a choice. In many games two roles move by turns that no clock tells: whoever jumps in Checkers
 * jumps again. But for each of them a bit of the state says when it has but one move, and the two never leave
 * a choice to both. Then one tree counts and chooses for both. */
#ifndef GPU_MOVER_H
#define GPU_MOVER_H

#include "circuit/circuit.h"

/* Role role[i] may have a choice where edge free[i], a bit of the state, is true; where it is not it has a
 * single move. Not both are ever true. The same role twice: there are no such roles. */
struct gpu_mover {
    uint32_t role[2];
    edge free[2];
};

struct gpu_mover gpu_find_mover(const struct circuit *c);

static inline bool gpu_has_mover(const struct gpu_mover *m)
{
    return m->role[0] != m->role[1];
}
/* Roles that never choose at the same time draw the same numbers. */
static inline uint32_t gpu_draws_as(const struct gpu_mover *m, uint32_t role)
{
    uint32_t first = m->role[0] < m->role[1] ? m->role[0] : m->role[1];
    return gpu_has_mover(m) && (role == m->role[0] || role == m->role[1]) ? first : role;
}

/* Both may have a choice: never in states that games lead to. */
bool gpu_both_free(const struct circuit *c, const struct gpu_mover *m, const uint64_t *state);

enum gpu_known { GPU_KNOWN_FALSE, GPU_KNOWN_TRUE, GPU_UNKNOWN };

/* What is known of the wires of the view, in any state in which this bit is true (or false, for an inverted
 * edge); `known` by wire. */
void gpu_suppose(const struct circuit *c, edge bit, uint8_t *known);
static inline enum gpu_known gpu_known_edge(const uint8_t *known, edge e)
{
    uint8_t x = known[e >> 1];
    return x == GPU_UNKNOWN ? GPU_UNKNOWN : (enum gpu_known)(x ^ (e & 1));
}

/* The moves from which role role[i] chooses where it may, numbers of the circuit; returns how many. `known`
 * has room for what is known of each wire. */
uint32_t gpu_mover_moves(const struct circuit *c, const struct gpu_mover *m, uint32_t i, uint8_t *known,
                         uint32_t *moves);
/* Its only move where it may not. */
uint32_t gpu_mover_only_move(const struct circuit *c, const struct gpu_mover *m, uint32_t i, uint8_t *known);

/* Can it be shown that games, which begin where one has or where none has, never lead to a state in which
 * both may have a choice? */
bool gpu_never_both(const struct circuit *c, const struct gpu_mover *m, bool one_begins);

#endif
