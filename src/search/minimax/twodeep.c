// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/twodeep.h"

#include "base/pages.h"

#include <string.h>

static size_t bytes_of(const struct twodeep *t)
{
    return (size_t)(t->mask + 1) * 2 * t->entry;
}

bool twodeep_init(struct twodeep *t, size_t bytes, uint32_t width)
{
    size_t entry = (sizeof(struct twodeep_entry) + width * sizeof(float) + 7) & ~(size_t)7;
    *t = (struct twodeep){.entry = entry, .width = width};
    uint64_t places = 1024;
    while (places * 4 * entry <= bytes) places *= 2;
    t->mask = places - 1;
    t->v = pages_map(bytes_of(t)); /* only there where it is touched */
    return t->v != NULL;
}

void twodeep_done(struct twodeep *t)
{
    pages_unmap(t->v, t->v ? bytes_of(t) : 0);
    *t = (struct twodeep){0};
}

static struct twodeep_entry *entry_at(const struct twodeep *t, uint64_t key, uint32_t which)
{
    return (struct twodeep_entry *)(t->v + ((key & t->mask) * 2 + which) * t->entry);
}

const struct twodeep_entry *twodeep_find(const struct twodeep *t, uint64_t key, uint64_t check)
{
    const struct twodeep_entry *deep = entry_at(t, key, 0), *late = entry_at(t, key, 1);
    if (deep->check != check) return late->check == check ? late : NULL;
    return late->check == check && late->depth > deep->depth ? late : deep;
}

void twodeep_fetch(const struct twodeep *t, uint64_t key)
{
    __builtin_prefetch(entry_at(t, key, 0));
}

void twodeep_store(struct twodeep *t, uint64_t key, uint64_t check, const struct twodeep_news *news)
{
    struct twodeep_entry *deep = entry_at(t, key, 0), *late = entry_at(t, key, 1), *to = deep;
    if (deep->check && deep->check != check) {
        if (news->depth >= deep->depth)
            memcpy(late, deep, t->entry);
        else
            to = late;
    } else if (late->check == check) {
        late->check = 0; /* one is enough */
    }
    to->check = check;
    to->depth = (uint8_t)news->depth;
    to->bound = news->bound & 3;
    to->ends = news->ends;
    to->move = news->move < TWODEEP_NO_MOVE ? (uint16_t)news->move : TWODEEP_NO_MOVE;
    memcpy(to->value, news->value, t->width * sizeof *news->value);
}
