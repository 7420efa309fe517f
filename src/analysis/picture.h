/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A state as a picture: what stands on which square of which board, and which facts are on none. Terminal and
 * browser draw from this; the browser gets it as JSON (picture_json.h).
 *
 *     struct picture ── canvas ── a board and those drawn on it: squares by cell
 *                                   square ── things, the one on top first
 *                    └─ drawn ── by fact: it can be seen on a canvas
 *
 * Where a board has planes that are a stack (board.stacked), the planes of one place are one pile.
 */
#ifndef ANALYSIS_PICTURE_H
#define ANALYSIS_PICTURE_H

#include "analysis/glyph.h"

struct thing {
    uint32_t board, piece;
};

struct square {
    VEC(struct thing) things; /* without the empty cell; the one that covers the others first */
    bool blank;               /* it is told to be empty */
    bool strange;             /* holds something that the analysis has never seen */
};

struct canvas {
    uint32_t board; /* the root: boards with this parent are drawn on it */
    struct square *squares;
};

struct picture {
    struct heap *heap;
    const struct analysis *a;
    struct glyph **glyphs; /* by board and piece; may be shared between pictures */
    struct canvas *canvases;
    uint32_t ncanvases;
    bool *drawn; /* by fact */
};

/* The signs of all boards, by board and piece. Inside a guard of the heap. */
struct glyph **picture_glyphs(struct heap *heap, const struct analysis *a, bool utf8);
/* Inside a guard of the heap, which owns everything. `facts` are terms of `terms`. */
void picture_make(struct picture *p, struct heap *heap, const struct analysis *a, struct glyph **glyphs,
                  const struct terms *terms, const struct list *facts);

const struct glyph *picture_glyph(const struct picture *p, const struct thing *thing);
/* Do two squares of pictures with the same glyphs look alike? */
bool square_same(const struct square *a, const struct square *b);

/* Is there a place to draw? Where the empty cell is told, every cell was seen. Elsewhere a cell was seen if
 * something ever stood there, on any plane; what was not seen is a hole if there is a lot of it. */
bool picture_is_cell(const struct board *b, uint32_t cell);

/* The cell of the board it is drawn on, or UINT32_MAX. */
uint32_t picture_root_cell(const struct analysis *a, uint32_t board, uint32_t cell);

#endif
