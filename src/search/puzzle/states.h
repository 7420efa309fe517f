/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packed states met by a search, each once, with the way they were reached.
 *
 *     number     0     1     2    ...         in the order in which they were met: a layer of a breadth-first
 *     row     ┌─────┬─────┬─────┬─────┐       search is a range of numbers
 *             │     │     │     │     │       `words` words each
 *     link    └─────┴─────┴─────┴─────┘       parent's number and move
 *
 *     index    [ tag | number ] x 8           buckets of a line of the cache, filled from the front; a tag is
 *                                             32 bits of the hash, a number is one more than the state's.
 *                                             What a bucket has no room for is in the next one. Rows are
 *                                             compared only when tags agree, and then in full
 *
 * Buckets are in the order of tags, so that a larger index is filled from end to end. It has many parts.
 * While they are small they grow together and share large pages; later one by one, so that nobody waits long.
 *
 * Nothing is approximate: two rows are the same state if and only if all words are. Memory is taken as it is
 * needed and never exceeds the limit: then states_add answers STATES_FULL and the table can only be asked. */
#ifndef SEARCH_PUZZLE_STATES_H
#define SEARCH_PUZZLE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATES_FULL UINT32_MAX
#define STATES_ROOT UINT32_MAX /* the parent of a state that has none */

struct states_link {
    uint32_t parent, move;
};

#define STATES_PARTS 16

struct states_part {
    uint64_t *slot;
    uint32_t buckets, n; /* n: slots taken */
    uint32_t shift;      /* a tag's bucket is tag >> shift */
};

struct states {
    uint32_t words, n, cap;
    uint64_t *row;
    struct states_link *link;
    struct states_part part[STATES_PARTS];
    size_t index_bytes, limit;
    size_t reserved; /* bytes of addresses of the rows, and as many of the links */
};

/* False without memory. */
bool states_init(struct states *t, uint32_t words, size_t limit);
void states_done(struct states *t);
void states_clear(struct states *t);
size_t states_bytes(const struct states *t);

/* The number of the state; if it is new it is entered with this link and *fresh is set. STATES_FULL: it is
 * new and there is no room. */
uint32_t states_add(struct states *t, const uint64_t *row, uint32_t parent, uint32_t move, bool *fresh);
/* The same for n rows at once, which hides what memory makes one wait for. False: some number[i] is
 * STATES_FULL. */
bool states_add_many(struct states *t, const uint64_t *rows, uint32_t n, const uint32_t *parent,
                     const uint32_t *move, uint32_t *number, bool *fresh);
/* STATES_FULL: it is not there. */
uint32_t states_find(const struct states *t, const uint64_t *row);

static inline const uint64_t *states_row(const struct states *t, uint32_t number)
{
    return t->row + (size_t)number * t->words;
}

/* The moves from the root to this state; returns how many. `moves` NULL: only count. */
uint32_t states_path(const struct states *t, uint32_t number, uint32_t *moves);

#endif
