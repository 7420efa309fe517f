/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that read experiments share. Everything gives up through the guard of the spec's heap. */
#ifndef LAB_SPEC_INTERNAL_H
#define LAB_SPEC_INTERNAL_H

#include "base/vec.h"
#include "lab/spec/doc.h"
#include "lab/spec/spec.h"

struct spec_reader {
    struct heap *heap;
    struct spec *spec;
    const struct spec_changes *changes; /* may be NULL */
    VEC(const struct doc_node *)
    only; /* by pairing: the games it is for; NULL: all. Settled when all rows are known */
};

struct match_budget spec_read_budget(struct spec_reader *r, const struct doc_node *node);
uint32_t spec_read_number(struct spec_reader *r, const struct doc_node *map, uint32_t otherwise);
/* Simulations and expansions multiplied, but never to nothing; the seconds too, if asked for. */
void spec_scale(struct match_budget *b, double factor, bool seconds);

/* Another file that the experiment names, relative to its folder; `what` it is for messages. */
struct doc_node *spec_read_beside(struct spec *s, const struct doc_node *at, const char *what);

/* spec_change.c */
void spec_read_quick(struct spec_reader *r,
                     const struct doc_node *root); /* checks `quick`, and obeys it if asked to */
void spec_apply(struct spec *s, const struct spec_changes *c);

#endif
