/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A circuit made ready for sweeping: a flat list of operations on numbered slots of memory.
 *
 * A slot holds one wire for all lanes of a batch: 64, 256 or 512 bits side by side. The code does not depend
 * on the number of lanes.
 *
 *     slots   0 ones | 1 zeros | state bits | moves made | legal moves | parked | other wires; a slot is used
 *                                                                                 again when its wire is dead
 *
 *     state ──[view]──> legal, terminal ──choose──> moves ──[step]──> state (written in place)
 *                 └──park──> parked ──[goal]──> goals
 *
 * Operations. A run is one word `kind | count << 8` followed by `count` operations of that kind, each
 * `dst, inputs...`, first the inputs taken as they are, then those taken inverted. Kinds are shapes: so many
 * plain inputs, so many inverted ones, the result inverted or not; gates that fit no shape are wide:
 * `dst, plain, inverted, inputs...`. Operations of equal shape are brought together as far as what they read
 * allows: within a run nothing is decided.
 *
 * Inversion is free when a wire is read, so each wire is kept in the sense its readers outside the circuit
 * want: legal moves, the end, the goals and the next state are all found as they are.
 *
 * The step writes the new state over the old. An operation that makes a bit of the new state comes after all
 * that read the old bit; where two bits wait for each other one of them is put aside and copied last.
 *
 * Parking: the goals of a lane that has ended are asked for later, when the lane is long in another game.
 * `parks` lists the wires the goals depend on; each has a second slot where ended lanes are kept. The goal
 * phase reads these only.
 */
#ifndef CIRCUIT_CODE_H
#define CIRCUIT_CODE_H

#include "circuit/circuit.h"

#define SLOT_ONES 0u
#define SLOT_ZEROS 1u
#define SLOT_BITS 2u

#define CODE_SHAPE_INPUTS 6 /* gates with more inputs are wide */
#define CODE_SHAPES 27      /* (1,0) (0,1) (2,0) (1,1) (0,2) (3,0) ... (0,6) */
#define CODE_WIDE CODE_SHAPES
#define CODE_KINDS (2 * (CODE_SHAPES + 1))

/* The shape with so many plain and inverted inputs; their sum is 1 .. CODE_SHAPE_INPUTS. */
static inline uint32_t code_shape(uint32_t plain, uint32_t inverted)
{
    uint32_t n = plain + inverted;
    return (n - 1) * (n + 2) / 2 + inverted;
}

/* Operations in a row; with cuts, a loop: set the cuts (slot << 1 | value), sweep until none of them changes.
 */
struct code_segment {
    uint32_t begin, end; /* in ops */
    uint32_t cut_first, cut_n;
};

struct code_park {
    uint32_t from, to; /* slots */
};

struct code_goal {
    uint32_t role, value, slot;
};

/* The moves of a role with very many are often products: "there is a queen of mine here, the way there is
 * free, and from there I can shoot yonder". Moves one after the other form a group if they have a part in
 * common, the head: move m of group g is legal where head[g] and tail[m] are set. Many groups have the same
 * tails, so a few sums of tails count the legal moves of all groups, and nobody needs to list these. */
#define CODE_NUMBER_PLANES 7 /* of a sum */
struct code_number {
    uint32_t first, n; /* wires.v[first ..]: what it counts itself */
    uint32_t a, b;     /* numbers before this one that are added, or UINT32_MAX */
};
struct code_parts {
    uint32_t ngroups;
    uint32_t *first;                 /* by group, and one more: its first move */
    uint32_t *head;                  /* by group: slot */
    struct code_number *sum;         /* by group: of its tails */
    uint32_t *tail;                  /* by move: slot */
    VEC(uint32_t) wires;             /* slots */
    VEC(struct code_number) numbers; /* what several sums have in common */
    uint32_t planes;                 /* of every number */
};

/* The moves of one role: move i is legal where slot legal + i is set, and made where slot does + i is. Both
 * rows are filled up to a multiple of CODE_BLOCK with slots that stay zero. */
#define CODE_BLOCK 16
struct code_role {
    uint32_t legal, does, n;
    bool forced; /* there is nothing to choose: `only` is made, its slot is always one */
    uint32_t only;
    struct code_parts *parts; /* NULL: its moves are always listed */
};

/* A wire of the view that is read outside, as an edge of the circuit, and where it lies. */
struct code_kept {
    edge e;
    uint32_t slot;
};

/* A role with so many moves makes few of them in a batch. Which of them happened is not summed up over all,
 * as the circuit has it: each move made is added to the sums it is in, by batch_step before its operations.
 */
#define CODE_MANY_MOVES 16384
struct code_sums {
    VEC(uint32_t) slots;
    /* slots: those that move m of the circuit is in are of.v[first[m]] .. of.v[first[m + 1]-1] */
    VEC(uint32_t) of;
    uint32_t *first; /* NULL: there are none */
};

/* Numbers of lanes there are sweepers for: 64, 256, 512. */
#define CODE_WIDTHS 3
static inline uint32_t code_width(uint32_t lanes)
{
    return lanes / 256;
}

struct code {
    struct heap *heap; /* owns everything here */
    const struct circuit *circuit;
    uint32_t nslots, nbits, nmoves, nroles;
    uint32_t first_wire_slot, own_slots; /* slots between these are free between a step and the next view */
    VEC(uint32_t) ops;
    VEC(struct code_segment) segments;
    uint32_t phase_end[PHASE_COUNT]; /* segments of the view are 0 .. phase_end[PHASE_VIEW]-1, and so on */
    uint32_t
        list_begin; /* segments of the view from here on list legal moves of roles with parts: on demand */
    VEC(uint32_t) cuts;
    uint32_t terminal; /* slot */
    struct code_sums sums;
    struct code_role *roles;
    VEC(uint32_t) ones; /* slots that are all ones from the beginning and never written */
    VEC(struct code_park) parks;
    VEC(struct code_kept) kept; /* what the parks read, state bits left out */
    VEC(struct code_goal) goals;
    uint32_t runs, staged, widest_gate; /* for those who measure */
    /* The same once more for machine code: operations in another order, slots assigned accordingly. */
    struct code *compiled; /* owned; NULL: there is none */
    struct code **turns;   /* of the compiled one, by turn: view and step for when all lanes are in that turn;
                              NULL:   there are none. They share state, parked wires and nslots with it, and
                              have   rows of   moves of their own. */
    VEC(bool) keep;        /* of the compiled one, by operation: its result is read outside its segment */
    struct jit
        *jit[CODE_WIDTHS]; /* of the compiled one, by code_width: the machine code, where there is any */
};

/* The circuit must outlive the code. Limits as for grounding, NULL: none. */
struct code *code_build(const struct circuit *c, const struct ground_limits *limits, struct error *error);
void code_free(struct code *code);

/* Translate to machine code for batches of so many lanes. Batches of that width made afterwards use it. False
 * and an error where this processor or system does not allow it, or a limit is hit; the code stays as it was.
 * Not while other threads use the code. */
bool code_compile(struct code *code, uint32_t lanes, const struct ground_limits *limits, struct error *error);
/* The machine code for so many lanes, or NULL. */
static inline const struct jit *code_machine(const struct code *code, uint32_t lanes)
{
    return code->compiled ? code->compiled->jit[code_width(lanes)] : NULL;
}

#endif
