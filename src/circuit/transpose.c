// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/transpose.h"

#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t eight
    __attribute__((vector_size(64))); /* rows; where vectors are shorter, several of them */

/* Swap off-diagonal blocks of j x j bits (Warren, Hacker's Delight, section 7-3) between rows that are
 * `apart` vectors from each other. */
INLINE void swap_blocks(eight m[8], int j, uint64_t mask, int apart)
{
    for (int block = 0; block < 8; block += 2 * apart)
        for (int k = block; k < block + apart; k++) {
            eight t = ((m[k] >> j) ^ m[k + apart]) & mask;
            m[k] ^= t << j;
            m[k + apart] ^= t;
        }
}

union matrix {
    uint64_t row[64];
    eight rows[8];
};

/* Row i in another order: in this the rows to be swapped in blocks of less than eight are whole vectors
 * apart.
 */
INLINE uint32_t shuffled(uint32_t i)
{
    return 8 * (i % 8) + i / 8;
}

INLINE void count_body(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to,
                       uint32_t to_stride, uint32_t count[64])
{
    union matrix a, b;
    uint64_t any = 0;
    if (n < 64) memset(&a, 0, sizeof a);
    for (uint32_t i = 0; i < n; i++) any |= a.row[shuffled(i)] = from[(size_t)i * from_stride];
    if (!any) {
        for (uint32_t i = 0; i < 64; i++) to[(size_t)i * to_stride] = 0;
        return;
    }
    swap_blocks(a.rows, 4, 0x0f0f0f0f0f0f0f0fu, 4);
    swap_blocks(a.rows, 2, 0x3333333333333333u, 2);
    swap_blocks(a.rows, 1, 0x5555555555555555u, 1);
    for (uint32_t i = 0; i < 64; i++) b.row[i] = a.row[shuffled(i)];
    swap_blocks(b.rows, 32, 0x00000000ffffffffu, 4);
    swap_blocks(b.rows, 16, 0x0000ffff0000ffffu, 2);
    swap_blocks(b.rows, 8, 0x00ff00ff00ff00ffu, 1);
    for (uint32_t i = 0; i < 64; i++) to[(size_t)i * to_stride] = b.row[i];
    for (uint32_t i = 0; i < 64 && count; i++) count[i] += (uint32_t)__builtin_popcountll(b.row[i]);
}

typedef void count_kernel(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to,
                          uint32_t to_stride, uint32_t count[64]);

#define VERSION(target, name)                                                                     \
    target static void name(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to, \
                            uint32_t to_stride, uint32_t count[64])                               \
    {                                                                                             \
        count_body(from, from_stride, n, to, to_stride, count);                                   \
    }

VERSION(, count_any)

/* Chosen once, before main: no thread ever sees it change. */
static count_kernel *count_best = count_any;

#if defined(__x86_64__)
VERSION(__attribute__((target("avx2,bmi2,popcnt"))), count_256)
VERSION(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2,popcnt"))), count_512)

__attribute__((constructor)) static void choose_kernel(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        count_best = count_512;
    else if (__builtin_cpu_supports("avx2"))
        count_best = count_256;
}
#endif

void transpose_count(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to, uint32_t to_stride,
                     uint32_t count[64])
{
    count_best(from, from_stride, n, to, to_stride, count);
}
