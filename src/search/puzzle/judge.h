/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How promising states are, by what the relaxation of the rules says (relax.h): the smaller the better. */
#ifndef SEARCH_PUZZLE_JUDGE_H
#define SEARCH_PUZZLE_JUDGE_H

#include "search/puzzle/line.h"
#include "search/puzzle/relax.h"
#include "search/puzzle/space.h"

enum judge_kind {
    JUDGE_PLAN,    /* moves of a relaxed plan */
    JUDGE_MISSING, /* conjuncts of the goal that do not hold; where it is no conjunction: */
    JUDGE_PRESENT, /* what is lacking to the highest goal if the game were over now */
    JUDGE_LAYERS,  /* a distance that is never too large */
    JUDGE_CHANCE,  /* no opinion: drawn by lot */
    JUDGE_KINDS
};

#define JUDGE_HOPELESS UINT16_MAX /* nothing better than the line can be reached from there */

struct judge {
    struct space *space;
    struct relax *relax; /* NULL: no opinion ever */
};

bool judge_init(struct judge *j, struct space *s); /* false without memory */
void judge_done(struct judge *j);
/* Does the relaxation have anything to say? */
static inline bool judge_knows(const struct judge *j)
{
    return j->relax != NULL;
}
void judge_look(struct judge *j, enum judge_kind kind, const uint64_t *states, uint32_t n,
                const struct line *line, uint16_t *out);
/* The highest goal that may be reached from the root. */
int judge_bound(struct judge *j);

#endif
