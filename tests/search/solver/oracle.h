/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What positions are truly worth, by looking at everything: one position at a time through the reasoner, no
 * bounds, no table that forgets, no lanes. Where two choose at once the matrix's value is GLPK's. Searches
 * are held to it.
 *
 * Two roles, constant sum (or one role): what the first role gets. Others: max^n, ties as solve.h says. */
#ifndef TESTS_SOLVER_ORACLE_H
#define TESTS_SOLVER_ORACLE_H

#include "game/reasoner.h"

struct oracle;

/* `role`: for whom ties are bad (max^n). */
struct oracle *oracle_new(struct reasoner *r, uint32_t role);
void oracle_free(struct oracle *o);

/* Look at no more positions than this; 0: as many as there is room for (and no more must be needed). */
void oracle_limit(struct oracle *o, uint32_t positions);
/* By role. Valid until the next call. NULL: several choose at once and the sum is not constant, or there are
 * too many positions, roles or moves. */
const double *oracle_values(struct oracle *o, const struct state *s);
uint64_t oracle_positions(const struct oracle *o);

#endif
