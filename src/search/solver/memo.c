// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/memo.h"

#include "base/pages.h"

#include <math.h>
#include <stdlib.h>

#define WAYS 4

bool memo_init(struct memo *m, size_t bytes)
{
    uint64_t places = 256;
    *m = (struct memo){0};
    while (places * 2 * WAYS * sizeof *m->v <= bytes) places *= 2;
    m->mask = places - 1;
    m->v = pages_zeroed((size_t)places * WAYS * sizeof *m->v, PAGES_LARGE);
    return m->v != NULL;
}

void memo_done(struct memo *m)
{
    free(m->v);
    *m = (struct memo){0};
}

static struct memo_entry *at(const struct memo *m, const struct place *p)
{
    return m->v + (p->key & m->mask) * WAYS;
}

struct memo_entry *memo_find(const struct memo *m, const struct place *p)
{
    struct memo_entry *e = at(m, p);
    for (uint32_t i = 0; i < WAYS; i++)
        if (e[i].check == p->check) return &e[i];
    return NULL;
}

/* Rounding of values such as 100/3 is undone by the noise they came with: 10^-9 is a hundredth of the unit.
 */
int32_t memo_floor(double v)
{
    return (int32_t)floor(v * MEMO_UNIT + 1e-2);
}

int32_t memo_ceil(double v)
{
    return (int32_t)ceil(v * MEMO_UNIT - 1e-2);
}

struct memo_entry *memo_take(struct memo *m, const struct place *p, double low, double high)
{
    struct memo_entry *e = at(m, p), *victim = e;
    for (uint32_t i = 0; i < WAYS; i++) {
        if (e[i].check == p->check) return &e[i];
        if (victim->check && (!e[i].check || e[i].work < victim->work)) victim = &e[i];
    }
    if (victim->check)
        m->lost++;
    else
        m->used++;
    *victim = (struct memo_entry){.check = p->check,
                                  .low = memo_floor(low),
                                  .high = memo_ceil(high),
                                  .best = MEMO_NO_MOVE,
                                  .question = UINT8_MAX};
    return victim;
}
