/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bits of the state that nothing reads: no legal move, not the end, no goal, in no number of steps. What was
 * played last, who drew a line: sheets note such things for people. States that differ in nothing else are as
 * good as one. Proved from the circuit. */
#ifndef CIRCUIT_UNREAD_H
#define CIRCUIT_UNREAD_H

#include "circuit/circuit.h"

/* A state with all bits that are read, (nbits + 63) / 64 words, to be freed; NULL where that is all of them,
 * or without memory. */
uint64_t *circuit_read_bits(const struct circuit *c);

#endif
