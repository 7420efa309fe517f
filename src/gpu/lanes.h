/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Games in lanes on a GPU, step by step, with moves from outside: what include/ludens/batch.h promises, but
 * everything stays in the device's memory. Addresses are the device's and stay as they are; nothing is under
 * way there when a function returns, and what others still do there is waited for when one begins.
 *
 * False and an error: the device failed and is lost (device.h), or has no memory. One thread at a time. */
#ifndef GPU_LANES_H
#define GPU_LANES_H

#include "gpu/device.h"
#include "gpu/steps.h"

struct gpu_lanes;

struct gpu_lanes_options {
    uint32_t lanes;
    uint64_t seed;
    bool keep;
    uint32_t max_steps;
    bool *const *idle; /* of struct gpu_step; must outlive it */
};

struct gpu_lanes *gpu_lanes_new(struct gpu *gpu, const struct code *code,
                                const struct gpu_lanes_options *options, struct error *error);
void gpu_lanes_free(struct gpu_lanes *g);             /* NULL is fine */
uint32_t gpu_lanes_stride(const struct gpu_lanes *g); /* lanes, rounded up */
void gpu_lanes_seed(struct gpu_lanes *g, uint64_t seed);
bool gpu_lanes_reset(struct gpu_lanes *g, const uint8_t *which, struct error *error);

/* Arrays as those of batch.h, filled in. */
enum gpu_array {
    GPU_ARRAY_PLAYER,
    GPU_ARRAY_LEGAL, /* of a role, or of the players: nroles */
    GPU_ARRAY_COUNTS,
    GPU_ARRAY_STATES,
    GPU_ARRAY_PACKED,
    GPU_ARRAY_PLANES,
    GPU_ARRAY_ENDED,
    GPU_ARRAY_GOALS,
    GPU_ARRAY_REWARDS,
    GPU_ARRAYS
};
bool gpu_lanes_array(struct gpu_lanes *g, enum gpu_array what, uint32_t role, uint64_t *address,
                     struct error *error);
/* From the device's memory, or the processor's. */
bool gpu_lanes_fetch(struct gpu_lanes *g, uint64_t from, size_t bytes, void *to, struct error *error);

/* States of all lanes, or of one. */
bool gpu_lanes_load(struct gpu_lanes *g, const uint64_t *packed, struct error *error);
bool gpu_lanes_put(struct gpu_lanes *g, uint32_t lane, const uint64_t *state, struct error *error);
bool gpu_lanes_get(struct gpu_lanes *g, uint32_t lane, uint64_t *state, struct error *error);

/* What is wrong with the moves of the first lane that has something wrong; nothing is moved then. */
struct gpu_fault {
    enum { GPU_FINE, GPU_STUCK, GPU_CROWDED, GPU_ILLEGAL } kind;
    uint32_t lane, role;
};
/* Moves by lane, or by lane and role; NULL for GPU_STEP_RANDOM. They, packed states and `which` may lie in
 * the device's memory or in the processor's. */
bool gpu_lanes_step(struct gpu_lanes *g, enum gpu_step_kind kind, const int32_t *moves,
                    struct gpu_fault *fault, struct error *error);
/* So many steps of all lanes at random; `sums` gets gpu_counters(). Games that end begin anew at once. */
bool gpu_lanes_play(struct gpu_lanes *g, uint64_t steps, const atomic_bool *stop, uint64_t *sums,
                    struct error *error);

#endif
