/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bits of a circuit's state only count time.
 *
 * A bit ticks if its next value follows from ticking bits alone, whatever is moved: its value is a function
 * of the number of moves made. Ticking bits on which neither a legal move nor the next value of another bit
 * depends can at most end the game: they are left out when states are compared. This is proved from the
 * circuit; analysis/turns.c observes the same where there is no circuit. */
#ifndef SEARCH_PUZZLE_TICKING_H
#define SEARCH_PUZZLE_TICKING_H

#include "circuit/circuit.h"

/* ticking[bit]; false without memory. */
bool ticking_find(const struct circuit *c, bool *ticking);

#endif
