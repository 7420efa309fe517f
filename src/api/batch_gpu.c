// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/batch_internal.h"

#include <stdlib.h>
#include <string.h>

/* What went wrong is told to whoever asked, and kept for those who could not. */
static bool done(struct ludens_batch *b, bool good, const struct error *inside, struct ludens_error *error)
{
    b->failure = good ? (struct error){0} : *inside;
    return good || tell(error, inside);
}

bool batch_gpu_open(struct ludens_batch *b, const struct ludens_batch_options *o, struct error *error)
{
    struct gpu_lanes_options options = {.lanes = o->lanes,
                                        .seed = o->seed,
                                        .keep = o->keep,
                                        .max_steps = o->max_steps,
                                        .idle = b->rules.idle};
    b->gpu = gpu_open(error);
    if (b->gpu) b->there = gpu_lanes_new(b->gpu, b->rules.code, &options, error);
    if (b->there) b->stride = gpu_lanes_stride(b->there);
    return b->there;
}

void batch_gpu_close(struct ludens_batch *b)
{
    gpu_lanes_free(b->there);
    gpu_close(b->gpu);
}

const void *batch_gpu_array(struct ludens_batch *b, enum gpu_array what, uint32_t role,
                            struct ludens_error *error)
{
    struct error inside = {0};
    uint64_t address = 0;
    bool good = gpu_lanes_array(b->there, what, role, &address, &inside);
    return done(b, good, &inside, error) ? (const void *)(uintptr_t)address : NULL;
}

void batch_gpu_reset(struct ludens_batch *b, const uint8_t *which)
{
    struct error inside = {0};
    done(b, gpu_lanes_reset(b->there, which, &inside), &inside, NULL);
}

void batch_gpu_load(struct ludens_batch *b, const uint64_t *packed)
{
    struct error inside = {0};
    done(b, gpu_lanes_load(b->there, packed, &inside), &inside, NULL);
}

bool batch_gpu_put(struct ludens_batch *b, uint32_t lane, const uint64_t *state, struct ludens_error *error)
{
    struct error inside = {0};
    return done(b, gpu_lanes_put(b->there, lane, state, &inside), &inside, error);
}

bool batch_gpu_get(struct ludens_batch *b, uint32_t lane, uint64_t *state, struct ludens_error *error)
{
    struct error inside = {0};
    return done(b, gpu_lanes_get(b->there, lane, state, &inside), &inside, error);
}

bool batch_gpu_copy(struct ludens_batch *b, const void *array, size_t bytes, void *to,
                    struct ludens_error *error)
{
    struct error inside = {0};
    return done(b, gpu_lanes_fetch(b->there, (uintptr_t)array, bytes, to, &inside), &inside, error);
}

bool batch_gpu_step(struct ludens_batch *b, const int32_t *moves, bool joint, struct ludens_error *error)
{
    static const enum lanes_fault kinds[] = {[GPU_FINE] = LANES_FINE,
                                             [GPU_STUCK] = LANES_STUCK,
                                             [GPU_CROWDED] = LANES_CROWDED,
                                             [GPU_ILLEGAL] = LANES_ILLEGAL};
    struct error inside = {0};
    struct gpu_fault fault;
    enum gpu_step_kind kind = !moves ? GPU_STEP_RANDOM : joint ? GPU_STEP_JOINT : GPU_STEP_PLAYERS;
    if (!done(b, gpu_lanes_step(b->there, kind, moves, &fault, &inside), &inside, error)) return false;
    if (fault.kind == GPU_FINE) return true;
    int32_t move = 0; /* they may lie where only the device can read */
    size_t at = joint ? (size_t)fault.lane * b->rules.nroles + fault.role : fault.lane;
    if (moves && !batch_gpu_copy(b, moves + at, sizeof move, &move, error)) return false;
    return batch_tell_fault(b, kinds[fault.kind], fault.lane, fault.role, move, error);
}

bool batch_gpu_play(struct ludens_batch *b, uint64_t sweeps, const atomic_bool *stop,
                    struct ludens_batch_tally *tally, struct ludens_error *error)
{
    const struct circuit *c = b->rules.code->circuit;
    struct error inside = {0};
    uint64_t *sums = calloc(gpu_counters(c), sizeof *sums), defined = 0;
    memset(tally, 0, sizeof *tally);
    if (!sums) return no_memory(error);
    bool good = done(b, gpu_lanes_play(b->there, sweeps, stop, sums, &inside), &inside, error);
    for (uint32_t i = 0; i < c->goals.n && good; i++) {
        const struct circuit_goal *goal = &c->goals.v[i];
        tally->goals[goal->role] += (double)sums[GPU_GOALS + i] * goal->value;
        if (goal->role == 0) defined += sums[GPU_GOALS + i];
    }
    tally->games = sums[GPU_GAMES];
    tally->steps = sums[GPU_TRANSITIONS];
    tally->undefined = tally->games - defined;
    free(sums);
    return good;
}
