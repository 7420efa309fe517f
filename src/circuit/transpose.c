// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/transpose.h"

#include <stddef.h>
#include <string.h>
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

static void rows_any(const uint64_t *from, uint32_t n, uint64_t *to, uint32_t to_stride, uint32_t lanes,
                     uint32_t *count)
{
    uint64_t m[64];
    count_body(from, 1, n, m, 1, NULL);
    for (uint32_t i = 0; i < lanes; i++) to[(size_t)i * to_stride] = m[i];
    for (uint32_t i = 0; i < lanes && count; i++) count[i] += (uint32_t)__builtin_popcountll(m[i]);
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
    void (*rows)(const uint64_t *from, uint32_t n, uint64_t *to, uint32_t to_stride, uint32_t lanes,
                 uint32_t *count);
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
static struct kernels kernels = {count_any, rows_any, half_any, get_any, put_any};

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

/* Bytes of thirty-two words, the first `bytes` of each: column[b] has byte b of all of them. Halves of a
 * vector never meet: the lower one has the words 0 to 15. */
#define TARGET_INLINE TARGET_256 static inline __attribute__((always_inline))
TARGET_INLINE void columns_256(const uint64_t *words, const int bytes, __m256i column[8])
{
    const __m256i pairs =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    __m256i two[8], four[8], eight[8]; /* words side by side, byte by byte */
    for (int i = 0; i < 8; i++) {
        __m128i low = _mm_loadu_si128((const __m128i *)(words + 2 * i));
        __m128i high = _mm_loadu_si128((const __m128i *)(words + 16 + 2 * i));
        two[i] = _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1), pairs);
    }
    for (int i = 0; i < 4; i++) {
        four[i] = _mm256_unpacklo_epi16(two[2 * i], two[2 * i + 1]); /* bytes 0 to 3 */
        if (bytes > 4) four[4 + i] = _mm256_unpackhi_epi16(two[2 * i], two[2 * i + 1]);
    }
    for (int half = 0; half < (bytes > 4 ? 2 : 1); half++)
        for (int i = 0; i < 2; i++) {
            const __m256i *f = four + 4 * half + 2 * i;
            eight[4 * half + i] = _mm256_unpacklo_epi32(f[0], f[1]); /* two bytes of four */
            if (bytes > 2) eight[4 * half + 2 + i] = _mm256_unpackhi_epi32(f[0], f[1]);
        }
    for (int pair = 0; pair < bytes / 2; pair++) {
        column[2 * pair] = _mm256_unpacklo_epi64(eight[2 * pair], eight[2 * pair + 1]);
        column[2 * pair + 1] = _mm256_unpackhi_epi64(eight[2 * pair], eight[2 * pair + 1]);
    }
}

/* The highest bits of thirty-two bytes are an instruction: lane by lane, from the eighth of a byte down. */
TARGET_INLINE void rows_body(const uint64_t *from, const int bytes, uint64_t *to, uint32_t to_stride,
                             uint32_t lanes, uint32_t *count)
{
    __m256i low[8], high[8];
    columns_256(from, bytes, low);
    columns_256(from + 32, bytes, high);
    for (uint32_t b = 0; b < (uint32_t)bytes; b++)
        for (uint32_t bit = 8; bit-- > 0;) {
            uint64_t row = (uint64_t)(uint32_t)_mm256_movemask_epi8(high[b]) << 32 |
                           (uint32_t)_mm256_movemask_epi8(low[b]);
            uint32_t lane = b * 8 + bit;
            low[b] = _mm256_add_epi8(low[b], low[b]);
            high[b] = _mm256_add_epi8(high[b], high[b]);
            if (lane >= lanes) continue;
            to[(size_t)lane * to_stride] = row;
            if (count) count[lane] += (uint32_t)__builtin_popcountll(row);
        }
}

TARGET_256 static void rows_256(const uint64_t *from, uint32_t n, uint64_t *to, uint32_t to_stride,
                                uint32_t lanes, uint32_t *count)
{
    uint64_t m[64], any = 0;
    for (uint32_t i = 0; i < n; i++) any |= from[i];
    if (!any) {
        for (uint32_t i = 0; i < lanes; i++) to[(size_t)i * to_stride] = 0;
        return;
    }
    if (n < 64) {
        memcpy(m, from, n * sizeof *m);
        memset(m + n, 0, (64 - n) * sizeof *m);
        from = m;
    }
    if (lanes <= 16)
        rows_body(from, 2, to, to_stride, lanes, count);
    else if (lanes <= 32)
        rows_body(from, 4, to, to_stride, lanes, count);
    else
        rows_body(from, 8, to, to_stride, lanes, count);
}

__attribute__((constructor)) static void choose_kernels(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        kernels = (struct kernels){count_512, rows_256, half_512, get_256, put_512};
    else if (__builtin_cpu_supports("avx2"))
        kernels = (struct kernels){count_256, rows_256, half_256, get_256, put_256};
}
#endif

void transpose_count(const uint64_t *from, uint32_t from_stride, uint32_t n, uint64_t *to, uint32_t to_stride,
                     uint32_t count[64])
{
    kernels.count(from, from_stride, n, to, to_stride, count);
}

void transpose_rows(const uint64_t *from, uint32_t n, uint64_t *to, uint32_t to_stride, uint32_t lanes,
                    uint32_t *count)
{
    kernels.rows(from, n, to, to_stride, lanes, count);
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
