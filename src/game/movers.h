/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose move a joint move was, in games where roles do not come in the order of the sheet, round and round:
 * one moves twice in a row (a queen, then her arrow), somebody passes. Who has nothing to do makes the move
 * that is always the same then, its idle move; found by random games, so observed, not proved. */
#ifndef GAME_MOVERS_H
#define GAME_MOVERS_H

#include "game/reasoner.h"

struct movers {
    uint32_t nroles;
    uint32_t idle[]; /* by role; UINT32_MAX: none */
};

/* The one role that did something; `otherwise` where that were several, or nobody. */
static inline uint32_t movers_who(const struct movers *m, const uint32_t *joint, uint32_t otherwise)
{
    uint32_t found = otherwise, n = 0;
    for (uint32_t r = 0; r < m->nroles; r++)
        if (joint[r] != m->idle[r]) found = r, n++;
    return n == 1 ? found : otherwise;
}

/* NULL where roles take their turns in order, where several choose at once, or without memory. Plays a few
 * games, for no more than so many seconds (0: no limit); *done is false if that was not enough. */
struct movers *movers_find(struct reasoner *reasoner, double seconds, bool *done);

#endif
