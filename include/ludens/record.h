/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records: matches written down, as `ludens match --record` writes and `ludens replay` reads them. They hold
 * words, not numbers of some engine; as JSON also the rules. Files may come from anywhere: reading one checks
 * every length, number and name. */
#ifndef LUDENS_RECORD_H
#define LUDENS_RECORD_H

#include "game.h"

LUDENS_BEGIN

struct ludens_record;

/* Either form, from a file or from memory (`name` is what messages call it). */
LUDENS_API struct ludens_record *ludens_record_read(const char *path, struct ludens_error *error);
LUDENS_API struct ludens_record *ludens_record_parse(const char *name, const char *data, size_t size,
                                                     struct ludens_error *error);
LUDENS_API void ludens_record_free(struct ludens_record *record); /* NULL is fine */

/* JSON, or text after chess's PGN if the path ends in .pgn. */
LUDENS_API bool ludens_record_write(const struct ludens_record *record, const char *path,
                                    struct ludens_error *error);
LUDENS_API size_t ludens_record_print(const struct ludens_record *record, bool pgn, char *buffer,
                                      size_t size);

/* Texts belong to the record; what is not known is "". */
struct ludens_record_about {
    const char *match, *game, *date;
    const char *ending; /* "completed", "aborted", "forfeited", or "" while it goes on */
    uint32_t roles, steps;
    double start_clock, play_clock; /* seconds; 0: none */
    uint64_t seed;
};
LUDENS_API void ludens_record_about(const struct ludens_record *record, struct ludens_record_about *out);
LUDENS_API const char *ludens_record_role(const struct ludens_record *record, uint32_t role);
LUDENS_API const char *ludens_record_player(const struct ludens_record *record, uint32_t role);
LUDENS_API int ludens_record_reward(const struct ludens_record *record, uint32_t role);
/* A move as text; NULL: there is no such step or role. Steps count from 0. */
LUDENS_API const char *ludens_record_move(const struct ludens_record *record, uint32_t step, uint32_t role);

/* The game that was played: the rules it contains, or the game of that name. */
LUDENS_API struct ludens_game *ludens_record_game(const struct ludens_record *record,
                                                  struct ludens_error *error);
/* The state after so many steps. */
LUDENS_API struct ludens_state *ludens_record_state(const struct ludens_record *record,
                                                    struct ludens_engine *engine, uint32_t steps,
                                                    struct ludens_error *error);
/* Does it agree with the rules? False and an error if it cannot be followed to its end; `differs` (may be
 * NULL) is told each difference in states, end and rewards. */
LUDENS_API bool ludens_record_check(const struct ludens_record *record, struct ludens_engine *engine,
                                    void (*differs)(void *data, const char *text), void *data,
                                    struct ludens_error *error);

LUDENS_END

#endif
