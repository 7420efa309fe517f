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

/* Single steps, by direction: with six directions, one pair of diagonals is missing. Jumps say nothing:
 * several in a row lead anywhere. */
struct directions {
    uint32_t straight[2], rising, falling;
};

static void note_direction(struct directions *d, int dx, int dy)
{
    if (abs(dx) > 1 || abs(dy) > 1 || (dx == 0 && dy == 0)) return;
    if (dx == 0 || dy == 0)
        d->straight[dx == 0]++;
    else if (dx == dy)
        d->rising++;
    else
        d->falling++;
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
    uint32_t diagonal = d.rising + d.falling, least = (d.straight[0] + d.straight[1]) / 8;
    if (!d.straight[0] || !d.straight[1] || (d.rising && d.falling) || diagonal <= least) return 0;
    return d.falling ? 1 : -1;
}

/* Cells that are next to each other in their row or column, with nothing between but holes. */
static bool are_next(const struct board *b, uint32_t from, uint32_t to)
{
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    uint32_t step = low / b->x.n == high / b->x.n ? 1 : low % b->x.n == high % b->x.n ? b->x.n : 0;
    if (low == high || !step) return false;
    for (uint32_t c = low + step; c < high; c += step)
        if (b->exists[c]) return false;
    return true;
}

static void add_link(struct analysis *a, struct board *b, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < b->links.n; i += 2)
        if ((b->links.v[i] == from && b->links.v[i + 1] == to) ||
            (b->links.v[i] == to && b->links.v[i + 1] == from))
            return;
    vec_push(a->heap, &b->links, from);
    vec_push(a->heap, &b->links, to);
}

/* Where there is more hole than board, the ways between the cells are worth drawing: those that legal moves
 * take. */
static void find_links(struct analysis *a, const struct sample *s, uint32_t board)
{
    struct board *b = &a->boards.v[board];
    uint32_t cells[TOUCH_MAX];
    if (b->compound || b->planes > 1 || b->skew || b->nexists * 2 > b->cells) return;
    for (uint32_t i = 0; i < s->offered.n; i++) {
        heap_poll(a->heap);
        if (touch_named(a, board, s->terms, s->offered.v[i], cells) == 2 && are_next(b, cells[0], cells[1]))
            add_link(a, b, cells[0], cells[1]);
    }
}

void boards_shape(struct analysis *a, const struct sample *s)
{
    for (uint32_t i = 0; i < a->boards.n; i++) {
        struct board *b = &a->boards.v[i];
        b->stacked = b->nplane_args == 1 && is_stack(a, s, b);
        b->skew = skew_of(a, s, i);
        find_links(a, s, i);
    }
}
