// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/transpose.h"

/* Swap ever smaller off-diagonal blocks (Warren, Hacker's Delight, section 7-3). */
void transpose_64(uint64_t m[64])
{
    static const uint64_t mask[6] = {0x00000000ffffffffu, 0x0000ffff0000ffffu, 0x00ff00ff00ff00ffu,
                                     0x0f0f0f0f0f0f0f0fu, 0x3333333333333333u, 0x5555555555555555u};
    for (int s = 0, j = 32; s < 6; s++, j >>= 1)
        for (int block = 0; block < 64; block += 2 * j)
            for (int k = block; k < block + j; k++) {
                uint64_t t = ((m[k] >> j) ^ m[k + j]) & mask[s];
                m[k] ^= t << j;
                m[k + j] ^= t;
            }
}
