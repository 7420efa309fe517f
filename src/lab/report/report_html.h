/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the page. */
#ifndef LAB_REPORT_HTML_H
#define LAB_REPORT_HTML_H

#include "lab/report/results.h"

#include <stdio.h>

void html_text(FILE *out, const char *s); /* with <, >, & and " written out */
/* One plot per pairing: a row per game, our interval and the published one below it. */
void html_plots(FILE *out, const struct results *r);

#endif
