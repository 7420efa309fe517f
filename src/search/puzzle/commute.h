/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves whose order does not matter (Burch & Holte's move pruning). A search that tries such a pair in one
 * order need not try it in the other.
 *
 * They are found by trying: in every sampled state where l could be followed by m, m could be followed by l,
 * and both led to the same state. That is observed, not proved: what is left out because of it proves
 * nothing. Or they are proved from the circuit: neither changes what the other reads, and what both change
 * comes out the same. That is true of fewer pairs, but wherever both are legal. */
#ifndef SEARCH_PUZZLE_COMMUTE_H
#define SEARCH_PUZZLE_COMMUTE_H

#include "search/puzzle/space.h"

struct commute {
    uint32_t nmoves;
    uint8_t *pair; /* l * nmoves + m; NULL where it was proved */
    bool any;      /* some pair commutes */
    /* by l: the moves m that are superfluous after it, because m before l is tried as well */
    uint32_t words;
    uint64_t *skip;
};

/* Sample some states from the root on. Without memory, or with very many moves, no pair commutes. */
void commute_init(struct commute *c, struct space *s, struct turn *turn);
/* Only what is certain; moves that undo themselves are superfluous after themselves, too. None where there is
 * no circuit, or it is too large for this to pay. */
void commute_prove(struct commute *c, struct space *s);
void commute_done(struct commute *c);

/* The moves not to be tried after this one, as a set; NULL: all are. */
static inline const uint64_t *commute_skip(const struct commute *c, uint32_t last)
{
    return c->any ? c->skip + (size_t)last * c->words : NULL;
}

#endif
