// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/sim_gpu.h"

#include "cli/terminal.h"
#include "gpu/play.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct gpu_games *games;
    const struct game *game;
    const struct circuit *c;
    const struct sim_gpu_options *o;
    uint64_t *sums;
};

static void show_progress(void *progress, uint64_t games)
{
    progress_show(progress, "%" PRIu64 " games", games);
}

/* --- What came out -------------------------------------------------------------------------------------- */

/* Mean goal of a role and half the width of its 95% interval, over the games in which each role has one goal.
 */
static uint64_t mean_goal(const struct run *r, uint32_t role, double *mean, double *margin)
{
    double sum = 0, squares = 0;
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->c->goals.n; i++) {
        if (r->c->goals.v[i].role != role) continue;
        double games = (double)r->sums[GPU_GOALS + i], value = r->c->goals.v[i].value;
        sum += games * value;
        squares += games * value * value;
        n += r->sums[GPU_GOALS + i];
    }
    *mean = n ? sum / (double)n : NAN;
    double variance = n > 1 ? (squares - sum * *mean) / (double)(n - 1) : NAN;
    *margin = n > 1 ? 1.96 * sqrt(fmax(variance, 0) / (double)n) : NAN;
    return n;
}

static json_t *real_or_null(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static void print_json(const struct run *r, const char *device)
{
    json_t *goals = json_object();
    for (uint32_t role = 0; role < r->game->nroles; role++) {
        double mean, margin;
        uint64_t n = mean_goal(r, role, &mean, &margin);
        json_t *values = json_array();
        for (uint32_t i = 0; i < r->c->goals.n; i++)
            if (r->c->goals.v[i].role == role && r->sums[GPU_GOALS + i])
                json_array_append_new(values,
                                      json_pack("{s:I, s:I}", "goal", (json_int_t)r->c->goals.v[i].value,
                                                "games", (json_int_t)r->sums[GPU_GOALS + i]));
        json_object_set_new(goals, r->game->role_names[role],
                            json_pack("{s:o, s:o, s:I, s:o}", "mean", real_or_null(mean), "margin95",
                                      real_or_null(margin), "games", (json_int_t)n, "values", values));
    }
    double length = (double)r->sums[GPU_TRANSITIONS] / (double)r->sums[GPU_GAMES];
    bool known = r->sums[GPU_GAMES] && !r->sums[GPU_GIVEN_UP];
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o}", "game", r->game->name, "engine", "gpu", "device",
        device, "lanes", (json_int_t)32 * gpu_games_report(r->games)->words, "seed", (json_int_t)r->o->seed,
        "games", (json_int_t)r->sums[GPU_GAMES], "cut_off", (json_int_t)r->sums[GPU_GIVEN_UP], "length",
        known ? json_pack("{s:f}", "mean", length) : json_null(), "goals", goals);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
    putchar('\n');
    json_decref(root);
}

static void print_role(const struct run *r, uint32_t role, int width)
{
    double mean, margin;
    uint64_t n = mean_goal(r, role, &mean, &margin);
    printf("%s %-*s ", role ? "        " : "goals   ", width, r->game->role_names[role]);
    n ? printf("%9.5f +- %.5f  ", mean, n > 1 ? margin : 0) : printf("undefined");
    for (uint32_t i = 0; n && i < r->c->goals.n; i++)
        if (r->c->goals.v[i].role == role && r->sums[GPU_GOALS + i])
            printf("  %u: %.4f%%", r->c->goals.v[i].value, 100 * (double)r->sums[GPU_GOALS + i] / (double)n);
    putchar('\n');
}

static void print_text(const struct run *r, const char *device)
{
    int width = 0;
    printf("%s: %" PRIu64 " random games on %s, %u lanes, seed %" PRIu64 "\n", r->game->name,
           r->sums[GPU_GAMES], device, 32 * gpu_games_report(r->games)->words, r->o->seed);
    if (r->sums[GPU_GIVEN_UP])
        printf("%" PRIu64 " more given up after %" PRIu64 " steps or more\n", r->sums[GPU_GIVEN_UP],
               r->o->steps);
    if (!r->sums[GPU_GAMES]) return;
    if (!r->sums[GPU_GIVEN_UP])
        printf("\nlength   mean %.4f steps", (double)r->sums[GPU_TRANSITIONS] / (double)r->sums[GPU_GAMES]);
    putchar('\n');
    for (uint32_t role = 0; role < r->game->nroles; role++) {
        int n = (int)strlen(r->game->role_names[role]);
        if (n > width) width = n;
    }
    for (uint32_t role = 0; role < r->game->nroles; role++) print_role(r, role, width);
}

bool sim_gpu(struct gpu *gpu, const struct game *game, const struct code *code,
             const struct sim_gpu_options *o, const atomic_bool *stop, struct error *error)
{
    struct run r = {.game = game, .c = code->circuit, .o = o};
    struct progress progress = {0};
    struct gpu_enough enough = {
        .games = o->games, .steps = o->steps, .stop = stop, .tell = show_progress, .data = &progress};
    r.sums = calloc(gpu_counters(r.c), sizeof *r.sums);
    if (!r.sums) return error_set(error, ERROR_MEMORY, "no memory");
    r.games =
        gpu_games_new(gpu, code, &(struct gpu_games_options){.seed = o->seed}, &gpu_default_limits, error);
    bool good = r.games && gpu_play(r.games, r.c, &enough, r.sums, error);
    progress_end(&progress);
    if (r.games && (good || (error->code == ERROR_CANCELLED && r.sums[GPU_GAMES])))
        (o->json ? print_json : print_text)(&r, gpu_name(gpu));
    gpu_games_free(r.games);
    free(r.sums);
    return good;
}
