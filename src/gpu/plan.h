/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device computes: one round of random games as a network, then as a list of instructions.
 *
 * A round is one step of all games, or, where the circuit has turns (circuit.h: period), one step for each of
 * them, so that what only tells whose turn it is becomes constant. Every lane (one bit of a thread's word) is
 * a game in its own state:
 *
 *     bits and these masks ──> for each step: view ──> ended = terminal and not waiting; their goals are
 * counted └──> choose ──> next bits └──> at the end of the round lanes that wait begin again
 *
 * Lanes that have ended wait for the end of the round, playing on without any meaning; in lanes that have
 * `last` they wait for ever: so all games that were begun can be brought to an end. `young` remembers the
 * lanes whose game has ended since somebody last looked: those that are not are given up when games get too
 * long.
 *
 * The rule by which moves are chosen, the same as the processor's twin (twin.h) has: role r with n legal
 * moves makes the one with number floor(n * u / 2^24), in the order of the circuit's moves; bit i of u is the
 * lane's bit in word i % 4 of philox(word of lanes, step of the first turn of the round + turn (low half),
 * the former's high half, r * 6 + i / 4); roles that never choose at the same time count as the first of them
 * (mover.h).
 */
#ifndef GPU_PLAN_H
#define GPU_PLAN_H

#include "circuit/circuit.h"
#include "gpu/lut.h"
#include "gpu/mover.h"

#define GPU_PLANES 24               /* bits of a random number */
#define GPU_GROUPS (GPU_PLANES / 4) /* calls of Philox for one */

/* What is counted. From GPU_GOALS on: games that ended with each goal of the circuit; only those in which
 * each role has exactly one. */
enum gpu_counter { GPU_TRANSITIONS, GPU_GAMES, GPU_GIVEN_UP, GPU_GOALS };

/* A wire of a loop that is read before it is made: `leaf` while sweeping, then `made`, both literals. */
struct gpu_cut {
    uint32_t leaf, made;
    bool start; /* before the first sweep */
};

struct gpu_loop {
    uint32_t first, n; /* of cuts */
};

/* Something to be computed, in this order. */
struct gpu_root {
    uint32_t literal;
    uint32_t
        counter; /* add the number of lanes to this one, or from GPU_ROW on: write it to that row, or
                    GPU_NOTHING: only compute it, or GPU_PERHAPS: compute it, should it be needed at all */
};
#define GPU_ROW (1u << 30)
#define GPU_NOTHING UINT32_MAX
#define GPU_PERHAPS (UINT32_MAX - 1)

/* How rounds are set up. */
struct gpu_setup {
    uint32_t turns, first_turn; /* steps of a round, and in which turn it begins */
    struct gpu_mover mover;     /* where there are no turns */
    bool starts;                /* lanes begin where the device's memory says, not in the initial state */
    bool roots;                 /* what is counted is counted by root, as with starts */
};

struct gpu_plan {
    struct heap *heap; /* owns everything here */
    const struct circuit *circuit;
    struct gpu_setup setup;
    struct lut_net net;
    uint32_t ninputs; /* bits, then waiting, young, last: LUT_INPUT nodes 1 .. ninputs */
    VEC(struct gpu_root) roots;
    VEC(struct gpu_loop) loops;
    VEC(struct gpu_cut) cuts;
    uint32_t ncounters;
    bool rows;           /* no rounds: rows of memory are read (LUT_START) and written once; no inputs */
    uint32_t first_more; /* from this row on they are read elsewhere */
    uint32_t *out;  /* by input: its literal when the round is over, or GPU_NOTHING: it is never looked at */
    bool *used;     /* by node, once covered */
    uint32_t gates; /* so many are computed */
};

static inline uint32_t gpu_waiting(const struct gpu_plan *p)
{
    return p->circuit->nbits;
}
static inline uint32_t gpu_young(const struct gpu_plan *p)
{
    return p->circuit->nbits + 1;
}
static inline uint32_t gpu_last(const struct gpu_plan *p)
{
    return p->circuit->nbits + 2;
}
static inline uint32_t gpu_counters(const struct circuit *c)
{
    return GPU_GOALS + c->goals.n;
}

/* Rounds that begin in the initial state: as many turns as the circuit's period, or 1 where games are too
 * short to wait for each other. */
struct gpu_setup gpu_setup_initial(const struct circuit *c);
/* Rounds in which lanes begin in such states; all must be in the same turn. State i is states[i * state
 * words]. */
struct gpu_setup gpu_setup_from(const struct circuit *c, const uint64_t *states, uint32_t n);

/* These fail through the heap's guard. */
struct gpu_plan *gpu_plan_new(struct heap *heap, const struct circuit *c, struct gpu_setup setup);

/* The literals of the moves that are made: legal[i] and made[i] by move of one role, `role` and `step` for
 * its random numbers. */
void gpu_choose(struct lut_net *net, const uint32_t *legal, uint32_t n, uint32_t role, uint32_t step,
                uint32_t *made);

/* --- Order ---------------------------------------------------------------------------------------------- */

enum gpu_op_kind {
    GPU_OP_GATE,   /* a: node */
    GPU_OP_RANDOM, /* a: the first of four LUT_RANDOM nodes */
    GPU_OP_COUNT,  /* a: literal, b: counter */
    GPU_OP_SWEEP,  /* a: loop: begins here */
    GPU_OP_AGAIN,  /* a: loop: once more from where it began, unless nothing has changed */
    GPU_OP_END,    /* the round is over */
};

struct gpu_op {
    enum gpu_op_kind kind;
    uint32_t a, b;
};

struct gpu_order {
    VEC(struct gpu_op) ops;
};

/* Depth first, what needs most room first. */
struct gpu_order gpu_order(const struct gpu_plan *plan);

/* --- Places --------------------------------------------------------------------------------------------- */

/* Instructions on registers that are written once, and slots of a thread's own memory. A literal's wire may
 * be held inverted. */
enum gpu_instruction_kind {
    GPU_LOGIC,   /* to = table(in[0], in[1], in[2]); unused inputs repeat the first */
    GPU_START,   /* register `to` from bit `slot` of what the lanes begin with */
    GPU_LOAD,    /* register `to` from slot */
    GPU_STORE,   /* register in[0] to slot */
    GPU_SET,     /* slot becomes all ones or zeros: table */
    GPU_PHILOX,  /* registers to .. to+3: step in in[0], group in in[1] */
    GPU_COUNT,   /* counter `slot` += bits of register in[0] */
    GPU_SWEEP,   /* loop in[0] begins */
    GPU_CHANGE,  /* what changed in the loop: register in[0] against register in[1]; table: the first of the
                    loop */
    GPU_AGAIN,   /* loop in[0]: again if anything changed in any lane of the warp */
    GPU_OUT,     /* input `slot`, kept in a register of its own, becomes register in[0] */
    GPU_OUT_SET, /* or all ones or zeros: table */
};

struct gpu_instruction {
    enum gpu_instruction_kind kind;
    uint32_t to, in[3], slot;
    uint8_t table;
};

struct gpu_places {
    VEC(struct gpu_instruction) code;
    uint32_t registers; /* written; those of inputs are 0 .. ninputs-1 */
    uint32_t nslots;
    VEC(uint32_t) traffic;               /* by slot: loads and stores */
    uint32_t *rank;                      /* by slot: how many have more of it */
    uint32_t *home;                      /* by input: its slot between rounds, or GPU_NOTHING: a register */
    uint32_t logic, loads, stores, most; /* gates; loads and stores; most registers in use at once */
};

/* With so many registers for wires, and so many slots that cost little. */
struct gpu_places gpu_place(const struct gpu_plan *plan, const struct gpu_order *order, uint32_t registers,
                            uint32_t slots);

#endif
