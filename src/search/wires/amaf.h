/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of wires/: for RAVE, how often each move was played in the playouts of a leaf, and what they
 * brought. Added up playout by playout, given to the nodes of the path all at once. */
#ifndef SEARCH_WIRES_AMAF_H
#define SEARCH_WIRES_AMAF_H

#include "search/driver_internal.h"

struct amaf_move {
    float sum;
    uint32_t n; /* playouts it was played in */
};

/* What all leaves of a hand share. */
struct amaf {
    uint32_t nroles, total;
    uint32_t base[MCTS_MAX_ROLES]; /* by role: its first move */
    uint32_t *stamp, now;          /* by move: the last playout it was seen in */
};

bool amaf_init(struct amaf *a, const struct code *code); /* false without memory */
void amaf_done(struct amaf *a);
/* A playout's moves; `reward` by role, discounted to its beginning. `moves` has a->total entries. */
void amaf_add(struct amaf *a, struct amaf_move *moves, const uint32_t *played, uint32_t steps,
              const float *reward);
/* To the nodes on the flight's path, which played its moves in all n playouts; `sum` by role. The moves are
 * empty then. */
void amaf_back_up(const struct amaf *a, struct amaf_move *moves, struct flight *f, uint32_t n,
                  const float *sum);

#endif
