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
#define MEMO_NO_QUESTION 127

struct memo_entry {
    uint64_t check; /* 0: empty */
    int32_t low, high;
    uint32_t proof, disproof; /* proof numbers for `question` */
    uint64_t above : 27;      /* low bits of the key, for when the table grows */
    uint64_t best : 16;       /* joint move to look at first */
    uint64_t question : 7;    /* what the numbers are about; MEMO_NO_QUESTION: none */
    uint64_t depth : 8;       /* `question` was left open with so many plies to go */
    uint64_t work : 6;        /* positions opened for it, as a power of two */
};

struct memo {
    struct memo_entry *v;
    uint64_t mask; /* places - 1 */
    uint64_t used, lost;
    uint64_t most; /* places it may grow to: it begins small and grows when it is half full */
};

bool memo_init(struct memo *m, size_t bytes); /* at most; false: no memory */
double memo_share(const struct memo *m);      /* how much of what it may take is used */
static inline void memo_prefetch(const struct memo *m, const struct place *p)
{
    __builtin_prefetch(m->v + (p->key & m->mask) * 4);
}
void memo_done(struct memo *m);

/* The entry of a place, or NULL. */
struct memo_entry *memo_find(const struct memo *m, const struct place *p);
/* The entry of a place, made if there is none: with these bounds and nothing else. Valid until the next call.
 */
struct memo_entry *memo_take(struct memo *m, const struct place *p, double low, double high);

/* At least so much work went into it. */
static inline void memo_worked(struct memo_entry *e, uint64_t opened)
{
    uint32_t log = opened ? 64 - (uint32_t)__builtin_clzll(opened) : 0;
    if (log > e->work) e->work = log > 63 ? 63 : log;
}

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
