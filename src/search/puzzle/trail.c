// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/trail.h"

#include <stdlib.h>

bool trail_init(struct trail *t, size_t memory)
{
    size_t most = memory / sizeof *t->v;
    *t = (struct trail){.n = 1, .cap = 1024, .most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX};
    t->v = malloc(t->cap * sizeof *t->v);
    if (t->v) t->v[0] = (struct twig){.used = 1};
    return t->v != NULL;
}

void trail_done(struct trail *t)
{
    free(t->v);
    *t = (struct trail){0};
}

uint32_t trail_grow(struct trail *t, uint32_t parent, uint32_t move)
{
    uint32_t twig = t->spare;
    if (twig) {
        t->spare = t->v[twig].parent;
    } else {
        if (t->n == t->cap) {
            uint64_t cap = t->cap + (uint64_t)t->cap / 2;
            if (cap > t->most) cap = t->most;
            struct twig *v = cap > t->cap ? realloc(t->v, cap * sizeof *v) : NULL;
            if (!v) return 0;
            t->v = v;
            t->cap = (uint32_t)cap;
        }
        twig = t->n++;
    }
    t->v[twig] = (struct twig){parent, move, t->v[parent].depth + 1, 1};
    t->v[parent].used++;
    return twig;
}

void trail_drop(struct trail *t, uint32_t twig)
{
    while (--t->v[twig].used == 0 && twig != TRAIL_ROOT) {
        uint32_t parent = t->v[twig].parent;
        t->v[twig].parent = t->spare;
        t->spare = twig;
        twig = parent;
    }
}

void trail_path(const struct trail *t, uint32_t twig, uint32_t *moves)
{
    for (uint32_t at = twig; at != TRAIL_ROOT; at = t->v[at].parent)
        moves[t->v[at].depth - 1] = t->v[at].move;
}
