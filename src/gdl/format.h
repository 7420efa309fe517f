/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical layout of a rule sheet.
 *
 *     ; Comments stay where they are,            facts stand one per line,
 *     (succ 1 2)                                 groups of facts stay groups
 *     (succ 2 3)  ; behind a line, too
 *
 *     (<= (next (cell ?x ?y ?p))                 a blank line around every rule,
 *         (does ?p (mark ?x ?y))                 one literal per line
 *         ; and inside of rules
 *         (or (true (control ?p))                connectives are broken when they
 *             (wild ?x ?y)))                     do not fit, other terms filled
 *
 * Tokens are kept as written; only blanks and line ends between them change. Formatting a formatted sheet
 * changes nothing. */
#ifndef GDL_FORMAT_H
#define GDL_FORMAT_H

#include "base/text.h"
#include "gdl/syntax.h"

#define FORMAT_WIDTH 100

/* Append the sheet to `out`. The syntax must have been read without errors. Call inside a heap guard. */
void format_sheet(struct heap *heap, const struct syntax *syntax, struct text *out);

#endif
