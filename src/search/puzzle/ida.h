/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory-enhanced IDA* (Reinefeld & Marsland 1994), many states of a sweep at once.
 *
 *     threshold t: depth-first from the root, but only to states with moves made + distance <= t;
 *                  the least sum that was greater is the next threshold
 *
 * The stack is worked off in handfuls from its top, so that sweeps are not empty. The table remembers states
 * with the depth at which they were last searched and under which threshold: the same state is searched again
 * only when it is reached with fewer moves, or under a higher threshold. It holds whole states, so nothing is
 * cut off by mistake, and it overwrites when it is full: unlike breadth-first search this one needs no more
 * memory than it has. Moves whose order does not matter (commute.h) are tried in one order. The distance is
 * that of the relaxation's layers, which is never too large, or 0. */
#ifndef SEARCH_PUZZLE_IDA_H
#define SEARCH_PUZZLE_IDA_H

#include "search/puzzle/judge.h"
#include "search/puzzle/method.h"

/* NULL without memory. */
struct method *ida_new(struct space *s, struct line *line, struct judge *judge, size_t memory);

#endif
