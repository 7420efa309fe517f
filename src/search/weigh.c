// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/weigh.h"

#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { FOUR = 4 };

static void weigh_one(const struct tree_action *a, uint32_t i, uint32_t avoid, struct weights *w)
{
    uint32_t finished = count_of(&a->n), pending = pending_of(a);
    bool avoided = action_is(a, avoid), out = finished + pending == 0 || avoided;
    float mean = mean_of(&a->mean);
    w->tries[i] = out ? 1 : (float)(int32_t)(finished + pending);
    if (pending) mean = mean * (float)(int32_t)finished / w->tries[i];
    w->value[i] = out ? -INFINITY : mean;
    w->pending += pending;
    w->untried[i / 64] |= (uint64_t)(finished + pending == 0 && !avoided) << (i % 64);
}

#if defined(__x86_64__)

static __m128 choose(__m128i mask, __m128 a, __m128 b)
{
    __m128 m = _mm_castsi128_ps(mask);
    return _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b));
}

/* Columns of four actions: everything but the move, which comes first, is turned. */
static void load_four(const struct tree_action *a, uint32_t n, __m128i *finished, __m128 *mean,
                      __m128i *pending)
{
    const __m128i *at[FOUR];
    for (uint32_t k = 0; k < FOUR; k++) at[k] = (const __m128i *)&a[k < n ? k : n - 1].n;
    __m128i r0 = _mm_loadu_si128(at[0]), r1 = _mm_loadu_si128(at[1]), r2 = _mm_loadu_si128(at[2]),
            r3 = _mm_loadu_si128(at[3]);
    __m128i low = _mm_unpacklo_epi32(r0, r1), high = _mm_unpacklo_epi32(r2, r3);
    *finished = _mm_unpacklo_epi64(low, high);
    *mean = _mm_castsi128_ps(_mm_unpackhi_epi64(low, high));
    *pending = _mm_unpackhi_epi64(_mm_unpackhi_epi32(r0, r1), _mm_unpackhi_epi32(r2, r3));
}

/* Four at i, of which `n` are there. */
static void weigh_four(const struct tree_action *a, uint32_t i, uint32_t n, uint32_t avoid, struct weights *w,
                       __m128i *sum)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i finished, marks;
    __m128 mean;
    load_four(a, n, &finished, &mean, &marks);
    __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
    __m128i pending =
        _mm_and_si128(_mm_and_si128(marks, _mm_set1_epi32((int)~(ACTION_OUT | ACTION_SETTLED))), there);
    __m128i all = _mm_add_epi32(finished, pending), none = _mm_cmpeq_epi32(all, zero);
    __m128i in =
        _mm_and_si128(_mm_cmpeq_epi32(_mm_and_si128(marks, _mm_set1_epi32((int)avoid)), zero), there);
    __m128i good = _mm_andnot_si128(none, in);
    __m128 tries = choose(good, _mm_cvtepi32_ps(all), _mm_set1_ps(1));
    __m128i kept = _mm_cmpeq_epi32(pending, zero);
    if (_mm_movemask_epi8(kept) != 0xffff)
        mean = choose(kept, mean, _mm_div_ps(_mm_mul_ps(mean, _mm_cvtepi32_ps(finished)), tries));
    *sum = _mm_add_epi32(*sum, pending);
    _mm_storeu_ps(w->tries + i, tries);
    _mm_storeu_ps(w->value + i, choose(good, mean, _mm_set1_ps(-INFINITY)));
    uint64_t untried = (uint64_t)(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_and_si128(none, in)));
    w->untried[i / 64] |= untried << (i % 64);
}

static uint32_t sum_of(__m128i x)
{
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(x);
}

static void weigh_all(const struct tree_action *a, uint32_t n, uint32_t avoid, struct weights *w)
{
    __m128i sum = _mm_setzero_si128();
    for (uint32_t i = 0; i < n; i += FOUR) weigh_four(a + i, i, n - i < FOUR ? n - i : FOUR, avoid, w, &sum);
    w->pending = sum_of(sum);
}

void weigh_uct(struct weights *w, uint32_t n, float ln_visits, float c)
{
    __m128 ln = _mm_set1_ps(ln_visits), by = _mm_set1_ps(c);
    for (uint32_t i = 0; i < n; i += FOUR) {
        __m128 wide = _mm_sqrt_ps(_mm_div_ps(ln, _mm_loadu_ps(w->tries + i)));
        _mm_storeu_ps(w->value + i, _mm_add_ps(_mm_loadu_ps(w->value + i), _mm_mul_ps(by, wide)));
    }
}

static void rave_all(struct weights *w, uint32_t n, const struct rave *rave, float beta)
{
    __m128 much = _mm_set1_ps(beta), little = _mm_set1_ps(1 - beta);
    uint32_t i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        __m128 r0 = _mm_loadu_ps((const float *)(rave + i)), r1 = _mm_loadu_ps((const float *)(rave + i + 2));
        __m128 mean = _mm_shuffle_ps(r0, r1, 0x88), count = _mm_shuffle_ps(r0, r1, 0xdd);
        __m128i none = _mm_cmpeq_epi32(_mm_castps_si128(count), _mm_setzero_si128());
        __m128 value = _mm_loadu_ps(w->value + i);
        __m128 mixed = _mm_add_ps(_mm_mul_ps(much, mean), _mm_mul_ps(little, value));
        _mm_storeu_ps(w->value + i, choose(none, value, mixed));
    }
    for (; i < n; i++) w->value[i] = weigh_with_rave(&rave[i], beta, w->value[i]);
}

/* Without branches: which of them is the best nobody foresees. */
uint32_t weigh_best(const struct weights *w, uint32_t n, float *top, bool *tied)
{
    const __m128 nothing = _mm_set1_ps(-INFINITY);
    __m128 most = _mm_set1_ps(*top), ties = _mm_setzero_ps(); /* the highest so far, in all places */
    for (uint32_t i = 0; i < n; i += FOUR) {
        __m128 x = _mm_max_ps(_mm_loadu_ps(w->value + i), nothing);      /* what is no number, too */
        __m128 before = _mm_move_ss(_mm_shuffle_ps(x, x, 0x90), most);   /* most, x0, x1, x2 */
        before = _mm_max_ps(before, _mm_shuffle_ps(most, before, 0x90)); /* and what is before that */
        before = _mm_max_ps(before, _mm_movelh_ps(most, before));
        ties = _mm_or_ps(ties, _mm_and_ps(_mm_cmpeq_ps(x, before), _mm_cmpgt_ps(x, nothing)));
        x = _mm_max_ps(x, before);
        most = _mm_shuffle_ps(x, x, 0xff);
    }
    *tied = _mm_movemask_ps(ties);
    float found = _mm_cvtss_f32(most);
    if (!(found > *top)) return n;
    *top = found;
    uint64_t at[WEIGH_MOST / 64] = {0};
    for (uint32_t i = 0; i < n; i += FOUR)
        at[i / 64] |= (uint64_t)(uint32_t)_mm_movemask_ps(_mm_cmpeq_ps(_mm_loadu_ps(w->value + i), most))
                      << (i % 64);
    return at[0] ? (uint32_t)__builtin_ctzll(at[0]) : 64 + (uint32_t)__builtin_ctzll(at[1]);
}

#else

static void weigh_all(const struct tree_action *a, uint32_t n, uint32_t avoid, struct weights *w)
{
    for (uint32_t i = 0; i < n; i++) weigh_one(&a[i], i, avoid, w);
}

void weigh_uct(struct weights *w, uint32_t n, float ln_visits, float c)
{
    for (uint32_t i = 0; i < n; i++) w->value[i] += c * sqrtf(ln_visits / w->tries[i]);
}

static void rave_all(struct weights *w, uint32_t n, const struct rave *rave, float beta)
{
    for (uint32_t i = 0; i < n; i++) w->value[i] = weigh_with_rave(&rave[i], beta, w->value[i]);
}

uint32_t weigh_best(const struct weights *w, uint32_t n, float *top, bool *tied)
{
    uint32_t best = n;
    *tied = false;
    for (uint32_t i = 0; i < n; i++) {
        *tied |= w->value[i] == *top && *top > -INFINITY;
        if (w->value[i] > *top) *top = w->value[i], best = i;
    }
    return best;
}

#endif

/* Where others count, too, everything is read by itself, and once. */
void weigh_means(const struct tree_action *a, uint32_t n, uint32_t avoid, bool alone, struct weights *w)
{
    w->pending = 0;
    for (uint32_t i = 0; i * 64 < n; i++) w->untried[i] = 0;
    if (alone) {
        weigh_all(a, n, avoid, w);
        return;
    }
    for (uint32_t i = 0; i < n; i++) weigh_one(&a[i], i, avoid, w);
    for (uint32_t i = n; i % FOUR; i++) w->tries[i] = 1, w->value[i] = -INFINITY;
}

void weigh_rave(struct weights *w, uint32_t n, const struct rave *rave, float beta, bool alone)
{
    if (alone)
        rave_all(w, n, rave, beta);
    else
        for (uint32_t i = 0; i < n; i++) w->value[i] = weigh_with_rave(&rave[i], beta, w->value[i]);
}
