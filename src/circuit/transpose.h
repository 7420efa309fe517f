/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bit matrices turned: from wires (a row per bit of the state) to lanes (a row per game) and back. */
#ifndef CIRCUIT_TRANSPOSE_H
#define CIRCUIT_TRANSPOSE_H

#include <stdint.h>

/* 64 x 64 bits: bit j of row i becomes bit i of row j. From n rows that lie `from_stride` words apart (the
 * others count as 0) to 64 that lie `to_stride` words apart; the bits of each row that comes out are added to
 * count[row], unless count is NULL. Cheap when all rows are 0. */
void transpose_count(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to, uint32_t to_stride,
                     uint32_t count[64]);

/* The same from n rows side by side to the first `lanes` rows that come out: the fewer, the faster. */
void transpose_rows(const uint64_t *from, uint32_t n, uint64_t *to, uint32_t to_stride, uint32_t lanes,
                    uint32_t *count);

/* Two matrices of 32 x 32 bits side by side, each turned where it lies. */
void transpose_32(uint64_t m[32]);

/* One lane alone: its bits of n rows (at most 64) that lie `stride` words apart, as a word, and back. `lane`
 * is the bit of the words that `rows` begins with. */
uint64_t transpose_get(const uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane);
void transpose_put(uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane, uint64_t bits);

/* 8 x 8 bits: bit j of byte i becomes bit i of byte j. */
static inline uint64_t transpose_8(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aau;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000cccc0000ccccu;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0u;
    return x ^ t ^ (t << 28);
}

#endif
