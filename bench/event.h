/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The yardstick: one state at a time, following only what changes.
 *
 * This is how propositional networks were swept by the players that won the competitions: every gate counts
 * its inputs that are false, a change of a wire is passed on to the gates that read it, and a gate whose
 * count becomes or ceases to be zero passes it on in turn. Legal moves are kept in lists as they come and go;
 * the facts of the next state that may differ are noted as their wires change. It runs on the same reduced
 * circuit as the sweepers. Goals are evaluated when a game has ended, not before.
 */
#ifndef BENCH_EVENT_H
#define BENCH_EVENT_H

#include "base/rng.h"
#include "circuit/circuit.h"

struct event;

/* NULL without memory. The circuit must outlive it. Begins in the initial state. */
struct event *event_new(const struct circuit *c);
void event_free(struct event *e);

void event_restart(struct event *e);
bool event_terminal(const struct event *e);
uint32_t event_legal(const struct event *e, uint32_t role, const uint32_t **moves); /* in no order */
/* joint[role] is a move of the role, counted from 0. */
void event_step(struct event *e, const uint32_t *joint);
bool event_bit(const struct event *e, uint32_t bit);
/* Evaluate the goals of the present state; then event_goal gives the only goal value of a role that holds, or
 * -1. */
void event_goals(struct event *e);
int event_goal(const struct event *e, uint32_t role);

/* Random games until `*stop` (looked at after each game); a game longer than max_steps is given up. */
void event_play(struct event *e, struct rng *rng, uint32_t max_steps, const atomic_bool *stop,
                uint64_t *games, uint64_t *transitions, double *goal_sum);

#endif
