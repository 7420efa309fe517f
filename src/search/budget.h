/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long to think: wall time, simulations, steps or node expansions, whichever ends first. A simulation
 * that was begun within a budget of counts is finished. */
#ifndef SEARCH_BUDGET_H
#define SEARCH_BUDGET_H

#include "base/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct budget {
    double deadline;      /* clock_now() time; 0: none */
    uint64_t simulations; /* 0: no limit */
    uint64_t steps;       /* positions entered, in the tree and in playouts: what 002 calls node expansions;
                             0: no limit */
    uint64_t expansions;  /* nodes added to the tree; 0: no limit */
    double move;          /* of a start clock: seconds that each move will have; 0: nobody knows */
    const atomic_bool *stop; /* somebody else's wish; may be NULL */
};

/* Counted rather than by the clock: what comes out is the same every time. */
static inline bool budget_counts(const struct budget *b)
{
    return b->simulations || b->steps || b->expansions;
}

/* Out of time, or told to stop. */
static inline bool budget_over(const struct budget *b)
{
    if (b->stop && atomic_load_explicit(b->stop, memory_order_relaxed)) return true;
    return b->deadline > 0 && clock_now() >= b->deadline;
}

/* A share of the time that is left, as a time of the clock; 0 without a deadline. */
static inline double budget_share(const struct budget *b, double share)
{
    double now = clock_now();
    return b->deadline > 0 ? now + (b->deadline - now) * share : 0;
}

/* The same in seconds, a millisecond at least; 0 without a deadline. */
static inline double budget_seconds(const struct budget *b, double share)
{
    double seconds = (b->deadline - clock_now()) * share;
    return b->deadline > 0 ? (seconds > 1e-3 ? seconds : 1e-3) : 0;
}

/* What the i-th of n helpers gets of a count; never nothing, for that would be no limit. */
static inline uint64_t budget_part(uint64_t count, uint32_t i, uint32_t n)
{
    uint64_t part = count / n + (i < count % n);
    return count && !part ? 1 : part;
}

#endif
