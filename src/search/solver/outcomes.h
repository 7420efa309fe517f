/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can come out of a game at all, from its rules: which goal values each role can have, and whether the
 * goals of two roles always add up to the same.
 *
 * Values come from the circuit's goals (every goal that can be true in a state that can be reached is among
 * them; those that cannot be true at an end are left out, by the same kind of proof as below), or without a
 * circuit from the numbers of the sheet that may become a goal's value (gdl/goal_values.c). Perhaps too many,
 * never too few: bounds may begin there.
 *
 * That the sum is constant is proved on the circuit: for any two values u and v that do not add up to it, no
 * assignment of truth values to the state's bits makes the end true, u the only goal of the first role and v
 * the only goal of the second. (More than one at once is a fault of the sheet, which searches look out for
 * themselves.) The assignments are searched with a limit; what is not proved may still be so, and is then
 * taken for granted by nobody: a search looks at the ends it meets.
 */
#ifndef SEARCH_SOLVER_OUTCOMES_H
#define SEARCH_SOLVER_OUTCOMES_H

#include "circuit/code.h"
#include "game/game.h"

struct outcomes {
    uint32_t nroles;
    uint32_t *n;          /* by role: how many values */
    int **value;          /* by role: ascending */
    bool constant_sum;    /* proved for two roles; false: not proved */
    int sum;              /* if so; else the one it would have to be, 100 if there is a choice */
    uint64_t assignments; /* tried for the proof */
};

/* `code` may be NULL. `steps`: how many assignments may be tried. NULL without memory. */
enum { OUTCOMES_QUICK = 500, OUTCOMES_THOROUGH = 50000 };
struct outcomes *outcomes_new(const struct game *game, const struct code *code, uint64_t steps);
void outcomes_free(struct outcomes *o);

static inline int outcomes_low(const struct outcomes *o, uint32_t role)
{
    return o->n[role] ? o->value[role][0] : 0;
}
static inline int outcomes_high(const struct outcomes *o, uint32_t role)
{
    return o->n[role] ? o->value[role][o->n[role] - 1] : 100;
}

#endif
