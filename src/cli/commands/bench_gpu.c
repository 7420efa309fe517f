// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/bench_gpu.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdlib.h>

#define LAUNCH_SECONDS 0.02 /* long enough that starting and waiting do not count */

static bool replay(struct bench_gpu *b, const struct bench_setting *setting,
                   const struct bench_gpu_options *o, uint64_t *sums, struct error *error)
{
    uint64_t lanes = 32 * (uint64_t)gpu_games_report(b->games)->words * gpu_games_report(b->games)->turns;
    uint32_t rounds = (uint32_t)(((uint64_t)o->replay + lanes - 1) / lanes);
    if (!gpu_games_replay(b->games, rounds, error) || !gpu_games_sums(b->games, sums, error)) return false;
    b->replayed = sums[GPU_TRANSITIONS] + sums[GPU_GAMES];
    return true;
}

bool bench_gpu_open(struct bench_gpu *b, struct gpu *gpu, const struct bench_setting *setting,
                    const struct bench_gpu_options *o, struct error *error)
{
    struct gpu_games_options options = {.seed = setting->seed,
                                        .words = GPU_REPLAY_WORDS,
                                        .blocks = (uint32_t)o->blocks,
                                        .registers = (uint32_t)o->registers,
                                        .sync = (uint32_t)o->sync,
                                        .level = (uint32_t)o->level,
                                        .turns = (uint32_t)o->turns,
                                        .threads = 32 * (uint32_t)o->warps};
    *b = (struct bench_gpu){.games = gpu_games_new(gpu, setting->code, &options, &gpu_default_limits, error)};
    if (!b->games) return false;
    uint64_t *sums = calloc(gpu_counters(setting->code->circuit), sizeof *sums);
    bool good = sums || error_set(error, ERROR_MEMORY, "no memory");
    good = good && replay(b, setting, o, sums, error) && gpu_games_begin(b->games, setting->seed, 0, error);
    free(sums);
    return good;
}

void bench_gpu_close(struct bench_gpu *b)
{
    gpu_games_free(b->games);
    b->games = NULL;
}

bool bench_gpu_run(struct bench_gpu *b, const struct bench_setting *setting, struct bench_run *run,
                   struct error *error)
{
    uint32_t turns = gpu_games_report(b->games)->turns, rounds = 1, old = setting->max_steps / turns + 1;
    uint64_t *before = calloc(2 * gpu_counters(setting->code->circuit), sizeof *before),
             *after = before ? before + gpu_counters(setting->code->circuit) : NULL;
    bool good = before || error_set(error, ERROR_MEMORY, "no memory");
    uint64_t since = 0; /* games were last given up */
    run->lanes = 32 * gpu_games_report(b->games)->words;
    good = good && gpu_games_play(b->games, 1, 0, error) && gpu_games_sums(b->games, before, error);
    double began = clock_now(), now = began;
    while (good && now - began < setting->seconds) {
        good = gpu_games_play(b->games, rounds, since >= old ? GPU_GIVE_UP : 0, error);
        since = since >= old ? rounds : since + rounds;
        b->rounds += rounds;
        double then = now;
        now = clock_now();
        if (now - then < LAUNCH_SECONDS && rounds < GPU_MOST_ROUNDS) rounds *= 2;
    }
    good = good && gpu_games_sums(b->games, after, error);
    if (good) {
        run->games += after[GPU_GAMES] - before[GPU_GAMES];
        run->transitions += after[GPU_TRANSITIONS] - before[GPU_TRANSITIONS];
        run->seconds += now - began;
        b->seconds += now - began;
    }
    free(before);
    return good;
}

double bench_gpu_gates(const struct bench_gpu *b)
{
    const struct gpu_games_report *r = gpu_games_report(b->games);
    return b->seconds > 0 ? (double)b->rounds * r->gates * r->words / b->seconds : 0;
}

void bench_gpu_print(const struct bench_gpu *b)
{
    const struct gpu_games_report *r = gpu_games_report(b->games);
    printf("  GPU: %u gates for %u step%s, %u loads, %u stores, %u registers, %u bytes of local memory, %u "
           "blocks; "
           "%.2e gates/s\n",
           r->gates, r->turns, r->turns == 1 ? "" : "s", r->loads, r->stores, r->registers, r->local_bytes,
           r->blocks, bench_gpu_gates(b));
    printf("  its code was written in %.1f ms and loaded in %.1f; %" PRIu64
           " positions were the same on the processor\n",
           1e3 * r->make_seconds, 1e3 * r->load_seconds, b->replayed);
}

json_t *bench_gpu_json(const struct bench_gpu *b)
{
    const struct gpu_games_report *r = gpu_games_report(b->games);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:f}", "words",
                     (json_int_t)r->words, "blocks", (json_int_t)r->blocks, "turns", (json_int_t)r->turns,
                     "gates", (json_int_t)r->gates, "loads", (json_int_t)r->loads, "stores",
                     (json_int_t)r->stores, "registers", (json_int_t)r->registers, "local_bytes",
                     (json_int_t)r->local_bytes, "text_bytes", (json_int_t)r->text_bytes, "write_ms",
                     1e3 * r->make_seconds, "load_ms", 1e3 * r->load_seconds, "replayed",
                     (json_int_t)b->replayed, "gates_per_second", bench_gpu_gates(b));
}
