// SPDX-License-Identifier: GPL-3.0-or-later
/* Boards that are one board: predicates over the same cells, such as (white 3 4) and (black 3 4), that never
 * both say something about a cell. */
#include "analysis/analysis_internal.h"

/* Never are there facts of both about a cell. `mine` is by cell of `root`. */
static bool apart(const struct analysis *a, const struct sample *s, const struct board *root,
                  const struct board *b, uint32_t *mine)
{
    uint32_t cell, piece;
    memset(mine, 0, root->cells * sizeof *mine);
    for (uint32_t i = 0; i < s->shots.n; i++) {
        heap_poll(a->heap);
        const struct snapshot *shot = &s->shots.v[i];
        for (uint32_t j = 0; j < shot->nfacts; j++) {
            term fact = s->facts.v[shot->facts + j];
            if (board_find(a, root, s->terms, fact, &cell, &piece)) mine[cell] = i + 1;
        }
        for (uint32_t j = 0; j < shot->nfacts; j++) {
            term fact = s->facts.v[shot->facts + j];
            if (!board_find(a, b, s->terms, fact, &cell, &piece)) continue;
            uint32_t x = root->cell_of[0][b->x.value[cell % b->x.n]];
            uint32_t y = root->cell_of[1][b->y.value[cell / b->x.n]];
            if (x != NOWHERE && y != NOWHERE && mine[board_cell(root, 0, x, y)] == i + 1) return false;
        }
    }
    return true;
}

void boards_overlay(struct analysis *a, const struct sample *s)
{
    for (uint32_t i = 0; i < a->boards.n; i++) {
        struct board *b = &a->boards.v[i];
        b->parent = i;
        for (uint32_t j = 0; j < i && b->parent == i; j++) {
            struct board *root = &a->boards.v[j];
            if (root->parent != j || b->planes > 1 || root->planes > 1 || b->compound || root->compound ||
                !axis_within(&b->x, &root->x) || !axis_within(&b->y, &root->y))
                continue;
            bool free = true;
            uint32_t *mine = heap_alloc(a->heap, root->cells * sizeof *mine);
            for (uint32_t k = j; k < i && free; k++)
                if (a->boards.v[k].parent == j) free = apart(a, s, k == j ? root : &a->boards.v[k], b, mine);
            heap_release(a->heap, mine);
            if (free) b->parent = j;
        }
    }
}
