/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions of random games, or of games by players who know a little, and how these ended: played on all
 * lanes. */
#ifndef SEARCH_MINIMAX_SAMPLES_H
#define SEARCH_MINIMAX_SAMPLES_H

#include "circuit/batch.h"
#include "search/budget.h"

struct evaluator;

struct samples {
    uint32_t n, words, nroles;
    uint64_t *states; /* words each */
    int16_t *now;     /* nroles each: the goals if the game had ended there, -1: none; NULL: not asked for */
    uint16_t *moves;  /* nroles each: how many moves the role has; NULL: not asked for */
    int16_t *outcome; /* nroles each: the goals at the end */
    uint32_t *step;   /* moves made before it */
};

/* So many positions, spread over the games; fewer if time is over. False: not even a few, or no memory. */
struct samples_order {
    uint32_t wanted;
    bool goals, moves;
    uint64_t seed;
    const struct code *foresight;  /* whoever can win at once does, as it says; NULL: all moves are random */
    const struct evaluator *guide; /* of some random moves the one is made that it likes best; NULL: any */
    uint32_t tries;                /* so many moves, a power of two up to 32; 0: 4 */
    uint32_t each;                 /* positions of a game at most; 0: 8 */
};
bool samples_play(struct samples *s, const struct code *code, const struct samples_order *order,
                  const struct budget *budget);
void samples_done(struct samples *s);

static inline const uint64_t *samples_state(const struct samples *s, uint32_t i)
{
    return s->states + (size_t)i * s->words;
}

#endif
