/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the wires of a circuit come to when some inputs are known and a certain move is made: most gates
 * become constants or copies of others.
 *
 *     forms_base()          the inputs are as `given` says
 *     forms_make(move)      this move is made besides ── forms_value(edge) ── forms_undo()
 *
 * The value of an edge is a hash of 64 bits of what it depends on and how: two edges with the same value are
 * the same function, but for a collision; those with different values may still be. Inverted edges differ in
 * the last bit; 0 is true, 1 is false. Gates in loops are taken for what they are, not looked into.
 */
#ifndef ANALYSIS_FORMS_H
#define ANALYSIS_FORMS_H

#include "circuit/circuit.h"

#define FORM_TRUE 0ull
#define FORM_FALSE 1ull

struct forms {
    struct heap *heap; /* not owned; must be inside a guard */
    const struct circuit *c;
    uint32_t wires;
    uint64_t *given;                 /* by bit and move, as wires: FORM_TRUE, FORM_FALSE, or forms_open */
    uint64_t *value, *base;          /* by wire: now, and as given */
    uint32_t *reader, *first_reader; /* by wire: the gates that read it, reader[first .. next first - 1] */
    uint64_t *pending;               /* a set of gates */
    uint32_t *touched, ntouched;     /* wires that are not what they were before the move */
    bool *is_touched;                /* by wire */
    bool *in_loop;                   /* by gate */
    uint64_t *scratch;
    /* of walks */
    uint32_t *stack;
    uint32_t *seen, made; /* by wire: with which move it was met last, counted */
    uint32_t *met, based; /* the same of what does not depend on the move, for bases */
};

/* Heap and circuit must outlive it. False: a loop depends on moves, so that nothing can be said. */
bool forms_init(struct forms *f, struct heap *heap, const struct circuit *c);
void forms_base(struct forms *f);
void forms_make(struct forms *f, uint32_t move);
void forms_undo(struct forms *f);

/* An input of which nothing is known. */
uint64_t forms_open(uint32_t wire);

static inline uint64_t forms_value(const struct forms *f, edge e)
{
    return f->value[e >> 1] ^ (e & 1);
}

/* What the value of an edge depends on: pairs of wires, `wire` read by `from`. Wires that are not what they
 * are without the move are told as others: with `wires` added. Nothing is told twice of a move, nor, of what
 * does not depend on it, between two calls of forms_base: who joins pairs to sets misses nothing. */
typedef void forms_sink(void *to, uint32_t from, uint32_t wire);
void forms_walk(struct forms *f, edge e, forms_sink *sink, void *to);
static inline uint32_t forms_node(const struct forms *f, uint32_t wire)
{
    return f->is_touched[wire] ? f->wires + wire : wire;
}

#endif
