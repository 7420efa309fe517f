/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Players that follow a script: the legal move that fits the first of some patterns. This is how an
 * experiment says what an optimal opponent does where that is known, such as "always on lane 9" in a race:
 *
 *     (run 9 ?)                    `?` stands for any one term
 *     (take ? ?) ; (move 1 ? ? ?)  patterns in order, `;` between them
 */
#ifndef PLAYER_SCRIPT_H
#define PLAYER_SCRIPT_H

#include "game/reasoner.h"

/* Does the move fit the pattern? Both as text; case and blanks do not matter. */
bool script_fits(const char *pattern, size_t n, const char *move);
/* Is it a list of patterns? False and an error that says what is wrong. */
bool script_check(const char *patterns, struct error *error);
/* The index of the move to play among the legal ones (at least one): the first that fits the earliest
 * pattern, else the first of all. `heap` is for text, inside a guard. */
uint32_t script_choose(const char *patterns, struct heap *heap, struct reasoner *reasoner, uint32_t role,
                       const struct list *legal);

#endif
