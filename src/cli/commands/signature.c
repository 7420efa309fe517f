// SPDX-License-Identifier: GPL-3.0-or-later
/* The fingerprint of the search: a few players think about a few games with fixed seeds and budgets in
 * simulations. What they found, down to the visits of each move, goes into one number. A change that should
 * not alter play must not alter it. */
#include "cli/commands/signature.h"

#include "base/hash.h"
#include "cli/table.h"
#include "player/thoughts.h"

#include <inttypes.h>
#include <string.h>

static const char *const games[] = {"ticTacToe", "connectFour",       "breakthrough", "skirmish",
                                    "battle",    "ttcc4ThreePlayers", "eightPuzzle"};
static const char *const players[] = {
    "cadia2007,lanes=1", "cadia2007,lanes=64", "nst,lanes=1", "nst,lanes=16",
    "cadia2010",         "lgr-mast",           "past"};
enum { SIMULATIONS = 400 };

static bool think(struct table *t, const char *spec, uint64_t *hash, uint64_t *nodes, struct error *error)
{
    struct player_config config;
    struct budget budget = {.simulations = SIMULATIONS};
    uint32_t move;
    if (!player_config_parse(spec, &config, error)) return false;
    config.memory = 256;
    config.forced = true;
    struct player *p = player_new(&config, t->session.game, t->engine, 0, 1, error);
    bool good = p && player_think(p, &budget, &move, error);
    json_t *found = good ? thoughts_json(p, 0) : NULL;
    if (found) {
        json_object_del(found, "seconds");
        char *text = json_dumps(found, JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
        *hash = hash_mix(*hash, text ? hash_bytes(text, strlen(text)) : 0);
        free(text);
        json_decref(found);
    }
    if (good) *nodes += player_report(p)->nodes;
    player_free(p);
    return good;
}

int signature_print(const char *command)
{
    uint64_t all = 0, all_nodes = 0;
    for (size_t g = 0; g < sizeof games / sizeof *games; g++) {
        struct table t;
        struct error error = {0};
        int status;
        uint64_t hash = 0, nodes = 0;
        if (!table_open(&t, command, games[g], "circuit", -1, &status)) return status;
        bool good = true;
        for (size_t i = 0; i < sizeof players / sizeof *players && good; i++)
            good = think(&t, players[i], &hash, &nodes, &error);
        table_close(&t);
        if (!good) return command_trouble(command, &error);
        printf("%-20s %8" PRIu64 " nodes  %016" PRIx64 "\n", games[g], nodes, hash);
        all = hash_mix(all, hash);
        all_nodes += nodes;
    }
    printf("signature            %8" PRIu64 " nodes  %016" PRIx64 "\n", all_nodes, all);
    return EXIT_YES;
}
