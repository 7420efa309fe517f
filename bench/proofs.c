// SPDX-License-Identifier: GPL-3.0-or-later
/* What can be proved of the initial positions of many sheets within small limits, and whether looking at
 * everything says the same.
 *
 *     proofs [-s SECONDS] [-p POSITIONS] [-c POSITIONS] SHEET...
 *
 *     -s  for each sheet, of processor time; -p positions opened; -c positions that the check may look at
 *
 * One line each: name, roles, steps of random games (the longest of twenty), what every role gets, positions
 * opened, seconds, and "agrees" (with so many positions looked at), "too large" to look at everything, or
 * "DIFFERS". The last line counts. Exit status 1 if anything differs. */
#include "oracle.h"

#include "game/engine.h"
#include "game/playout.h"
#include "search/solver/solve.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 400, MEMORY_MB = 256, GAMES = 20 };

static double seconds = 2;
static uint64_t most_opened = 300000;
static uint32_t most_checked = 200000;
static uint32_t tried, proved, agreed, differed, quick, quick_proved;

/* The longest of some random games; LONG: longer than that. */
static uint32_t length_of(struct reasoner *r)
{
    struct playout p;
    uint32_t longest = 0;
    if (!playout_init(&p, r)) return LONG;
    for (uint32_t i = 0; i < GAMES && longest < LONG; i++) {
        bool good = playout_begin(&p, 1, i);
        while (good && !p.terminal && p.ply < LONG) {
            playout_choose(&p);
            good = playout_move(&p);
        }
        if (!good) longest = LONG;
        if (p.ply > longest) longest = p.ply;
    }
    playout_done(&p);
    return longest;
}

/* Says what came of the check. */
static const char *check(struct reasoner *r, const struct state *s, const struct solve_result *result,
                         uint64_t *looked)
{
    struct oracle *o = oracle_new(r, 0);
    oracle_limit(o, most_checked);
    const double *truth = oracle_values(o, s);
    bool same = true;
    *looked = oracle_positions(o);
    for (uint32_t role = 0; truth && role < r->game->nroles; role++)
        same &= fabs(truth[role] - result->low[role]) < 1e-5;
    oracle_free(o);
    if (!truth) return "too large";
    agreed += same, differed += !same;
    return same ? "agrees" : "DIFFERS";
}

static void report(struct reasoner *r, const struct code *code, struct error *error)
{
    struct solve_options options = {.memory = (size_t)MEMORY_MB << 20,
                                    .budget = {.deadline = clock_now() + seconds, .expansions = most_opened}};
    struct solve_result result = {0};
    struct state s = {0};
    uint32_t longest = length_of(r);
    uint64_t looked = 0;
    if (!r->ops->initial(r, &s) || !solve_run(r, code, &s, &options, &result, error)) {
        if (!error->code) *error = r->error;
        state_done(&s);
        return;
    }
    tried++, quick += longest <= 12;
    printf("%-34s %u %3u%s ", r->game->name, r->game->nroles, longest, longest == LONG ? "+" : " ");
    if (result.proved) {
        proved++, quick_proved += longest <= 12;
        for (uint32_t role = 0; role < r->game->nroles; role++) printf(" %g", result.low[role]);
        const char *checked = check(r, &s, &result, &looked);
        printf("  %" PRIu64 " opened, %.2f s, %s", result.opened, result.seconds, checked);
        printf(looked && strcmp(checked, "too large") ? " (%" PRIu64 ")\n" : "\n", looked);
    } else {
        printf(" not proved  %" PRIu64 " opened, %.2f s\n", result.opened, result.seconds);
    }
    fflush(stdout);
    solve_result_done(&result);
    state_done(&s);
}

static void try_sheet(const char *path)
{
    struct error error = {0};
    struct ground_limits limits = {.seconds = 20, .bytes = (size_t)1 << 30};
    struct game *game = game_load(path, 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, &limits, &error) : NULL;
    if (engine && engine_wait(engine, -1) == ENGINE_READY) {
        struct reasoner *r = reasoner_circuit(game, engine_code(engine), &error);
        if (r) report(r, engine_code(engine), &error);
        reasoner_free(r);
    } else if (engine) {
        error = *engine_error(engine);
    }
    if (error.code) printf("%-34s %s\n", path, error.text);
    engine_free(engine);
    game_free(game);
}

int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "s:p:c:")) != -1) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'p')
            most_opened = strtoull(optarg, NULL, 0);
        else if (option == 'c')
            most_checked = (uint32_t)strtoul(optarg, NULL, 0);
        else
            return fprintf(stderr, "usage: proofs [-s SECONDS] [-p POSITIONS] [-c POSITIONS] SHEET...\n"), 2;
    }
    for (int i = optind; i < argc; i++) try_sheet(argv[i]);
    printf("%u sheets tried, %u proved, of these %u as looking at everything says and %u otherwise; random "
           "games of "
           "%u take no more than 12 moves, of these %u are proved\n",
           tried, proved, agreed, differed, quick, quick_proved);
    return differed > 0;
}
