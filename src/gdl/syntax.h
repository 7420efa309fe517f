/* SPDX-License-Identifier: GPL-3.0-or-later */
/* KIF text to a syntax tree that remembers where everything stood.
 *
 *     (<= (legal ?r noop) (role ?r))        ; comment
 *
 *     list ── first ──> <= ── next ──> list ── next ──> list
 *                                       │first           │first
 *                                       legal > ?r > noop  role > ?r
 *
 * Nodes are numbered in the order their first character appears. Node 0 is never used, so that 0 means
 * "none". Nesting is limited, so that code walking the tree or the terms made from it may recurse.
 */
#ifndef GDL_SYNTAX_H
#define GDL_SYNTAX_H

#include "gdl/source.h"

enum node_kind { NODE_ATOM, NODE_VARIABLE, NODE_LIST };

struct node {
    uint32_t offset, length; /* bytes in the source; a list includes its parentheses */
    uint32_t first, next;    /* first child, next sibling; 0 = none */
    uint32_t children;
    enum node_kind kind;
};

struct comment {
    uint32_t offset, length; /* from the semicolon to the end of the line, without it */
};

struct syntax {
    const struct source *source;
    VEC(struct node) nodes;
    VEC(uint32_t) top; /* top-level forms in order */
    VEC(struct comment) comments;
};

#define SYNTAX_MAX_DEPTH 500
#define SYNTAX_MAX_ATOM 65535

/* Read everything; faults go to `diags` (errors), and reading goes on behind them where that makes sense.
 * Call inside a heap guard. */
struct syntax *syntax_parse(struct heap *heap, const struct source *source, struct diags *diags);

/* The text of an atom, as written. */
static inline const char *node_text(const struct syntax *s, uint32_t node)
{
    return s->source->text + s->nodes.v[node].offset;
}

/* Is the node an atom that reads `word` (lower case), in any case? */
bool node_is(const struct syntax *s, uint32_t node, const char *word);

#endif
