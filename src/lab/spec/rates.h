/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchange rates: the papers gave players time, and time on their machines is worth a number of steps that
 * differs from game to game. An experiment with `rates` (a file: steps a second by game) and a `clock` in
 * seconds has budgets in steps. */
#ifndef LAB_RATES_H
#define LAB_RATES_H

#include "lab/spec/spec_internal.h"

/* What the keys `rates` and `clock` of an experiment say: each game that has no budget of its own gets one.
 * Gives up through the guard where one of the keys is missing, or the rate of a game. */
void rates_read(struct spec_reader *r, const struct doc_node *root);

#endif
