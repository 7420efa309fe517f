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

static inline bool budget_spent(const struct budget *b, uint64_t simulations, uint64_t expansions)
{
    if (b->simulations && simulations >= b->simulations) return true;
    if (b->expansions && expansions >= b->expansions) return true;
    if (b->stop && atomic_load_explicit(b->stop, memory_order_relaxed)) return true;
    return b->deadline > 0 && clock_now() >= b->deadline;
}

#endif
