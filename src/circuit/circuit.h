/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of a game as a boolean circuit with one kind of gate.
 *
 * A wire carries one bit per lane (one lane = one game). An edge is a wire, possibly inverted: wire << 1 |
 * inverted. A gate is the AND of any number of edges; OR is an inverted AND of inverted edges.
 *
 *     wire 0            constant true (edge 0 = true, edge 1 = false)
 *     1 .. nbits        the bits of the state
 *     .. + nmoves       the moves made: exactly one per role is true in each lane
 *     .. + ngates       the gates, each after all it reads, except inside loops
 *
 *     state ─┬──> [view gates] ──> legal[move], terminal
 *            ├──────> [goal gates] ──> goals         swept only when a lane has ended
 *     moves ─┴──────> [step gates] ──> next[bit]
 *
 * Gates are sorted by phase: view, goal, step. Goal and step gates may read view gates; nothing else reads
 * across.
 *
 * Loops: positive recursion leaves cycles. A loop is a run of gates that is swept again and again until no
 * lane changes. Before the first sweep the wires in `cut` (those read before they are written) are set to
 * `all lanes true` (the usual case: a wire that is the inverse of an OR) or `all false`. Gates of a loop are
 * contiguous and lie within one phase.
 *
 * The facts of the game are not always bits: some are true in every reachable state (edge 0), some always
 * equal or opposite to another (an edge to that bit). `fact[i]` with `fact_edge[i]` lists all that can be
 * true.
 */
#ifndef CIRCUIT_CIRCUIT_H
#define CIRCUIT_CIRCUIT_H

#include "ground/ground.h"

typedef uint32_t edge;
#define EDGE_TRUE 0u
#define EDGE_FALSE 1u

enum circuit_phase { PHASE_VIEW, PHASE_GOAL, PHASE_STEP, PHASE_COUNT };

struct gate {
    uint32_t first, n; /* inputs: edges.v[first .. first+n-1] */
};

struct loop {
    uint32_t first, n; /* gates (numbered from 0), contiguous */
    uint32_t cut_first,
        cut_n; /* edges in cuts.v: wire << 1 | 1 starts all-false, wire << 1 starts all-true */
};

struct circuit_goal {
    uint32_t role, value;
    edge e;
};

struct known_bit {
    uint32_t bit;
    bool value;
};

/* Sizes after each stage of the reduction, for `ludens info --circuit`. */
struct circuit_stage {
    const char *name;
    uint32_t bits, gates, edges;
    double seconds;
};

struct circuit {
    struct heap *heap;   /* owns everything here */
    struct terms *terms; /* own copy */
    uint32_t nroles, nbits, nmoves, ngates;
    bool *init; /* by bit 0..nbits-1: initial state */
    uint32_t
        *move_base; /* by role, nroles + 1 entries: moves of role r are move_base[r] .. move_base[r+1]-1 */
    term *move;     /* by move 0..nmoves-1 */
    uint32_t nfacts;
    term *fact;
    edge *fact_edge;
    VEC(struct gate) gates;
    VEC(edge) edges;
    uint32_t phase_end[PHASE_COUNT]; /* gates 0..phase_end[VIEW]-1 are the view's, and so on */
    VEC(struct loop) loops;          /* ascending */
    VEC(edge) cuts;
    edge *legal; /* by move */
    edge *next;  /* by bit */
    edge terminal;
    VEC(struct circuit_goal) goals;
    uint32_t depth; /* longest path */
    double length;  /* of random games, in steps, as far as a few of them tell */
    /* Bits that tell whose turn it is: from the initial state on they repeat with this period, whatever is
     * done. 1: there are none. */
    uint32_t period;
    VEC(uint32_t) turn_bits;
    bool *turn_values; /* turn * turn_bits.n + i: what turn_bits.v[i] is in that turn, the initial state being
                          0 */
    /* Bits that are one and the same in a turn whenever it comes, such as the even counts of steps where the
     * second player has those; those of turn t are known_first[t] .. known_first[t + 1]-1. NULL: not looked
     * for. */
    VEC(struct known_bit) known;
    uint32_t *known_first;
    VEC(edge) kept; /* of a circuit made for one turn: see cycle.h */
    /* While it is built: what the bits can be after so many steps, step * nbits + bit, as far as steps
     * differ; see timed.c. NULL: not known. */
    uint8_t *times;
    uint32_t ntimes;
    VEC(struct circuit_stage) stages;
};

static inline uint32_t wire_bit(const struct circuit *c, uint32_t bit)
{
    return 1 + bit;
}
static inline uint32_t wire_move(const struct circuit *c, uint32_t move)
{
    return 1 + c->nbits + move;
}
static inline uint32_t wire_gate(const struct circuit *c, uint32_t gate)
{
    return 1 + c->nbits + c->nmoves + gate;
}

/* Build and reduce. `limits` as for grounding; NULL and an error when one is hit. The ground program is only
 * read. */
struct circuit *circuit_build(const struct ground *ground, const struct ground_limits *limits,
                              struct error *error);
void circuit_free(struct circuit *c);

/* A circuit with the same bits and moves in which `legal` says that a move wins at once: it is legal, the
 * game is not over, and when all other roles make the only move they have it is over then and the role has
 * the most it can ever get. Where others have a choice it says nothing. Nothing else of it means anything.
 * NULL and an error where that is too large, takes longer than so many seconds (0: no limit) or is cancelled
 * (`cancel` may be NULL), and where rules are recursive. */
struct circuit *circuit_foresee(const struct circuit *c, double seconds, const atomic_bool *cancel,
                                struct error *error);

/* A circuit with the same bits whose moves are the goals: move i of a role is its i-th in `goals`, and
 * `legal` says that it may come some day, now or later. What is not legal never comes. Nothing else of it
 * means anything. NULL and an error as above, and where all goals may come from everywhere as far as is seen.
 */
struct circuit *circuit_outlook(const struct circuit *c, double seconds, const atomic_bool *cancel,
                                struct error *error);

#endif
