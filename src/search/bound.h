/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds that several threads tighten: they only get closer, whoever writes last. */
#ifndef SEARCH_BOUND_H
#define SEARCH_BOUND_H

#include "search/tree.h"

#define BOUND_NEAR 1e-4f /* of floats: two values that are the same */

static inline struct bound bound_read(const struct bound *b)
{
    return (struct bound){mean_of(&b->low), mean_of(&b->high)};
}

static inline bool bound_is_value(struct bound b)
{
    return b.high - b.low < BOUND_NEAR;
}

static inline bool bound_raise(struct bound *b, float low)
{
    float now = mean_of(&b->low);
    while (low > now + BOUND_NEAR / 10)
        if (__atomic_compare_exchange(&b->low, &now, &low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
    return false;
}

static inline bool bound_lower(struct bound *b, float high)
{
    float now = mean_of(&b->high);
    while (high < now - BOUND_NEAR / 10)
        if (__atomic_compare_exchange(&b->high, &now, &high, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
    return false;
}

/* True: it moved. */
static inline bool bound_tighten(struct bound *b, struct bound to)
{
    bool low = bound_raise(b, to.low), high = bound_lower(b, to.high);
    return low || high;
}

#endif
