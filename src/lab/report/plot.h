/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots as SVG: axes, lines with intervals, fields with contours. The result stands alone (a file, or inside
 * an HTML page), fetches nothing, and follows the reader's light or dark scheme.
 *
 *     plot_begin ── plot_axes ── plot_shade, plot_contour, plot_line, ... ── plot_end
 *
 *     title
 *     y label   ┌───────────────────────┐
 *               │ frame: data from      │ legend
 *               │ x.min.. to ..x.max    │
 *               └───────────────────────┘
 *                        x label
 *
 * Call inside a guard of the text's heap. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include "base/text.h"

struct plot_axis {
    const char *label;
    double min, max, step; /* between ticks, which are multiples of it */
    const char *unit;      /* after the numbers of the ticks; NULL: nothing */
    bool powers; /* data and limits are logarithms to the base of ten; ticks tell what they are of */
};

struct plot {
    struct text *out;
    double left, top, width, height; /* of the frame, in units of the picture */
    struct plot_axis x, y;
    uint32_t entries; /* of the legend so far */
};

/* Values at the crossings of a grid: z[j * nx + i] at (xs[i], ys[j]); NAN: not known. */
struct plot_field {
    uint32_t nx, ny;
    const double *xs, *ys, *z;
};

void plot_begin(struct plot *p, struct text *out, const char *title, const char *subtitle);
void plot_axes(struct plot *p, const struct plot_axis *x, const struct plot_axis *y);

/* Shade where the field is at least the level; called with rising levels the shades add up. */
void plot_shade(struct plot *p, const struct plot_field *f, double level);
/* The lines along which the field has this value, by marching squares, with a label on the longest, so far
 * along it (0..1). */
void plot_contour(struct plot *p, const struct plot_field *f, double level, uint32_t colour,
                  const char *label, double where);
/* Points joined by lines; `halves` (may be NULL) are the half lengths of their intervals. Points with a NAN
 * are left out. */
void plot_line(struct plot *p, const double *xs, const double *ys, const double *halves, uint32_t n,
               uint32_t colour, const char *label);
/* A note below the legend. */
void plot_note(struct plot *p, const char *text);
void plot_end(struct plot *p);

/* How many colours there are: 0, 1, ... */
#define PLOT_COLOURS 10

/* Text with the characters that mean something to XML written out. */
void plot_escape(struct text *out, const char *s);

#endif
