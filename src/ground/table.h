/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of tuples: a set of rows of 32-bit values, numbered in the order they came, with hash indexes on
 * groups of columns.
 *
 *     cells    [ a b c ][ a d c ][ e b c ] ...      row r = cells[r * width .. ]
 *     slots    hash of the whole row -> row         membership
 *     index    hash of some columns  -> newest row with that key, and from there next[] to older ones
 *
 * Rows never change or go away, so "old" and "new" rows are ranges of numbers, which is all that semi-naive
 * evaluation asks for. Indexes are brought up to date on request (table_index), not on every insertion.
 */
#ifndef GROUND_TABLE_H
#define GROUND_TABLE_H

#include "base/vec.h"

#define NO_ROW UINT32_MAX
#define TABLE_MAX_KEY 64 /* columns beyond these are never part of an index */

/* A slot of a hash table: a row and the upper half of its hash, so that most misses and all growing go
 * without a look at the cells. row1 is the row + 1, 0 in a free slot. */
struct table_slot {
    uint32_t row1, hash;
};

struct table_index {
    uint64_t columns; /* as a set of bits */
    uint32_t ncolumns;
    uint32_t *column; /* the same, ascending */
    struct table_slot *slots;
    uint32_t mask;
    uint32_t keys;      /* different keys seen */
    uint32_t *next;     /* by row: next older row with the same key, or NO_ROW */
    uint32_t cap, rows; /* rows in the index */
};

struct table {
    uint32_t width;
    uint32_t rows, cap;
    uint32_t *cells;
    struct table_slot *slots;
    uint32_t mask;
    VEC(struct table_index) indexes;
    uint32_t *distinct; /* by column: different values, as of counted_rows rows */
    uint32_t counted_rows;
};

/* The row of the tuple; when it is new it is added and *added set. */
uint32_t table_add(struct heap *heap, struct table *t, const uint32_t *tuple, bool *added);
uint32_t table_find(const struct table *t, const uint32_t *tuple); /* or NO_ROW */

/* The number of the index on these columns (bit set), made or brought up to date. Numbers stay valid. */
uint32_t table_index(struct heap *heap, struct table *t, uint64_t columns);
/* The newest row whose index columns hold `key`, or NO_ROW. */
uint32_t table_probe(const struct table *t, const struct table_index *x, const uint32_t *key);

static inline const uint32_t *table_row(const struct table *t, uint32_t row)
{
    return t->cells + (size_t)row * t->width;
}

/* Roughly how many different values a column holds. `stamps` are shared scratch, see struct stamps. */
struct stamps {
    uint32_t *stamp; /* by value */
    uint32_t size, now;
};
void table_count(struct heap *heap, struct table *t, struct stamps *stamps, uint32_t values);

void table_drop_indexes(struct heap *heap, struct table *t);
void table_free(struct heap *heap, struct table *t);

#endif
