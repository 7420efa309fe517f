// SPDX-License-Identifier: GPL-3.0-or-later
/* Loops over blocks of 64 moves, compiled for what the processor has. */
#include "search/policy/dense.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* One by one, but without a branch on what the scores are. */
INLINE uint32_t best_body(const float *scores, const uint64_t *legal, uint32_t words, uint64_t *best)
{
    float top = -1e30f;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t x = legal[w]; x; x &= x - 1) {
            float s = scores[w * 64 + (uint32_t)__builtin_ctzll(x)];
            top = s > top ? s : top;
        }
    uint32_t count = 0;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t same = 0;
        for (uint64_t x = legal[w]; x; x &= x - 1)
            same |= scores[w * 64 + (uint32_t)__builtin_ctzll(x)] == top ? x & -x : 0;
        best[w] = same;
        count += (uint32_t)__builtin_popcountll(same);
    }
    return count;
}

INLINE uint32_t ceiling(const uint16_t *one, const uint16_t *two, size_t i)
{
    return !two || two[i] == CEILING_NONE ? one[i] : ((uint32_t)one[i] + two[i] + 1) / 2;
}

static uint32_t near_any(const uint64_t *set, uint32_t words, const uint16_t *one, const uint16_t *two,
                         uint64_t *near)
{
    uint32_t most = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t x = set[w]; x; x &= x - 1) {
            uint32_t c = ceiling(one, two, w * 64 + (uint32_t)__builtin_ctzll(x));
            most = c > most ? c : most;
        }
    for (uint32_t w = 0; w < words; w++) {
        near[w] = 0;
        for (uint64_t x = set[w]; x; x &= x - 1)
            if (ceiling(one, two, w * 64 + (uint32_t)__builtin_ctzll(x)) + CEILING_NEAR >= most)
                near[w] |= x & -x;
    }
    return most;
}

/* Sixteen numbers at a time, on every processor: sums are added up in the same order everywhere. */
typedef float floats __attribute__((vector_size(64), aligned(4)));
typedef int32_t ints __attribute__((vector_size(64), aligned(4)));
enum { STRANDS = 16 };
#define SELECT(mask, a, b) ((floats)(((ints)(a) & (mask)) | ((ints)(b) & ~(mask))))

/* exp(x) for -87 <= x <= 0 to 2e-7, of a vector: `whole` is the nearest power of two,
 * which goes into the exponent (`scale`), the rest is a polynomial (Cephes' expf). */
#define EXP(x, p, whole, scale)                                \
    do {                                                       \
        x = x - (whole)*0.693359375f + (whole)*2.12194440e-4f; \
        p = x * 1.9875691500e-4f + 1.3981999507e-3f;           \
        p = p * x + 8.3334519073e-3f;                          \
        p = p * x + 4.1665795894e-2f;                          \
        p = p * x + 1.6666665459e-1f;                          \
        p = p * x + 5.0000001201e-1f;                          \
        p = (p * x * x + x + 1) * (scale);                     \
    } while (0)

/* What fills the last block weighs nothing; what is below -87 weighs as much as -87. */
INLINE float gibbs_body(const float *scores, uint32_t n, float tau, float *out)
{
    const floats zero = {0};
    uint32_t blocks = (n + STRANDS - 1) / STRANDS;
    memcpy(out, scores, n * sizeof *out);
    for (uint32_t i = n; i < blocks * STRANDS; i++) out[i] = -1e30f;
    floats *v = (floats *)out, tops = v[0], sums = zero;
    for (uint32_t i = 1; i < blocks; i++) tops = SELECT(v[i] > tops, v[i], tops);
    float top = tops[0], sum = 0, scale = 1 / tau;
    for (int j = 1; j < STRANDS; j++) top = tops[j] > top ? tops[j] : top;
    for (uint32_t i = 0; i < blocks; i++) {
        floats x = (v[i] - top) * scale, p;
        x = SELECT(x > -87, x, zero - 87);
        ints power = __builtin_convertvector(x * 1.44269504f - 0.5f, ints);
        floats whole = __builtin_convertvector(power, floats);
        EXP(x, p, whole, (floats)((power + 127) * (1 << 23)));
        v[i] = p;
        sums += p;
    }
    for (int j = 0; j < STRANDS; j++) sum += sums[j];
    return sum;
}

INLINE void weigh_body(float *v, uint32_t n, float tau)
{
    const floats zero = {0};
    for (uint32_t i = 0; i < n; i += STRANDS) {
        floats x = (*(floats *)(v + i) - 100) / tau, p;
        x = SELECT(x > -87, x, zero - 87);
        ints power = __builtin_convertvector(x * 1.44269504f - 0.5f, ints);
        floats whole = __builtin_convertvector(power, floats);
        EXP(x, p, whole, (floats)((power + 127) * (1 << 23)));
        *(floats *)(v + i) = p;
    }
}

INLINE uint32_t element_body(const uint64_t *set, uint32_t words, uint32_t which)
{
    for (uint32_t w = 0; w < words; w++) {
        uint32_t n = (uint32_t)__builtin_popcountll(set[w]);
        if (which < n) {
            uint64_t x = set[w];
            while (which--) x &= x - 1;
            return w * 64 + (uint32_t)__builtin_ctzll(x);
        }
        which -= n;
    }
    return UINT32_MAX;
}

/* One version of each kernel per kind of processor. */
struct kernels {
    uint32_t (*best)(const float *scores, const uint64_t *legal, uint32_t words, uint64_t *best);
    float (*gibbs)(const float *scores, uint32_t n, float tau, float *out);
    void (*weigh)(float *v, uint32_t n, float tau);
    uint32_t (*element)(const uint64_t *set, uint32_t words, uint32_t which);
    uint32_t (*near)(const uint64_t *set, uint32_t words, const uint16_t *one, const uint16_t *two,
                     uint64_t *near);
};

#define VERSION(target, suffix)                                                                \
    target static float gibbs_##suffix(const float *scores, uint32_t n, float tau, float *out) \
    {                                                                                          \
        return gibbs_body(scores, n, tau, out);                                                \
    }                                                                                          \
    target static void weigh_##suffix(float *v, uint32_t n, float tau)                         \
    {                                                                                          \
        weigh_body(v, n, tau);                                                                 \
    }

VERSION(, any)
static uint32_t element_any(const uint64_t *set, uint32_t words, uint32_t which)
{
    return element_body(set, words, which);
}

static uint32_t best_any(const float *scores, const uint64_t *legal, uint32_t words, uint64_t *best)
{
    return best_body(scores, legal, words, best);
}

#if defined(__x86_64__)
#define TARGET_256 __attribute__((target("avx2,bmi2,popcnt")))
#define TARGET_512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2,popcnt")))

VERSION(TARGET_256, 256)
VERSION(TARGET_512, 512)

/* The compiler does not see that a legal set is a row of masks: it is worth telling. */
TARGET_256 static inline __m256 mask_256(uint64_t set, int part)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i eight = _mm256_and_si256(_mm256_set1_epi32((int)(set >> 8 * part)), bits);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(eight, bits));
}

TARGET_256 static uint32_t element_256(const uint64_t *set, uint32_t words, uint32_t which)
{
    return element_body(set, words, which);
}

TARGET_256 static uint32_t best_256(const float *scores, const uint64_t *legal, uint32_t words,
                                    uint64_t *best)
{
    const __m256 nothing = _mm256_set1_ps(-1e30f);
    __m256 most = nothing;
    for (uint32_t w = 0; w < words; w++)
        for (int part = 0; part < 8 && legal[w]; part++) {
            __m256 s = _mm256_loadu_ps(scores + w * 64 + 8 * part);
            most = _mm256_max_ps(most, _mm256_blendv_ps(nothing, s, mask_256(legal[w], part)));
        }
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(most), _mm256_extractf128_ps(most, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    four = _mm_max_ss(four, _mm_movehdup_ps(four));
    const __m256 top = _mm256_broadcastss_ps(four);
    uint32_t count = 0;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t same = 0;
        for (int part = 0; part < 8 && legal[w]; part++) {
            __m256 s = _mm256_loadu_ps(scores + w * 64 + 8 * part);
            same |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(s, top, _CMP_EQ_OQ)) << 8 * part;
        }
        best[w] = same &= legal[w];
        count += (uint32_t)__builtin_popcountll(same);
    }
    return count;
}

/* The ceilings of sixteen moves; 0 of those that are not in the set. */
TARGET_256 static inline __m256i ceilings_256(uint64_t set, const uint16_t *one, const uint16_t *two)
{
    const __m256i bits =
        _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, (short)32768);
    __m256i in = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16((short)set), bits), bits);
    __m256i c = _mm256_loadu_si256((const __m256i *)one);
    if (two) {
        __m256i second = _mm256_loadu_si256((const __m256i *)two);
        __m256i none = _mm256_cmpeq_epi16(second, _mm256_set1_epi16((short)CEILING_NONE));
        c = _mm256_avg_epu16(c, _mm256_blendv_epi8(second, c, none));
    }
    return _mm256_and_si256(c, in);
}

/* What was seen of sixteen moves, for the second look; of more than so many words it is looked up again. */
enum { NEAR_WORDS = 128, PART = 16, PARTS = NEAR_WORDS * 64 / PART };

TARGET_256 static inline uint64_t not_below_256(__m256i c, __m256i least)
{
    __m256i same = _mm256_cmpeq_epi16(_mm256_max_epu16(c, least), c);
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(same), _mm256_extracti128_si256(same, 1));
    return (uint32_t)_mm_movemask_epi8(bytes);
}

/* The smallest of eight is an instruction, so look for the smallest of what is missing to the most. */
TARGET_256 static inline uint32_t top_of_256(__m256i c)
{
    __m128i eight = _mm_max_epu16(_mm256_castsi256_si128(c), _mm256_extracti128_si256(c, 1));
    __m128i missing = _mm_xor_si128(eight, _mm_set1_epi16(-1));
    return ~(uint32_t)_mm_extract_epi16(_mm_minpos_epu16(missing), 0) & 0xffff;
}

TARGET_256 static uint32_t near_256(const uint64_t *set, uint32_t words, const uint16_t *one,
                                    const uint16_t *two, uint64_t *near)
{
    __m256i tops = _mm256_setzero_si256(), seen[PARTS];
    uint32_t where[PARTS], n = 0;
    if (words > NEAR_WORDS) return near_any(set, words, one, two, near);
    for (uint32_t w = 0; w < words; w++) {
        near[w] = 0;
        for (uint32_t at = 0; at < 64 && set[w]; at += PART) {
            uint64_t part = set[w] >> at & 0xffff;
            size_t i = w * 64 + at;
            if (!part) continue;
            seen[n] = ceilings_256(part, one + i, two ? two + i : NULL);
            tops = _mm256_max_epu16(tops, seen[n]);
            where[n++] = (uint32_t)i;
        }
    }
    uint32_t most = top_of_256(tops);
    const __m256i least = _mm256_set1_epi16((short)(most > CEILING_NEAR ? most - CEILING_NEAR : 0));
    for (uint32_t k = 0; k < n; k++) near[where[k] / 64] |= not_below_256(seen[k], least) << where[k] % 64;
    for (uint32_t w = 0; w < words; w++) near[w] &= set[w];
    return most;
}

/* The ceilings of 32 moves, a line of the cache; 0 of those that are not in the set. */
TARGET_512 static inline __m512i ceilings_512(__mmask32 set, const uint16_t *one, const uint16_t *two)
{
    __m512i c = _mm512_maskz_loadu_epi16(set, one);
    if (!two) return c;
    __m512i second = _mm512_maskz_loadu_epi16(set, two);
    __mmask32 none = _mm512_cmpeq_epi16_mask(second, _mm512_set1_epi16((short)CEILING_NONE));
    return _mm512_avg_epu16(c, _mm512_mask_mov_epi16(second, none, c));
}

TARGET_512 static uint32_t near_512(const uint64_t *set, uint32_t words, const uint16_t *one,
                                    const uint16_t *two, uint64_t *near)
{
    enum { LOOK = 32, LOOKS = NEAR_WORDS * 64 / LOOK };
    __m512i tops = _mm512_setzero_si512(), seen[LOOKS];
    uint32_t where[LOOKS], n = 0;
    if (words > NEAR_WORDS) return near_any(set, words, one, two, near);
    for (uint32_t w = 0; w < words; w++) {
        near[w] = 0;
        for (uint32_t at = 0; at < 64; at += LOOK) {
            __mmask32 part = (__mmask32)(set[w] >> at);
            size_t i = w * 64 + at;
            if (!part) continue;
            seen[n] = ceilings_512(part, one + i, two ? two + i : NULL);
            tops = _mm512_max_epu16(tops, seen[n]);
            where[n++] = (uint32_t)i;
        }
    }
    uint32_t most =
        top_of_256(_mm256_max_epu16(_mm512_castsi512_si256(tops), _mm512_extracti64x4_epi64(tops, 1)));
    const __m512i least = _mm512_set1_epi16((short)(most > CEILING_NEAR ? most - CEILING_NEAR : 0));
    for (uint32_t k = 0; k < n; k++)
        near[where[k] / 64] |= (uint64_t)_mm512_cmpge_epu16_mask(seen[k], least) << where[k] % 64;
    for (uint32_t w = 0; w < words; w++) near[w] &= set[w];
    return most;
}

/* Every processor with these vectors has a quick way to the bit of a rank. */
TARGET_512 static uint32_t element_512(const uint64_t *set, uint32_t words, uint32_t which)
{
    for (uint32_t w = 0; w < words; w++) {
        uint32_t n = (uint32_t)__builtin_popcountll(set[w]);
        if (which < n) return w * 64 + (uint32_t)__builtin_ctzll(_pdep_u64((uint64_t)1 << which, set[w]));
        which -= n;
    }
    return UINT32_MAX;
}

TARGET_512 static uint32_t best_512(const float *scores, const uint64_t *legal, uint32_t words,
                                    uint64_t *best)
{
    __m512 most = _mm512_set1_ps(-1e30f);
    for (uint32_t w = 0; w < words; w++)
        for (int part = 0; part < 4 && legal[w]; part++) {
            __mmask16 mask = (__mmask16)(legal[w] >> (16 * part));
            most = _mm512_mask_max_ps(most, mask, most, _mm512_loadu_ps(scores + w * 64 + 16 * part));
        }
    __m512 top = _mm512_set1_ps(_mm512_reduce_max_ps(most));
    uint32_t count = 0;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t same = 0;
        for (int part = 0; part < 4 && legal[w]; part++) {
            __mmask16 mask = (__mmask16)(legal[w] >> (16 * part));
            const float *s = scores + w * 64 + 16 * part;
            mask = _mm512_mask_cmp_ps_mask(mask, _mm512_loadu_ps(s), top, _CMP_EQ_OQ);
            same |= (uint64_t)mask << (16 * part);
        }
        best[w] = same;
        count += (uint32_t)__builtin_popcountll(same);
    }
    return count;
}
#endif

/* Chosen once, before main: no thread ever sees it change. */
static struct kernels kernels = {best_any, gibbs_any, weigh_any, element_any, near_any};

#if defined(__x86_64__)
__attribute__((constructor)) static void choose_kernels(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        kernels = (struct kernels){best_512, gibbs_512, weigh_512, element_512, near_512};
    else if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx2"))
        kernels = (struct kernels){best_256, gibbs_256, weigh_256, element_256, near_256};
}
#endif

uint32_t dense_near_top(const uint64_t *set, uint32_t words, const uint16_t *one, const uint16_t *two,
                        uint64_t *near)
{
    return kernels.near(set, words, one, two, near);
}

uint32_t dense_best(const float *scores, const uint64_t *legal, uint32_t words, uint64_t *best)
{
    return kernels.best(scores, legal, words, best);
}

float dense_gibbs(const float *scores, uint32_t n, float tau, float *out)
{
    return kernels.gibbs(scores, n, tau, out);
}

void dense_weigh(float *v, uint32_t n, float tau)
{
    kernels.weigh(v, n, tau);
}

uint32_t set_element(const uint64_t *set, uint32_t words, uint32_t which)
{
    return kernels.element(set, words, which);
}

uint32_t set_list(const uint64_t *set, uint32_t words, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t x = set[w]; x; x &= x - 1) out[n++] = w * 64 + (uint32_t)__builtin_ctzll(x);
    return n;
}
