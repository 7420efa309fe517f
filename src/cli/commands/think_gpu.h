/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flat Monte Carlo on a GPU: what random games after each move come to. `ludens think --device gpu`. */
#ifndef CLI_THINK_GPU_H
#define CLI_THINK_GPU_H

#include "game/engine.h"
#include "gpu/device.h"

struct think_gpu_options {
    double seconds;       /* by the clock */
    uint64_t simulations; /* instead, when not 0: at least so many games */
    uint64_t seed;
    bool json;
};

/* Play for the role in a state of this reasoner, which works on a circuit, and print. */
bool think_gpu(struct gpu *gpu, struct reasoner *r, const struct state *state, uint32_t role,
               const struct think_gpu_options *options, const atomic_bool *stop, struct error *error);

#endif
