/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code for the sweep: each segment of a code becomes a function without a branch.
 *
 * What the interpreter does with two loads and a store per gate stays in registers here as far as they reach:
 * the operations come depth first, a result is written to memory only if somebody outside the segment reads
 * it or its register is needed, and the register given up is the one whose value is needed last (Belady).
 */
#ifndef CIRCUIT_JIT_H
#define CIRCUIT_JIT_H

#include "circuit/code.h"

struct jit {
    void *memory; /* pages that can be executed, not written */
    size_t size;
    size_t bytes; /* of it */
    uint32_t loads, stores;
    void (*segment[])(uint64_t *mem); /* by segment of the code; each its operations once */
};

/* Can code be made for so many lanes and run here? */
bool jit_available(uint32_t lanes);
/* The code has been laid out for it (code->keep). NULL and an error if there is no memory, or the system does
 * not allow it. */
struct jit *jit_compile(const struct code *code, uint32_t lanes, struct error *error);
void jit_free(struct jit *jit);

#endif
