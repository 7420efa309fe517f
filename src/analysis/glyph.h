/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short signs for the pieces of a board: a dot for the empty cell, chess figures and discs where that is what
 * the pieces are called, otherwise as little of the name as tells them apart. And what else a drawing needs
 * to know of a piece: the shape it may have, and the colour its name or its owner's name speaks of. */
#ifndef ANALYSIS_GLYPH_H
#define ANALYSIS_GLYPH_H

#include "analysis/analysis.h"

/* What a piece may look like where there is more than one sign to draw it with. */
enum figure {
    FIGURE_NONE, /* the empty cell */
    FIGURE_KING, /* chess, in the order of their letters KQRBNP */
    FIGURE_QUEEN,
    FIGURE_ROOK,
    FIGURE_BISHOP,
    FIGURE_KNIGHT,
    FIGURE_PAWN,
    FIGURE_DISC,   /* the only kind its owner has, or the frequent one of two */
    FIGURE_CROSS,  /* it is called x ... */
    FIGURE_RING,   /* ... or o */
    FIGURE_NUMBER, /* nobody's, and called by a number */
    FIGURE_MARK,   /* the cell is marked, with nothing on it */
    FIGURE_TOKEN,  /* one of several kinds of an owner: a disc with its label */
    FIGURE_BLOCK,  /* nobody's: with its label, too */
};
extern const char *const figure_names[]; /* "none", "king", ... */

struct glyph {
    char sign[16];  /* what to print */
    int width;      /* its columns on the screen */
    int colour;     /* ANSI colour 31..37, or 0: none */
    bool explained; /* the name begins with the sign (or there is no need to say more) */
    char name[64];  /* the contents in full, blanks between them */
    enum figure figure;
    const char *tint; /* "white", "red", ...: a colour somebody named; NULL: none */
    char label[16];   /* the sign, less what all pieces of its owner have in common */
};

/* One for each piece of the board, in `out`. */
void glyphs_make(const struct analysis *a, const struct board *b, bool utf8, struct glyph *out);

/* The colour a name begins with, or NULL. */
const char *glyph_tint(const char *name);

#endif
