/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of circuit/: whose turn it is. */
#ifndef CIRCUIT_CYCLE_H
#define CIRCUIT_CYCLE_H

#include "circuit/circuit.h"

#define CYCLE_MOST 8

/* Fills in the circuit's period, turn_bits and turn_values. */
void cycle_find(struct circuit *c);
/* The circuit with the turn's bits as constants: bits, moves and outputs as before, but no goals. `kept` are
 * edges of view gates that somebody reads; the result's `kept` has what they become. It belongs to `heap`. */
struct circuit *circuit_in_turn(struct heap *heap, const struct circuit *c, uint32_t turn, const edge *kept,
                                uint32_t nkept);

#endif
