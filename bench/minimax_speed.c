// SPDX-License-Identifier: GPL-3.0-or-later
/* Minimax by sweeps and one state at a time, in one run: the same search of the same positions, so many nodes
 * each; what is compared is processor time. The tree must be the same: nodes and scores are checked.
 *
 *     minimax_speed [NODES]
 */
#include "game/engine.h"
#include "search/minimax/minimax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const games[] = {"connectFour",          "breakthrough", "ttcc4ThreePlayers",
                                    "chineseCheckersStar3", "rolit4",       "focus3"};
static const char *const policies[] = {"maxn", "paranoid"};

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nodes per second of processor time; the setting up is not counted. */
static double rate(struct reasoner *r, const struct state *state, enum minimax_policy policy, bool one_by_one,
                   uint64_t nodes, struct minimax_report *report)
{
    struct error error = {0};
    struct minimax_options o = {.policy = policy,
                                .eval = EVAL_LEARNED,
                                .table = true,
                                .history = true,
                                .killers = true,
                                .memory = 64 << 20,
                                .one_by_one = one_by_one};
    struct minimax *m = minimax_new(r, reasoner_code(r), 0, &o, &error);
    uint32_t move;
    if (!m || !minimax_think(m, state, &(struct budget){.steps = 10}, &move, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    double from = processor_time();
    minimax_think(m, state, &(struct budget){.steps = nodes}, &move, &error);
    double took = processor_time() - from;
    *report = *minimax_report(m);
    minimax_free(m);
    return (double)report->nodes / took;
}

int main(int argc, char **argv)
{
    uint64_t nodes = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    double logs = 0;
    uint32_t n = 0;
    printf("%-22s %-9s %12s %12s %7s   nodes a second of processor time\n", "game", "search", "one by one",
           "by sweeps", "ratio");
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct error error = {0};
        struct game *game = game_load(games[i], 0, NULL, &error);
        struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
        struct state state = {0};
        if (!r || !r->ops->initial(r, &state)) {
            fprintf(stderr, "%s: %s\n", games[i], error.text);
            return 1;
        }
        for (enum minimax_policy p = MINIMAX_MAXN; p <= MINIMAX_PARANOID; p++) {
            struct minimax_report slow, fast;
            double before = rate(r, &state, p, true, nodes, &slow);
            double now = rate(r, &state, p, false, nodes, &fast);
            printf("%-22s %-9s %12.0f %12.0f %7.1f%s\n", games[i], policies[p], before, now, now / before,
                   slow.depth != fast.depth || fabsf(slow.score - fast.score) > 1e-3f ? "   NOT THE SAME"
                                                                                      : "");
            fflush(stdout);
            logs += log(now / before);
            n++;
        }
        state_done(&state);
        reasoner_free(r);
        game_free(game);
    }
    printf("geometric mean %44.1f\n", exp(logs / n));
    return 0;
}
