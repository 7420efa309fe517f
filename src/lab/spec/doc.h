/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A YAML text as a tree that remembers its places, so that whoever reads meaning into it can point at what is
 * wrong. libyaml does the reading; this holds on to what it says.
 *
 * All functions but doc_read work inside a guard of the heap and give up through it, with "FILE:LINE:COLUMN:
 * what is wrong and what is allowed". */
#ifndef LAB_DOC_H
#define LAB_DOC_H

#include "base/heap.h"

enum doc_kind { DOC_TEXT, DOC_LIST, DOC_MAP };

struct doc_node {
    enum doc_kind kind;
    uint32_t line, column; /* from 1 */
    const char *file;
    const char *text;        /* DOC_TEXT */
    uint32_t n;              /* DOC_LIST: items; DOC_MAP: keys and values in turn */
    struct doc_node **items; /* may be shared between lists where the text has aliases; never a loop */
};

/* NULL and an error if it is no YAML, or more than one document, or nested too deep. */
struct doc_node *doc_read(struct heap *heap, const char *file, const char *text, size_t size,
                          struct error *error);

/* Give up at a node. */
_Noreturn void doc_fail(struct heap *heap, const struct doc_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of a key; NULL if the map does not have it. */
struct doc_node *doc_get(const struct doc_node *map, const char *key);
/* It must be a map that has no other keys than these (the last is NULL). `what` names it in messages. */
void doc_expect_keys(struct heap *heap, const struct doc_node *map, const char *what,
                     const char *const *keys);
const struct doc_node *doc_expect(struct heap *heap, const struct doc_node *node, enum doc_kind kind,
                                  const char *what);

const char *doc_text(struct heap *heap, const struct doc_node *node, const char *what);
uint64_t doc_whole(struct heap *heap, const struct doc_node *node, const char *what, uint64_t min,
                   uint64_t max);
double doc_real(struct heap *heap, const struct doc_node *node, const char *what, double min, double max);

/* The word of the list (the last is NULL) that was probably meant; NULL if none is near. */
const char *doc_near(const char *word, const char *const *words);

#endif
