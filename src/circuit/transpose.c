// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/transpose.h"

#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

/* Swap off-diagonal blocks of j x j bits between rows j apart (Warren, Hacker's Delight, section 7-3). The
 * inner loop is one of vectors as long as j is no less than their length. What is written as vectors is read
 * as words afterwards, never the other way round: that would have to wait until the words are in the cache.
 */
INLINE void swap_blocks(uint64_t m[64], const uint32_t j, const uint64_t mask)
{
    for (uint32_t block = 0; block < 64; block += 2 * j)
        for (uint32_t k = block; k < block + j; k++) {
            uint64_t t = ((m[k] >> j) ^ m[k + j]) & mask;
            m[k] ^= t << j;
            m[k + j] ^= t;
        }
}

INLINE void count_body(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to,
                       uint32_t to_stride, uint32_t count[64])
{
    uint64_t m[64], any = 0;
    if (from_stride == 1)
        for (uint32_t i = 0; i < n; i++) any |= m[i] = from[i];
    else
        for (uint32_t i = 0; i < n; i++) any |= m[i] = from[(size_t)i * from_stride];
    if (!any) {
        for (uint32_t i = 0; i < 64; i++) to[(size_t)i * to_stride] = 0;
        return;
    }
    for (uint32_t i = n; i < 64; i++) m[i] = 0;
    swap_blocks(m, 32, 0x00000000ffffffffu);
    swap_blocks(m, 16, 0x0000ffff0000ffffu);
    swap_blocks(m, 8, 0x00ff00ff00ff00ffu);
    swap_blocks(m, 4, 0x0f0f0f0f0f0f0f0fu);
    swap_blocks(m, 2, 0x3333333333333333u);
    swap_blocks(m, 1, 0x5555555555555555u);
    for (uint32_t i = 0; i < 64; i++) to[(size_t)i * to_stride] = m[i];
    for (uint32_t i = 0; i < 64 && count; i++) count[i] += (uint32_t)__builtin_popcountll(m[i]);
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
