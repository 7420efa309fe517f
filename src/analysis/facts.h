/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts in few lines, for those that are on no board. */
#ifndef ANALYSIS_FACTS_H
#define ANALYSIS_FACTS_H

#include "game/reasoner.h"

#include <stdio.h>

/* Print the facts (terms of `terms`) that are not to be skipped (`skip` is by fact), sorted, those with one
 * name together, in lines of `screen` columns; a great many are cut short. Call inside a guard of the heap.
 */
void facts_print(FILE *out, struct heap *heap, const struct terms *terms, const struct list *facts,
                 const bool *skip, int screen);

#endif
