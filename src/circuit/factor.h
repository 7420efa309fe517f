/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of circuit/: an OR of many ANDs, written with few gates. */
#ifndef CIRCUIT_FACTOR_H
#define CIRCUIT_FACTOR_H

#include "circuit/net.h"

struct cube {
    uint32_t first, n; /* its edges in lits */
};

struct sop { /* sum of products */
    VEC(struct cube) cubes;
    VEC(edge) lits;
    VEC(uint32_t) count; /* scratch: occurrences by edge, all zero between calls */
};

static inline void sop_clear(struct sop *s)
{
    vec_clear(&s->cubes);
    vec_clear(&s->lits);
}

/* Build it. `net->legal` must hold the legality of the moves already known (EDGE_TRUE where it is not): a
 * move that is made is legal, so what legality says need not be said again. Clobbers the sop. */
edge factor_sop(struct net *net, struct sop *s);

#endif
