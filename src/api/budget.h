/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef API_BUDGET_H
#define API_BUDGET_H

#include "api/api.h"
#include "search/budget.h"

#include <math.h>

/* Time that is none would be no limit, and thinking would never end. */
static inline bool budget_is_sound(const struct ludens_budget *b, struct ludens_error *error)
{
    return (b->seconds >= 0 && isfinite(b->seconds)) ||
           refuse(error, ERROR_INPUT, "seconds of a budget are 0 or more, not %g", b->seconds);
}

/* From now on. */
static inline struct budget budget_from(const struct ludens_budget *b)
{
    return (struct budget){.deadline = b->seconds > 0 ? clock_now() + b->seconds : 0,
                           .simulations = b->simulations,
                           .steps = b->steps,
                           .expansions = b->expansions,
                           .stop = stop_flag(b->stop)};
}

#endif
