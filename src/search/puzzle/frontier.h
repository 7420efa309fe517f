/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breadth-first search with exact duplicate detection.
 *
 *     states   [ layer 0 | layer 1 | ... | layer d, being expanded | layer d+1, being born ... ]
 *                                          ^ first   ^ at           ^ last                     ^ states.n
 *
 * Every state is met at its smallest depth, so the first line to a goal is a shortest one. When the table has
 * no room for more the frontier stands still: `full`.
 *
 * Of two moves whose order is proved not to matter (commute.h), l and a smaller m, m is not tried after l: no
 * state is lost. Say t is met in the next layer for the first time. Of all states of this layer with a move
 * to t, take the one with the largest move m; it was entered from r by l. If m is left out there, then
 * because it was legal in r as well, and l after it; so t comes from the state after r and m by l, which is
 * larger: a contradiction, unless the game is over after r and m. It had a legal move then. So where games
 * end that could have gone on, nothing is left out, in that layer and in the next. */
#ifndef SEARCH_PUZZLE_FRONTIER_H
#define SEARCH_PUZZLE_FRONTIER_H

#include "search/puzzle/commute.h"
#include "search/puzzle/method.h"
#include "search/puzzle/states.h"

struct frontier {
    struct method base;
    struct states states;
    uint32_t first, at, last; /* numbers of states */
    uint32_t depth;           /* of the layer being expanded */
    uint32_t handful;         /* expanded at a time */
    bool full;
    struct commute commute; /* once the table is large enough for it to pay */
    bool studied;
    bool whole;                /* in this layer nothing is left out */
    bool cut_off;              /* in this layer games ended that could have gone on */
    bool goes_back, look_back; /* in this layer moves led back; they did in the last, so it is looked for */
    uint32_t *depths, *number;
    const uint64_t **avoid;
    bool *fresh;
};

/* `memory` bytes at most. NULL without memory. */
struct method *frontier_new(struct space *s, struct line *line, size_t memory);

#endif
