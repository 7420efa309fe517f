/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of circuit/: a net whose gates are lists of inputs that can change, for reductions that take gates
 * apart. New gates are numbered on from the net's nodes and may be read by gates before them; writing back
 * puts all in order. */
#ifndef CIRCUIT_LISTS_H
#define CIRCUIT_LISTS_H

#include "circuit/reduce.h"

struct lists {
    struct heap *heap;
    struct net *net;
    struct vec_u32
        *in;         /* by node: inputs, sorted when opened; empty for inputs, knots and what no root needs */
    uint32_t n, cap; /* nodes */
    bool *moved;     /* by node of the net: it depends on the moves made */
    edge *map;       /* by node, while writing back */
};

void lists_open(struct lists *l, struct net *net);
uint32_t lists_add(struct lists *l); /* a gate without inputs so far */
/* share.c: inputs that are in the same gates become a gate of their own; so do pairs of inputs that at least
 * `worth` gates share. Nothing but the inputs is looked at, and each is still in each gate as often as it
 * was. */
void lists_join(struct lists *l);
void lists_share(struct lists *l, uint32_t worth);
/* Turn the lists into a net again and free both lists and old net. */
struct net *lists_close(struct lists *l);

#endif
