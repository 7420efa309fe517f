/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States and moves as lines of text that any program can reproduce, and their fingerprints: what trace files
 * are made of, and what they are compared with.
 *
 *     state  ->  (cell 1 1 b)        lower case, single blanks, sorted bytewise
 *                (control xplayer)   ->  first 16 hex digits of the SHA-1 of the lines joined by newlines
 *
 * All memory is on the heap of the lines; call inside a guard of it. The functions that ask a reasoner give
 * false when it gave up; its `error` says why.
 */
#ifndef GAME_TRACE_H
#define GAME_TRACE_H

#include "game/reasoner.h"

#define TRACE_HASH_DIGITS 16

struct trace_lines {
    struct heap *heap;
    VEC(char *) v; /* each a block of the heap of its own */
};

void trace_lines_init(struct trace_lines *lines, struct heap *heap);
void trace_lines_clear(struct trace_lines *lines);
void trace_lines_add(struct trace_lines *lines, const char *line);
void trace_lines_sort(struct trace_lines *lines);

/* Each replaces what was in `out`, sorted. */
bool trace_facts(struct reasoner *r, const struct state *s, struct trace_lines *out); /* fact */
bool trace_moves(struct reasoner *r, const struct state *s, uint32_t role,
                 struct trace_lines *out);                                            /* move */
bool trace_legal(struct reasoner *r, const struct state *s, struct trace_lines *out); /* role move */

/* The fingerprint of sorted lines. */
void trace_hash(const struct trace_lines *lines, char out[TRACE_HASH_DIGITS + 1]);

/* The name of a role in lower case, into `out`. */
void trace_role_name(const struct game *game, uint32_t role, struct text *out);

#endif
