/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves whose order does not matter, found by trying (after Burch & Holte's move pruning): in every sampled
 * state where l could be followed by m, m could be followed by l, and both led to the same state. A search
 * that tries such a pair in one order need not try it in the other. It is observed, not proved: what is left
 * out because of it proves nothing. */
#ifndef SEARCH_PUZZLE_COMMUTE_H
#define SEARCH_PUZZLE_COMMUTE_H

#include "search/puzzle/space.h"

struct commute {
    uint32_t nmoves;
    uint8_t *pair; /* l * nmoves + m */
    bool any;      /* some pair commutes */
    /* by l: the moves m that are superfluous after it, because m before l is tried as well */
    uint32_t words;
    uint64_t *skip;
};

/* Sample some states from the root on. Without memory, or with very many moves, no pair commutes. */
void commute_init(struct commute *c, struct space *s, struct turn *turn);
void commute_done(struct commute *c);

/* The moves not to be tried after this one, as a set; NULL: all are. */
static inline const uint64_t *commute_skip(const struct commute *c, uint32_t last)
{
    return c->any ? c->skip + (size_t)last * c->words : NULL;
}

#endif
