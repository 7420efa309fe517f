/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can still come of positions: the least and the most that each role can still get, by the goals that a
 * circuit_outlook says may come some day.
 *
 *     lanes of a batch ──> the same states in a batch of the outlook ──> one view ──> ranges, lane by lane
 */
#ifndef SEARCH_SOLVER_PROSPECTS_H
#define SEARCH_SOLVER_PROSPECTS_H

#include "circuit/batch.h"

struct prospects;

/* For states of `code`'s circuit, by the code of its outlook, in batches of so many lanes at most. NULL and
 * an error without memory. */
struct prospects *prospects_new(const struct code *code, const struct code *outlook, uint32_t lanes,
                                struct error *error);
void prospects_free(struct prospects *p); /* NULL is fine */

/* Look out from all lanes of a batch, or from one state, which is lane 0 then. */
void prospects_look(struct prospects *p, const struct batch *b);
void prospects_look_from(struct prospects *p, const uint64_t *state);
/* By role the least and the most, in a lane of the last look. False: everything can come there. The least is
 * more than the most where no end can be reached. */
bool prospects_of(const struct prospects *p, uint32_t lane, int16_t *ranges);

#endif
