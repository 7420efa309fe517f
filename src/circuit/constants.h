/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of circuit/: which atoms of a ground program ever change. */
#ifndef CIRCUIT_CONSTANTS_H
#define CIRCUIT_CONSTANTS_H

#include "ground/ground.h"

enum { CAN_BE_TRUE = 1, CAN_BE_FALSE = 2 };

/* By atom: what values it can take in states reachable from the initial one, as an over-approximation
 * (three-valued simulation). `cyclic[atom]` marks atoms on positive cycles. The result belongs to `heap`. */
uint8_t *constants_find(struct heap *heap, const struct ground *g, const bool *cyclic);

#endif
