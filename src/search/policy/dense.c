// SPDX-License-Identifier: GPL-3.0-or-later
/* Plain loops over blocks of 64 moves, compiled for what the processor has: the compiler makes vectors of
 * them. */
#include "search/policy/dense.h"

#include <stdbool.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE void single_body(float *out, const uint64_t *legal, uint32_t words, const float *mean1,
                        const float *n1, float unseen)
{
    for (uint32_t w = 0; w < words; w++) {
        if (!legal[w]) continue;
        const float *m = mean1 + w * 64, *n = n1 + w * 64;
        float *o = out + w * 64;
        for (int i = 0; i < 64; i++) o[i] = n[i] > 0 ? m[i] : unseen;
    }
}

INLINE void pair_body(float *out, const uint64_t *legal, uint32_t words, const float *mean1, const float *n1,
                      const float *mean2, const float *n2, float k, float unseen)
{
    for (uint32_t w = 0; w < words; w++) {
        if (!legal[w]) continue;
        const float *m = mean1 + w * 64, *n = n1 + w * 64, *p = mean2 + w * 64, *q = n2 + w * 64;
        float *o = out + w * 64;
        for (int i = 0; i < 64; i++) {
            float one = n[i] > 0 ? m[i] : unseen, both = (m[i] + p[i]) * 0.5f;
            o[i] = q[i] >= k ? both : one;
        }
    }
}

/* Scores of moves that are not legal count as -1e30. */
INLINE float top_body(const float *scores, const uint64_t *legal, uint32_t words, uint32_t *ties)
{
    float best = -1e30f;
    for (uint32_t w = 0; w < words; w++) {
        if (!legal[w]) continue;
        const float *s = scores + w * 64;
        float block[64];
        for (int i = 0; i < 64; i++) block[i] = legal[w] >> i & 1 ? s[i] : -1e30f;
        for (int width = 32; width; width /= 2)
            for (int i = 0; i < width; i++)
                block[i] = block[i] > block[i + width] ? block[i] : block[i + width];
        if (block[0] > best) best = block[0];
    }
    uint32_t count = 0;
    for (uint32_t w = 0; w < words; w++) {
        if (!legal[w]) continue;
        const float *s = scores + w * 64;
        uint64_t same = 0;
        for (int i = 0; i < 64; i++) same |= (uint64_t)(s[i] == best) << i;
        count += (uint32_t)__builtin_popcountll(same & legal[w]);
    }
    *ties = count;
    return best;
}

/* One version of each kernel per kind of processor. */
struct kernels {
    void (*single)(float *out, const uint64_t *legal, uint32_t words, const float *mean1, const float *n1,
                   float unseen);
    void (*pair)(float *out, const uint64_t *legal, uint32_t words, const float *mean1, const float *n1,
                 const float *mean2, const float *n2, float k, float unseen);
    float (*top)(const float *scores, const uint64_t *legal, uint32_t words, uint32_t *ties);
};

#define VERSION(target, suffix)                                                                             \
    target static void single_##suffix(float *out, const uint64_t *legal, uint32_t words,                   \
                                       const float *mean1, const float *n1, float unseen)                   \
    {                                                                                                       \
        single_body(out, legal, words, mean1, n1, unseen);                                                  \
    }                                                                                                       \
    target static void pair_##suffix(float *out, const uint64_t *legal, uint32_t words, const float *mean1, \
                                     const float *n1, const float *mean2, const float *n2, float k,         \
                                     float unseen)                                                          \
    {                                                                                                       \
        pair_body(out, legal, words, mean1, n1, mean2, n2, k, unseen);                                      \
    }

VERSION(, any)
static float top_any(const float *scores, const uint64_t *legal, uint32_t words, uint32_t *ties)
{
    return top_body(scores, legal, words, ties);
}

#if defined(__x86_64__)
#define TARGET_256 __attribute__((target("avx2,bmi2,popcnt")))
#define TARGET_512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2,popcnt")))

VERSION(TARGET_256, 256)
TARGET_256 static float top_256(const float *scores, const uint64_t *legal, uint32_t words, uint32_t *ties)
{
    return top_body(scores, legal, words, ties);
}

VERSION(TARGET_512, 512)
/* The compiler does not see that a legal set is a row of masks: with 512-bit vectors it is worth telling. */
TARGET_512 static float top_512(const float *scores, const uint64_t *legal, uint32_t words, uint32_t *ties)
{
    __m512 best = _mm512_set1_ps(-1e30f);
    for (uint32_t w = 0; w < words; w++)
        for (int part = 0; part < 4 && legal[w]; part++) {
            __mmask16 mask = (__mmask16)(legal[w] >> (16 * part));
            const float *s = scores + w * 64 + 16 * part;
            best = _mm512_mask_max_ps(best, mask, best, _mm512_loadu_ps(s));
        }
    float top = _mm512_reduce_max_ps(best);
    uint32_t count = 0;
    for (uint32_t w = 0; w < words; w++)
        for (int part = 0; part < 4 && legal[w]; part++) {
            __mmask16 mask = (__mmask16)(legal[w] >> (16 * part));
            const float *s = scores + w * 64 + 16 * part;
            mask = _mm512_mask_cmp_ps_mask(mask, _mm512_loadu_ps(s), _mm512_set1_ps(top), _CMP_EQ_OQ);
            count += (uint32_t)__builtin_popcount(mask);
        }
    *ties = count;
    return top;
}
#endif

/* Chosen once, before main: no thread ever sees it change. */
static struct kernels kernels = {single_any, pair_any, top_any};

#if defined(__x86_64__)
__attribute__((constructor)) static void choose_kernels(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        kernels = (struct kernels){single_512, pair_512, top_512};
    else if (__builtin_cpu_supports("avx2"))
        kernels = (struct kernels){single_256, pair_256, top_256};
}
#endif

void dense_single(float *out, const uint64_t *legal, uint32_t words, const float *mean1, const float *n1,
                  float unseen)
{
    kernels.single(out, legal, words, mean1, n1, unseen);
}

void dense_pair(float *out, const uint64_t *legal, uint32_t words, const float *mean1, const float *n1,
                const float *mean2, const float *n2, float k, float unseen)
{
    kernels.pair(out, legal, words, mean1, n1, mean2, n2, k, unseen);
}

float dense_top(const float *scores, const uint64_t *legal, uint32_t words, uint32_t *ties)
{
    return kernels.top(scores, legal, words, ties);
}

uint32_t dense_pick(const float *scores, const uint64_t *legal, uint32_t words, float top, uint32_t which)
{
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t x = legal[w]; x; x &= x - 1) {
            uint32_t move = w * 64 + (uint32_t)__builtin_ctzll(x);
            if (scores[move] == top && which-- == 0) return move;
        }
    return UINT32_MAX;
}

uint32_t set_element(const uint64_t *set, uint32_t words, uint32_t which)
{
    for (uint32_t w = 0; w < words; w++) {
        uint32_t n = (uint32_t)__builtin_popcountll(set[w]);
        if (which >= n) {
            which -= n;
            continue;
        }
        uint64_t x = set[w];
        while (which--) x &= x - 1;
        return w * 64 + (uint32_t)__builtin_ctzll(x);
    }
    return UINT32_MAX;
}
