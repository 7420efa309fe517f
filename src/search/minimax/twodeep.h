/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two-deep transposition table: a place has two entries, one keeps what was searched deepest, the other what
 * came last. max^n keeps vectors, the others one number with what it is: exact, or a bound.
 *
 *     place:  [ deepest | latest ]
 *     entry:  [ fingerprint ^ all others | move, depth, bound, value | two values | two values ... ]
 *
 * Several threads may use it at once. An entry of which they wrote some words each has a wrong fingerprint,
 * and is nobody's.
 */
#ifndef SEARCH_MINIMAX_TWODEEP_H
#define SEARCH_MINIMAX_TWODEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bound { BOUND_EXACT, BOUND_LOWER, BOUND_UPPER };
#define TWODEEP_NO_MOVE UINT16_MAX
#define TWODEEP_VALUES 64

/* What is known of a position. */
struct twodeep_entry {
    uint16_t move; /* number of the candidate in the order of generation */
    uint8_t depth;
    uint8_t bound;
    bool ends;                   /* nothing below was judged: it is so at any depth */
    float value[TWODEEP_VALUES]; /* one, or one for each role */
};

struct twodeep {
    _Atomic uint64_t *v;
    size_t words; /* of an entry */
    uint64_t mask;
    uint32_t width; /* values */
};

/* At most so many bytes, for so many values a position; false: no memory. */
bool twodeep_init(struct twodeep *t, size_t bytes, uint32_t width);
void twodeep_done(struct twodeep *t);

/* What is known of a position, the deeper if there are two entries; false: nothing. `check` is not 0. */
bool twodeep_find(const struct twodeep *t, uint64_t key, uint64_t check, struct twodeep_entry *out);
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
