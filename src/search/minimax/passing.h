/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose turn it is, as something that can be changed: the bits of the state that hold the fact which tells it
 * (analysis/turns.c). Best-Reply Search puts another role into it, asks for that role's moves, and gives the
 * turn back to the root player.
 *
 * That is sound where turns go round in a fixed order, one fact tells the holder, and nothing else in the
 * state depends on the order: then a position after a pass is one the rules have an answer for, although no
 * game may reach it. A round counter that only the last player moves on counts a little wrong meanwhile,
 * nothing worse. It is not sound where a second fact tells the turn as well, where several move at once, or
 * where the order matters to the rules (tricks of cards). What can be seen of that is tried out: in states of
 * random games every other role gets the turn, must be the only one to have a choice then, must be able to
 * make a move, and the turn must go on from him. What cannot be seen that way is not found out. */
#ifndef SEARCH_MINIMAX_PASSING_H
#define SEARCH_MINIMAX_PASSING_H

#include "analysis/analysis.h"
#include "circuit/code.h"
#include "search/budget.h"

#define PASSING_MAX_BITS 64

struct passing {
    bool sound;
    char why[120]; /* not */
    uint32_t nbits;
    uint32_t bits[PASSING_MAX_BITS]; /* of the state */
    uint64_t row[64];                /* by role: the values of these bits when it is that role's turn */
};

/* On a reasoner with the circuit's states; `code` NULL: not sound. */
void passing_find(struct passing *t, const struct analysis *a, struct reasoner *circuit,
                  const struct code *code, uint64_t seed, const struct budget *budget);
/* Is it the role's turn in a state of the circuit; make it so. */
bool passing_holds(const struct passing *t, const uint64_t *state, uint32_t role);
void passing_give(const struct passing *t, uint64_t *state, uint32_t role);

#endif
