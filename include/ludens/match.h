/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches: a referee, and who sits where.
 *
 *     ludens_match_new ── ludens_match_sit for each role ── ludens_match_play ── goals, record ── free
 *                                                           (or step by step)
 *
 * The rules of the standard: a late or illegal move is replaced by a random legal one and counted against the
 * seat. Everybody who thinks in this process is asked one after the other, with a clock of its own.
 */
#ifndef LUDENS_MATCH_H
#define LUDENS_MATCH_H

#include "player.h"
#include "record.h"

LUDENS_BEGIN

struct ludens_match;

struct ludens_match_options {
    struct ludens_budget budget; /* per move; its stop aborts the match */
    struct ludens_budget start;  /* before the first move; all 0: none */
    double grace;                /* seconds beyond the clock before a move is late; negative: never */
    const char *forfeit;         /* "late", "illegal", "any": who does that loses at once; NULL: nobody */
    uint64_t seed;
    /* After each joint move, and when a seat has answered, before its move is made; may be NULL. */
    void (*made)(void *data, struct ludens_match *match);
    void (*answered)(void *data, struct ludens_match *match, uint32_t role);
    void *data;
};

/* Everything in the options is copied; what `data` points to must outlive the match. */
LUDENS_API struct ludens_match *ludens_match_new(struct ludens_game *game,
                                                 const struct ludens_match_options *options,
                                                 struct ludens_error *error);
LUDENS_API void ludens_match_free(struct ludens_match *match); /* NULL is fine */

/* A player of ours takes a seat: as `ludens match` does with the same seed. */
LUDENS_API bool ludens_match_sit(struct ludens_match *match, uint32_t role, const char *who,
                                 struct ludens_error *error);
/* Somebody else does. `choose` puts a move (a number of ludens_match_engine) into `*move`, or returns false
 * if there is none; the state is ludens_match_state. `over` may be NULL. */
struct ludens_seat {
    const char *name; /* for records; copied */
    bool (*choose)(void *data, struct ludens_match *match, uint32_t role, uint32_t *move);
    void (*over)(void *data, struct ludens_match *match, uint32_t role);
    void *data;
};
LUDENS_API bool ludens_match_sit_callback(struct ludens_match *match, uint32_t role,
                                          const struct ludens_seat *seat, struct ludens_error *error);

/* To the end. False and an error if the rules fail or the match is aborted. Empty seats play at random. */
LUDENS_API bool ludens_match_play(struct ludens_match *match, struct ludens_error *error);
/* One joint move; `*over` tells whether it was the last. */
LUDENS_API bool ludens_match_step(struct ludens_match *match, bool *over, struct ludens_error *error);

/* The engine of the referee: its numbers are the match's. Both belong to the match; the state is the
 * current one and lasts until the next move. */
LUDENS_API struct ludens_engine *ludens_match_engine(struct ludens_match *match);
LUDENS_API const struct ludens_state *ludens_match_state(struct ludens_match *match);
LUDENS_API uint32_t ludens_match_steps(const struct ludens_match *match); /* joint moves made */
/* joint[role] of a step, counted from 0; NULL: there is no such step. Belongs to the match. */
LUDENS_API const uint32_t *ludens_match_joint(const struct ludens_match *match, uint32_t step);
/* At the end; LUDENS_NO_GOAL before, and where the rules define none. */
LUDENS_API int ludens_match_goal(const struct ludens_match *match, uint32_t role);
/* Moves of a seat that had to be replaced. */
LUDENS_API uint32_t ludens_match_errors(const struct ludens_match *match, uint32_t role);
/* What was played so far, written down; with the facts of all states if wanted. */
LUDENS_API struct ludens_record *ludens_match_record(struct ludens_match *match, bool states,
                                                     struct ludens_error *error);

LUDENS_END

#endif
