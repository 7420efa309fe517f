// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/play.h"

#include "base/clock.h"

#define LAUNCH_GATES (1u << 23) /* of a thread: some hundredths of a second */

struct run {
    struct gpu_games *games;
    const struct circuit *c;
    const struct gpu_enough *enough;
    uint64_t *sums;
    uint64_t since; /* steps since games were last given up */
};

static uint64_t total(const struct run *r, uint32_t counter)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gpu_games_report(r->games)->roots; i++)
        sum += r->sums[i * gpu_counters(r->c) + counter];
    return sum;
}

/* Some rounds, no more than wanted; the sums are those after it. */
static bool some_rounds(struct run *r, uint64_t wanted, int how, struct error *error)
{
    const struct gpu_games_report *report = gpu_games_report(r->games);
    uint64_t rounds = LAUNCH_GATES / (report->gates + 1) + 1, old = r->enough->steps;
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
    if (r->enough->tell) r->enough->tell(r->enough->data, total(r, GPU_GAMES));
    return !r->enough->stop || !atomic_load(r->enough->stop) ||
           error_set(error, ERROR_CANCELLED, "interrupted");
}

static uint64_t done(const struct run *r)
{
    return total(r, GPU_TRANSITIONS) + total(r, GPU_GAMES) + total(r, GPU_GIVEN_UP);
}

bool gpu_play(struct gpu_games *g, const struct circuit *c, const struct gpu_enough *enough, uint64_t *sums,
              struct error *error)
{
    struct run r = {.games = g, .c = c, .enough = enough, .sums = sums};
    const struct gpu_games_report *report = gpu_games_report(g);
    double lanes = 32.0 * report->words, length = c->length + 1;
    if (!gpu_games_sums(g, sums, error)) return false;
    for (;;) {
        uint64_t games = total(&r, GPU_GAMES) + total(&r, GPU_GIVEN_UP), wanted = UINT64_MAX;
        if (enough->games && games >= enough->games) break;
        if (enough->deadline > 0 && clock_now() >= enough->deadline) break;
        if (enough->games)
            wanted = (uint64_t)((double)(enough->games - games) * length / lanes / report->turns) + 1;
        if (!some_rounds(&r, wanted, 0, error)) return false;
    }
    for (uint64_t before = 0; before < done(&r);) {
        before = done(&r);
        if (!some_rounds(&r, (uint64_t)length / report->turns + 1, GPU_LAST, error)) return false;
    }
    return true;
}
