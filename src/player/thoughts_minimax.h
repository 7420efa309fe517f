/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a minimax search thought. */
#ifndef PLAYER_THOUGHTS_MINIMAX_H
#define PLAYER_THOUGHTS_MINIMAX_H

#include "player/player.h"

#include <jansson.h>
#include <stdio.h>

/* False: another search thought, or none. */
bool thoughts_minimax_print(FILE *out, struct player *p, uint32_t role, const char *name, uint32_t moves);
/* The same keys as a tree search has, and "minimax" with what only this one knows; NULL: another search. */
json_t *thoughts_minimax_json(struct heap *heap, struct player *p, uint32_t role);
/* The expected line as joint moves, for whoever watches; those who pass have "". */
json_t *thoughts_minimax_steps(struct heap *heap, struct player *p);

#endif
