// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/sim_gpu.h"

#include "cli/terminal.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH_GATES (1u << 23) /* of a thread: some hundredths of a second */

struct run {
    struct gpu_games *games;
    const struct game *game;
    const struct circuit *c;
    const struct sim_gpu_options *o;
    const atomic_bool *stop;
    uint64_t *sums;
    uint64_t since; /* steps since games were last given up */
    struct progress progress;
};

/* Some rounds; the sums are those after it. How many does not depend on the time, so that the same seed gives
 * the same games on the same device. */
static bool play(struct run *r, uint64_t wanted, int how, struct error *error)
{
    const struct gpu_games_report *report = gpu_games_report(r->games);
    uint64_t rounds = LAUNCH_GATES / (report->gates + 1) + 1, old = r->o->steps;
    if (rounds > wanted) rounds = wanted;
    if (old && rounds * report->turns > old) rounds = old / report->turns + 1;
    if (rounds > GPU_MOST_ROUNDS) rounds = GPU_MOST_ROUNDS;
    if (old && r->since >= old) {
        how |= GPU_GIVE_UP;
        r->since = 0;
    }
    r->since += rounds * report->turns;
    if (!gpu_games_play(r->games, (uint32_t)rounds, how, error) || !gpu_games_sums(r->games, r->sums, error))
        return false;
    progress_show(&r->progress, "%" PRIu64 " games", r->sums[GPU_GAMES]);
    if (atomic_load(r->stop)) return error_set(error, ERROR_CANCELLED, "interrupted");
    return true;
}

static uint64_t progress_made(const struct run *r)
{
    return r->sums[GPU_TRANSITIONS] + r->sums[GPU_GAMES] + r->sums[GPU_GIVEN_UP];
}

/* Games are begun until there are enough, and all that were begun are played to their end: were those left
 * out that are not over by then, long games would be missing. */
static bool play_all(struct run *r, struct error *error)
{
    const struct gpu_games_report *report = gpu_games_report(r->games);
    double lanes = 32.0 * report->words, length = r->c->length + 1;
    while (r->sums[GPU_GAMES] + r->sums[GPU_GIVEN_UP] < r->o->games) {
        double left = (double)(r->o->games - r->sums[GPU_GAMES] - r->sums[GPU_GIVEN_UP]);
        if (!play(r, (uint64_t)(left * length / lanes / report->turns) + 1, 0, error)) return false;
    }
    for (uint64_t before = 0; before < progress_made(r);) {
        before = progress_made(r);
        if (!play(r, (uint64_t)length / report->turns + 1, GPU_LAST, error)) return false;
    }
    return true;
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
    struct run r = {.game = game, .c = code->circuit, .o = o, .stop = stop};
    r.sums = calloc(gpu_counters(r.c), sizeof *r.sums);
    if (!r.sums) return error_set(error, ERROR_MEMORY, "no memory");
    r.games = gpu_games_new(gpu, code, &(struct gpu_games_options){.seed = o->seed}, NULL, error);
    bool good = r.games && play_all(&r, error);
    progress_end(&r.progress);
    if (r.games && (good || (error->code == ERROR_CANCELLED && r.sums[GPU_GAMES])))
        (o->json ? print_json : print_text)(&r, gpu_name(gpu));
    gpu_games_free(r.games);
    free(r.sums);
    return good;
}
