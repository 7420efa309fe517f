/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of circuit/: the network while it is being built and reduced. Same edges and gates as struct
 * circuit, but the gates are hashed (equal gates are one), unordered as to phases, and loops are cut open:
 *
 *     node 0 true | bits | moves | gates and knots, each after what it reads
 *
 * A knot stands for the value of an atom on a positive cycle; net->knot_def says which edge defines it.
 * Everything in between sees a graph without cycles. Reductions go from one net to the next (net_copy with
 * some inputs replaced) rather than in place.
 */
#ifndef CIRCUIT_NET_H
#define CIRCUIT_NET_H

#include "circuit/circuit.h"

struct net_node {
    uint32_t first, n; /* a gate's inputs in pool; n == 0: an input or a knot */
};

struct net {
    struct heap *heap;
    uint32_t nbits, nmoves, nroles;
    const uint32_t *move_base; /* of the ground program */
    uint32_t *move_role;       /* by move */
    VEC(struct net_node) nodes;
    VEC(edge) pool;
    uint32_t *slots, mask; /* structural hashing */
    VEC(uint32_t) knots;   /* nodes */
    VEC(edge) knot_def;
    /* roots */
    edge *legal, *next, terminal; /* by move, by bit */
    VEC(struct circuit_goal) goals;
    VEC(edge) kept; /* further roots of the view */
    /* scratch for net_and: stamp[e] == epoch says that edge e is among the inputs of the gate being made */
    VEC(uint32_t) stamp;
    uint32_t epoch;
    VEC(edge) work;
    int depth; /* of net_and calling itself */
};

struct net *net_new(struct heap *heap, uint32_t nbits, const uint32_t *move_base, uint32_t nroles);
void net_free(struct net *net); /* gives the memory back to the heap */

static inline uint32_t net_inputs(const struct net *net)
{
    return 1 + net->nbits + net->nmoves;
}
static inline bool net_is_move(const struct net *net, edge e)
{
    uint32_t node = e >> 1;
    return node > net->nbits && node < net_inputs(net);
}
static inline bool net_is_gate(const struct net *net, edge e)
{
    return net->nodes.v[e >> 1].n > 0;
}
static inline edge net_bit(const struct net *net, uint32_t bit)
{
    return (1 + bit) << 1;
}
static inline edge net_move(const struct net *net, uint32_t move)
{
    return (1 + net->nbits + move) << 1;
}

/* Tidy a conjunction in place: sort, drop `true` and repetitions, use that a role makes exactly one move.
 * Returns the new count, or UINT32_MAX if it is false. */
uint32_t net_simplify(struct net *net, edge *e, uint32_t n);
/* The AND of edges, simplified; `e` may be anywhere but in the net's own pool and is clobbered. */
edge net_and(struct net *net, edge *e, uint32_t n);
/* The OR: the same with everything inverted. */
edge net_or(struct net *net, edge *e, uint32_t n);
edge net_knot(struct net *net); /* define it later: net->knot_def.v[number] */
void net_define_knot(struct net *net, edge knot, edge def);

/* A copy in which bits are replaced (bit_to[bit] is an edge of the copy whose bits are numbered 0..nbits-1)
 * and only what the roots need is kept. Roots of replaced bits are dropped: bit_from[new bit] = old bit; but
 * `nexts`, unless NULL, receives what the next value of every old bit has become. */
struct net *net_copy(const struct net *from, struct heap *heap, uint32_t nbits, const edge *bit_to,
                     const uint32_t *bit_from, edge *nexts);
/* The same with all bits as they are. */
struct net *net_clean(const struct net *from);

struct net_size {
    uint32_t gates, edges;
};
struct net_size net_size(const struct net *net); /* of what the roots need */

/* Mark the nodes that the roots need; `mark` has nodes.n entries. */
void net_mark(const struct net *net, bool *mark);

#endif
