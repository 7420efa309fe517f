// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/sampler.h"

#include "gpu/playouts.h"

#include <stdlib.h>

struct batch_there {
    void *stream;
    uint64_t *packed, *sums;                        /* memory that the device can read and write by itself */
    uint64_t there, state, waiting, young, counted; /* device memory: packed states, games, masks, sums */
    uint32_t n;                                     /* positions under way */
};

struct gpu_sampler {
    struct gpu *gpu;
    const struct circuit *c;
    struct gpu_sampler_options o;
    const struct gpu_playouts *code; /* other samplers of the circuit may share it */
    uint32_t words, state_words;
    uint64_t step; /* random numbers never come again */
    struct batch_there batch[GPU_SAMPLER_BATCHES];
};

static size_t packed_bytes(const struct gpu_sampler *s)
{
    return (size_t)s->o.positions * s->state_words * sizeof(uint64_t);
}

static size_t sums_bytes(const struct gpu_sampler *s, uint32_t n)
{
    return (size_t)n * gpu_counters(s->c) * sizeof(uint64_t);
}

static bool set_up(struct gpu_sampler *s, struct batch_there *b, struct error *error)
{
    struct gpu *gpu = s->gpu;
    const struct driver *d = &gpu->driver;
    size_t row = (size_t)s->words * 4;
    return driver_check(d, d->cuStreamCreate(&b->stream, CU_STREAM_APART), "setting up games", error) &&
           driver_check(d, d->cuMemAllocHost_v2((void **)&b->packed, packed_bytes(s)), "setting up games",
                        error) &&
           driver_check(d, d->cuMemAllocHost_v2((void **)&b->sums, sums_bytes(s, s->o.positions)),
                        "setting up games", error) &&
           gpu_allocate(gpu, &b->there, packed_bytes(s), error) &&
           gpu_allocate(gpu, &b->state, s->c->nbits * row + 4, error) &&
           gpu_allocate(gpu, &b->waiting, row, error) && gpu_allocate(gpu, &b->young, row, error) &&
           gpu_allocate(gpu, &b->counted, sums_bytes(s, s->o.positions), error);
}

struct gpu_sampler *gpu_sampler_new(const struct code *code, const struct gpu_sampler_options *options,
                                    const struct ground_limits *limits, struct error *error)
{
    struct gpu_sampler *s = calloc(1, sizeof *s);
    if (!s) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    s->c = code->circuit;
    s->o = *options;
    uint32_t each = (options->playouts + 31) / 32;
    s->words = (options->positions * each + PTX_BLOCK - 1) / PTX_BLOCK * PTX_BLOCK;
    s->state_words = (s->c->nbits + 63) / 64;
    s->gpu = gpu_open(error);
    bool good = s->gpu && (s->code = gpu_playouts_take(s->gpu, s->c, limits, error));
    for (uint32_t i = 0; i < GPU_SAMPLER_BATCHES && good; i++) good = set_up(s, &s->batch[i], error);
    if (good) return s;
    gpu_sampler_free(s);
    return NULL;
}

void gpu_sampler_free(struct gpu_sampler *s)
{
    if (!s) return;
    struct gpu *gpu = s->gpu;
    if (gpu) gpu_enter(gpu, NULL);
    for (uint32_t i = 0; i < GPU_SAMPLER_BATCHES && gpu; i++) {
        struct batch_there *b = &s->batch[i];
        uint64_t *memory[] = {&b->there, &b->state, &b->waiting, &b->young, &b->counted};
        if (b->stream) gpu->driver.cuStreamSynchronize(b->stream);
        for (uint32_t k = 0; k < sizeof memory / sizeof *memory; k++) gpu_release(gpu, memory[k]);
        if (b->packed) gpu->driver.cuMemFreeHost(b->packed);
        if (b->sums) gpu->driver.cuMemFreeHost(b->sums);
        if (b->stream) gpu->driver.cuStreamDestroy_v2(b->stream);
    }
    gpu_playouts_give_back(gpu, s->code);
    gpu_close(gpu);
    free(s);
}

uint64_t *gpu_sampler_state(struct gpu_sampler *s, uint32_t batch, uint32_t i)
{
    return s->batch[batch].packed + (size_t)i * s->state_words;
}

bool gpu_sampler_fits(const struct gpu_sampler *s, const uint64_t *state)
{
    return !gpu_both_free(s->c, &s->code->mover, state);
}

/* All of it goes into the stream one after the other. */
static bool send(struct gpu_sampler *s, struct batch_there *b, struct error *error)
{
    const struct driver *d = &s->gpu->driver;
    uint32_t nbits = s->c->nbits, halves = 2 * s->state_words;
    struct ptx_arguments a = {.state = b->state,
                              .waiting = b->waiting,
                              .young = b->young,
                              .roots = b->n,
                              .sums = b->counted,
                              .words = s->words,
                              .rounds = s->o.steps,
                              .step = s->step,
                              .last = 1};
    void *arguments[PTX_ARGUMENTS];
    philox_keys(s->o.seed, a.keys);
    ptx_list_arguments(&a, arguments);
    size_t bytes = (size_t)b->n * s->state_words * sizeof *b->packed;
    return driver_check(d, d->cuMemcpyHtoDAsync_v2(b->there, b->packed, bytes, b->stream),
                        "sending positions", error) &&
           gpu_launch_in(s->gpu, &s->code->copy, b->stream, s->words / PTX_BLOCK, halves,
                         (void *[]){&b->there, &b->state, &s->words, &nbits, &halves, &b->n}, error) &&
           driver_check(d, d->cuMemsetD32Async(b->waiting, 0, s->words, b->stream), "sending positions",
                        error) &&
           driver_check(d, d->cuMemsetD32Async(b->young, 0, s->words, b->stream), "sending positions",
                        error) &&
           driver_check(d, d->cuMemsetD32Async(b->counted, 0, sums_bytes(s, b->n) / 4, b->stream),
                        "sending positions", error) &&
           gpu_launch_in(s->gpu, &s->code->play, b->stream, s->words / PTX_BLOCK, 1, arguments, error) &&
           driver_check(d, d->cuMemcpyDtoHAsync_v2(b->sums, b->counted, sums_bytes(s, b->n), b->stream),
                        "sending positions", error);
}

bool gpu_sampler_begin(struct gpu_sampler *s, uint32_t batch, uint32_t n, struct error *error)
{
    struct batch_there *b = &s->batch[batch];
    b->n = n;
    if (!gpu_enter(s->gpu, error)) return false;
    if (!send(s, b, error)) return gpu_lose(s->gpu, error);
    s->step += s->o.steps;
    return true;
}

bool gpu_sampler_ready(struct gpu_sampler *s, uint32_t batch)
{
    struct error ignored;
    return !gpu_enter(s->gpu, &ignored) ||
           s->gpu->driver.cuStreamQuery(s->batch[batch].stream) != CU_NOT_READY;
}

/* One position's sums. */
static struct gpu_sample weigh(const struct gpu_sampler *s, const uint64_t *sums, uint32_t lanes, float *mean)
{
    const struct circuit *c = s->c;
    struct gpu_sample r = {.playouts = lanes, .steps = sums[GPU_TRANSITIONS]};
    r.broken = lanes - (uint32_t)sums[GPU_GAMES];
    for (uint32_t k = 0; k < c->nroles; k++) mean[k] = 50 * (float)r.broken;
    for (uint32_t i = 0; i < c->goals.n; i++)
        mean[c->goals.v[i].role] += (float)sums[GPU_GOALS + i] * (float)c->goals.v[i].value;
    for (uint32_t k = 0; k < c->nroles; k++) mean[k] /= (float)lanes;
    return r;
}

bool gpu_sampler_end(struct gpu_sampler *s, uint32_t batch, struct gpu_sample *results, float *means,
                     struct error *error)
{
    struct batch_there *b = &s->batch[batch];
    const struct driver *d = &s->gpu->driver;
    if (!gpu_enter(s->gpu, error)) return false;
    if (!driver_check(d, d->cuStreamSynchronize(b->stream), "playing", error)) return gpu_lose(s->gpu, error);
    for (uint32_t i = 0; i < b->n; i++) { /* word w is position w % n's */
        uint32_t words = s->words / b->n + (i < s->words % b->n);
        results[i] =
            weigh(s, b->sums + (size_t)i * gpu_counters(s->c), 32 * words, means + (size_t)i * s->c->nroles);
    }
    return true;
}
