/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of logic/: the pieces of program_build. */
#ifndef LOGIC_NORMALISE_H
#define LOGIC_NORMALISE_H

#include "logic/program.h"

struct norm {
    struct heap *heap;
    struct program *program;
    const struct syntax *syntax;
    struct diags *diags;
    uint32_t invented;
};

/* A conjunction on its way to becoming a rule. */
struct draft {
    term head;
    uint32_t node, head_node;
    VEC(struct literal) body;
    VEC(const char *) names; /* variables by number */
};

/* expand.c: multiply out the body that starts with sibling `body` and call normal_rule for each alternative.
 */
void expand_rule(struct norm *n, uint32_t form, uint32_t head, uint32_t body);
/* safety.c: solve equations, make negations safe, check the rest, add the rule to the program. False after an
 * error: what is wrong with one alternative is probably wrong with all, and said once. */
bool finish_rule(struct norm *n, struct draft *d);

/* split.c: tell the relations of an unstratified component apart by a constant argument; false if there is
 * none. */
bool split_component(struct program *p, uint32_t component);

/* What to show of a node in a message. */
#define NODE_EXCERPT(n, id)                                                             \
    (int)((n)->syntax->nodes.v[id].length < 60 ? (n)->syntax->nodes.v[id].length : 60), \
        node_text((n)->syntax, id)

void norm_report(struct norm *n, bool error, const char *id, uint32_t node, const char *hint,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
