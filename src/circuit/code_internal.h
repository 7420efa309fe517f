/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of code*.c: from the circuit to the op list.
 *
 *     code.c        what is computed: nodes, phase by phase
 *     code_order.c  in which order
 *     code_sums.c   what is added up move by move
 *     code_parts.c  moves that are products
 *     code_slots.c  in which slots; the ops
 *
 * A value is something that needs a slot: values 0..nwires-1 are the circuit's wires, further ones are
 * invented (inverted copies, parked wires, bits put aside). A node computes one value from others.
 * Invariants: a node comes after the nodes of the values it reads, except inside loops; a node that writes a
 * state bit in place comes after all other nodes of the step that read that bit.
 */
#ifndef CIRCUIT_CODE_INTERNAL_H
#define CIRCUIT_CODE_INTERNAL_H

#include "circuit/code.h"

#define NONE UINT32_MAX

struct code_node {
    uint32_t first, n; /* operands.v[first ..]: value << 1 | inverted */
    uint32_t value;    /* what it computes */
    uint32_t bit;      /* the state bit it writes in place, or NONE */
    bool inverted;     /* the result is stored inverted */
    uint32_t kind;
    uint32_t waits; /* nodes not yet done whose values it reads */
    uint32_t holds; /* nodes not yet done that read the bit it will overwrite */
};

/* A sum of moves that is not made by a node: code_sums. */
struct move_sum {
    uint32_t first, n; /* summands.v: moves, ascending */
    uint32_t value;
    uint64_t key;
};

struct builder {
    bool deep; /* the order wanted */
    const struct circuit *c;
    struct code *code;
    struct heap *heap; /* for what is needed only while building */
    uint32_t nwires, first_gate;
    bool *stored_inverted;   /* by wire: the slot holds the inverse */
    bool *sense_fixed;       /* by wire: somebody outside relies on stored_inverted */
    uint32_t *inverse;       /* by wire: value that holds the other sense, or 0 */
    const struct code *base; /* the code this one is a turn of, or NULL */
    bool *is_legal;          /* by wire: it is the legality of a move, or kept, and lies where these do */
    uint32_t *park;          /* by wire: value of the parked copy, or 0 */
    uint32_t nvalues;
    VEC(struct code_node) nodes;
    VEC(uint32_t) operands;
    VEC(uint32_t) order;               /* nodes as they are to be executed */
    VEC(struct code_segment) segments; /* ranges of `order`, not yet of ops */
    VEC(uint32_t) cuts;                /* value << 1 | value of the bit */
    VEC(struct code_park) parks;       /* wires and values */
    VEC(uint32_t) staged;              /* nodes whose bit is put aside and copied last */
    uint32_t *legal;                   /* by move: the value that says so, or NONE: it never changes */
    VEC(struct move_sum) sums;
    VEC(uint32_t) summands;
    VEC(uint32_t) part_values;  /* what choosing by parts reads */
    VEC(struct code_kept) kept; /* values and slots, of a turn */
    uint32_t *slot;             /* by value */
    bool *fixed;                /* by value: its slot is not used again */
    uint32_t *last_use;         /* by value: position in `order` */
    bool *keep;                 /* by value: somebody outside its segment reads it */
};

/* Append the nodes first .. last-1 to `order`: either so that operations of one shape stand together, which
 * the interpreter likes, or depth first, so that what is computed is used soon, which machine code with its
 * registers likes. Nodes that had to give up writing their bit in place are added to `staged`. */
void code_order_runs(struct builder *b, uint32_t first, uint32_t last);
void code_order_deep(struct builder *b, uint32_t first, uint32_t last);

static inline uint32_t code_new_value(struct builder *b)
{
    return b->nvalues++;
}

/* Of a gate of the step: put the moves whose sum is not made by nodes into one, tell its value; NONE if there
 * is no such sum. `code_in_sum` says of an input that it is in it. */
uint32_t code_sum_of(struct builder *b, const struct gate *gate);
bool code_in_sum(const struct builder *b, edge e);
void code_emit_sums(struct builder *b);

/* For roles with very many moves, when all nodes of the view are there: find their parts and make nodes for
 * them. Nodes from `first` on that list moves nobody reads come last then; returns the first of these. */
uint32_t code_find_parts(struct builder *b, uint32_t first);
/* The value that holds an edge as it is; where the wire is stored in the other sense a copy is made among the
 * nodes of the present phase. */
uint32_t code_edge_value(struct builder *b, edge e);
/* A node that is the AND of values, as they are. */
void code_and_node(struct builder *b, uint32_t value, const uint32_t *of, uint32_t n);
void code_emit_parts(struct builder *b);

void code_assign_slots(struct builder *b);
void code_emit(struct builder *b);

#endif
