/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puzzles that fall apart (analysis/factors.h), part by part.
 *
 *     the highest goal is read from one part,     breadth-first search in the states of each part alone, the
 *     or any of some, or all of some              others standing still; one wait is always possible: a move
 *                                                 elsewhere
 *     then                                        the plan, or all plans one after the other, played by the
 *                                                 rules: waits are moves that do nothing there, and when all
 * is done anything until the end
 *
 * What is offered to the line was played through. Where parts do not stay as they are while others move, all
 * of several is not tried. Where time alone ends the game, and no part can say what the goal asks for, it is
 * out of reach: nothing a part can do was left out. */
#ifndef SEARCH_PUZZLE_PARTS_H
#define SEARCH_PUZZLE_PARTS_H

#include "analysis/factors.h"
#include "search/puzzle/method.h"

/* `factors` are those of the space's circuit and must outlive it. NULL: not for this game, or no memory. */
struct method *parts_new(struct space *s, struct line *line, const struct state *root,
                         const struct factors *factors, size_t memory);

#endif
