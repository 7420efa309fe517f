/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C library of Ludens: load a game written in GDL, ask about its states, make moves.
 *
 *     struct ludens_game      a rule sheet; immutable, threads may share it
 *       |
 *     struct ludens_engine    answers questions about one game; one thread at a time
 *       |
 *     struct ludens_state     a position of that game
 *
 * What is below must be freed before what is above it. Roles are counted from 0 in the order of the sheet.
 * A move is a number per role that stays valid as long as its engine; numbers of different engines have
 * nothing to do with each other, so print moves to carry them over.
 *
 * Functions that can fail return false, or NULL, and say why in `error` (which may be NULL): bad rules, an
 * illegal move, memory used up. Nothing is printed, nothing exits, and after a failure everything that was
 * passed in can still be used. Functions that print into a buffer work like snprintf: they return the length
 * of the whole text, and write at most `size` bytes including the terminating NUL.
 *
 *     struct ludens_error error;
 *     struct ludens_game *game = ludens_game_load("ticTacToe", &error);
 *     struct ludens_engine *engine = ludens_engine_new(game, &error);
 *     struct ludens_state *state = ludens_state_new(engine, &error);
 *
 * Compile with `cc program.c $(pkg-config --cflags --libs ludens)`. While the version begins with 0, a new
 * minor version may change this header.
 */
#ifndef LUDENS_H
#define LUDENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUDENS_API __attribute__((visibility("default")))

enum ludens_code {
    LUDENS_OK = 0,
    LUDENS_INPUT = 1,    /* what was passed in is wrong: rules, file names, moves */
    LUDENS_MEMORY = 2,   /* a memory limit is reached */
    LUDENS_TIME = 3,     /* a time limit is reached */
    LUDENS_STOPPED = 4,  /* somebody asked to stop */
    LUDENS_SYSTEM = 5,   /* the operating system said no */
    LUDENS_INTERNAL = 6, /* a fault of the library */
};

struct ludens_error {
    enum ludens_code code;
    char text[512]; /* a sentence for a person */
};

LUDENS_API const char *ludens_version(void); /* "0.1.0" */

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
/* What is odd about the rules but was understood: "file:line:column: text", or NULL from the last one on. */
LUDENS_API const char *ludens_game_warning(const struct ludens_game *game, uint32_t number);

/* Engines. */

struct ludens_engine;

LUDENS_API struct ludens_engine *ludens_engine_new(const struct ludens_game *game,
                                                   struct ludens_error *error);
LUDENS_API void ludens_engine_free(struct ludens_engine *engine); /* NULL is fine */

/* A move as text, such as "(mark 1 2)", and back. No such move: length 0, or false. */
LUDENS_API size_t ludens_move_print(struct ludens_engine *engine, uint32_t role, uint32_t move, char *buffer,
                                    size_t size);
LUDENS_API bool ludens_move_read(struct ludens_engine *engine, uint32_t role, const char *text,
                                 uint32_t *move, struct ludens_error *error);

/* States. */

struct ludens_state;

/* The initial state; another one like it. */
LUDENS_API struct ludens_state *ludens_state_new(struct ludens_engine *engine, struct ludens_error *error);
LUDENS_API struct ludens_state *ludens_state_copy(const struct ludens_state *state,
                                                  struct ludens_error *error);
LUDENS_API void ludens_state_free(struct ludens_state *state); /* NULL is fine */

LUDENS_API bool ludens_state_equal(const struct ludens_state *a, const struct ludens_state *b);
LUDENS_API uint64_t ludens_state_hash(const struct ludens_state *state);
/* The facts that hold, one a line, in lower case and sorted: "(cell 1 1 b)\n(control xplayer)\n". */
LUDENS_API size_t ludens_state_print(const struct ludens_state *state, char *buffer, size_t size);

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

#ifdef __cplusplus
}
#endif

#endif
