/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two-deep transposition table: a place has two entries, one keeps what was searched deepest, the other what
 * came last. max^n keeps vectors, the others one number with what it is: exact, or a bound.
 *
 *     place:  [ deepest | latest ]      entry: fingerprint, depth, bound, move, value(s)
 */
#ifndef SEARCH_MINIMAX_TWODEEP_H
#define SEARCH_MINIMAX_TWODEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bound { BOUND_EXACT, BOUND_LOWER, BOUND_UPPER };
#define TWODEEP_NO_MOVE UINT16_MAX

struct twodeep_entry {
    uint64_t check; /* 0: empty */
    uint16_t move;  /* number of the candidate in the order of generation */
    uint8_t depth;
    uint8_t bound : 2;
    uint8_t ends : 1; /* nothing below was judged: it is so at any depth */
    float value[];    /* one, or one for each role */
};

struct twodeep {
    unsigned char *v;
    size_t entry; /* bytes */
    uint64_t mask;
    uint32_t width; /* values */
};

/* At most so many bytes; false: no memory. */
bool twodeep_init(struct twodeep *t, size_t bytes, uint32_t width);
void twodeep_done(struct twodeep *t);

/* The entry of a position, the deeper if there are two; NULL: none. */
const struct twodeep_entry *twodeep_find(const struct twodeep *t, uint64_t key, uint64_t check);
/* It will be asked for soon: let the memory bring it. */
void twodeep_fetch(const struct twodeep *t, uint64_t key);
/* What is to be written down of a position. */
struct twodeep_news {
    uint32_t depth, move;
    enum bound bound;
    bool ends;
    const float *value;
};
void twodeep_store(struct twodeep *t, uint64_t key, uint64_t check, const struct twodeep_news *news);

#endif
