/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of policy/: scoring all moves of a role at once. The legal moves are a set (bit i of the words =
 * move i), statistics lie in arrays by move number, so sixty-four moves are a few vector instructions; words
 * without a legal move are skipped. Arrays are padded to whole words. */
#ifndef SEARCH_POLICY_DENSE_H
#define SEARCH_POLICY_DENSE_H

#include <stdint.h>

/* out = mean1 where n1 > 0, else `unseen`. */
void dense_single(float *out, const uint64_t *legal, uint32_t words, const float *mean1, const float *n1,
                  float unseen);
/* The same, but the mean of mean1 and mean2 where n2 >= k. */
void dense_pair(float *out, const uint64_t *legal, uint32_t words, const float *mean1, const float *n1,
                const float *mean2, const float *n2, float k, float unseen);
/* The highest score of a legal move, and how many have it. */
float dense_top(const float *scores, const uint64_t *legal, uint32_t words, uint32_t *ties);
/* The move number of the which-th legal move that has this score. */
uint32_t dense_pick(const float *scores, const uint64_t *legal, uint32_t words, float top, uint32_t which);

/* The which-th element of a set, and its size. */
uint32_t set_element(const uint64_t *set, uint32_t words, uint32_t which);
static inline uint32_t set_size(const uint64_t *set, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++) n += (uint32_t)__builtin_popcountll(set[i]);
    return n;
}

#endif
