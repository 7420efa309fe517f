/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nested rollout policy adaptation (Rosin 2011).
 *
 *     level 0    games by the policy: a move's chance is exp of its weight beside the others'; the best of as
 *                many as there are lanes
 *     level n    begins with the policy of level n+1; so many times: a game of level n-1; then the weights
 * are moved towards the moves of the best game this level has seen
 */
#ifndef SEARCH_PUZZLE_NRPA_H
#define SEARCH_PUZZLE_NRPA_H

#include "search/puzzle/method.h"

/* NULL without memory. */
struct method *nrpa_new(struct space *s, struct line *line);

#endif
