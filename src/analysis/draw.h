/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A state drawn for people: boards as boards, side by side, everything else below in few lines. */
#ifndef ANALYSIS_DRAW_H
#define ANALYSIS_DRAW_H

#include "analysis/analysis.h"

#include <stdio.h>

struct board_style {
    bool colour, utf8;
    int width; /* columns of the screen */
};

/* Draw the state. Cells that are different in `before` (may be NULL) are marked on a terminal with colours.
 */
bool board_draw(FILE *out, const struct board_style *style, const struct analysis *a, struct reasoner *r,
                const struct state *s, const struct state *before, struct error *error);

#endif
