/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One turn of one search in a race: how long it may work before another is on. A search looks at it after
 * every sweep, and goes on where it was when its next turn comes. */
#ifndef SEARCH_PUZZLE_TURN_H
#define SEARCH_PUZZLE_TURN_H

#include "base/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct turn {
    double until;            /* clock_now() time; 0: none */
    const atomic_bool *stop; /* may be NULL */
    uint64_t steps;          /* positions entered in this turn at most; 0: no limit */
    uint64_t used;           /* positions entered */
};

static inline bool turn_over(const struct turn *t)
{
    if (t->stop && atomic_load_explicit(t->stop, memory_order_relaxed)) return true;
    if (t->steps && t->used >= t->steps) return true;
    return t->until > 0 && clock_now() >= t->until;
}

#endif
