/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search tree for people to look into, node by node.
 *
 * A path leads from the root: one word per step, the numbers of the moves that the roles chose there, joined
 * by dots ("3" in a game for one, "0.12" where the second of two chose). "" is the root.
 *
 *     {"path": "0.12", "visits": 812, "mover": 0,           mover: who chooses; null: several do
 *      "choices": [[{"at": 4, "move": "(mark 1 1)", "visits": 500, "value": 61.2, "child": "4.0"}, ...],
 * ...]}
 *
 * Choices are by role, most visited first. Where one role chooses, "child" is the word of the step to the
 * node below, if the tree has it.
 */
#ifndef PLAYER_BRANCH_H
#define PLAYER_BRANCH_H

#include "player/player.h"

#include <jansson.h>

/* NULL and an error if there is no such node (any more). */
json_t *branch_json(struct player *p, const char *path, struct error *error);

#endif
