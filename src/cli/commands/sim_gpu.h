/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random games on a GPU, and what came out of them: `ludens sim --device gpu`. */
#ifndef CLI_SIM_GPU_H
#define CLI_SIM_GPU_H

#include "game/game.h"
#include "gpu/device.h"

struct sim_gpu_options {
    uint64_t games; /* at least: lanes begin no further ones when there are so many, and end those they have
                       begun */
    uint64_t steps; /* a game is given up when it is between once and twice as long; 0: never */
    uint64_t seed;
    bool json;
};

/* Play and print. False and an error; ERROR_CANCELLED when *stop was set, then what was played is printed,
 * too. */
bool sim_gpu(struct gpu *gpu, const struct game *game, const struct code *code,
             const struct sim_gpu_options *options, const atomic_bool *stop, struct error *error);

#endif
