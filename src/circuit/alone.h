/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves that never are a choice: whenever one of them is legal, the role has no other. To wait for one's turn
 * is such a move in most games, to pass is not. Proved from the circuit; what cannot be proved is not said.
 */
#ifndef CIRCUIT_ALONE_H
#define CIRCUIT_ALONE_H

#include "circuit/circuit.h"

struct lone_moves {
    const uint32_t *base; /* the circuit's move_base */
    bool is[];            /* by move of the circuit */
};

static inline bool is_lone_move(const struct lone_moves *l, uint32_t role, uint32_t move)
{
    return l->is[l->base[role] + move];
}

/* To be freed; refers to the circuit. NULL without memory. */
struct lone_moves *circuit_lone_moves(const struct circuit *c);

#endif
