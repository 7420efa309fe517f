/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beam search: breadth-first with the best part of each layer only.
 *
 *     layer d: at most `width` states ──expand──> children that are new ──judge──> the best `width`: layer
 * d+1
 *
 * When no layer is left it begins again at the root, twice as wide and by another judgement. So it reaches
 * depths that breadth-first search never will, in memory that does not grow with depth: it remembers the
 * states of the last layers only, and of the way there the moves.
 *
 * A frontier whose table is full hands its last layer over: the beam goes on with the best part of that. */
#ifndef SEARCH_PUZZLE_BEAM_H
#define SEARCH_PUZZLE_BEAM_H

#include "search/puzzle/frontier.h"
#include "search/puzzle/judge.h"

/* NULL without memory. */
struct method *beam_new(struct space *s, struct line *line, struct judge *judge, size_t memory);
/* The same, but the first run begins with the frontier's last layer and is as wide as memory allows. The
 * frontier is taken over, and freed when its layer has been judged; without memory (NULL) it is left alone.
 */
struct method *beam_after(struct frontier *f, struct judge *judge, size_t memory);

#endif
