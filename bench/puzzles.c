// SPDX-License-Identifier: GPL-3.0-or-later
/* Searches for games for one, each alone and all in a race, on rule sheets: what goal they find from the
 * initial state in so many seconds, how soon, with how many moves, and whether it is proved that there is
 * nothing better.
 *
 *     puzzles [SECONDS] SHEET...
 *
 * The time is processor time of the search, so that other work on the machine does not count; making the
 * circuit comes before it and is told apart. Sheets without a circuit after 60 seconds are searched on the
 * lifted engine. Sheets for several are passed over. */
#include "search/puzzle/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint32_t which;
    const char *name;
} columns[] = {{RACE_FRONTIER, "breadth"}, {RACE_IDA, "ida"},   {RACE_PLAN, "plan"},
               {RACE_COUNT, "count"},      {RACE_BEAM, "beam"}, {RACE_NESTED, "nested"},
               {RACE_NRPA, "nrpa"},        {RACE_FILL, "fill"}, {RACE_ALL, "race"}};
#define SLICE 0.05 /* seconds between looks at how much processor time it has had */
enum { COLUMNS = sizeof columns / sizeof *columns };

static uint32_t only; /* columns, as bits; 0: all */

static void measure(const char *name, double seconds)
{
    struct error error;
    struct game *game = game_load(name, 0, NULL, &error);
    if (!game || game->nroles != 1) {
        if (!game) printf("%-28s %s\n", name, error.text);
        game_free(game);
        return;
    }
    double begin = clock_now();
    struct ground_limits limits = {.bytes = (size_t)2 << 30};
    struct engine *engine = engine_start(game, &limits, &error);
    const struct code *code = engine && engine_wait(engine, 60) == ENGINE_READY ? engine_code(engine) : NULL;
    struct reasoner *r = code ? reasoner_circuit(game, code, &error) : reasoner_lifted(game, 0, &error);
    struct state root = {0};
    if (!r || !r->ops->initial(r, &root)) abort();
    printf("%-28s %6u %6.1fs ", game->name, code ? code->nbits : 0, clock_now() - begin);
    int best = -1;
    for (int i = 0; i < COLUMNS; i++) {
        if (only && !(only >> i & 1)) continue;
        struct race *race = race_new(r, code, &root, columns[i].which, (size_t)2 << 30, 1, &error);
        if (!race) {
            printf(" %-13s", "none");
            continue;
        }
        double start = clock_thread(), found = 0;
        int goal = -1;
        while (!race_over(race) && clock_thread() - start < seconds) {
            struct budget budget = {.deadline = clock_now() + SLICE};
            r->deadline = budget.deadline;
            race_run(race, &budget);
            if (race->line.goal > goal) goal = race->line.goal, found = clock_thread() - start;
        }
        r->deadline = 0;
        if (race->line.goal > best) best = race->line.goal;
        char cell[60] = "-";
        if (race->line.goal >= 0)
            snprintf(cell, sizeof cell, "%d%s %u:%.1f%s", race->line.goal,
                     race_solved(race) ? race->proved ? "!" : "*" : "", race->line.n, found,
                     columns[i].which == RACE_ALL && race->line.who ? race->line.who : "");
        printf(" %-13.30s", cell);
        fflush(stdout);
        race_free(race);
    }
    printf("  %d\n", best);
    fflush(stdout);
    state_done(&root);
    reasoner_free(r);
    engine_free(engine);
    game_free(game);
}

int main(int argc, char **argv)
{
    int first = 1;
    char *end;
    double seconds = argc > 1 ? strtod(argv[1], &end) : 0;
    if (argc > 1 && end != argv[1] && !*end) first = 2;
    if (first == 1) seconds = 10;
    const char *wanted = getenv("PUZZLES"); /* columns, as breadth,race */
    for (int i = 0; i < COLUMNS && wanted; i++)
        if (strstr(wanted, columns[i].name)) only |= 1u << i;
    printf("%-28s %6s %7s ", "goal, moves:seconds", "bits", "circuit");
    for (int i = 0; i < COLUMNS; i++)
        if (!only || only >> i & 1) printf(" %-13s", columns[i].name);
    printf("  best    * the most there can be  ! proved best\n");
    for (int i = first; i < argc; i++) measure(argv[i], seconds);
    return 0;
}
