// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/transpose.h"

#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

/* Swap ever smaller off-diagonal blocks (Warren, Hacker's Delight, section 7-3). */
INLINE void transpose_body(uint64_t m[64])
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

void transpose_64(uint64_t m[64])
{
    transpose_body(m);
}

INLINE void count_body(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to,
                       uint32_t to_stride, uint32_t count[64])
{
    uint64_t block[64], any = 0;
    for (uint32_t i = 0; i < n; i++) any |= block[i] = from[(size_t)i * from_stride];
    if (!any) {
        for (uint32_t i = 0; i < 64; i++) to[(size_t)i * to_stride] = 0;
        return;
    }
    for (uint32_t i = n; i < 64; i++) block[i] = 0;
    transpose_body(block);
    for (uint32_t i = 0; i < 64; i++) {
        to[(size_t)i * to_stride] = block[i];
        count[i] += (uint32_t)__builtin_popcountll(block[i]);
    }
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
