/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What positions seem worth to the tree search: the evaluations of minimax (minimax/evaluate.h), brought to
 * one scale. Games for two.
 *
 *     evaluation of both roles ── how far the first is ahead ── logistic curve ──> 0..100, 50 is even
 *
 * Where one's gain is not the other's loss, the goals of each have a curve of their own, too.
 *
 * The curve is fitted to positions of random games that the evaluation has not seen, so that its value is
 * what random games bring on the mean; `sharpness` makes it steeper: who plays better than at random makes
 * more of an advantage. Read by any number of threads. */
#ifndef SEARCH_JUDGEMENT_H
#define SEARCH_JUDGEMENT_H

#include "circuit/code.h"
#include "game/reasoner.h"
#include "search/budget.h"
#include "search/minimax/minimax.h"

struct judgement;

struct judgement_order {
    struct reasoner *reasoner;
    const struct code *code;      /* NULL: no circuit, and no judgement */
    const struct code *foresight; /* in the games it learns from wins in one move are seen by it; NULL: not */
    enum minimax_eval which;      /* what positions are judged by */
    float sharpness;              /* 1: as random games end */
    uint64_t seed;
    const struct budget *budget; /* time to find things out in; counts say nothing about it */
};

/* NULL: not for this game, no time, or nothing that tells positions apart; `why` says which. */
struct judgement *judgement_new(const struct judgement_order *order, const char **why);
void judgement_free(struct judgement *j); /* NULL is fine */

/* How far the first role is ahead in a position that is not the end: 100 has won, 0 has lost. */
float judgement_lead(const struct judgement *j, const uint64_t *state, uint32_t words);
/* The goals that both can expect there. */
void judgement_goals(const struct judgement *j, const uint64_t *state, uint32_t words, float out[2]);
/* The lead that goals are. */
static inline float judgement_lead_of(float first, float second)
{
    return (first - second + 100) / 2;
}

const char *judgement_name(const struct judgement *j);
/* How much of the ends of random games that the evaluation had not seen; 0..1. */
float judgement_explains(const struct judgement *j);
bool judgement_travels(const struct judgement *j); /* pieces go from cell to cell */
bool judgement_turns(const struct judgement *j);   /* pieces that stay are made into others */
bool judgement_at_once(const struct judgement *j); /* both choose at once, as a rule */
bool judgement_shaped(const struct judgement *j);  /* made for games of this shape: race, stacks, fitted */

#endif
