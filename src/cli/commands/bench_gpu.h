/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random games on a GPU for a while: `ludens bench --device gpu`. */
#ifndef CLI_BENCH_GPU_H
#define CLI_BENCH_GPU_H

#include "cli/commands/bench_run.h"
#include "gpu/device.h"

#include <jansson.h>

struct bench_gpu_options {
    int64_t replay; /* positions played again on the processor before anything is measured */
    int64_t blocks, registers, sync, level, turns, warps; /* of gpu_games_options */
};

/* One game's games on the device. The positions that were replayed and found the same are in *replayed. */
struct bench_gpu {
    struct gpu_games *games;
    uint64_t replayed, rounds; /* rounds while measuring */
    double seconds;
};

bool bench_gpu_open(struct bench_gpu *b, struct gpu *gpu, const struct bench_setting *setting,
                    const struct bench_gpu_options *options, struct error *error);
void bench_gpu_close(struct bench_gpu *b);
/* Play for the time set, by the clock, and add what was done to the results. */
bool bench_gpu_run(struct bench_gpu *b, const struct bench_setting *setting, struct bench_run *run,
                   struct error *error);

/* Gates of all lanes' words a second: to be held against what the device can do. */
double bench_gpu_gates(const struct bench_gpu *b);
void bench_gpu_print(const struct bench_gpu *b);
json_t *bench_gpu_json(const struct bench_gpu *b);

#endif
