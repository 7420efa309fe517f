/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What searches remember of positions: a table of fixed size, four entries to a place. When all four are
 * taken, the one goes that was the least work. A position is known by two fingerprints of 64 bits, one says
 * where it is, the other whether it is: with a hundred million positions two are mistaken for each other with
 * a probability of about 1 in 10^10.
 *
 * Bounds are what the first role gets, in ten-millionths, rounded outwards: they enclose the true value.
 */
#ifndef SEARCH_SOLVER_MEMO_H
#define SEARCH_SOLVER_MEMO_H

#include "search/solver/expand.h"

#define MEMO_UNIT 1e7
#define MEMO_NO_MOVE UINT16_MAX

struct memo_entry {
    uint64_t check; /* 0: empty */
    int32_t low, high;
    uint32_t proof, disproof; /* proof numbers for `question` */
    uint32_t work;            /* positions opened for it */
    uint16_t best;            /* joint move to look at first */
    uint8_t question, depth;  /* `question` was left open with so many plies to go */
};

struct memo {
    struct memo_entry *v;
    uint64_t mask; /* places - 1 */
    uint64_t used, lost;
};

bool memo_init(struct memo *m, size_t bytes); /* at most; false: no memory */
void memo_done(struct memo *m);

/* The entry of a place, or NULL. */
struct memo_entry *memo_find(const struct memo *m, const struct place *p);
/* The entry of a place, made if there is none: with these bounds and nothing else. Valid until the next call.
 */
struct memo_entry *memo_take(struct memo *m, const struct place *p, double low, double high);

int32_t memo_floor(double v);
int32_t memo_ceil(double v);
static inline double memo_low(const struct memo_entry *e)
{
    return e->low / MEMO_UNIT;
}
static inline double memo_high(const struct memo_entry *e)
{
    return e->high / MEMO_UNIT;
}

#endif
