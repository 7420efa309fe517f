/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published figures: "66.2 ± 5.35" by game and pairing. */
#ifndef LAB_PUBLISHED_H
#define LAB_PUBLISHED_H

#include "lab/spec/doc.h"
#include "lab/spec/spec.h"

/* Fill in spec->source and spec->published from the mapping, or from the file the text names. Gives up
 * through the guard of the spec's heap. */
void published_read(struct spec *s, const struct doc_node *node);

#endif
