/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best line known: moves from the root to the end of the game, what they bring, who found them. */
#ifndef SEARCH_PUZZLE_LINE_H
#define SEARCH_PUZZLE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct line {
    int goal; /* -1: none known */
    uint32_t n, cap;
    uint32_t *moves;
    const char *who; /* name of the search, a constant */
    double when;     /* clock_now() time */
};

static inline void line_init(struct line *l)
{
    *l = (struct line){.goal = -1};
}
void line_done(struct line *l);
/* Would it be taken? Better lines are, and as good ones that are shorter. */
static inline bool line_wants(const struct line *l, int goal, uint32_t n)
{
    return goal > l->goal || (goal == l->goal && n < l->n);
}
/* Take it if it is wanted, or leave the line as it is (also without memory); true if it was taken. */
bool line_offer(struct line *l, int goal, const uint32_t *moves, uint32_t n, const char *who);
/* Room for a line of n moves in l->moves, for those who fill it in themselves. */
bool line_reserve(struct line *l, uint32_t n);

#endif
