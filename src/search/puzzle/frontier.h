/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breadth-first search with exact duplicate detection.
 *
 *     states   [ layer 0 | layer 1 | ... | layer d, being expanded | layer d+1, being born ... ]
 *                                          ^ first   ^ at           ^ last                     ^ states.n
 *
 * Every state is met at its smallest depth, so the first line to a goal is a shortest one. When the table has
 * no room for more the frontier stands still: `full`. */
#ifndef SEARCH_PUZZLE_FRONTIER_H
#define SEARCH_PUZZLE_FRONTIER_H

#include "search/puzzle/method.h"
#include "search/puzzle/states.h"

struct frontier {
    struct method base;
    struct states states;
    uint32_t first, at, last; /* numbers of states */
    uint32_t depth;           /* of the layer being expanded */
    bool full;
    uint32_t *depths, *number;
    bool *fresh;
};

/* `memory` bytes at most. NULL without memory. */
struct method *frontier_new(struct space *s, struct line *line, size_t memory);

#endif
