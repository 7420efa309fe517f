/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nested Monte-Carlo search (Cazenave 2009; Méhat & Cazenave 2010).
 *
 *     level 0    a random game
 *     level n    at each step a game of level n-1 after every legal move; the best game ever seen on this
 * level is remembered, and its next move is played
 *
 * The random games after all moves of a step are played side by side in the lanes. Whole games of levels 1 to
 * 3 follow one another for as long as there is time. */
#ifndef SEARCH_PUZZLE_NESTED_H
#define SEARCH_PUZZLE_NESTED_H

#include "search/puzzle/method.h"

/* NULL without memory. */
struct method *nested_new(struct space *s, struct line *line);

#endif
