/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long to think: wall time, simulations or node expansions, whichever ends first. */
#ifndef SEARCH_BUDGET_H
#define SEARCH_BUDGET_H

#include "base/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct budget {
    double deadline;         /* clock_now() time; 0: none */
    uint64_t simulations;    /* 0: no limit */
    uint64_t expansions;     /* nodes added; 0: no limit */
    const atomic_bool *stop; /* somebody else's wish; may be NULL */
};

/* Out of time, or told to stop. */
static inline bool budget_over(const struct budget *b)
{
    if (b->stop && atomic_load_explicit(b->stop, memory_order_relaxed)) return true;
    return b->deadline > 0 && clock_now() >= b->deadline;
}

static inline bool budget_spent(const struct budget *b, uint64_t simulations, uint64_t expansions)
{
    if (b->simulations && simulations >= b->simulations) return true;
    if (b->expansions && expansions >= b->expansions) return true;
    return budget_over(b);
}

/* A share of the time that is left, as a time of the clock; 0 without a deadline. */
static inline double budget_share(const struct budget *b, double share)
{
    double now = clock_now();
    return b->deadline > 0 ? now + (b->deadline - now) * share : 0;
}

#endif
