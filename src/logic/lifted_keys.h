/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tuples of terms, numbered in order of arrival: the keys of views.
 *
 * Most columns of most relations have few different values. As long as it fits, each value of a column has a
 * small code, and the codes of a tuple make an index into a table:
 *
 *     (3 5 x)  ─ code * stride ─>  2 * 1, 4 * 8, 0 * 64  ─ sum ─>  table[34]  =  number of the tuple + 1
 *
 * A set of tuples that would need too large a table for that is hashed instead.
 */
#ifndef LOGIC_LIFTED_KEYS_H
#define LOGIC_LIFTED_KEYS_H

#include "gdl/term.h"

#define NO_KEY UINT32_MAX

struct key_column {
    uint32_t *part; /* of term base + i: its code times the stride, plus 1; 0 if it has no code */
    uint32_t base, span;
};

struct key_codes {
    uint32_t used, room; /* codes given out; codes that the strides have room for */
    uint32_t stride;
};

struct keys {
    uint32_t width, n;
    bool hashed;
    uint32_t version;      /* changes whenever a part does */
    struct vec_u32 values; /* width each */
    struct key_column *columns;
    struct key_codes *codes; /* by column */
    uint32_t *table, size;   /* direct: by index; hashed: open addressing, a power of two */
};

void keys_init(struct heap *heap, struct keys *k, uint32_t width);
void keys_done(struct heap *heap, struct keys *k);
void keys_clear(struct keys *k); /* forget the tuples; memory and codes are kept */
uint32_t keys_add(struct heap *heap, struct keys *k, const term *values); /* found or made */
uint32_t keys_find_hashed(const struct keys *k, const term *values);

/* The part of the index that a value of a column makes up, plus 1; 0 if it has none. Not for hashed ones. */
static inline uint32_t keys_part(const struct keys *k, uint32_t column, term value)
{
    const struct key_column *c = &k->columns[column];
    uint32_t at = value - c->base;
    return at < c->span ? c->part[at] : 0;
}

/* The number of a tuple, or NO_KEY. */
static inline uint32_t keys_find(const struct keys *k, const term *values)
{
    if (k->hashed) return keys_find_hashed(k, values);
    uint32_t index = 0;
    for (uint32_t i = 0; i < k->width; i++) {
        uint32_t part = keys_part(k, i, values[i]);
        if (part == 0) return NO_KEY;
        index += part - 1;
    }
    return k->table[index] - 1;
}

#endif
