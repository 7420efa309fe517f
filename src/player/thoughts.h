/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search thought, for people and as JSON. */
#ifndef PLAYER_THOUGHTS_H
#define PLAYER_THOUGHTS_H

#include "player/player.h"

#include <jansson.h>
#include <stdio.h>

/* A line of figures, and the best `moves` moves with visits and mean and the line expected behind the first.
 * Nothing if it did not search. */
void thoughts_print(FILE *out, struct player *p, uint32_t role, const char *name, uint32_t moves);
/* How it chose its way of searching on the start clock, in a line with the numbers. Nothing if it had no
 * choice. */
void thoughts_choice(FILE *out, const struct player *p, const char *name);
/* The same as thoughts_print, all moves; NULL without memory or if it did not search. */
json_t *thoughts_json(struct player *p, uint32_t role);
/* The same for whoever watches: also the value of each role, and the expected line as joint moves. */
json_t *thoughts_live(struct player *p, uint32_t role);

#endif
