/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Depth-first search for puzzles in which the order of moves hardly matters: blanks to be filled, pieces to
 * be set. Such puzzles drown every other search in orders of the same moves.
 *
 *     of the goal's conjuncts that do not hold, take the one that the fewest moves bring about, leaving out
 *     moves after which the goal is out of reach even in the relaxation; try these moves, and no others
 *
 * That is: the most constrained blank first, with forward checking; names and meanings are not needed for it.
 * It begins again, in another order, when it has been at it for long. It leaves out what may be a solution
 * where order does matter, so its end proves nothing. */
#ifndef SEARCH_PUZZLE_FILL_H
#define SEARCH_PUZZLE_FILL_H

#include "search/puzzle/judge.h"
#include "search/puzzle/method.h"

/* NULL without memory, or where the goal is no conjunction. */
struct method *fill_new(struct space *s, struct line *line, struct judge *judge, size_t memory);

#endif
