// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/report.h"

void report_html(FILE *out, struct results *const *list, uint32_t n)
{
    (void)list;
    fprintf(out, "<!doctype html><title>%u experiments</title>", n);
}
