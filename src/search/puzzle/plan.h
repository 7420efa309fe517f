/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A* bounded in time, led by relaxed plans (002 section 3.3.5: CadiaPlayer 2008; Björnsson, Bulitko,
 * Sturtevant 2009).
 *
 *     open     by moves made + WEIGHT * judgement: the least first, a handful at a time; among equals the
 *              last that came
 *     states   everything met, once, by the shortest way known; one that is reached by a shorter way opens
 *              again
 *
 * It can be broken off at any time and goes on where it was: one open list for the whole match. When a move
 * is made its root moves on, and what was reached otherwise waits until it is met again. What it has until
 * then is the best end it met (the line), and the way to the most promising open state, which is what it
 * promises. When memory is full what is open is worked off without remembering more. */
#ifndef SEARCH_PUZZLE_PLAN_H
#define SEARCH_PUZZLE_PLAN_H

#include "search/puzzle/judge.h"
#include "search/puzzle/method.h"

/* NULL without memory. */
struct method *plan_new(struct space *s, struct line *line, struct judge *judge, enum judge_kind kind,
                        size_t memory);

#endif
