/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules for forfeits. The standard replaces what a player does wrong by a random move, and a player without
 * one legal answer may win. Whoever does not want that has the match end there: who forfeited gets 0, the
 * others 100. The same is done with a person who resigns. */
#ifndef MATCH_FORFEIT_H
#define MATCH_FORFEIT_H

#include "match/match.h"

enum { FORFEIT_LATE = 1, FORFEIT_ILLEGAL = 2 }; /* bits; late: also no answer at all */

/* "late", "illegal" or "any"; NULL: none. */
bool forfeit_parse(const char *text, uint32_t *rules, struct error *error);
/* Mark those who forfeited by what they did until now. True if somebody has, or had already. */
bool forfeit_check(struct match *m);
/* The goals, if somebody forfeited. */
void forfeit_goals(struct match *m);
/* Did the role never answer with a legal move of its own, though it was asked? */
bool forfeit_mute(const struct match *m, uint32_t role);

#endif
