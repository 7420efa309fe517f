/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef API_BUDGET_H
#define API_BUDGET_H

#include "api/api.h"
#include "search/budget.h"

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
