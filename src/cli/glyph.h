/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short signs for the pieces of a board: a dot for the empty cell, chess figures and discs where that is what
 * the pieces are called, otherwise as little of the name as tells them apart. */
#ifndef CLI_GLYPH_H
#define CLI_GLYPH_H

#include "analysis/analysis.h"

struct glyph {
    char sign[16];  /* what to print */
    int width;      /* its columns on the screen */
    int colour;     /* ANSI colour 31..37, or 0: none */
    bool explained; /* the name begins with the sign (or there is no need to say more) */
    char name[64];  /* the contents in full, blanks between them */
};

/* One for each piece of the board, in `out`. */
void glyphs_make(const struct analysis *a, const struct board *b, bool utf8, struct glyph *out);

#endif
