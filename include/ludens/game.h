/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Games, engines, states; moves and facts. */
#ifndef LUDENS_GAME_H
#define LUDENS_GAME_H

#include "base.h"

LUDENS_BEGIN

/* Games. */

struct ludens_game;

/* From a file, or by the name of a game that comes with Ludens. */
LUDENS_API struct ludens_game *ludens_game_load(const char *path_or_name, struct ludens_error *error);
/* From text; `name` is what messages call it. */
LUDENS_API struct ludens_game *ludens_game_parse(const char *name, const char *text, size_t size,
                                                 struct ludens_error *error);
LUDENS_API void ludens_game_free(struct ludens_game *game); /* NULL is fine */

LUDENS_API const char *ludens_game_name(const struct ludens_game *game);
LUDENS_API uint32_t ludens_game_roles(const struct ludens_game *game); /* how many */
LUDENS_API const char *ludens_game_role(const struct ludens_game *game,
                                        uint32_t role); /* NULL: there is no such role */
/* The role that moves by chance (`random` in GDL-II), or -1. */
LUDENS_API int ludens_game_chance(const struct ludens_game *game);
/* What is odd about the rules but was understood: "file:line:column: text", or NULL from the last one on. */
LUDENS_API const char *ludens_game_warning(const struct ludens_game *game, uint32_t number);
/* The text of the sheet. */
LUDENS_API const char *ludens_game_rules(const struct ludens_game *game);

/* The circuit: the rules made into boolean gates, thousands of times as fast as working with the rules
 * themselves (the lifted engine). It is made once per game, in a thread of its own, and shared by all
 * engines, players and batches. Whoever needs it begins to make it; begin yourself to choose limits. A few
 * sheets are too large for it: those are played on the lifted engine. */
struct ludens_limits {
    double seconds; /* of making it; 0: 20 */
    size_t bytes;   /* at most in use; 0: 2 GB */
};
enum ludens_status {
    LUDENS_NOT_BEGUN,
    LUDENS_WORKING,
    LUDENS_READY,
    LUDENS_FAILED, /* the limits were too narrow, or it was cancelled: ludens_game_prepare may begin again */
};
/* Begin, unless that was done (limits NULL: the usual). */
LUDENS_API bool ludens_game_prepare(struct ludens_game *game, const struct ludens_limits *limits,
                                    struct ludens_error *error);
/* Wait until it is ready or has failed, but not longer than so many seconds (negative: however long). With
 * LUDENS_FAILED `error` says why. */
LUDENS_API enum ludens_status ludens_game_wait(struct ludens_game *game, double seconds,
                                               struct ludens_error *error);
LUDENS_API void ludens_game_cancel(struct ludens_game *game); /* what is not ready will soon have failed */

/* Engines. */

struct ludens_engine;

enum ludens_kind {
    LUDENS_AUTO,       /* the circuit if it can be made within two seconds, else the lifted engine */
    LUDENS_LIFTED,     /* works with the rules as they are: there at once, slow */
    LUDENS_CIRCUIT,    /* waits for the circuit; an error if there is none */
    LUDENS_BACKGROUND, /* lifted now; ludens_engine_take changes over when the circuit is ready */
};
LUDENS_API struct ludens_engine *ludens_engine_new(struct ludens_game *game, struct ludens_error *error);
LUDENS_API struct ludens_engine *ludens_engine_open(struct ludens_game *game, enum ludens_kind kind,
                                                    struct ludens_error *error);
LUDENS_API void ludens_engine_free(struct ludens_engine *engine); /* NULL is fine */

/* LUDENS_LIFTED or LUDENS_CIRCUIT: which it is now. */
LUDENS_API enum ludens_kind ludens_engine_kind(const struct ludens_engine *engine);
/* Change over to the circuit if it is ready within so many seconds; `*taken` tells whether the engine is on
 * the circuit now. States go on as they are; numbers of moves and facts that were told before are void. */
LUDENS_API bool ludens_engine_take(struct ludens_engine *engine, double seconds, bool *taken,
                                   struct ludens_error *error);
/* From now on questions about states fail with LUDENS_TIME after so many seconds (0: the usual limits only),
 * and with LUDENS_STOPPED when `stop` (may be NULL) is raised. Short ones are answered all the same. */
LUDENS_API void ludens_engine_limit(struct ludens_engine *engine, double seconds,
                                    const struct ludens_stop *stop);

/* Moves. A number stays valid as long as its engine, until ludens_engine_take. On the circuit all moves
 * that can ever be legal for a role have numbers from the beginning, 0 .. ludens_engine_moves()-1; on the
 * lifted engine they get them as they are met. */
LUDENS_API uint32_t ludens_engine_moves(const struct ludens_engine *engine, uint32_t role);
/* A move as text, such as "(mark 1 2)", and back. No such move: length 0, or false. */
LUDENS_API size_t ludens_move_print(struct ludens_engine *engine, uint32_t role, uint32_t move, char *buffer,
                                    size_t size);
LUDENS_API bool ludens_move_read(struct ludens_engine *engine, uint32_t role, const char *text,
                                 uint32_t *move, struct ludens_error *error);

/* Facts, such as "(cell 1 1 x)": numbered in the same way. */
LUDENS_API uint32_t ludens_engine_facts(const struct ludens_engine *engine);
LUDENS_API size_t ludens_fact_print(struct ludens_engine *engine, uint32_t fact, char *buffer, size_t size);
LUDENS_API bool ludens_fact_read(struct ludens_engine *engine, const char *text, uint32_t *fact,
                                 struct ludens_error *error);

/* States. */

struct ludens_state;

/* The initial state; another one like it. */
LUDENS_API struct ludens_state *ludens_state_new(struct ludens_engine *engine, struct ludens_error *error);
LUDENS_API struct ludens_state *ludens_state_copy(const struct ludens_state *state,
                                                  struct ludens_error *error);
/* The state in which exactly these facts hold: as text, "(cell 1 1 x) (control oplayer)", or as numbers. The
 * circuit knows states that can be reached only, and says so of others. */
LUDENS_API struct ludens_state *ludens_state_read(struct ludens_engine *engine, const char *facts,
                                                  struct ludens_error *error);
LUDENS_API struct ludens_state *ludens_state_from_facts(struct ludens_engine *engine, const uint32_t *facts,
                                                        uint32_t count, struct ludens_error *error);
/* The same state for another engine of the same game, such as another thread's. */
LUDENS_API struct ludens_state *ludens_state_carry(const struct ludens_state *state, struct ludens_engine *to,
                                                   struct ludens_error *error);
LUDENS_API void ludens_state_free(struct ludens_state *state); /* NULL is fine */

/* Of states of one engine. */
LUDENS_API bool ludens_state_equal(const struct ludens_state *a, const struct ludens_state *b);
LUDENS_API uint64_t ludens_state_hash(const struct ludens_state *state);

/* The facts that hold: as text, one a line, in lower case and sorted, "(cell 1 1 b)\n(control xplayer)\n"; as
 * numbers in no particular order (the list belongs to the state and lasts until it is asked for that again,
 * moves on or is freed); as bits, fact i is bit i % 64 of word i / 64 (returns the number of words that it
 * takes and writes at most `words`). */
LUDENS_API size_t ludens_state_print(const struct ludens_state *state, char *buffer, size_t size);
LUDENS_API bool ludens_state_facts(struct ludens_state *state, const uint32_t **facts, uint32_t *count,
                                   struct ludens_error *error);
LUDENS_API size_t ludens_state_bits(struct ludens_state *state, uint64_t *bits, size_t words);

/* Is the game over? */
LUDENS_API bool ludens_state_terminal(const struct ludens_state *state, bool *terminal,
                                      struct ludens_error *error);
/* What a role gets, usually 0 to 100; LUDENS_NO_GOAL where the rules do not define exactly one value. */
#define LUDENS_NO_GOAL (-1)
LUDENS_API bool ludens_state_goal(const struct ludens_state *state, uint32_t role, int *goal,
                                  struct ludens_error *error);
/* The legal moves of a role. `*moves` belongs to the state and lasts until it is asked for that again, moves
 * on or is freed. */
LUDENS_API bool ludens_state_moves(struct ludens_state *state, uint32_t role, const uint32_t **moves,
                                   uint32_t *count, struct ludens_error *error);
/* Make one move of every role, joint[role]. A move that is not legal is an error and changes nothing. */
LUDENS_API bool ludens_state_play(struct ludens_state *state, const uint32_t *joint,
                                  struct ludens_error *error);

LUDENS_END

#endif
