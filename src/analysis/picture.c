// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/picture.h"

struct glyph **picture_glyphs(struct heap *heap, const struct analysis *a, bool utf8)
{
    struct glyph **glyphs = heap_zalloc(heap, (a->boards.n + 1) * sizeof *glyphs);
    for (uint32_t i = 0; i < a->boards.n; i++) {
        glyphs[i] = heap_zalloc(heap, (a->boards.v[i].npieces + 1) * sizeof **glyphs);
        glyphs_make(a, &a->boards.v[i], utf8, glyphs[i]);
    }
    return glyphs;
}

/* The index on the other axis of the value with this one, or UINT32_MAX. */
static uint32_t carry(const struct axis *from, uint32_t i, const struct axis *to)
{
    for (uint32_t j = 0; j < to->n; j++)
        if (to->value[j] == from->value[i]) return j;
    return UINT32_MAX;
}

uint32_t picture_root_cell(const struct analysis *a, uint32_t board, uint32_t cell)
{
    const struct board *b = &a->boards.v[board], *root = &a->boards.v[b->parent];
    if (b == root || cell == UINT32_MAX) return cell;
    uint32_t x = carry(&b->x, cell % b->x.n, &root->x), y = carry(&b->y, cell / b->x.n, &root->y);
    return x == UINT32_MAX || y == UINT32_MAX ? UINT32_MAX : board_cell(root, 0, x, y);
}

bool picture_is_cell(const struct board *b, uint32_t cell)
{
    if (b->exists[cell]) return true;
    for (uint32_t i = 0; i < b->npieces; i++)
        if (b->pieces[i].blank) return false;
    uint32_t size = b->x.n * b->y.n;
    for (uint32_t plane = 0; plane < b->planes; plane++)
        if (b->exists[plane * size + cell % size]) return true;
    return b->kind == BOARD_TOKENS || b->nexists * 10 >= b->cells * 9;
}

/* What covers what, where a square holds several things: pieces of a role before those of nobody, and what is
 * rare before what is frequent. */
static bool covers(const struct piece *a, const struct piece *b)
{
    bool x = a->owner >= 0, y = b->owner >= 0;
    return x != y ? x > y : a->most < b->most;
}

static const struct piece *piece_of(const struct picture *p, const struct thing *t)
{
    return &p->a->boards.v[t->board].pieces[t->piece];
}

static void put(struct picture *p, struct square *q, struct thing t)
{
    if (piece_of(p, &t)->blank) {
        q->blank = true;
        return;
    }
    vec_push(p->heap, &q->things, t);
    for (uint32_t i = q->things.n - 1; i > 0 && covers(piece_of(p, &t), piece_of(p, &q->things.v[i - 1]));
         i--) {
        q->things.v[i] = q->things.v[i - 1];
        q->things.v[i - 1] = t;
    }
}

static struct canvas *canvas_of(const struct picture *p, uint32_t root)
{
    uint32_t i = 0;
    while (p->canvases[i].board != root) i++;
    return &p->canvases[i];
}

/* Put a fact where it belongs. False: it belongs to no board. */
static bool place(struct picture *p, const struct terms *terms, term fact)
{
    for (uint32_t i = 0; i < p->a->boards.n; i++) {
        const struct board *b = &p->a->boards.v[i];
        uint32_t cell, piece;
        if (!board_find(p->a, b, terms, fact, &cell, &piece)) continue;
        cell = picture_root_cell(p->a, i, cell);
        if (cell == UINT32_MAX) return false;
        struct square *q = &canvas_of(p, b->parent)->squares[cell];
        if (piece == UINT32_MAX)
            q->strange = true;
        else
            put(p, q, (struct thing){i, piece});
        return piece != UINT32_MAX;
    }
    return false;
}

void picture_make(struct picture *p, struct heap *heap, const struct analysis *a, struct glyph **glyphs,
                  const struct terms *terms, const struct list *facts)
{
    *p = (struct picture){.heap = heap, .a = a, .glyphs = glyphs};
    p->canvases = heap_zalloc(heap, (a->boards.n + 1) * sizeof *p->canvases);
    p->drawn = heap_zalloc(heap, (facts->n + 1) * sizeof *p->drawn);
    for (uint32_t i = 0; i < a->boards.n; i++) {
        if (a->boards.v[i].parent != i) continue;
        struct canvas *c = &p->canvases[p->ncanvases++];
        c->board = i;
        c->squares = heap_zalloc(heap, a->boards.v[i].cells * sizeof *c->squares);
    }
    for (uint32_t f = 0; f < facts->n; f++) p->drawn[f] = place(p, terms, facts->v[f]);
}

const struct glyph *picture_glyph(const struct picture *p, const struct thing *thing)
{
    return &p->glyphs[thing->board][thing->piece];
}

bool square_same(const struct square *a, const struct square *b)
{
    if (a->strange != b->strange || a->things.n != b->things.n) return false;
    for (uint32_t i = 0; i < a->things.n; i++)
        if (a->things.v[i].board != b->things.v[i].board || a->things.v[i].piece != b->things.v[i].piece)
            return false;
    return true;
}
