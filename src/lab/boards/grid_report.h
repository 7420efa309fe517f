/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came out of an experiment with boards: tables, and figures like those of 002 chapter 7. */
#ifndef LAB_GRID_REPORT_H
#define LAB_GRID_REPORT_H

#include "lab/boards/grid.h"

#include <jansson.h>
#include <stdio.h>

void grid_report_text(FILE *out, const struct grid_results *r);
/* One line per point, or per point and first move. */
void grid_report_csv(FILE *out, const struct grid_results *r, bool header);
/* Everything there is. NULL without memory; the caller frees it. */
json_t *grid_report_json(const struct grid_results *r);

/* The figures as SVG, one after the other: `each` gets a short name and the text. Call inside a guard of
 * r->heap. */
void grid_figures(const struct grid_results *r, void (*each)(void *data, const char *name, const char *svg),
                  void *data);
/* A page with everything, complete in itself, or another section of one that was begun. Call inside a guard
 * of r->heap. */
void grid_report_html(const struct grid_results *r, struct text *out);

/* Races: the win rate at each value of `across` where the game tree has 10^size positions, by interpolation
 * along the other axis; NAN where it has that size nowhere. `out` has room for all values. As grid_figures.
 */
void grid_equal_size(const struct grid_results *r, double size, double *out);
#define GRID_SIZES 5
extern const double grid_sizes[GRID_SIZES]; /* those the reports show */

/* "(move 2 5 2 6)" as people write it: b5-b6. Other moves stay as they are. */
void grid_move_name(const char *move, char *out, size_t size);

#endif
