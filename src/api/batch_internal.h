/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A batch, and its half that is on a GPU. */
#ifndef API_BATCH_INTERNAL_H
#define API_BATCH_INTERNAL_H

#include "api/api.h"
#include "api/lanes.h"
#include "api/team.h"
#include "gpu/lanes.h"

struct ludens_batch {
    struct ludens_game *game;
    struct lanes_rules rules;
    struct lanes *parts;
    uint32_t nparts, lanes, stride;
    struct team *team;
    /* what callers see; what is large is made when it is first asked for */
    uint8_t *players, *ended, **legal, *states; /* legal: by role, then the players' */
    uint32_t **counts;                          /* the same */
    struct lanes_goals goals;
    uint64_t *packed, *planes;
    /* on a GPU, instead of parts, team and arrays */
    struct gpu *gpu;
    struct gpu_lanes *there;
    struct error failure; /* of the last call; code 0: none */
};

/* --- batch_gpu.c: what the functions of ludens/batch.h do there. */
bool batch_gpu_open(struct ludens_batch *b, const struct ludens_batch_options *o, struct error *error);
void batch_gpu_close(struct ludens_batch *b);
const void *batch_gpu_array(struct ludens_batch *b, enum gpu_array what, uint32_t role,
                            struct ludens_error *error);
void batch_gpu_reset(struct ludens_batch *b, const uint8_t *which);
void batch_gpu_load(struct ludens_batch *b, const uint64_t *packed);
bool batch_gpu_put(struct ludens_batch *b, uint32_t lane, const uint64_t *state, struct ludens_error *error);
bool batch_gpu_get(struct ludens_batch *b, uint32_t lane, uint64_t *state, struct ludens_error *error);
bool batch_gpu_step(struct ludens_batch *b, const int32_t *moves, bool joint, struct ludens_error *error);
bool batch_gpu_play(struct ludens_batch *b, uint64_t sweeps, const atomic_bool *stop,
                    struct ludens_batch_tally *tally, struct ludens_error *error);
bool batch_gpu_copy(struct ludens_batch *b, const void *array, size_t bytes, void *to,
                    struct ludens_error *error);

/* What is wrong with a lane's moves, in words; returns false. */
bool batch_tell_fault(const struct ludens_batch *b, enum lanes_fault kind, uint32_t lane, uint32_t role,
                      int32_t move, struct ludens_error *error);

#endif
