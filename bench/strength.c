// SPDX-License-Identifier: GPL-3.0-or-later
/* How strong is one player against another? Plays matches with seats rotated and prints the win rate with its
 * 95% interval, as the papers count: a shared win is shared.
 *
 *     strength GAME PLAYER OPPONENT GAMES SIMULATIONS [SEED] [SECONDS]
 */
#include "match/match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct error error = {0};
    if (argc < 6)
        return fprintf(stderr, "usage: strength GAME PLAYER OPPONENT GAMES SIMULATIONS [SEED] [SECONDS]\n"),
               2;
    struct game *game = game_load(argv[1], 0, NULL, &error);
    struct player_config config[2];
    if (!game || !player_config_parse(argv[2], &config[0], &error) ||
        !player_config_parse(argv[3], &config[1], &error))
        return fprintf(stderr, "strength: %s\n", error.text), 2;
    int games = atoi(argv[4]);
    uint64_t seed = argc > 6 ? strtoull(argv[6], NULL, 0) : 1;
    struct match_budget budget = {
        .simulations = strtoull(argv[5], NULL, 0), .seconds = argc > 7 ? atof(argv[7]) : 0, .grace = -1};
    struct engine *engine = engine_start(game, NULL, &error);
    if (!engine || engine_wait(engine, -1) != ENGINE_READY)
        return fprintf(stderr, "strength: no circuit\n"), 2;
    double points = 0, squares = 0, began = clock_now();
    uint64_t sims[2] = {0}, steps = 0;
    double seconds[2] = {0};
    for (int g = 0; g < games; g++) {
        struct seat *seats[MCTS_MAX_ROLES];
        /* who sits where: bit r of the assignment; all the same is skipped */
        uint32_t assignments = (1u << game->nroles) - 2, who = 1 + (uint32_t)g % assignments;
        for (uint32_t r = 0; r < game->nroles; r++)
            seats[r] = seat_player(&config[who >> r & 1], game, engine, r,
                                   seed * 1000003 + (uint64_t)g * 101 + r, &error);
        struct match *m = match_new(game, engine, seats, &budget, seed + (uint64_t)g, &error);
        if (!m || !match_start(m, &error)) return fprintf(stderr, "strength: %s\n", error.text), 2;
        while (!m->terminal) {
            if (!match_step(m, &error)) return fprintf(stderr, "strength: %s\n", error.text), 2;
            for (uint32_t r = 0; r < game->nroles; r++) {
                const struct player_report *report = player_report(seat_get_player(seats[r]));
                sims[who >> r & 1] += report->stats.simulations;
                seconds[who >> r & 1] += report->stats.seconds;
            }
        }
        match_finish(m, &error);
        int top = -1, sharing = 0, ours = 0;
        for (uint32_t r = 0; r < game->nroles; r++)
            if (m->goals[r] > top) top = m->goals[r];
        for (uint32_t r = 0; r < game->nroles; r++)
            if (m->goals[r] == top) sharing++, ours += !(who >> r & 1);
        double score = (double)ours / sharing;
        points += score;
        squares += score * score;
        steps += m->nsteps;
        match_free(m);
        for (uint32_t r = 0; r < game->nroles; r++) seats[r]->ops->free(seats[r]);
    }
    double mean = points / games, variance = squares / games - mean * mean;
    printf("%-16s %-12s vs %-12s %4d games: %5.1f%% +- %.1f  (%.0f moves/game; %.0f and %.0f simulations/s; "
           "%.1f s)\n",
           game->name, argv[2], argv[3], games, 100 * mean, 196 * sqrt(variance / games),
           (double)steps / games, (double)sims[0] / seconds[0], (double)sims[1] / seconds[1],
           clock_now() - began);
    engine_free(engine);
    game_free(game);
    return 0;
}
