// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/far.h"

#include <pthread.h>
#include <stdlib.h>

struct far {
    const struct code *code;
    struct gpu_sampler_options o;
    far_over *over;
    void *data;
    pthread_t maker;
    bool making; /* the thread is to be joined */
    atomic_int state;
    atomic_bool cancel;
    struct gpu_sampler *sampler; /* these two are the maker's until the state says more */
    struct error error;
    void **leaves[GPU_SAMPLER_BATCHES]; /* by position of the batch */
    uint32_t n[GPU_SAMPLER_BATCHES];
    uint32_t filling;          /* the other one may be under way */
    bool under_way, forgotten; /* forgotten: nobody wants to know what comes back */
    struct gpu_sample *samples;
    float *means;
};

static void *make(void *data)
{
    struct far *f = data;
    struct ground_limits limits = gpu_default_limits;
    limits.cancel = &f->cancel;
    f->sampler = gpu_sampler_new(f->code, &f->o, &limits, &f->error);
    atomic_store(&f->state, f->sampler ? FAR_READY : FAR_FAILED);
    return NULL;
}

struct far *far_new(const struct code *code, const struct gpu_sampler_options *options, far_over *over,
                    void *data)
{
    struct far *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->code = code;
    f->o = *options;
    f->over = over;
    f->data = data;
    bool good = true;
    for (uint32_t i = 0; i < GPU_SAMPLER_BATCHES; i++)
        good = (f->leaves[i] = calloc(options->positions, sizeof *f->leaves[i])) && good;
    f->samples = calloc(options->positions, sizeof *f->samples);
    f->means = calloc((size_t)options->positions * code->nroles, sizeof *f->means);
    if (!good || !f->samples || !f->means) return far_free(f), NULL;
    f->making = pthread_create(&f->maker, NULL, make, f) == 0;
    if (!f->making) {
        error_set(&f->error, ERROR_SYSTEM, "no thread to get the GPU ready");
        atomic_store(&f->state, FAR_FAILED);
    }
    return f;
}

void far_free(struct far *f)
{
    if (!f) return;
    atomic_store(&f->cancel, true);
    if (f->making) pthread_join(f->maker, NULL);
    gpu_sampler_free(f->sampler);
    for (uint32_t i = 0; i < GPU_SAMPLER_BATCHES; i++) free(f->leaves[i]);
    free(f->samples);
    free(f->means);
    free(f);
}

enum far_state far_state(struct far *f)
{
    return (enum far_state)atomic_load_explicit(&f->state, memory_order_acquire);
}

const char *far_trouble(const struct far *f)
{
    return f->error.text;
}

bool far_put(struct far *f, void *leaf, const uint64_t *state)
{
    uint32_t b = f->filling, i = f->n[b];
    if (i == f->o.positions || !gpu_sampler_fits(f->sampler, state)) return false;
    f->leaves[b][i] = leaf;
    memcpy(gpu_sampler_state(f->sampler, b, i), state, (f->code->nbits + 63) / 64 * sizeof *state);
    f->n[b]++;
    return true;
}

uint32_t far_waiting(const struct far *f)
{
    return f->n[f->filling];
}

static bool fail(struct far *f)
{
    atomic_store(&f->state, FAR_FAILED);
    return false;
}

bool far_ready(struct far *f)
{
    return !f->under_way || gpu_sampler_ready(f->sampler, !f->filling);
}

bool far_turn(struct far *f)
{
    uint32_t b = f->filling, other = !b;
    bool sets_out = f->n[b] > 0;
    if (sets_out && !gpu_sampler_begin(f->sampler, b, f->n[b], &f->error)) return fail(f);
    if (f->under_way) {
        uint32_t n = f->n[other], nroles = f->code->nroles;
        if (!gpu_sampler_end(f->sampler, other, f->samples, f->means, &f->error)) return fail(f);
        f->n[other] = 0;
        for (uint32_t i = 0; i < n && !f->forgotten; i++)
            f->over(f->data, f->leaves[other][i], &f->samples[i], f->means + (size_t)i * nroles);
    }
    f->under_way = sets_out;
    f->forgotten = false;
    f->filling = other;
    return true;
}

void far_clear(struct far *f)
{
    f->forgotten = f->under_way;
    f->n[f->filling] = 0;
}
