/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Games written down as a trace file (JSON): every state's size and fingerprint, number and fingerprint of
 * the legal moves, the joint move made, whether it is the end, and the goals. The first game also lists its
 * states and moves in full. `ludens verify` and other people's engines follow such files.
 */
#ifndef GAME_TRACE_WRITE_H
#define GAME_TRACE_WRITE_H

#include "game/playout.h"

struct trace_writer;

struct trace_writer *trace_writer_new(const struct game *game); /* NULL: no memory */
void trace_writer_free(struct trace_writer *w);

void trace_writer_game(struct trace_writer *w); /* a new game begins */
/* The state the game is in and, unless it is the end, the joint move it is about to make. */
bool trace_writer_step(struct trace_writer *w, struct playout *p, struct error *error);
void trace_writer_truncate(struct trace_writer *w); /* the game was given up here */
/* Write the file ("-": standard output). */
bool trace_writer_save(struct trace_writer *w, const char *path, struct error *error);

#endif
