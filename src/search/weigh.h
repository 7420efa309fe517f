/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions of a role at a node as columns, some at a time: what each is worth, four by four. What is
 * computed is the same on every processor. */
#ifndef SEARCH_WEIGH_H
#define SEARCH_WEIGH_H

#include "search/tree.h"

enum { WEIGH_MOST = 128 };

struct weights {
    float tries[WEIGH_MOST]; /* finished and on their way; 1 where value is -INFINITY */
    float value[WEIGH_MOST]; /* -INFINITY: never tried, or avoided; also behind the last, up to four */
    uint64_t untried[WEIGH_MOST / 64]; /* a set: neither tried nor avoided */
    uint32_t pending;                  /* simulations on their way, all together */
};

/* Of n actions, at most WEIGH_MOST: means, simulations on their way counted as lost. `avoid` are marks of
 * actions that cannot matter. `alone`: nobody else counts there. */
void weigh_means(const struct tree_action *a, uint32_t n, uint32_t avoid, bool alone, struct weights *w);
/* UCT (000 equation 1): value += c sqrt(ln / tries). */
void weigh_uct(struct weights *w, uint32_t n, float ln_visits, float c);
/* RAVE mixed in, where it has seen something: value = beta rave + (1 - beta) value. */
void weigh_rave(struct weights *w, uint32_t n, const struct rave *rave, float beta, bool alone);
static inline float weigh_with_rave(const struct rave *rave, float beta, float value)
{
    return count_of(&rave->n) ? beta * mean_of(&rave->mean) + (1 - beta) * value : value;
}
/* The first of the highest values, if it is above *top, which becomes it then; else n. *tied: on the way to
 * it, one was as high as the highest before (or as *top). */
uint32_t weigh_best(const struct weights *w, uint32_t n, float *top, bool *tied);

#endif
