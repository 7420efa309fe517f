/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions in batches, from each of which a device plays random games: what leaves of a search are worth.
 * Some batches are under way at once, so that the device works while the next one is filled:
 *
 *     gpu_sampler_state(s, b, i): put position i there ... gpu_sampler_begin(s, b, n)   returns at once
 *     gpu_sampler_end(s, b, results)                                                    waits
 *
 * False and an error: the device failed and is lost. One thread at a time. The same seed and the same
 * batches in the same order give the same results. */
#ifndef GPU_SAMPLER_H
#define GPU_SAMPLER_H

#include "gpu/device.h"

#define GPU_SAMPLER_BATCHES 2

struct gpu_sampler;

struct gpu_sampler_options {
    uint32_t positions; /* of a batch at most */
    uint32_t playouts;  /* from each at least */
    uint32_t steps;     /* longer ones are draws */
    uint64_t seed;
};

/* Opens the device. Limits as for gpu_games_new. */
struct gpu_sampler *gpu_sampler_new(const struct code *code, const struct gpu_sampler_options *options,
                                    const struct ground_limits *limits, struct error *error);
void gpu_sampler_free(struct gpu_sampler *s); /* NULL is fine */

/* As batches have states; none is an end. */
uint64_t *gpu_sampler_state(struct gpu_sampler *s, uint32_t batch, uint32_t i);
/* Positions that no game leads to may not do. */
bool gpu_sampler_fits(const struct gpu_sampler *s, const uint64_t *state);
bool gpu_sampler_begin(struct gpu_sampler *s, uint32_t batch, uint32_t n, struct error *error);

/* It would not be waited for, whether it went well or not. */
bool gpu_sampler_ready(struct gpu_sampler *s, uint32_t batch);

struct gpu_sample {
    uint32_t playouts;
    uint64_t steps;  /* of all of them */
    uint32_t broken; /* so many were too long */
};
/* Results of as many positions as the batch has; means[i * nroles + role] of goals, 50 where a playout was
 * too long, 0 where it ended without exactly one for each role. */
bool gpu_sampler_end(struct gpu_sampler *s, uint32_t batch, struct gpu_sample *results, float *means,
                     struct error *error);

#endif
