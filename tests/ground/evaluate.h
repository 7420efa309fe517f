/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plainest reading of a ground program: components of atoms in order, rules tried until nothing changes.
 * Slow and obvious, it shares no code with the engines and is what the grounder is checked with. */
#ifndef TESTS_GROUND_EVALUATE_H
#define TESTS_GROUND_EVALUATE_H

#include "ground/ground.h"

struct evaluator {
    struct heap *heap;
    const struct ground *ground;
    bool *value;     /* by atom; set facts and moves, then evaluate */
    uint32_t *first; /* by atom: its rules are first[a] .. first[a+1]-1 */
    uint32_t components, *start, *order;
};

/* Read a rule sheet and ground it. NULL if one of them fails; `error` says why. The program lives on `heap`;
 * call inside a guard of it. */
struct ground *ground_sheet(struct heap *heap, struct source *source, const struct ground_limits *limits,
                            struct ground_report *report, struct error *error);

/* Call inside a guard of `heap`. */
void evaluator_init(struct evaluator *e, struct heap *heap, const struct ground *g);
void evaluator_run(struct evaluator *e);

/* A rule sheet and the corpus trace of it: how many states agreed. False and an error at the first that does
 * not. `budget` bounds the literals looked at. */
bool trace_check(const struct ground *g, const char *trace_path, uint64_t budget, uint64_t *states,
                 struct error *error);

#endif
