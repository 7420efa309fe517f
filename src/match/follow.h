/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a record agree with the rules? It is followed move by move; states, end and rewards are compared. */
#ifndef MATCH_FOLLOW_H
#define MATCH_FOLLOW_H

#include "match/record.h"

/* The rules say something else than the record: a sentence. */
typedef void follow_difference(void *data, const char *text);

/* `states` (zeroed) gets nsteps + 1 states, which the caller ends with state_done, also after an error.
 * False and an error if it cannot be followed to its end: a move is not legal, or the rules fail. */
bool record_follow(const struct record *r, struct reasoner *reasoner, struct state *states,
                   follow_difference *differs, void *data, struct error *error);

#endif
