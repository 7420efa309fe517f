/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results for people and programs. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "lab/report/results.h"

#include <stdio.h>

/* A table for the terminal; with `details` every cell by player and by seat as well. `colour`: mark
 * significant cells in colour too, not only by a star. */
void report_text(FILE *out, const struct results *r, bool details, bool colour);
/* One line per cell, after a line with the names of the columns (`header`). */
void report_csv(FILE *out, const struct results *r, bool header);
/* Everything there is. NULL if there is no memory; the caller prints it. */
struct json_t *report_json(const struct results *r);

/* Where the same players meet with several budgets: `each` gets a plot for each game, with a name fit for a
 * file. */
bool report_figures(const struct results *r, void (*each)(void *data, const char *name, const char *svg),
                    void *data, struct error *error);

/* One page with all of them, complete in itself. */
void report_html(FILE *out, struct results *const *list, uint32_t n);

#endif
