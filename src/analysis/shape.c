// SPDX-License-Identifier: GPL-3.0-or-later
/* The shape of a board beyond rows and columns, as far as games show it: planes that are a stack, and rows
 * that are shifted against each other because every cell has six neighbours. */
#include "analysis/analysis_internal.h"
#include "analysis/touch.h"

#include <stdlib.h>

/* On every cell of a plane but the lowest stands something only if something stands below it. */
static bool is_stack(const struct analysis *a, const struct sample *s, const struct board *b)
{
    uint32_t size = b->x.n * b->y.n, cell, piece, high = 0;
    uint32_t *stamp = heap_zalloc(a->heap, b->cells * sizeof *stamp);
    bool good = true;
    for (uint32_t i = 0; i < s->shots.n && good; i++) {
        heap_poll(a->heap);
        const struct snapshot *shot = &s->shots.v[i];
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t j = 0; j < shot->nfacts && good; j++) {
                if (!board_find(a, b, s->terms, s->facts.v[shot->facts + j], &cell, &piece)) continue;
                if (cell == NOWHERE || piece == NOWHERE || b->pieces[piece].blank) continue;
                if (pass == 0)
                    stamp[cell] = i + 1;
                else if (cell >= size)
                    high++, good = stamp[cell - size] == i + 1;
            }
    }
    heap_release(a->heap, stamp);
    return good && high > 0;
}

/* Directions pieces move in, reduced to steps: with six of them, two of the four diagonals are missing. */
struct directions {
    bool straight[2], rising, falling, other;
};

static void note_direction(struct directions *d, int dx, int dy)
{
    if (dx == 0 && dy == 0) return;
    if (dx == 0 || dy == 0)
        d->straight[dx == 0] = true;
    else if (dx == dy)
        d->rising = true;
    else if (dx == -dy)
        d->falling = true;
    else
        d->other = true;
}

static void watch_directions(const struct analysis *a, const struct sample *s, uint32_t board,
                             struct directions *d)
{
    const struct board *b = &a->boards.v[board];
    uint32_t nroles = a->game->nroles, cells[TOUCH_MAX];
    for (uint32_t i = 0; i < s->shots.n; i++) {
        heap_poll(a->heap);
        const struct snapshot *shot = &s->shots.v[i];
        if (shot->moves == NOWHERE) continue;
        for (uint32_t role = 0; role < nroles; role++) {
            uint32_t n = touch_named(a, board, s->terms, s->moves.v[shot->moves + role], cells);
            for (uint32_t k = 1; k < n; k++)
                note_direction(d, (int)(cells[k] % b->x.n) - (int)(cells[k - 1] % b->x.n),
                               (int)(cells[k] / b->x.n) - (int)(cells[k - 1] / b->x.n));
        }
    }
}

static int skew_of(const struct analysis *a, const struct sample *s, uint32_t board)
{
    const struct board *b = &a->boards.v[board];
    struct directions d = {0};
    bool moves = false;
    for (uint32_t i = 0; i < b->nactions; i++) moves |= b->actions[i].from >= 0;
    if (!moves || b->compound || b->planes > 1) return 0;
    watch_directions(a, s, board, &d);
    if (d.other || !d.straight[0] || !d.straight[1] || d.rising == d.falling) return 0;
    return d.falling ? 1 : -1;
}

void boards_shape(struct analysis *a, const struct sample *s)
{
    for (uint32_t i = 0; i < a->boards.n; i++) {
        struct board *b = &a->boards.v[i];
        b->stacked = b->nplane_args == 1 && is_stack(a, s, b);
        b->skew = skew_of(a, s, i);
    }
}
