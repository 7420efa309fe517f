// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens bench: how fast each engine plays random games, beside a yardstick, all in one run. */
#include "base/clock.h"
#include "cli/commands/bench_gpu.h"
#include "cli/commands/signature.h"
#include "cli/engine.h"
#include "cli/terminal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_RUNS 16
#define REPETITIONS 3 /* the engines take turns, so that what else the machine does hits all alike */

struct bench_options {
    double seconds, ground_seconds;
    int64_t threads, max_steps;
    uint64_t seed;
    bool json, profile;
    const char *device;
    struct bench_gpu_options gpu;
};

struct game_bench {
    struct game *game;
    struct engine *engine;
    double load_seconds;
    struct bench_run runs[MAX_RUNS];
    uint32_t nruns;
    struct bench_gpu gpu;
};

static const char *const part_names[BATCH_PARTS] = {[BATCH_VIEW] = "view",
                                                    [BATCH_CHOOSE] = "choose",
                                                    [BATCH_STEP] = "step",
                                                    [BATCH_GOAL] = "goal",
                                                    [BATCH_REST] = "bookkeeping"};

/* What is benchmarked when nothing is named: games of many kinds that everybody knows. */
static char *standard_games[] = {
    "ticTacToe", "connectFour", "breakthrough",     "checkers",   "othello",
    "skirmish",  "speedChess",  "chineseCheckers3", "connect5",   "knightthrough",
    "ttcc4",     "battle",      "pawnWhopping",     "amazons8x8", "hex",
};

static const char *run_name(const struct bench_run *r, char out[40])
{
    if (r->engine == BENCH_CIRCUIT)
        snprintf(out, 40, "circuit, %u lanes", r->lanes);
    else if (r->engine == BENCH_MACHINE)
        snprintf(out, 40, "machine code, %u", r->lanes);
    else if (r->engine == BENCH_GPU)
        snprintf(out, 40, "GPU, %u", r->lanes);
    else
        snprintf(out, 40, "%s", r->engine == BENCH_LIFTED ? "lifted" : "event-driven");
    return out;
}

static double transitions_per_second(const struct bench_run *r)
{
    return r->seconds > 0 ? (double)r->transitions / r->seconds : 0;
}

static double games_per_second(const struct bench_run *r)
{
    return r->seconds > 0 ? (double)r->games / r->seconds : 0;
}

/* The run of the same engine with one thread or with many; NULL if it was not made. */
static const struct bench_run *find_run(const struct game_bench *g, enum bench_engine engine, uint32_t lanes,
                                        bool many)
{
    for (uint32_t i = 0; i < g->nruns; i++) {
        const struct bench_run *r = &g->runs[i];
        if (r->engine == engine && r->lanes == lanes && (r->threads > 1) == many) return r;
    }
    return NULL;
}

/* Transitions per second of the widest circuit over those of the yardstick, one thread each; 0: none. */
static double ratio_of(const struct game_bench *g)
{
    uint32_t widths[4], n = batch_widths(widths);
    const struct bench_run *circuit = find_run(g, BENCH_MACHINE, widths[n - 1], false);
    if (!circuit) circuit = find_run(g, BENCH_CIRCUIT, widths[n - 1], false);
    const struct bench_run *event = find_run(g, BENCH_EVENT, 0, false);
    if (!circuit || !event || event->transitions == 0) return 0;
    return transitions_per_second(circuit) / transitions_per_second(event);
}

/* --- Measuring ------------------------------------------------------------------------------------------ */

static void plan(struct game_bench *g, const struct bench_options *o, const struct code *code)
{
    uint32_t widths[4], n = batch_widths(widths);
    for (int many = 0; many < (o->threads > 1 ? 2 : 1); many++) {
        uint32_t threads = many ? (uint32_t)o->threads : 1;
        g->runs[g->nruns++] = (struct bench_run){.engine = BENCH_LIFTED, .threads = threads};
        if (!code) continue;
        g->runs[g->nruns++] = (struct bench_run){.engine = BENCH_EVENT, .threads = threads};
        for (uint32_t i = 0; i < n; i++)
            g->runs[g->nruns++] = (struct bench_run){.engine = BENCH_CIRCUIT,
                                                     .lanes = widths[i],
                                                     .threads = threads,
                                                     .profile = o->profile && !many};
        for (uint32_t i = 0; i < n; i++)
            if (code_machine(code, widths[i]))
                g->runs[g->nruns++] = (struct bench_run){.engine = BENCH_MACHINE,
                                                         .lanes = widths[i],
                                                         .threads = threads,
                                                         .profile = o->profile && !many};
    }
}

/* The widest machine code, as what one core can do, and the device. */
static void plan_gpu(struct game_bench *g, const struct code *code)
{
    uint32_t widths[4], n = batch_widths(widths);
    bool machine = code_machine(code, widths[n - 1]);
    g->runs[g->nruns++] = (struct bench_run){
        .engine = machine ? BENCH_MACHINE : BENCH_CIRCUIT, .lanes = widths[n - 1], .threads = 1};
    g->runs[g->nruns++] = (struct bench_run){.engine = BENCH_GPU, .threads = 1};
}

/* The device failed: say so and go on without it. Not where it played other games than the processor. */
static bool without_gpu(struct game_bench *g, const struct error *error)
{
    bench_gpu_close(&g->gpu);
    if (error->code == ERROR_INTERNAL || error->code == ERROR_CANCELLED) return false;
    fprintf(stderr, "ludens bench: %s: %s; going on with the processor\n", g->game->name, error->text);
    return true;
}

static bool measure(struct game_bench *g, const struct bench_options *o, struct gpu *gpu, struct error *error)
{
    struct bench_setting setting = {.game = g->game,
                                    .code = engine_code(g->engine),
                                    .seconds = o->seconds / REPETITIONS,
                                    .seed = o->seed,
                                    .max_steps = (uint32_t)o->max_steps};
    bool device = gpu && setting.code && bench_gpu_open(&g->gpu, gpu, &setting, &o->gpu, error);
    if (gpu && setting.code && !device && !without_gpu(g, error)) return false;
    device ? plan_gpu(g, setting.code) : plan(g, o, setting.code);
    for (uint32_t rep = 0; rep < REPETITIONS; rep++)
        for (uint32_t i = 0; i < g->nruns; i++) {
            if (atomic_load(&terminal_interrupted)) return error_set(error, ERROR_CANCELLED, "interrupted");
            bool good = g->runs[i].engine == BENCH_GPU ? bench_gpu_run(&g->gpu, &setting, &g->runs[i], error)
                                                       : bench_run(&setting, &g->runs[i], rep, error);
            if (good) continue;
            if (g->runs[i].engine != BENCH_GPU || !without_gpu(g, error)) return false;
            g->nruns--; /* it comes last */
        }
    return true;
}

/* --- Text ----------------------------------------------------------------------------------------------- */

static void print_profile(const struct bench_run *r)
{
    double all = 0;
    for (int p = 0; p < BATCH_PARTS; p++) all += (double)r->ticks[p];
    printf("%22s", "");
    for (int p = 0; p < BATCH_PARTS; p++)
        printf("%s %.0f%%%s", part_names[p], all > 0 ? 100 * (double)r->ticks[p] / all : 0,
               p + 1 < BATCH_PARTS ? ", " : "\n");
}

static void print_text(const struct game_bench *g, const struct bench_options *o)
{
    const struct engine_report *report = engine_report(g->engine);
    const struct code *code = engine_code(g->engine);
    const struct bench_run *yardstick = find_run(g, BENCH_EVENT, 0, false);
    if (code)
        printf(
            "%s: %u ground rules, %u gates with %u inputs; read in %.1f ms, grounded in %.1f, circuit %.1f, "
            "laid out %.1f, machine code %.1f\n",
            g->game->name, report->ground_rules, code->circuit->ngates, code->circuit->edges.n,
            1e3 * g->load_seconds, 1e3 * report->ground_seconds, 1e3 * report->circuit_seconds,
            1e3 * report->code_seconds, 1e3 * report->machine_seconds);
    else
        printf("%s: not grounded: %s\n", g->game->name, engine_error(g->engine)->text);
    printf("  %-20s %14s %14s %9s", "engine", "games/s", "transitions/s", "x event");
    if (o->threads > 1) printf(" %5lld threads: games/s, transitions/s", (long long)o->threads);
    puts("");
    for (uint32_t i = 0; i < g->nruns; i++) {
        const struct bench_run *r = &g->runs[i], *many;
        char name[40];
        if (r->threads > 1) continue;
        printf("  %-20s %14.0f %14.0f ", run_name(r, name), games_per_second(r), transitions_per_second(r));
        if (yardstick && yardstick->transitions)
            printf("%9.2f", transitions_per_second(r) / transitions_per_second(yardstick));
        else
            printf("%9s", "-");
        many = find_run(g, r->engine, r->lanes, true);
        if (many) printf(" %20.0f %15.0f", games_per_second(many), transitions_per_second(many));
        puts("");
        if (r->profile) print_profile(r);
    }
    if (g->gpu.games) bench_gpu_print(&g->gpu);
    puts("");
    fflush(stdout);
}

/* --- JSON ----------------------------------------------------------------------------------------------- */

static json_t *run_json(const struct bench_run *r)
{
    static const char *const names[] = {"lifted", "event", "circuit", "machine", "gpu"};
    json_t *j = json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:f}", "engine", names[r->engine], "threads",
                          (json_int_t)r->threads, "games", (json_int_t)r->games, "transitions",
                          (json_int_t)r->transitions, "seconds", r->seconds, "games_per_second",
                          games_per_second(r), "transitions_per_second", transitions_per_second(r));
    if (r->lanes) json_object_set_new(j, "lanes", json_integer(r->lanes));
    if (r->profile) {
        json_t *parts = json_object();
        double all = 0;
        for (int p = 0; p < BATCH_PARTS; p++) all += (double)r->ticks[p];
        for (int p = 0; p < BATCH_PARTS; p++)
            json_object_set_new(parts, part_names[p], json_real(all > 0 ? (double)r->ticks[p] / all : 0));
        json_object_set_new(j, "profile", parts);
    }
    return j;
}

static json_t *game_json(const struct game_bench *g)
{
    const struct engine_report *report = engine_report(g->engine);
    const struct code *code = engine_code(g->engine);
    json_t *runs = json_array(),
           *j = json_pack("{s:s, s:f}", "game", g->game->name, "load_ms", 1e3 * g->load_seconds);
    for (uint32_t i = 0; i < g->nruns; i++) json_array_append_new(runs, run_json(&g->runs[i]));
    json_object_set_new(j, "runs", runs);
    if (g->gpu.games) json_object_set_new(j, "gpu", bench_gpu_json(&g->gpu));
    if (!code) {
        json_object_set_new(j, "not_grounded", json_string(engine_error(g->engine)->text));
        return j;
    }
    json_t *size = json_pack(
        "{s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "ground_rules", (json_int_t)report->ground_rules, "gates",
        (json_int_t)code->circuit->ngates, "gate_inputs", (json_int_t)code->circuit->edges.n, "ground_ms",
        1e3 * report->ground_seconds, "circuit_ms", 1e3 * report->circuit_seconds, "code_ms",
        1e3 * report->code_seconds, "machine_ms", 1e3 * report->machine_seconds);
    json_object_update(j, size);
    json_decref(size);
    if (ratio_of(g) > 0) json_object_set_new(j, "ratio_to_event", json_real(ratio_of(g)));
    return j;
}

/* --- The command ---------------------------------------------------------------------------------------- */

static bool open_game(struct game_bench *g, const char *name, const struct bench_options *o,
                      struct error *error)
{
    double began = clock_thread();
    g->game = game_load(name, 0, NULL, error);
    g->load_seconds = clock_thread() - began;
    struct ground_limits limits = {.seconds = o->ground_seconds, .bytes = (size_t)4 << 30};
    if (g->game) g->engine = engine_start(g->game, &limits, error);
    if (!g->engine) return false;
    engine_wait(g->engine, -1);
    return true;
}

static void close_game(struct game_bench *g)
{
    bench_gpu_close(&g->gpu);
    engine_free(g->engine);
    game_free(g->game);
}

int cmd_bench(int argc, char **argv)
{
    struct bench_options o = {.seconds = 1, .ground_seconds = 60, .max_steps = 5000, .seed = 1};
    o.device = "cpu";
    o.gpu.replay = 20000;
    bool signature = false;
    const struct option table[] = {
        {"seconds", 0, OPTION_REAL, &o.seconds, .min = 0.01, .max = 1e6, .value = "S",
         .help = "time for each engine and number of threads"},
        {"threads", 'J', OPTION_INT, &o.threads, .min = 0, .max = 1024, .value = "N",
         .help = "threads beside one; 1 leaves them out, 0: one for each processor"},
        {"profile", 0, OPTION_FLAG, &o.profile, .help = "tell where the sweepers' time goes"},
        {"seed", 's', OPTION_SEED, &o.seed, .value = "S", .help = "seed of the random numbers"},
        {"max-steps", 0, OPTION_INT, &o.max_steps, .min = 1, .max = 1e9, .value = "N",
         .help = "give longer games up"},
        {"ground", 0, OPTION_REAL, &o.ground_seconds, .min = 0.001, .max = 1e6, .value = "S",
         .help = "most time to ground a game"},
        DEVICE_OPTION(&o.device, "gpu: random games on a GPU, beside one core's machine code"),
        {"replay", 0, OPTION_INT, &o.gpu.replay, .min = 0, .max = 1e12, .value = "N",
         .help = "with a GPU: first play so many positions on the processor, too, and compare"},
        {"blocks", 0, OPTION_INT, &o.gpu.blocks, .min = 0, .max = 8, .value = "N",
         .help = "with a GPU: blocks that share a multiprocessor; 0: by the size of the code"},
        {"registers", 0, OPTION_INT, &o.gpu.registers, .min = 0, .max = 250, .value = "N",
         .help = "with a GPU: registers for wires; 0: what the blocks leave"},
        {"turns", 0, OPTION_INT, &o.gpu.turns, .min = 0, .max = 1, .value = "N",
         .help = "with a GPU: steps of a round; 0: one for each turn of the game"},
        {"warps", 0, OPTION_INT, &o.gpu.warps, .min = 0, .max = 8, .value = "N",
         .help = "with a GPU: warps of a block, each 32 threads; 0: by the size of the code"},
        {"sync", 0, OPTION_INT, &o.gpu.sync, .min = 0, .max = 1e6, .value = "N",
         .help = "with a GPU: threads of a block wait for each other after so many instructions; 0: never"},
        {"level", 0, OPTION_INT, &o.gpu.level, .min = 0, .max = 4, .value = "N",
         .help = "with a GPU: how much its driver shall improve on our code; 0: by its size"},
        {"signature", 0, OPTION_FLAG, &signature,
         .help = "instead: the fingerprint of the search, the same on every run and machine"},
        {"json", 0, OPTION_FLAG, &o.json, .help = "print everything as JSON"},
        {0}};
    int operands, status;
    if (!command_begin(
            "bench [GAME...] [OPTION...]",
            "Random games and transitions per second on each engine: the lifted one, the circuit "
            "interpreted\n"
            "at each number of lanes and as machine code at the widest, and, as a yardstick, event-driven\n"
            "propagation on the same circuit. With one thread processor time counts, with many the clock.\n"
            "Without games: a standard set.",
            table, 0, -1, argc, argv, &operands, &status))
        return status;
    if (!o.threads) o.threads = command_processors();
    if (signature) return signature_print(argv[0]);
    int n = operands ? operands : (int)(sizeof standard_games / sizeof *standard_games);
    char **names = operands ? argv + 1 : standard_games;
    json_t *games = json_array();
    double logs = 0;
    int ratios = 0;
    struct progress progress = {0};
    struct gpu *gpu = NULL;
    terminal_catch_interrupt();
    status = EXIT_YES;
    if (strcmp(o.device, "gpu") == 0) gpu = device_open(argv[0]);
    for (int i = 0; i < n && !atomic_load(&terminal_interrupted); i++) {
        struct game_bench g = {0};
        struct error error;
        progress_show(&progress, "%s, game %d of %d", names[i], i + 1, n);
        bool good = open_game(&g, names[i], &o, &error) && measure(&g, &o, gpu, &error);
        progress_end(&progress);
        if (good) {
            if (ratio_of(&g) > 0) logs += log(ratio_of(&g)), ratios++;
            if (o.json)
                json_array_append_new(games, game_json(&g));
            else
                print_text(&g, &o);
        } else {
            error_prefix(&error, "%s", names[i]);
            status = command_trouble(argv[0], &error);
        }
        close_game(&g);
    }
    gpu_close(gpu);
    double mean = ratios ? exp(logs / ratios) : 0;
    if (o.json) {
        json_t *root = json_pack("{s:o, s:o}", "games", games, "geometric_mean_ratio",
                                 ratios ? json_real(mean) : json_null());
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
        json_decref(root);
    } else {
        if (ratios > 1)
            printf("widest circuit over event-driven, geometric mean of %d games: %.1f\n", ratios, mean);
        json_decref(games);
    }
    return status;
}
