// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/memo.h"

#include "base/pages.h"

#include <math.h>
#include <stdlib.h>

#define WAYS 4
#define FIRST_PLACES 4096u
#define GROWTH 4u
#define ABOVE ((1u << 27) - 1)

bool memo_init(struct memo *m, size_t bytes)
{
    uint64_t places = FIRST_PLACES;
    *m = (struct memo){.most = places};
    while (m->most * 2 * WAYS * sizeof *m->v <= bytes && m->most <= ABOVE / 2) m->most *= 2;
    m->mask = places - 1;
    m->v = pages_zeroed((size_t)places * WAYS * sizeof *m->v, PAGES_LARGE);
    return m->v != NULL;
}

double memo_share(const struct memo *m)
{
    return m->most ? (double)m->used / (double)(m->most * WAYS) : 0;
}

/* Four times the places. Of the four places
 * that it may have now, it goes to the one that further bits of the key tell, which the entry has. */
static void grow(struct memo *m)
{
    uint64_t places = (m->mask + 1) * GROWTH;
    struct memo_entry *v = pages_zeroed((size_t)places * WAYS * sizeof *v, PAGES_LARGE);
    if (!v) {
        m->most = m->mask + 1; /* it stays as it is */
        return;
    }
    for (uint64_t i = 0; i < (m->mask + 1) * WAYS; i++) {
        const struct memo_entry *e = &m->v[i];
        if (!e->check) continue;
        struct memo_entry *to = v + (i / WAYS | ((uint64_t)e->above & ~m->mask & (places - 1))) * WAYS;
        for (uint32_t k = 0; k < WAYS; k++)
            if (!to[k].check) {
                to[k] = *e;
                break;
            }
    }
    free(m->v);
    m->v = v;
    m->mask = places - 1;
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
    if (m->used > (m->mask + 1) * (WAYS / 2) && (m->mask + 1) * GROWTH <= m->most) grow(m);
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
                                  .above = p->key & ABOVE,
                                  .low = memo_floor(low),
                                  .high = memo_ceil(high),
                                  .best = MEMO_NO_MOVE,
                                  .question = MEMO_NO_QUESTION};
    return victim;
}
