/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random games on each engine for a while, in one thread or many: the measuring half of `ludens bench`. */
#ifndef CLI_BENCH_RUN_H
#define CLI_BENCH_RUN_H

#include "game/engine.h"

enum bench_engine { BENCH_LIFTED, BENCH_EVENT, BENCH_CIRCUIT, BENCH_MACHINE, BENCH_GPU };

struct bench_run {
    enum bench_engine engine;
    uint32_t lanes; /* of the circuit */
    uint32_t threads;
    bool profile;
    /* results, added up over repetitions */
    uint64_t games, transitions;
    double seconds; /* one thread: processor time, so that a busy machine does not count; many: the clock */
    uint64_t ticks[BATCH_PARTS];
};

struct bench_setting {
    const struct game *game;
    const struct code *code; /* NULL: the game does not ground, only BENCH_LIFTED runs */
    double seconds;          /* of each repetition */
    uint64_t seed;
    uint32_t max_steps; /* longer games are given up */
};

/* Run for the time set, and add what was done to the results. Not for BENCH_GPU: see bench_gpu.h. */
bool bench_run(const struct bench_setting *setting, struct bench_run *run, uint32_t repetition,
               struct error *error);

#endif
