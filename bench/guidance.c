// SPDX-License-Identifier: GPL-3.0-or-later
/* What guidance costs: simulations per second of every preset that searches, as a ratio to uniform playouts
 * (cadia2007), on the thirteen games of 000 table X. Presets take turns in short rounds, so that whatever
 * else the machine does hits all of them alike.
 *
 *     guidance [-s SECONDS] [-r ROUNDS] [-g GAME]... [PLAYER]...
 *
 * Each round is a fresh player that thinks SECONDS about the initial position, with one thread. Uniform
 * playouts are given in simulations per second of processor time, the others as ratios.
 */
#include "player/player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PLAYERS = 32, MAX_GAMES = 64 };

static const char *const table_ten[] = {"connect5",         "checkers", "breakthrough", "othello",
                                        "skirmish",         "clobber",  "sheepAndWolf", "ttcc4ThreePlayers",
                                        "chineseCheckers3", "chinook",  "runners",      "fighter",
                                        "pawnWhopping"};

/* 000 §VI-F: simulations per second on average over the same games, one core of a 2.2 GHz Opteron. */
static const struct {
    const char *name;
    int rate;
} published[] = {{"cadia2008", 83}, {"nst", 67}, {"lgr-mast", 66}, {"lgr-nst", 53}};

struct contest {
    const char *names[MAX_PLAYERS];
    struct player_config configs[MAX_PLAYERS];
    int n;
    double log_rate[MAX_PLAYERS], log_ratio[MAX_PLAYERS];
};

static bool enter(struct contest *c, const char *name, struct error *error)
{
    if (c->n == MAX_PLAYERS) return error_set(error, ERROR_INPUT, "too many players");
    struct player_config *config = &c->configs[c->n];
    if (!player_config_parse(name, config, error)) return false;
    if (config->kind != PLAYER_SEARCH) return true;
    config->forced = true;                     /* who moves first may have but one move */
    if (!config->threads) config->threads = 1; /* processor time is this thread's */
    c->names[c->n++] = name;
    return true;
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Simulations and the seconds of processor time they took, added up. What a scheme finds out before it begins
 * (FAST's board, cutoffs, which goals there are) is done in a short think before, which does not count. */
static bool think(const struct player_config *config, const struct game *game, struct engine *engine,
                  uint64_t seed, double seconds, double *simulations, double *spent, struct error *error)
{
    struct player *p = player_new(config, game, engine, 0, seed, error);
    bool good = p;
    uint32_t move;
    for (int round = 0; round < 2 && good; round++) {
        double began = processor_time();
        struct budget budget = {.deadline = clock_now() + (round ? seconds : seconds / 3)};
        good = player_think(p, &budget, &move, error);
        const struct player_report *report = player_report(p);
        if (good && report->trouble.code) *error = report->trouble, good = false;
        if (!round) continue;
        *simulations += (double)report->stats.simulations;
        *spent += processor_time() - began;
    }
    player_free(p);
    return good;
}

static bool measure(struct contest *c, const char *name, int rounds, double seconds, struct error *error)
{
    double simulations[MAX_PLAYERS] = {0}, spent[MAX_PLAYERS] = {0};
    struct game *game = game_load(name, 0, NULL, error);
    struct engine *engine = game ? engine_start(game, NULL, error) : NULL;
    bool good =
        engine && (engine_wait(engine, -1) == ENGINE_READY || (*error = *engine_error(engine), false));
    for (int round = 0; round < rounds && good; round++)
        for (int i = 0; i < c->n && good; i++)
            good = think(&c->configs[i], game, engine, 1 + (uint64_t)round, seconds, &simulations[i],
                         &spent[i], error);
    if (good) {
        printf("%-16.16s", game->name);
        for (int i = 0; i < c->n; i++) {
            double rate = simulations[i] / spent[i], ratio = rate * spent[0] / simulations[0];
            c->log_rate[i] += log(rate);
            c->log_ratio[i] += log(ratio);
            if (i == 0)
                printf(" %10.0f", rate);
            else
                printf(" %10.3f", ratio);
        }
        printf("\n");
        fflush(stdout);
    }
    engine_free(engine);
    game_free(game);
    return good;
}

static void print_means(const struct contest *c, int games)
{
    printf("%-16s %10.0f", "geometric mean", exp(c->log_rate[0] / games));
    for (int i = 1; i < c->n; i++) printf(" %10.3f", exp(c->log_ratio[i] / games));
    printf("\n%-16s", "simulations/s");
    for (int i = 0; i < c->n; i++) printf(" %10.0f", exp(c->log_rate[i] / games));
    printf("\n%-16s", "CadiaPlayer's");
    for (int i = 0; i < c->n; i++) {
        int rate = 0;
        for (size_t k = 0; k < sizeof published / sizeof *published; k++)
            if (strcmp(published[k].name, c->names[i]) == 0) rate = published[k].rate;
        if (rate)
            printf(" %10d", rate);
        else
            printf(" %10s", "");
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct contest contest;
    const char *games[MAX_GAMES];
    int ngames = 0, rounds = 3, option;
    double seconds = 0.3;
    struct error error = {0};
    while ((option = getopt(argc, argv, "s:r:g:")) != -1) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'r')
            rounds = atoi(optarg);
        else if (option == 'g' && ngames < MAX_GAMES)
            games[ngames++] = optarg;
        else
            return fprintf(stderr, "usage: guidance [-s SECONDS] [-r ROUNDS] [-g GAME]... [PLAYER]...\n"), 2;
    }
    for (size_t i = 0; ngames == 0 && i < sizeof table_ten / sizeof *table_ten; i++) games[i] = table_ten[i];
    if (ngames == 0) ngames = sizeof table_ten / sizeof *table_ten;
    bool good = enter(&contest, "cadia2007", &error);
    for (int i = optind; i < argc && good; i++) good = enter(&contest, argv[i], &error);
    for (const struct player_preset *p = player_presets; optind == argc && p->name && good; p++)
        if (strcmp(p->name, "cadia2007") != 0) good = enter(&contest, p->name, &error);
    if (good) {
        printf("%-16s", "");
        for (int i = 0; i < contest.n; i++) printf(" %10.10s", contest.names[i]);
        printf("\n");
    }
    for (int g = 0; g < ngames && good; g++) good = measure(&contest, games[g], rounds, seconds, &error);
    if (!good) return fprintf(stderr, "guidance: %s\n", error.text), 2;
    print_means(&contest, ngames);
    return 0;
}
