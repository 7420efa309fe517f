// SPDX-License-Identifier: GPL-3.0-or-later
/* Positions sampled on a device, which is the processor's, against the twin: every mean, every count. */
#include "../testing.h"

#include "game/engine.h"
#include "gpu/sampler.h"
#include "gpu/twin.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

#define SEED 77

/* Positions after so many random steps that are no ends. */
static uint32_t positions(const struct code *code, uint32_t steps, uint32_t n, uint64_t *out)
{
    struct error error;
    struct batch *b = batch_new(code, 64, SEED, &error);
    uint64_t all = ~0ull;
    uint32_t found = 0;
    for (uint32_t i = 0; i < steps; i++) {
        batch_view(b);
        batch_choose(b, &all);
        batch_step(b);
    }
    batch_view(b);
    for (uint32_t i = 0; i < 64 && found < n; i++)
        if (!(b->terminal[0] >> i & 1)) batch_get_state(b, i, out + found++ * b->state_words);
    batch_free(b);
    return found;
}

/* The means of a batch are those of the twin, which plays it alone from the first step on. */
static void compare(const char *name, const struct code *code, uint32_t steps, uint32_t wanted,
                    uint32_t limit)
{
    enum { MOST = 20 };
    const struct circuit *c = code->circuit;
    struct error error = {0};
    struct gpu_sampler_options o = {.positions = MOST, .playouts = 60, .steps = limit, .seed = SEED};
    struct gpu_sampler *s = gpu_sampler_new(code, &o, NULL, &error);
    if (!s) fail_msg("%s: %s", name, error.text);
    uint32_t words = (c->nbits + 63) / 64, there = 128; /* whole blocks */
    uint64_t *states = calloc((size_t)MOST * words, sizeof *states);
    uint32_t n = positions(code, steps, wanted, states);
    assert_true(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(gpu_sampler_fits(s, states + i * words));
        memcpy(gpu_sampler_state(s, 0, i), states + i * words, words * sizeof *states);
    }
    struct gpu_sample samples[MOST];
    float *means = calloc((size_t)MOST * c->nroles, sizeof *means);
    if (!gpu_sampler_begin(s, 0, n, &error) || !gpu_sampler_end(s, 0, samples, means, &error))
        fail_msg("%s: %s", name, error.text);
    struct gpu_setup setup = {.turns = 1, .starts = true, .roots = true, .mover = gpu_find_mover(c)};
    struct gpu_twin *twin = gpu_twin_new(code, setup, there, SEED, states, n, &error);
    gpu_twin_play(twin, limit, true, false);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *sums = gpu_twin_sums(twin) + (size_t)i * gpu_counters(c);
        uint32_t lanes = 32 * (there / n + (i < there % n));
        assert_int_equal(samples[i].playouts, lanes);
        assert_true(lanes >= 60);
        assert_int_equal(samples[i].steps, sums[GPU_TRANSITIONS]);
        assert_int_equal(samples[i].broken, lanes - sums[GPU_GAMES]);
        for (uint32_t r = 0; r < c->nroles; r++) {
            double mean = 50.0 * (double)(lanes - sums[GPU_GAMES]);
            for (uint32_t k = 0; k < c->goals.n; k++)
                if (c->goals.v[k].role == r) mean += (double)sums[GPU_GOALS + k] * c->goals.v[k].value;
            assert_true(fabs(means[i * c->nroles + r] - mean / lanes) < 1e-3);
        }
    }
    gpu_twin_free(twin);
    gpu_sampler_free(s);
    free(means);
    free(states);
}

static void samples_are_the_twins(void **unused)
{
    static const struct {
        const char *name;
        uint32_t steps, positions, limit;
    } games[] = {{"connectFour", 5, 20, 60}, {"ticTacToe", 3, 7, 12},  {"breakthrough", 8, 3, 130},
                 {"tron", 3, 20, 60},        {"goofspiel4", 1, 5, 10}, {"chineseCheckers3", 4, 6, 40},
                 {"checkers", 6, 11, 50},    {"quad", 4, 9, 40},       {"connectFour", 4, 1, 6}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct error error;
        struct game *game = game_load(games[i].name, 0, NULL, &error);
        struct engine *engine = engine_start(game, NULL, &error);
        assert_int_equal(engine_wait(engine, -1), ENGINE_READY);
        compare(games[i].name, engine_code(engine), games[i].steps, games[i].positions, games[i].limit);
        engine_free(engine);
        game_free(game);
    }
}

/* While one batch is under way the other is filled, and no random number comes twice. */
static void batches_come_back_one_after_the_other(void **unused)
{
    struct error error;
    struct game *game = game_load("connectFour", 0, NULL, &error);
    struct engine *engine = engine_start(game, NULL, &error);
    assert_int_equal(engine_wait(engine, -1), ENGINE_READY);
    const struct code *code = engine_code(engine);
    struct gpu_sampler_options o = {.positions = 2, .playouts = 64, .steps = 60, .seed = SEED};
    struct gpu_sampler *s = gpu_sampler_new(code, &o, NULL, &error);
    uint32_t words = (code->nbits + 63) / 64;
    uint64_t *states = calloc(2 * words, sizeof *states);
    assert_int_equal(positions(code, 4, 2, states), 2);
    float means[3][4];
    struct gpu_sample samples[2];
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(gpu_sampler_state(s, i, 0), states, 2 * words * sizeof *states);
        assert_true(gpu_sampler_begin(s, i, 2, &error));
    }
    assert_true(gpu_sampler_end(s, 0, samples, means[0], &error));
    assert_true(gpu_sampler_begin(s, 0, 1, &error));
    assert_true(gpu_sampler_end(s, 1, samples, means[1], &error));
    assert_true(gpu_sampler_end(s, 0, samples, means[2], &error));
    assert_memory_not_equal(means[0], means[1], sizeof means[0]);
    assert_true(fabsf(means[0][0] - means[1][0]) < 15 && fabsf(means[0][0] - means[2][0]) < 15);
    gpu_sampler_free(s);
    free(states);
    engine_free(engine);
    game_free(game);
}

/* --- Threads -------------------------------------------------------------------------------------------- */

static const struct gpu_sampler_options few = {.positions = 2, .playouts = 64, .steps = 60, .seed = SEED};

static void *make_one(void *code)
{
    struct error error;
    return gpu_sampler_new(code, &few, NULL, &error);
}

static int loads(void)
{
    void *library = dlopen(getenv("LUDENS_CUDA"), RTLD_NOW);
    int (*count)(void) = (int (*)(void))dlsym(library, "fake_cuda_loads");
    int n = count();
    dlclose(library);
    return n;
}

/* Samplers of the same circuit have the same code, however many threads want it at once; it is made anew when
 * all of them are gone. Who is told to stop leaves it to the others. */
static void code_is_made_once(void **unused)
{
    enum { THREADS = 6 };
    struct error error;
    struct game *game = game_load("connectFour", 0, NULL, &error);
    struct engine *engine = engine_start(game, NULL, &error);
    assert_int_equal(engine_wait(engine, -1), ENGINE_READY);
    struct code *code = (struct code *)engine_code(engine);
    struct gpu_sampler *keeper = gpu_sampler_new(code, &few, NULL, &error), *s[THREADS];
    assert_non_null(keeper);
    gpu_sampler_free(keeper);
    int before = loads(), each = 2; /* playouts, and putting lanes where they begin */
    for (int round = 1; round <= 2; round++) {
        atomic_bool cancel = true;
        struct ground_limits stopped = {.cancel = &cancel};
        pthread_t threads[THREADS];
        assert_null(gpu_sampler_new(code, &few, &stopped, &error));
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, make_one, code), 0);
        struct gpu_sampler *quick = gpu_sampler_new(code, &few, &stopped, &error);
        gpu_sampler_free(quick); /* there is one if the others were quick */
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], (void **)&s[i]);
        assert_int_equal(loads(), before + each * round);
        for (int i = 0; i < THREADS; i++) assert_non_null(s[i]);
        for (int i = 0; i < THREADS; i++) gpu_sampler_free(s[i]);
    }
    engine_free(engine);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_the_twins),
        cmocka_unit_test(batches_come_back_one_after_the_other),
        cmocka_unit_test(code_is_made_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
