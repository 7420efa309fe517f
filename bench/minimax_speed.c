// SPDX-License-Identifier: GPL-3.0-or-later
/* Minimax by sweeps and one state at a time, in one run: the same search of the same positions, so many nodes
 * each; what is compared is processor time. The tree must be the same: nodes and scores are checked.
 *
 * The two are taken in turns, REPEATS times, and the best of each counts: what else the machine does only
 * takes away.
 *
 *     minimax_speed [NODES [REPEATS [GAME...]]]
 */
#include "game/engine.h"
#include "search/minimax/minimax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const usual[] = {"connectFour",          "breakthrough", "ttcc4ThreePlayers",
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
                                .memory = 16 << 20,
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

/* Both ways in turns; returns the ratio. */
static double compare(const char *name, struct reasoner *r, const struct state *state,
                      enum minimax_policy policy, uint64_t nodes, uint32_t repeats)
{
    struct minimax_report slow, fast;
    double before = 0, now = 0;
    bool same = true;
    for (uint32_t i = 0; i < repeats; i++) {
        before = fmax(before, rate(r, state, policy, true, nodes, &slow));
        now = fmax(now, rate(r, state, policy, false, nodes, &fast));
        same &= slow.depth == fast.depth && fabsf(slow.score - fast.score) <= 1e-3f;
    }
    printf("%-22s %-9s %12.0f %12.0f %7.1f%s\n", name, policies[policy], before, now, now / before,
           same ? "" : "   NOT THE SAME");
    fflush(stdout);
    return now / before;
}

int main(int argc, char **argv)
{
    uint64_t nodes = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    uint32_t repeats = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 3;
    uint32_t ngames = argc > 3 ? (uint32_t)argc - 3 : sizeof usual / sizeof *usual;
    double logs[2] = {0};
    printf("%-22s %-9s %12s %12s %7s   nodes a second of processor time\n", "game", "search", "one by one",
           "by sweeps", "ratio");
    for (uint32_t i = 0; i < ngames; i++) {
        const char *name = argc > 3 ? argv[3 + i] : usual[i];
        struct error error = {0};
        struct game *game = game_load(name, 0, NULL, &error);
        struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
        struct state state = {0};
        if (!r || !r->ops->initial(r, &state)) {
            fprintf(stderr, "%s: %s\n", name, error.text);
            return 1;
        }
        for (enum minimax_policy p = MINIMAX_MAXN; p <= MINIMAX_PARANOID; p++)
            logs[p] += log(compare(name, r, &state, p, nodes, repeats));
        state_done(&state);
        reasoner_free(r);
        game_free(game);
    }
    printf("geometric mean: max^n %.1f, paranoid %.1f, both %.1f\n", exp(logs[0] / ngames),
           exp(logs[1] / ngames), exp((logs[0] + logs[1]) / (2 * ngames)));
    return 0;
}
