/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network of nodes with up to three inputs each and any function of them: what `lop3` computes.
 *
 * A literal is a node, possibly inverted: node << 1 | inverted. Node 0 is the constant true. Tables are those
 * of lop3: bit a*4 + b*2 + c of the table is the value for inputs a, b, c. Nodes are hashed and normalised:
 * equal functions of equal inputs are one node, constants and inputs that do not matter disappear, and a node
 * is always false where all its inputs are. */
#ifndef GPU_LUT_H
#define GPU_LUT_H

#include "base/vec.h"

#define LUT_TRUE 0u
#define LUT_FALSE 1u
#define LUT_STRAIGHT UINT32_MAX /* `loop` of nodes outside all loops */

enum lut_kind {
    LUT_CONSTANT,
    LUT_INPUT,  /* held when a round begins: `tag` says which */
    LUT_RANDOM, /* a random word: `tag` is round-step * 2^16 + 4 * group + number in the group */
    LUT_START,  /* what a lane begins with, in the device's memory: `tag` is the bit */
    LUT_CUT,    /* a wire of a loop as the last sweep left it: `tag` is its number */
    LUT_GATE,
};

struct lut_node {
    uint32_t in[3]; /* ascending nodes, the first n; of the others nothing is said */
    uint8_t n, table, kind;
    uint32_t loop; /* in which it lies, or LUT_STRAIGHT */
    uint32_t tag;
};

struct lut_net {
    struct heap *heap;
    VEC(struct lut_node) nodes;
    uint32_t *buckets; /* node + 1, open addressing */
    uint32_t nbuckets;
    uint32_t loop; /* what new gates get */
};

void lut_init(struct lut_net *net, struct heap *heap);
uint32_t lut_leaf(struct lut_net *net, enum lut_kind kind, uint32_t tag); /* always a new one */
/* Any function of three literals. */
uint32_t lut_gate(struct lut_net *net, uint32_t a, uint32_t b, uint32_t c, uint8_t table);

static inline uint32_t lut_not(uint32_t a)
{
    return a ^ 1;
}
static inline uint32_t lut_and(struct lut_net *net, uint32_t a, uint32_t b)
{
    return lut_gate(net, a, b, LUT_TRUE, 0xc0);
}
static inline uint32_t lut_or(struct lut_net *net, uint32_t a, uint32_t b)
{
    return lut_gate(net, a, b, LUT_TRUE, 0xfc);
}
static inline uint32_t lut_xor(struct lut_net *net, uint32_t a, uint32_t b)
{
    return lut_gate(net, a, b, LUT_TRUE, 0x3c);
}
static inline uint32_t lut_and3(struct lut_net *net, uint32_t a, uint32_t b, uint32_t c)
{
    return lut_gate(net, a, b, c, 0x80);
}
static inline uint32_t lut_xor3(struct lut_net *net, uint32_t a, uint32_t b, uint32_t c)
{
    return lut_gate(net, a, b, c, 0x96);
}
static inline uint32_t lut_majority(struct lut_net *net, uint32_t a, uint32_t b, uint32_t c)
{
    return lut_gate(net, a, b, c, 0xe8);
}
static inline uint32_t lut_select(struct lut_net *net, uint32_t m, uint32_t a, uint32_t b) /* m ? a : b */
{
    return lut_gate(net, m, a, b, 0xca);
}

/* The table with input i (0: the first) inverted. */
static inline uint8_t lut_flip(uint8_t table, uint32_t i)
{
    static const uint8_t mask[3] = {0xf0, 0xcc, 0xaa};
    uint32_t shift = 4u >> i;
    return (uint8_t)((table & mask[i]) >> shift | (uint8_t)(table << shift & mask[i]));
}

/* --- Covering ------------------------------------------------------------------------------------------- */

/* Fewer, larger gates: nodes that only one gate reads are computed inside of it where three inputs suffice.
 * The gates of all nodes in `roots` (literals) and of what these need are rewritten in place; `used` (by
 * node, zeroed) is set for those that are still computed. */
void lut_cover(struct lut_net *net, const uint32_t *roots, uint32_t nroots, bool *used);

#endif
