/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far is the goal if nothing that was true ever stops being true, and nothing that was false stops being
 * false? (Delete relaxation, Hoffmann & Nebel 2001, on the circuit; 002 section 3.3.5.)
 *
 * Every wire has two costs: moves needed until it can be 1, and until it can be 0.
 *
 *     state bit     0 for the value it has; the other one move after its next value can be that
 *     move          can be made when it can be legal; can always be left out
 *     AND           can be 1 when all inputs can, can be 0 when one can
 *
 * Costs settle layer by layer: one pass over the gates for each. 64 states are measured at once, a byte each.
 * What counts time is free to be anything. Loops are measured as if what starts them cost nothing, so that a
 * cost is never too high: `layers` never exceeds the true distance, and a goal that is out of reach here is
 * out of reach.
 */
#ifndef SEARCH_PUZZLE_RELAX_H
#define SEARCH_PUZZLE_RELAX_H

#include "circuit/circuit.h"

enum { RELAX_LANES = 64, RELAX_NEVER = 255 };

struct relax_view {
    int bound;        /* the highest goal that may still be reached; -1: none */
    uint32_t layers;  /* to that goal: never more than the moves it takes */
    uint32_t plan;    /* moves of a relaxed plan: a better guess */
    uint32_t missing; /* conjuncts of that goal that do not hold now */
    int present;      /* the highest goal that would be had if the game were over now; 0: none */
};

struct relax;

/* For states packed as `kept` bits; the other bits count time. NULL without memory or for a circuit that is
 * too large for this to pay. */
struct relax *relax_new(const struct circuit *c, const uint32_t *kept, uint32_t nkept);
void relax_free(struct relax *r);

/* Look at n states (packed, one after the other; n is at most RELAX_LANES). `with_plan` false: plan = layers.
 * `beyond`: only goals above this matter. */
void relax_look(struct relax *r, const uint64_t *states, uint32_t n, int beyond, bool with_plan,
                struct relax_view *out);

/* Looks are broken off at this time of the clock (0: never): then everything seems far, and nothing out of
 * reach. */
void relax_until(struct relax *r, double deadline);
/* The conjuncts of the highest goal: how many there are, and in which states of the last look one holds, as
 * bits. */
uint32_t relax_conjuncts(const struct relax *r);
uint64_t relax_holds(const struct relax *r, uint32_t conjunct);
/* Of a state of the last look: it takes nothing but time to end the game. */
bool relax_ends_by_itself(const struct relax *r, uint32_t lane);

#endif
