// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/line.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

void line_done(struct line *l)
{
    free(l->moves);
    line_init(l);
}

bool line_reserve(struct line *l, uint32_t n)
{
    if (n <= l->cap) return true;
    uint32_t *grown = realloc(l->moves, n * sizeof *grown);
    if (!grown) return false;
    l->moves = grown;
    l->cap = n;
    return true;
}

bool line_offer(struct line *l, int goal, const uint32_t *moves, uint32_t n, const char *who)
{
    if (!line_wants(l, goal, n) || !line_reserve(l, n)) return false;
    if (n) memmove(l->moves, moves, n * sizeof *moves);
    l->goal = goal;
    l->n = n;
    l->who = who;
    l->when = clock_now();
    return true;
}
