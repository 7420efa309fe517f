/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Circuits made at random, and an evaluator too simple to be wrong: what the sweepers are tested against. */
#ifndef TESTS_CIRCUIT_NAIVE_H
#define TESTS_CIRCUIT_NAIVE_H

#include "base/rng.h"
#include "circuit/circuit.h"

struct random_shape {
    uint32_t nbits, nroles, moves, gates, loops, width; /* per role; per phase; inputs of a gate */
};

/* The circuit lives on its heap: heap_free(c->heap). */
struct circuit *random_circuit(struct rng *rng, const struct random_shape *shape);

/* All wires of one lane, from those of the state and the moves, which the caller has set. Loops are evaluated
 * as their definition says: all their gates anew from the values of the round before, until nothing changes.
 */
void naive_evaluate(const struct circuit *c, bool *wires);

static inline bool naive_edge(const bool *wires, edge e)
{
    return wires[e >> 1] ^ (e & 1);
}

#endif
