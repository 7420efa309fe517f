// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device.h"

#include "gpu/device_internal.h"
#include "gpu/twin.h"

#include <stdlib.h>

#define OLDEST 7 /* compute capability: votes of a warp as we use them */

const struct ground_limits gpu_default_limits = {.seconds = 60, .bytes = (size_t)4 << 30};

struct gpu_games {
    struct gpu *gpu;
    const struct code *code;
    struct gpu_code device;
    uint64_t state, waiting, young, start, sums; /* device memory */
    struct gpu_setup setup;
    const uint64_t *starts;
    uint32_t roots; /* at least 1 */
    uint64_t step, seed;
    struct gpu_games_report report;
};

/* --- The device ----------------------------------------------------------------------------------------- */

static bool look(struct gpu *gpu, int attribute, int *value, struct error *error)
{
    return driver_check(&gpu->driver, gpu->driver.cuDeviceGetAttribute(value, attribute, gpu->device),
                        "asking what it can do", error);
}

static bool find_device(struct gpu *gpu, struct error *error)
{
    const struct driver *d = &gpu->driver;
    int count = 0, major = 0, minor = 0, result = d->cuInit(0);
    if (result == CU_NO_DEVICE) return error_set(error, ERROR_SYSTEM, "no GPU: the driver finds none");
    if (!driver_check(d, result, "starting its driver", error)) return false;
    if (!driver_check(d, d->cuDeviceGetCount(&count), "counting devices", error)) return false;
    if (count < 1) return error_set(error, ERROR_SYSTEM, "no GPU: the driver finds none");
    if (!driver_check(d, d->cuDeviceGet(&gpu->device, 0), "looking at it", error) ||
        !driver_check(d, d->cuDeviceGetName(gpu->name, sizeof gpu->name, gpu->device), "asking its name",
                      error))
        return false;
    gpu->name[sizeof gpu->name - 1] = '\0';
    if (!look(gpu, CU_CAPABILITY_MAJOR, &major, error) || !look(gpu, CU_CAPABILITY_MINOR, &minor, error))
        return false;
    if (major < OLDEST)
        return error_set(error, ERROR_SYSTEM,
                         "no GPU: %s is too old (compute capability %d.%d, %d.0 is needed)", gpu->name, major,
                         minor, OLDEST);
    if (!look(gpu, CU_MULTIPROCESSORS, &gpu->multiprocessors, error) ||
        !look(gpu, CU_SHARED_PER_BLOCK, &gpu->memory.block, error) ||
        !look(gpu, CU_SHARED_PER_MULTIPROCESSOR, &gpu->memory.multiprocessor, error))
        return false;
    if (d->cuDeviceGetAttribute(&gpu->memory.reserved, CU_SHARED_RESERVED, gpu->device))
        gpu->memory.reserved = 1024;
    return driver_check(d, d->cuDevicePrimaryCtxRetain(&gpu->context, gpu->device), "opening it", error) &&
           driver_check(d, d->cuCtxSetCurrent(gpu->context), "opening it", error);
}

struct gpu *gpu_open(struct error *error)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) error_set(error, ERROR_MEMORY, "no memory for a GPU");
    if (!gpu) return NULL;
    if (driver_open(&gpu->driver, error) && find_device(gpu, error)) return gpu;
    gpu_close(gpu);
    return NULL;
}

void gpu_close(struct gpu *gpu)
{
    if (!gpu) return;
    if (gpu->context) gpu->driver.cuDevicePrimaryCtxRelease_v2(gpu->device);
    driver_close(&gpu->driver);
    free(gpu);
}

const char *gpu_name(const struct gpu *gpu)
{
    return gpu->name;
}

/* --- Games ---------------------------------------------------------------------------------------------- */

static void free_memory(struct gpu_games *g)
{
    uint64_t *memory[] = {&g->state, &g->waiting, &g->young, &g->start, &g->sums};
    for (uint32_t i = 0; i < sizeof memory / sizeof *memory; i++) gpu_release(g->gpu, memory[i]);
}

/* Where lanes begin, and where they are. */
static bool put_starts(struct gpu_games *g, struct error *error)
{
    uint32_t nbits = g->code->circuit->nbits, words = g->report.words, state_words = (nbits + 63) / 64;
    uint32_t *row = malloc(words * sizeof *row);
    bool good = row || error_set(error, ERROR_MEMORY, "no memory for games on a GPU");
    for (uint32_t b = 0; good && b < nbits; b++) {
        for (uint32_t w = 0; w < words; w++) {
            const uint64_t *state = g->starts + (size_t)(w % g->roots) * state_words;
            row[w] = state[b / 64] >> b % 64 & 1 ? UINT32_MAX : 0;
        }
        uint64_t at = (uint64_t)b * words * 4;
        good = gpu_send(g->gpu, g->start + at, row, words * sizeof *row, error) &&
               gpu_send(g->gpu, g->state + at, row, words * sizeof *row, error);
    }
    free(row);
    return good;
}

static bool set_up(struct gpu_games *g, uint32_t words, struct error *error)
{
    const struct driver *d = &g->gpu->driver;
    const struct circuit *c = g->code->circuit;
    int blocks = 0;
    uint32_t threads = g->device.threads;
    free_memory(g);
    if (!words) {
        if (!driver_check(d,
                          d->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                              &blocks, g->device.function, (int)threads, g->device.shared_bytes),
                          "asking how much it can do at once", error))
            return false;
        words = (uint32_t)(blocks > 0 ? blocks : 1) * (uint32_t)g->gpu->multiprocessors * threads;
        g->report.blocks = (uint32_t)blocks;
    }
    words = (words + threads - 1) / threads * threads;
    g->report.words = words;
    if (!gpu_allocate(g->gpu, &g->state, (size_t)c->nbits * words * 4 + 4, error) ||
        !gpu_allocate(g->gpu, &g->waiting, (size_t)words * 4, error) ||
        !gpu_allocate(g->gpu, &g->young, (size_t)words * 4, error) ||
        (g->starts && !gpu_allocate(g->gpu, &g->start, (size_t)c->nbits * words * 4 + 4, error)) ||
        !gpu_allocate(g->gpu, &g->sums, (size_t)g->roots * gpu_counters(c) * sizeof(uint64_t), error))
        return false;
    bool good = !g->starts || put_starts(g, error);
    for (uint32_t b = 0; !g->starts && good && b < c->nbits; b++)
        good =
            gpu_fill(g->gpu, g->state + (uint64_t)b * words * 4, c->init[b] ? UINT32_MAX : 0, words, error);
    return good && gpu_fill(g->gpu, g->waiting, 0, words, error) &&
           gpu_fill(g->gpu, g->young, 0, words, error) &&
           gpu_fill(g->gpu, g->sums, 0, 2 * (size_t)g->roots * gpu_counters(c), error);
}

static struct gpu_plan *plan_games(struct heap *heap, const void *data)
{
    const struct gpu_games *g = data;
    return gpu_plan_new(heap, g->code->circuit, g->setup);
}

struct gpu_games *gpu_games_new(struct gpu *gpu, const struct code *code,
                                const struct gpu_games_options *options, const struct ground_limits *limits,
                                struct error *error)
{
    struct gpu_games *g = calloc(1, sizeof *g);
    if (!g) error_set(error, ERROR_MEMORY, "no memory for games on a GPU");
    if (!g) return NULL;
    g->gpu = gpu;
    g->code = code;
    g->seed = options->seed;
    g->starts = options->starts;
    g->roots = options->starts && options->roots ? options->roots : 1;
    g->setup =
        g->starts ? gpu_setup_from(code->circuit, g->starts, g->roots) : gpu_setup_initial(code->circuit);
    if (options->turns == 1 && !g->starts)
        g->setup = (struct gpu_setup){.turns = 1, .mover = gpu_find_mover(code->circuit)};
    struct ptx_options wishes = {.blocks = options->blocks,
                                 .registers = options->registers,
                                 .sync = options->sync,
                                 .threads = options->threads};
    if (gpu->lost)
        gpu_lose(gpu, error);
    else if (gpu_code_make(gpu, plan_games, g, &wishes, options->level, limits, &g->device, error)) {
        g->report = g->device.report;
        g->report.roots = g->roots;
        if (set_up(g, options->words, error)) return g;
    }
    gpu_games_free(g);
    return NULL;
}

void gpu_games_free(struct gpu_games *g)
{
    if (!g) return;
    free_memory(g);
    gpu_code_free(g->gpu, &g->device);
    free(g);
}

const struct gpu_games_report *gpu_games_report(const struct gpu_games *g)
{
    return &g->report;
}

bool gpu_games_begin(struct gpu_games *g, uint64_t seed, uint32_t words, struct error *error)
{
    if (g->gpu->lost) return gpu_lose(g->gpu, error);
    g->seed = seed;
    g->step = 0;
    return set_up(g, words, error);
}

bool gpu_games_play(struct gpu_games *g, uint32_t rounds, int how, struct error *error)
{
    struct ptx_arguments a = {.state = g->state,
                              .waiting = g->waiting,
                              .young = g->young,
                              .start = g->start,
                              .roots = g->roots,
                              .sums = g->sums,
                              .words = g->report.words,
                              .rounds = rounds,
                              .step = g->step,
                              .last = (how & GPU_LAST) != 0,
                              .give_up = (how & GPU_GIVE_UP) != 0};
    philox_keys(g->seed, a.keys);
    void *arguments[PTX_ARGUMENTS];
    ptx_list_arguments(&a, arguments);
    if (!gpu_launch(g->gpu, &g->device, a.words / g->device.threads, 1, arguments, error) ||
        !gpu_wait(g->gpu, error))
        return false;
    g->step += (uint64_t)rounds * g->report.turns;
    return true;
}

bool gpu_games_sums(struct gpu_games *g, uint64_t *sums, struct error *error)
{
    return gpu_fetch(g->gpu, sums, g->sums, (size_t)g->roots * gpu_counters(g->code->circuit) * sizeof *sums,
                     error);
}

bool gpu_games_bit(struct gpu_games *g, uint32_t bit, uint32_t *words, struct error *error)
{
    return gpu_fetch(g->gpu, words, g->state + (uint64_t)bit * g->report.words * 4,
                     (size_t)g->report.words * 4, error);
}

/* --- The same on the processor -------------------------------------------------------------------------- */

static bool is_turn_bit(const struct gpu_games *g, uint32_t bit)
{
    const struct circuit *c = g->code->circuit;
    for (uint32_t i = 0; g->report.turns > 1 && i < c->turn_bits.n; i++)
        if (c->turn_bits.v[i] == bit) return true;
    return false;
}

static bool same(struct gpu_games *g, const struct gpu_twin *twin, uint32_t *words, uint64_t *sums,
                 struct error *error)
{
    const struct circuit *c = g->code->circuit;
    if (!gpu_games_sums(g, sums, error)) return false;
    for (uint32_t i = 0; i < g->roots * gpu_counters(c); i++)
        if (sums[i] != gpu_twin_sums(twin)[i])
            return error_set(error, ERROR_INTERNAL,
                             "after step %llu the GPU counts %llu in %u, the processor %llu",
                             (unsigned long long)g->step, (unsigned long long)sums[i], i,
                             (unsigned long long)gpu_twin_sums(twin)[i]);
    for (uint32_t b = 0; b < c->nbits; b++) {
        if (is_turn_bit(g, b)) continue;
        if (!gpu_games_bit(g, b, words, error)) return false;
        for (uint32_t w = 0; w < g->report.words; w++)
            if (words[w] != gpu_twin_state(twin, w, b))
                return error_set(error, ERROR_INTERNAL,
                                 "after step %llu bit %u of lanes %u to %u is not the processor's",
                                 (unsigned long long)g->step, b, 32 * w, 32 * w + 31);
    }
    return true;
}

/* Looked at now and then: what differs once differs ever after, or has been counted. */
bool gpu_games_replay(struct gpu_games *g, uint32_t rounds, struct error *error)
{
    const uint32_t LOOKS = 8;
    struct gpu_twin *twin =
        gpu_twin_new(g->code, g->setup, g->report.words, g->seed, g->starts, g->roots, error);
    uint32_t *words = malloc(g->report.words * sizeof *words);
    uint64_t *sums = malloc((size_t)g->roots * gpu_counters(g->code->circuit) * sizeof *sums);
    bool good = twin != NULL;
    if (twin && (!words || !sums)) good = error_set(error, ERROR_MEMORY, "no memory to replay games");
    const uint32_t LAST =
        2; /* rounds in which games are given up and none is begun: that shall be seen, too */
    for (uint32_t done = 0; good && done < rounds + LAST;) {
        uint32_t n = done < rounds ? rounds / LOOKS + 1 : LAST;
        int how = done < rounds ? 0 : GPU_GIVE_UP | GPU_LAST;
        if (done < rounds && n > rounds - done) n = rounds - done;
        good = gpu_games_play(g, n, how, error);
        if (good) gpu_twin_play(twin, n, how & GPU_LAST, how & GPU_GIVE_UP);
        good = good && same(g, twin, words, sums, error);
        done += n;
    }
    gpu_twin_free(twin);
    free(words);
    free(sums);
    return good;
}
