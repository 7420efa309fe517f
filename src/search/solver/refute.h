/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can these wires of a circuit ever have these values together? Every assignment of the state's bits and
 * moves is thought of, reachable or not, so "impossible" is a proof and "perhaps" is not.
 *
 * Unit propagation through the AND gates both ways; where it stops, a gate that must be false but has no
 * false input yet is split on one of them (Davis, Logemann and Loveland). Gates of loops are held to their
 * equations only, which the least fixpoint satisfies. */
#ifndef SEARCH_SOLVER_REFUTE_H
#define SEARCH_SOLVER_REFUTE_H

#include "circuit/circuit.h"

struct refuter;

/* `steps`: how many splits it may make in all its life. NULL without memory. */
struct refuter *refuter_new(const struct circuit *c, uint64_t steps);
void refuter_free(struct refuter *r);

/* True: they can not all be true at once. False: they can, or it is not known. */
bool refuter_impossible(struct refuter *r, const edge *facts, uint32_t n);
uint64_t refuter_steps(const struct refuter *r);

#endif
