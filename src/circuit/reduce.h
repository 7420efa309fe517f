/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of circuit/: the reductions, each from a net to a smaller one (freeing what it was given), and the
 * last step. */
#ifndef CIRCUIT_REDUCE_H
#define CIRCUIT_REDUCE_H

#include "circuit/net.h"

/* timed.c: bits that never change because of what is when; updates the circuit's bits and facts. */
struct net *reduce_timed(struct circuit *c, struct net *net);
/* merge.c: bits that provably always agree (or always differ) become one; updates the circuit's bits and
 * facts. */
struct net *reduce_merge(struct circuit *c, struct net *net);
/* regroup.c: moves that have a sum of products each, by what the products have in common. */
struct net *reduce_regroup(struct net *net);
/* select.c: sums over moves of what they select share the selection. */
struct net *reduce_select(struct net *net);
/* absorb.c: a gate used once, and not inverted, is written out in the gate that uses it. */
struct net *reduce_absorb(struct net *net);
/* share.c: what several wide gates have in common becomes a gate of its own. */
struct net *reduce_share(struct net *net);
/* emit.c: phases, loops and order; fills in the circuit. */
void circuit_emit(struct circuit *c, const struct net *net);

/* derive.c: a circuit made from another by `build`, which fills it in on its heap and may fail there. NULL
 * and an error: it did, it took longer than so many seconds (0: no limit), it was cancelled, or rules are
 * recursive. */
struct circuit *circuit_derive(const struct circuit *c,
                               void (*build)(struct circuit *out, const struct circuit *c), double seconds,
                               const atomic_bool *cancel, struct error *error);

/* Mark whatever the marked wires depend on, where nothing goes round in circles. */
void circuit_close(const struct circuit *c, bool *marks);

/* The circuit's bits and facts after net_copy has replaced bits. */
void circuit_replace_bits(struct circuit *c, uint32_t kept, const edge *bit_to, const uint32_t *bit_from);
void circuit_stage(struct circuit *c, const char *name, uint32_t bits, uint32_t gates, uint32_t edges,
                   double seconds);

#endif
