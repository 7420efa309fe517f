// SPDX-License-Identifier: GPL-3.0-or-later
/* Random games with all lanes. */
#include "circuit/batch_internal.h"

#include <string.h>

static uint32_t popcount(const struct batch *b, const uint64_t *mask)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < b->words; w++) n += (uint32_t)__builtin_popcountll(mask[w]);
    return n;
}

static uint64_t ticks_spent(const struct batch *b)
{
    uint64_t sum = 0;
    for (int i = 0; b->ticks && i < BATCH_PARTS; i++) sum += b->ticks[i];
    return sum;
}

/* Lanes that have played their games are no longer busy. */
static void count_games(struct batch *b, const uint64_t *ended, uint64_t games, uint64_t *played,
                        uint64_t *busy)
{
    for (uint32_t w = 0; w < b->words; w++)
        for (uint64_t left = ended[w]; left; left &= left - 1)
            if (++played[w * 64 + (uint32_t)__builtin_ctzll(left)] == games) busy[w] &= ~(left & -left);
}

void batch_play(struct batch *b, const uint64_t *from, uint64_t games, uint32_t max_steps,
                const atomic_bool *stop, struct batch_tally *tally)
{
    uint64_t busy[BATCH_MAX_WORDS], ended[BATCH_MAX_WORDS], moving[BATCH_MAX_WORDS];
    uint64_t waiting[BATCH_MAX_WORDS] = {
        0}; /* lanes that begin their next game when it is the first turn again */
    uint64_t young[BATCH_MAX_WORDS] = {0}; /* lanes whose game began since the clock last struck */
    uint64_t played[BATCH_MAX_LANES] = {0};
    uint64_t began = ticks_now(), spent = ticks_spent(b);
    uint32_t turns = batch_turns_pay(b) ? batch_turns(b) : 1, turn = 0;
    if (!from) from = b->inside->initial;
    memset(busy, 0xff, sizeof busy);
    batch_restart_from(b, busy, from);
    for (uint64_t clock = 1; batch_any(b, busy); clock++) {
        if (stop && atomic_load_explicit(stop, memory_order_relaxed)) break;
        batch_view_turn(b);
        uint64_t any = 0, twice = 0;
        for (uint32_t w = 0; w < b->words; w++) {
            ended[w] = b->terminal[w] & busy[w] & ~waiting[w];
            waiting[w] |= ended[w];
            moving[w] = busy[w] & ~waiting[w];
            young[w] |= ended[w];
            any |= ended[w];
            twice |= ended[w] & b->parked[w];
        }
        if (any) {
            if (twice) batch_tally_goals(b, tally);
            batch_park(b, ended);
            tally->games += popcount(b, ended);
            if (games) count_games(b, ended, games, played, busy);
        }
        tally->transitions += popcount(b, moving);
        batch_choose(b, moving);
        batch_step(b);
        if (max_steps && clock == max_steps) {
            uint64_t stale[BATCH_MAX_WORDS];
            for (uint32_t w = 0; w < b->words; w++) {
                stale[w] = busy[w] & ~young[w];
                waiting[w] |= stale[w];
                young[w] = 0;
            }
            if (games) count_games(b, stale, games, played, busy);
            clock = 0;
        }
        turn = (turn + 1) % turns;
        if (turn == 0 && batch_any(b, waiting)) {
            batch_restart_from(b, waiting, from);
            memset(waiting, 0, sizeof waiting);
        }
    }
    if (batch_any(b, b->parked)) batch_tally_goals(b, tally);
    if (b->ticks) b->ticks[BATCH_REST] += ticks_now() - began - (ticks_spent(b) - spent);
}
