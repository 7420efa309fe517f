/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways from the root as a tree of moves, for searches that do not keep their states: each twig is a move
 * after its parent, and is given back when nothing grows on it any more. */
#ifndef SEARCH_PUZZLE_TRAIL_H
#define SEARCH_PUZZLE_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAIL_ROOT 0u

struct twig {
    uint32_t parent, move, depth, used; /* used: children, and holders of it */
};

struct trail {
    struct twig *v;
    uint32_t n, cap, spare; /* spare: first of the free list through `parent`, 0: none */
    uint32_t most;
};

bool trail_init(struct trail *t, size_t memory);
void trail_done(struct trail *t);
/* A new twig with one holder; 0: no room. */
uint32_t trail_grow(struct trail *t, uint32_t parent, uint32_t move);
/* The holder lets go. */
void trail_drop(struct trail *t, uint32_t twig);
/* The moves to it: t->v[twig].depth of them. */
void trail_path(const struct trail *t, uint32_t twig, uint32_t *moves);

#endif
