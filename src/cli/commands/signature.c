// SPDX-License-Identifier: GPL-3.0-or-later
/* The fingerprint of the search: a few players think about a few games with fixed seeds and budgets in
 * simulations. What they found, down to the visits of each move, goes into one number. A change that should
 * not alter play must not alter it. Those with one lane think again side by side on one driver, and must find
 * the same. */
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
enum { SIMULATIONS = 400, PLAYERS = sizeof players / sizeof *players };

static struct player *open_player(struct table *t, const char *spec, struct error *error)
{
    struct player_config config;
    if (!player_config_parse(spec, &config, error)) return NULL;
    config.memory = 256;
    config.forced = true;
    return player_new(&config, t->session.game, t->engine, 0, 1, error);
}

/* What it found, down to the visits of each move. */
static uint64_t fingerprint(struct player *p)
{
    json_t *found = thoughts_json(p, 0);
    if (!found) return 0;
    json_object_del(found, "seconds");
    char *text = json_dumps(found, JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
    uint64_t hash = text ? hash_bytes(text, strlen(text)) : 0;
    free(text);
    json_decref(found);
    return hash;
}

static bool think(struct table *t, const char *spec, uint64_t *hash, uint64_t *nodes, struct error *error)
{
    struct budget budget = {.simulations = SIMULATIONS};
    uint32_t move;
    struct player *p = open_player(t, spec, error);
    bool good = p && player_think(p, &budget, &move, error);
    if (good) {
        *hash = fingerprint(p);
        *nodes += player_report(p)->nodes;
    }
    player_free(p);
    return good;
}

/* The players with one lane all at once, side by side on one driver: each must find what it found alone. */
static bool think_together(struct table *t, const uint64_t *alone, struct error *error)
{
    struct budget budget = {.simulations = SIMULATIONS};
    struct player *sitting[PLAYERS] = {0};
    struct reasoner *r = reasoner_circuit(t->session.game, engine_code(t->engine), error);
    struct driver *d = r ? driver_new(r, engine_code(t->engine), PLAYERS, error) : NULL;
    bool good = d != NULL;
    uint32_t move;
    for (size_t i = 0; i < PLAYERS && good; i++) {
        struct hand *hand;
        good = (sitting[i] = open_player(t, players[i], error)) != NULL;
        if (!good) break;
        if (player_config(sitting[i])->lanes > 1) { /* what those find hangs on how full the lanes are */
            player_free(sitting[i]);
            sitting[i] = NULL;
            continue;
        }
        player_join(sitting[i], d);
        good = player_begin(sitting[i], &budget, true, &hand, error);
        if (good && hand) driver_add(d, hand, &budget);
    }
    while (good && driver_run(d)) {
    }
    for (size_t i = 0; i < PLAYERS && good; i++) {
        if (!sitting[i]) continue;
        good = player_end(sitting[i], &move, error);
        if (good && fingerprint(sitting[i]) != alone[i])
            good = error_set(error, ERROR_INTERNAL, "%s found something else beside others", players[i]);
    }
    for (size_t i = 0; i < PLAYERS; i++) player_free(sitting[i]);
    driver_free(d);
    reasoner_free(r);
    return good;
}

int signature_print(const char *command)
{
    uint64_t all = 0, all_nodes = 0;
    for (size_t g = 0; g < sizeof games / sizeof *games; g++) {
        struct table t;
        struct error error = {0};
        int status;
        uint64_t found[PLAYERS], hash = 0, nodes = 0;
        if (!table_open(&t, command, games[g], "circuit", -1, &status)) return status;
        bool good = true;
        for (size_t i = 0; i < PLAYERS && good; i++) {
            good = think(&t, players[i], &found[i], &nodes, &error);
            if (good) hash = hash_mix(hash, found[i]);
        }
        good = good && think_together(&t, found, &error);
        table_close(&t);
        if (!good) return command_trouble(command, &error);
        printf("%-20s %8" PRIu64 " nodes  %016" PRIx64 "\n", games[g], nodes, hash);
        all = hash_mix(all, hash);
        all_nodes += nodes;
    }
    printf("signature            %8" PRIu64 " nodes  %016" PRIx64 "\n", all_nodes, all);
    return EXIT_YES;
}
