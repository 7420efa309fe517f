/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of policy/: looking at all moves of a role at once. The legal moves are a set (bit i of the words =
 * move i), scores lie in arrays by move number, so sixty-four moves are a few vector instructions; words
 * without a legal move are skipped. Arrays are padded to whole words. */
#ifndef SEARCH_POLICY_DENSE_H
#define SEARCH_POLICY_DENSE_H

#include <stdint.h>

/* The mean of those that are not negative; the first never is. */
static inline float mean_of_two(float one, float two)
{
    return two < 0 ? one : (one + two) * 0.5f;
}
static inline float mean_of_three(float one, float two, float three)
{
    float with = two < 0 ? (one + three) * 0.5f : (one + two + three) * (1 / 3.0f);
    return three < 0 ? mean_of_two(one, two) : with;
}

/* A mean as two bytes: more than it, and by no more than a step. */
#define CEILING_STEPS 512.0f /* to one */
#define CEILING_MOST 127.0f
#define CEILING_NONE UINT16_MAX /* nothing is known: not even a mean of 0 */
static inline uint16_t ceiling_of(float mean)
{
    if (!(mean >= 0)) return CEILING_NONE;
    return mean < CEILING_MOST ? (uint16_t)(mean * CEILING_STEPS) + 1 : CEILING_NONE - 1;
}
/* The mean of two ceilings, or the first where the second is none, is one of mean_of_two. Which of a set of
 * moves have the highest, or one that is so near that the mean below it may be the highest all the same; and
 * how high it is. `two` NULL: the first alone. */
uint32_t dense_near_top(const uint64_t *set, uint32_t words, const uint16_t *one, const uint16_t *two,
                        uint64_t *near);
enum { CEILING_NEAR = 2 }; /* steps that the highest ceiling is above the highest mean at most */
/* The legal moves with the highest score, as a set; returns how many. There is at least one legal move. */
uint32_t dense_best(const float *scores, const uint64_t *legal, uint32_t words, uint64_t *best);
/* Gibbs weights: out[i] = exp((scores[i] - the highest) / tau); returns their sum. `out` has room for n + 15.
 */
float dense_gibbs(const float *scores, uint32_t n, float tau, float *out);

/* v[i] = exp((v[i] - 100) / tau) for values of at most 100, the same way. `v` has room for n + 15. */
void dense_weigh(float *v, uint32_t n, float tau);

/* The first element of a set that is not empty; the which-th of one that has so many. */
static inline uint32_t set_first(const uint64_t *set)
{
    uint32_t w = 0;
    while (!set[w]) w++;
    return w * 64 + (uint32_t)__builtin_ctzll(set[w]);
}
uint32_t set_element(const uint64_t *set, uint32_t words, uint32_t which);
/* Its elements in ascending order; returns how many. */
uint32_t set_list(const uint64_t *set, uint32_t words, uint32_t *out);

#endif
