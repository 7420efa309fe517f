// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/transpose.h"

#include <stddef.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* Swap off-diagonal blocks of j x j bits between rows j apart (Warren, Hacker's Delight, section 7-3). The
 * inner loop is one of vectors as long as j is no less than their length. What is written as vectors is read
 * as words afterwards, never the other way round: that would have to wait until the words are in the cache.
 */
INLINE void swap_blocks(uint64_t *m, const uint32_t rows, const uint32_t j, const uint64_t mask)
{
    for (uint32_t block = 0; block < rows; block += 2 * j)
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
    swap_blocks(m, 64, 32, 0x00000000ffffffffu);
    swap_blocks(m, 64, 16, 0x0000ffff0000ffffu);
    swap_blocks(m, 64, 8, 0x00ff00ff00ff00ffu);
    swap_blocks(m, 64, 4, 0x0f0f0f0f0f0f0f0fu);
    swap_blocks(m, 64, 2, 0x3333333333333333u);
    swap_blocks(m, 64, 1, 0x5555555555555555u);
    for (uint32_t i = 0; i < 64; i++) to[(size_t)i * to_stride] = m[i];
    for (uint32_t i = 0; i < 64 && count; i++) count[i] += (uint32_t)__builtin_popcountll(m[i]);
}

INLINE void half_body(uint64_t m[32])
{
    swap_blocks(m, 32, 16, 0x0000ffff0000ffffu);
    swap_blocks(m, 32, 8, 0x00ff00ff00ff00ffu);
    swap_blocks(m, 32, 4, 0x0f0f0f0f0f0f0f0fu);
    swap_blocks(m, 32, 2, 0x3333333333333333u);
    swap_blocks(m, 32, 1, 0x5555555555555555u);
}

INLINE uint64_t get_body(const uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane)
{
    uint64_t word = 0;
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4, rows += 4 * (size_t)stride)
        word |= ((rows[0] >> lane & 1) | (rows[stride] >> lane & 1) << 1 |
                 (rows[2 * (size_t)stride] >> lane & 1) << 2 | (rows[3 * (size_t)stride] >> lane & 1) << 3)
                << i;
    for (; i < n; i++, rows += stride) word |= (*rows >> lane & 1) << i;
    return word;
}

/* Rows side by side are a loop of vectors. */
INLINE void put_body(uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane, uint64_t bits)
{
    const uint64_t others = ~((uint64_t)1 << lane);
    if (stride == 1)
        for (uint64_t i = 0; i < n; i++) rows[i] = (rows[i] & others) | (bits >> i & 1) << lane;
    else
        for (uint32_t i = 0; i < n; i++, rows += stride) *rows = (*rows & others) | (bits >> i & 1) << lane;
}

struct kernels {
    void (*count)(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to, uint32_t to_stride,
                  uint32_t count[64]);
    void (*half)(uint64_t m[32]);
    uint64_t (*get)(const uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane);
    void (*put)(uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane, uint64_t bits);
};

#define VERSION(target, suffix)                                                                             \
    target static void count_##suffix(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to, \
                                      uint32_t to_stride, uint32_t count[64])                               \
    {                                                                                                       \
        count_body(from, from_stride, n, to, to_stride, count);                                             \
    }                                                                                                       \
    target static void half_##suffix(uint64_t m[32])                                                        \
    {                                                                                                       \
        half_body(m);                                                                                       \
    }                                                                                                       \
    target static void put_##suffix(uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane,             \
                                    uint64_t bits)                                                          \
    {                                                                                                       \
        put_body(rows, stride, n, lane, bits);                                                              \
    }

VERSION(, any)
static uint64_t get_any(const uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane)
{
    return get_body(rows, stride, n, lane);
}

/* Chosen once, before main: no thread ever sees it change. */
static struct kernels kernels = {count_any, half_any, get_any, put_any};

#if defined(__x86_64__)
#define TARGET_256 __attribute__((target("avx2,bmi2,popcnt")))
VERSION(TARGET_256, 256)
VERSION(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2,popcnt"))), 512)

/* The lane's bit becomes the sign, and the signs of four words are an instruction. */
TARGET_256 static uint64_t get_256(const uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane)
{
    const __m128i shift = _mm_cvtsi32_si128((int)(63 - lane));
    uint64_t word = 0;
    uint32_t i = 0;
    if (stride != 1) return get_body(rows, stride, n, lane);
    for (; i + 4 <= n; i += 4) {
        __m256i four = _mm256_sll_epi64(_mm256_loadu_si256((const __m256i *)(rows + i)), shift);
        word |= (uint64_t)(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(four)) << i;
    }
    for (; i < n; i++) word |= (rows[i] >> lane & 1) << i;
    return word;
}

__attribute__((constructor)) static void choose_kernels(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        kernels = (struct kernels){count_512, half_512, get_256, put_512};
    else if (__builtin_cpu_supports("avx2"))
        kernels = (struct kernels){count_256, half_256, get_256, put_256};
}
#endif

void transpose_count(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to, uint32_t to_stride,
                     uint32_t count[64])
{
    kernels.count(from, from_stride, n, to, to_stride, count);
}

void transpose_32(uint64_t m[32])
{
    kernels.half(m);
}

uint64_t transpose_get(const uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane)
{
    return kernels.get(rows, stride, n, lane);
}

void transpose_put(uint64_t *rows, uint32_t stride, uint32_t n, uint32_t lane, uint64_t bits)
{
    kernels.put(rows, stride, n, lane, bits);
}
