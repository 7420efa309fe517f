/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many matches of one game side by side on one driver: while one search waits for its sweep, the others use
 * it.
 *
 *     match 0   ask ──> hands ─┐                              ┌──> answer, joint move ──> ask ...
 *     match 1   ask ──> hands ─┼──> driver: lanes ──> spent ──┤
 *     match 2   ...            ┘                              └──> over: together_next returns it
 *
 * Seats made by seat_pooled think there; others answer when they are asked. What is played in a match does
 * not depend on the others. */
#ifndef MATCH_TOGETHER_H
#define MATCH_TOGETHER_H

#include "match/match.h"

struct together;

/* NULL without memory. */
struct together *together_new(struct driver *driver);
/* Its matches stay the caller's and must have been returned before. */
void together_free(struct together *t);
/* Begin a match, and go on with it from now on. False without memory. */
bool together_add(struct together *t, struct match *m);
uint32_t together_count(const struct together *t); /* matches under way */
/* Go on until a match is over: it, finished (match_finish). `error` has code ERROR_NONE if it came to its
 * end, else it says what was wrong. NULL when none is under way. */
struct match *together_next(struct together *t, struct error *error);
/* Seconds, each divided by the matches under way then: the share of the time of one that takes part. */
double together_clock(struct together *t);

#endif
