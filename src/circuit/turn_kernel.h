/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wires turned into rows (a row per lane) and back; part of sweep_kernel.h.
 *
 *     wire 0    [ lanes 0 .. 63 | 64 .. 127 | ... ]        m[i]: one vector, so all words of a wire are
 *     wire 1    [               |           |     ]        turned at once: as many blocks of 64 x 64 bits
 *      ...                                                 as a vector has words, and no bit ever goes from
 *     wire 63   [               |           |     ]        one word to another
 */

#if LANES == 64 /* one word a wire: there is but one block, turned with whatever vectors there are */

FN void get_rows(uint32_t first, const uint32_t *which, uint32_t n, uint64_t *rows, uint32_t stride,
                 uint32_t lanes, uint32_t *count, const uint64_t *memory)
{
    uint64_t wires[64];
    const uint64_t *from = memory + first;
    for (uint32_t i = 0; i < n && which; i++) wires[i] = from[which[i]];
    if (which) from = wires;
    transpose_rows(from, n, rows, stride, lanes, count);
}

FN void put_rows(uint32_t first, const uint32_t *which, uint32_t n, const uint64_t *rows, uint32_t stride,
                 const uint32_t *order, uint32_t lanes, uint64_t *memory)
{
    uint64_t row[64], turned[64], *to = memory + first;
    for (uint32_t i = 0; i < lanes; i++) row[i] = rows[(size_t)(order ? order[i] : i) * stride];
    transpose_count(row, 1, lanes, turned, 1, NULL);
    for (uint32_t i = 0; i < n; i++) to[which ? which[i] : i] = turned[i];
}

#else

/* Swap off-diagonal blocks of j x j bits (Warren, Hacker's Delight, section 7-3) between eight rows, those at
 * `apart` from each other. */
INLINE void swap_blocks(vec m[8], const int j, const uint64_t mask, const int apart)
{
    for (int block = 0; block < 8; block += 2 * apart)
        for (int k = block; k < block + apart; k++) {
            vec t = ((m[k] >> j) ^ m[k + apart]) & mask;
            m[k] ^= t << j;
            m[k + apart] ^= t;
        }
}

/* Eight rows at a time, which are as many as there are registers for. */
INLINE void turn_blocks(vec m[64])
{
    for (int i = 0; i < 8; i++) {
        vec x[8];
        for (int k = 0; k < 8; k++) x[k] = m[i + 8 * k];
        swap_blocks(x, 32, 0x00000000ffffffffu, 4);
        swap_blocks(x, 16, 0x0000ffff0000ffffu, 2);
        swap_blocks(x, 8, 0x00ff00ff00ff00ffu, 1);
        for (int k = 0; k < 8; k++) m[i + 8 * k] = x[k];
    }
    for (int i = 0; i < 64; i += 8) {
        vec x[8];
        for (int k = 0; k < 8; k++) x[k] = m[i + k];
        swap_blocks(x, 4, 0x0f0f0f0f0f0f0f0fu, 4);
        swap_blocks(x, 2, 0x3333333333333333u, 2);
        swap_blocks(x, 1, 0x5555555555555555u, 1);
        for (int k = 0; k < 8; k++) m[i + k] = x[k];
    }
}

FN void get_rows(uint32_t first, const uint32_t *which, uint32_t n, uint64_t *rows, uint32_t stride,
                 uint32_t lanes, uint32_t *count, const uint64_t *memory)
{
    const vec_alias *mem = (const vec_alias *)memory + first;
    vec m[64], some = {0};
    for (uint32_t i = 0; i < n; i++) some |= m[i] = mem[which ? which[i] : i];
    if (!any(some)) {
        for (uint32_t i = 0; i < lanes; i++) rows[(size_t)i * stride] = 0;
        return;
    }
    for (uint32_t i = n; i < 64; i++) m[i] = some ^ some;
    turn_blocks(m);
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t w = 0; w < WORDS; w++)
            if (w * 64 + i < lanes) rows[(size_t)(w * 64 + i) * stride] = m[i][w];
    for (uint32_t i = 0; i < lanes && count; i++)
        count[i] += (uint32_t)__builtin_popcountll(rows[(size_t)i * stride]);
}

FN void put_rows(uint32_t first, const uint32_t *which, uint32_t n, const uint64_t *rows, uint32_t stride,
                 const uint32_t *order, uint32_t lanes, uint64_t *memory)
{
    vec_alias *mem = (vec_alias *)memory + first;
    vec m[64];
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t w = 0; w < WORDS; w++) {
            uint32_t lane = w * 64 + i;
            m[i][w] = lane < lanes ? rows[(size_t)(order ? order[lane] : lane) * stride] : 0;
        }
    turn_blocks(m);
    for (uint32_t i = 0; i < n; i++) mem[which ? which[i] : i] = m[i];
}
#endif
