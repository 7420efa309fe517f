// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens sim: random games, and what came out of them. */
#include "cli/commands/sim_gpu.h"
#include "cli/engine.h"
#include "cli/terminal.h"
#include "game/engine.h"
#include "game/playouts.h"
#include "game/trace_write.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

struct sim_options {
    int64_t games, steps, lanes;
    uint64_t seed;
    const char *engine, *trace, *device;
    bool json;
};

/* Goals of all roles at the end of one game, and how often that happened. */
struct outcome {
    int *goals;
    uint64_t games;
};

struct sim {
    struct heap *heap;
    struct session session;
    struct playout playout;
    struct trace_writer *trace;
    uint64_t finished, cut;            /* games that ended; games given up at the step limit */
    uint64_t steps, shortest, longest; /* of the games that ended */
    VEC(struct outcome) outcomes;
    struct progress progress;
};

static void add_outcome(struct sim *sim, const int *goals)
{
    uint32_t nroles = sim->session.game->nroles;
    for (uint32_t i = 0; i < sim->outcomes.n; i++)
        if (memcmp(sim->outcomes.v[i].goals, goals, nroles * sizeof *goals) == 0) {
            sim->outcomes.v[i].games++;
            return;
        }
    struct outcome o = {.goals = heap_cut(sim->heap, nroles * sizeof *goals), .games = 1};
    memcpy(o.goals, goals, nroles * sizeof *goals);
    vec_push(sim->heap, &sim->outcomes, o);
}

static void count_game(void *data, uint64_t ply, const int *goals)
{
    struct sim *sim = data;
    if (!goals) {
        sim->cut++;
        return;
    }
    if (sim->finished == 0 || ply < sim->shortest) sim->shortest = ply;
    if (ply > sim->longest) sim->longest = ply;
    sim->finished++;
    sim->steps += ply;
    add_outcome(sim, goals);
    progress_show(&sim->progress, "%" PRIu64 " games", sim->finished);
}

static bool end_game(struct sim *sim, int *goals, struct error *error)
{
    struct playout *p = &sim->playout;
    for (uint32_t role = 0; role < sim->session.game->nroles; role++)
        if (!reasoner_goal(p->reasoner, &p->state, role, &goals[role])) {
            *error = p->reasoner->error;
            return false;
        }
    count_game(sim, p->ply, goals);
    return true;
}

static bool play_game(struct sim *sim, const struct sim_options *o, uint64_t number, int *goals,
                      struct error *error)
{
    struct playout *p = &sim->playout;
    bool ok = playout_begin(p, o->seed, number);
    if (sim->trace) trace_writer_game(sim->trace);
    while (ok && !atomic_load(&terminal_interrupted)) {
        bool last = !p->terminal && o->steps > 0 && p->ply >= o->steps;
        if (!p->terminal) playout_choose(p);
        if (sim->trace && !trace_writer_step(sim->trace, p, error)) return false;
        if (p->terminal) return end_game(sim, goals, error);
        if (last) {
            if (sim->trace) trace_writer_truncate(sim->trace);
            sim->cut++;
            return true;
        }
        ok = playout_move(p);
    }
    if (ok) return error_set(error, ERROR_CANCELLED, "interrupted in game %" PRIu64, number + 1);
    *error = p->reasoner->error;
    return error_prefix(error, "game %" PRIu64, number + 1);
}

/* The most frequent first; in lanes games end in another order, which must not be seen. */
static int compare_outcomes(const void *a, const void *b, void *nroles)
{
    const struct outcome *x = a, *y = b;
    if (x->games != y->games) return (x->games < y->games) - (x->games > y->games);
    for (uint32_t r = 0; r < *(uint32_t *)nroles; r++)
        if (x->goals[r] != y->goals[r]) return (x->goals[r] < y->goals[r]) - (x->goals[r] > y->goals[r]);
    return 0;
}

/* Side by side on the circuit, where nobody wants to see the games themselves. */
static bool play_in_lanes(struct sim *sim, const struct sim_options *o, struct error *error)
{
    struct playouts_options p = {.seed = o->seed,
                                 .games = (uint64_t)o->games,
                                 .steps = (uint64_t)o->steps,
                                 .lanes = (uint32_t)o->lanes};
    return playouts_run(sim->session.reasoner, &p, &terminal_interrupted, count_game, sim, error);
}

static bool play_one_by_one(struct sim *sim, const struct sim_options *o, struct error *error)
{
    bool ok = true;
    int *goals = heap_cut(sim->heap, sim->session.game->nroles * sizeof *goals);
    for (int64_t i = 0; ok && i < o->games; i++) ok = play_game(sim, o, (uint64_t)i, goals, error);
    return ok;
}

/* Mean goal of a role and half the width of its 95% interval; games without a single goal value do not count.
 */
static void mean_goal(const struct sim *sim, uint32_t role, double *mean, double *margin, uint64_t *defined)
{
    double sum = 0, squares = 0;
    uint64_t n = 0;
    for (uint32_t i = 0; i < sim->outcomes.n; i++) {
        const struct outcome *o = &sim->outcomes.v[i];
        if (o->goals[role] == GOAL_UNDEFINED) continue;
        sum += (double)o->games * o->goals[role];
        squares += (double)o->games * o->goals[role] * o->goals[role];
        n += o->games;
    }
    *defined = n;
    *mean = n ? sum / (double)n : NAN;
    double variance = n > 1 ? (squares - sum * *mean) / (double)(n - 1) : NAN;
    *margin = n > 1 ? 1.96 * sqrt(fmax(variance, 0) / (double)n) : NAN;
}

static json_t *real_or_null(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static void print_json(const struct sim *sim, const struct sim_options *o)
{
    const struct game *game = sim->session.game;
    json_t *goals = json_object(), *outcomes = json_array();
    for (uint32_t role = 0; role < game->nroles; role++) {
        double mean, margin;
        uint64_t n;
        mean_goal(sim, role, &mean, &margin, &n);
        json_object_set_new(goals, game->role_names[role],
                            json_pack("{s:o, s:o, s:I}", "mean", real_or_null(mean), "margin95",
                                      real_or_null(margin), "games", (json_int_t)n));
    }
    for (uint32_t i = 0; i < sim->outcomes.n; i++) {
        json_t *values = json_array();
        for (uint32_t role = 0; role < game->nroles; role++) {
            int g = sim->outcomes.v[i].goals[role];
            json_array_append_new(values, g == GOAL_UNDEFINED ? json_null() : json_integer(g));
        }
        json_array_append_new(outcomes, json_pack("{s:o, s:I}", "goals", values, "games",
                                                  (json_int_t)sim->outcomes.v[i].games));
    }
    json_t *length =
        sim->finished ? json_pack("{s:I, s:f, s:I}", "min", (json_int_t)sim->shortest, "mean",
                                  (double)sim->steps / (double)sim->finished, "max", (json_int_t)sim->longest)
                      : json_null();
    json_t *root = json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "game", game->name, "engine",
                             sim->session.reasoner->ops->name, "seed", (json_int_t)o->seed, "games",
                             (json_int_t)sim->finished, "cut_off", (json_int_t)sim->cut, "length", length,
                             "goals", goals, "outcomes", outcomes);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(root);
}

static void print_text(const struct sim *sim, const struct sim_options *o)
{
    const struct game *game = sim->session.game;
    printf("%s: %" PRIu64 " random game%s, %s engine, seed %" PRIu64 "\n", game->name, sim->finished,
           sim->finished == 1 ? "" : "s", sim->session.reasoner->ops->name, o->seed);
    if (sim->cut) printf("%" PRIu64 " more given up after %" PRId64 " steps\n", sim->cut, o->steps);
    if (!sim->finished) return;
    printf("\nlength   %" PRIu64 " to %" PRIu64 " steps, mean %.2f\n", sim->shortest, sim->longest,
           (double)sim->steps / (double)sim->finished);
    int width = 0;
    for (uint32_t role = 0; role < game->nroles; role++) {
        int n = (int)strlen(game->role_names[role]);
        if (n > width) width = n;
    }
    for (uint32_t role = 0; role < game->nroles; role++) {
        double mean, margin;
        uint64_t n;
        mean_goal(sim, role, &mean, &margin, &n);
        printf("%s %-*s ", role ? "        " : "goals   ", width, game->role_names[role]);
        if (n == 0)
            puts("undefined");
        else if (n == 1)
            printf("%6.2f\n", mean);
        else
            printf("%6.2f +- %.2f\n", mean, margin);
    }
    puts("\nhow often goals");
    for (uint32_t i = 0; i < sim->outcomes.n; i++) {
        const struct outcome *out = &sim->outcomes.v[i];
        printf("%8.2f%%", 100.0 * (double)out->games / (double)sim->finished);
        for (uint32_t role = 0; role < game->nroles; role++)
            out->goals[role] == GOAL_UNDEFINED ? printf("    -") : printf(" %4d", out->goals[role]);
        printf("   (%" PRIu64 ")\n", out->games);
    }
}

/* On a GPU, if there is one and it can; *done says whether anything is left to do for the processor. */
static bool simulate_on_gpu(struct sim *sim, const struct sim_options *o, const char *command, bool *done,
                            struct error *error)
{
    const struct code *code = reasoner_code(sim->session.reasoner);
    struct gpu *gpu = NULL;
    *done = false;
    if (!code || o->trace)
        fprintf(stderr, "ludens %s: a GPU %s; going on with the processor\n", command,
                o->trace ? "writes no traces" : "needs the circuit, and this game has none");
    else
        gpu = device_open(command);
    if (!gpu) return true;
    struct sim_gpu_options options = {
        .games = (uint64_t)o->games, .steps = (uint64_t)o->steps, .seed = o->seed, .json = o->json};
    bool good = sim_gpu(gpu, sim->session.game, code, &options, &terminal_interrupted, error);
    gpu_close(gpu);
    *done = good || error->code == ERROR_CANCELLED;
    if (!*done) fprintf(stderr, "ludens %s: %s; going on with the processor\n", command, error->text);
    return good || !*done;
}

static bool simulate(struct sim *sim, const struct sim_options *o, struct error *error)
{
    struct heap_guard guard;
    bool lanes = o->lanes != 1 && !sim->trace && reasoner_code(sim->session.reasoner);
    if (!HEAP_ENTER(sim->heap, &guard, error)) return false;
    bool ok = (lanes ? play_in_lanes : play_one_by_one)(sim, o, error);
    progress_end(&sim->progress);
    if (sim->outcomes.n)
        qsort_r(sim->outcomes.v, sim->outcomes.n, sizeof *sim->outcomes.v, compare_outcomes,
                &(uint32_t){sim->session.game->nroles});
    heap_leave(sim->heap);
    /* What was played so far is worth showing to whoever pressed Ctrl-C. */
    bool shown = ok || (error->code == ERROR_CANCELLED && sim->finished);
    if (shown) (o->json ? print_json : print_text)(sim, o);
    return ok && (!sim->trace || trace_writer_save(sim->trace, o->trace, error));
}

static bool lanes_known(int64_t lanes, struct error *error)
{
    uint32_t widths[4], n = batch_widths(widths);
    char list[60] = "";
    bool known = lanes <= 1;
    for (uint32_t i = 0; i < n; i++) {
        known |= lanes == widths[i];
        snprintf(list + strlen(list), sizeof list - strlen(list), ", %u", widths[i]);
    }
    return known || error_set(error, ERROR_INPUT, "--lanes is one of 0, 1%s on this processor", list);
}

int cmd_sim(int argc, char **argv)
{
    struct sim_options o = {.games = 100, .steps = 10000, .seed = 1, .engine = "auto", .device = "cpu"};
    const struct option table[] = {
        {"games", 'n', OPTION_INT, &o.games, .min = 1, .max = 1e12, .value = "N", .help = "how many games"},
        {"seed", 's', OPTION_SEED, &o.seed, .value = "S", .help = "seed of the random numbers"},
        {"steps", 0, OPTION_INT, &o.steps, .min = 0, .max = 1e9, .value = "LIMIT",
         .help = "give a game up after so many steps; 0: never"},
        {"lanes", 0, OPTION_INT, &o.lanes, .min = 0, .max = BATCH_MAX_LANES, .value = "N",
         .help = "games side by side: 64, 256 or 512, or 1; 0: as many as the processor can"},
        {"trace", 0, OPTION_STRING, &o.trace, .value = "FILE",
         .help = "write the games to a trace file ('-': standard output)"},
        ENGINE_OPTION(&o.engine),
        DEVICE_OPTION(&o.device, "gpu: at least so many games on a GPU; other games than the processor's"),
        {"json", 'j', OPTION_FLAG, &o.json, .help = "print the results as JSON"},
        {0}};
    int operands, status;
    if (!command_begin(
            "sim GAME [OPTION...]",
            "Play random games and tell results, mean goals with 95% intervals, and lengths.\n"
            "GAME is the path of a rule sheet or the name of a game of the library.\n"
            "The same seed gives the same games, with any engine and any number of lanes; on a GPU it gives\n"
            "others, the same on every device with as many lanes.",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct sim sim = {0};
    struct error error;
    if (!lanes_known(o.lanes, &error)) return command_trouble(argv[0], &error);
    if (!session_open(&sim.session, argv[0], argv[1], o.engine, &status)) return status;
    bool ok = playout_init(&sim.playout, sim.session.reasoner);
    if (!ok) error = sim.session.reasoner->error;
    sim.heap = ok ? heap_new(0) : NULL;
    if (ok && o.trace) sim.trace = trace_writer_new(sim.session.game);
    if (ok && (!sim.heap || (o.trace && !sim.trace))) ok = error_set(&error, ERROR_MEMORY, "no memory");
    terminal_catch_interrupt();
    bool done = false;
    if (ok && strcmp(o.device, "gpu") == 0) ok = simulate_on_gpu(&sim, &o, argv[0], &done, &error);
    status = ok && (done || simulate(&sim, &o, &error)) ? EXIT_YES : command_trouble(argv[0], &error);
    trace_writer_free(sim.trace);
    if (sim.playout.legal) playout_done(&sim.playout);
    heap_free(sim.heap);
    session_close(&sim.session);
    return status;
}
