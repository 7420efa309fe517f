/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C library of Ludens: games written in GDL, their states and moves; players; matches and their records;
 * thousands of games at a time; boards to draw.
 *
 *     struct ludens_game        a rule sheet, and the circuit made of it; threads may share it
 *       ├── ludens_engine       answers questions about states; one thread at a time
 *       │     └── ludens_state  a position                              ludens/game.h
 *       ├── ludens_player       thinks about moves                      ludens/player.h
 *       ├── ludens_match        a referee between players and callbacks ludens/match.h
 *       ├── ludens_batch        many games in lanes                     ludens/batch.h
 *       └── ludens_board        how to draw its states                  ludens/board.h
 *     struct ludens_record      a match written down                    ludens/record.h
 *     ludens_serve              a player of yours on the network        ludens/serve.h
 *
 * Ownership: what x_new, x_load, x_read and the like return is yours until you pass it to x_free. What is
 * below in the picture must be freed before what is above it. What other functions return (names, lists,
 * arrays) belongs to what was asked, and the comment says how long it lasts.
 *
 * Errors: functions that can fail return false, or NULL, and say why in `error` (which may be NULL): bad
 * rules, an illegal move, memory used up. Nothing is printed, nothing exits, and after a failure everything
 * that was passed in can still be used. Functions that print into a buffer work like snprintf: they return
 * the length of the whole text, and write at most `size` bytes including the terminating NUL.
 *
 * Threads: a game may be used by any number of threads at once. Everything else belongs to one thread at a
 * time, and so does what it was made from: two states of one engine are one thread's. Threads that want to
 * ask at the same time make an engine each; they share the circuit. A struct ludens_stop may be raised by any
 * thread and by signal handlers.
 *
 * Numbers: roles are counted from 0 in the order of the sheet. A move is a number per role, a fact is a
 * number; both belong to an engine (see ludens/game.h) and are told apart by their texts across engines.
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

#include "ludens/base.h"
#include "ludens/batch.h"
#include "ludens/board.h"
#include "ludens/game.h"
#include "ludens/match.h"
#include "ludens/player.h"
#include "ludens/record.h"
#include "ludens/serve.h"

#endif
