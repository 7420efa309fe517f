/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many moves a lone player needs from every placement of his pieces: by breadth-first search backwards
 * from home, a byte for each placement, kept in a file.
 *
 *     fields 0 .. nfields-1; the first `ninner` are those whose placements are in the table
 *     placement of k pieces, sorted: number = sum of (c_i choose i+1)
 *
 * The file begins with what it is for (a fingerprint of the board) and a checksum of the rest: one that does
 * not fit is not used, and written anew. */
#ifndef SEARCH_MINIMAX_RACE_TABLE_H
#define SEARCH_MINIMAX_RACE_TABLE_H

#include "search/budget.h"

#define RACE_MAX_FIELDS 128
#define RACE_MAX_PIECES 10
#define RACE_NOWHERE 255
#define RACE_UNKNOWN 255

struct race_board {
    uint32_t nfields, ninner, pieces;
    uint8_t beside[RACE_MAX_FIELDS][6]; /* by direction; RACE_NOWHERE: the edge */
    bool home[RACE_MAX_FIELDS];         /* who is in does not leave */
};

struct race_table;

/* From the cache, else made (`make`) and put there. NULL: not there, no memory, too large, or time over. */
struct race_table *race_table_get(const struct race_board *board, bool make, const struct budget *budget);
void race_table_free(struct race_table *t); /* NULL is fine */
/* Fields in any order, all of them inner ones. RACE_UNKNOWN: home cannot be reached. */
uint32_t race_table_moves(const struct race_table *t, const uint8_t *fields);

/* Where a piece can go in one move, when those in `taken` are in the way: out[], returns how many. */
uint32_t race_reach(const struct race_board *b, const bool *taken, uint8_t from, uint8_t *out);

#endif
