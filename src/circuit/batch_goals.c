// SPDX-License-Identifier: GPL-3.0-or-later
/* Goals of lanes that have ended: kept, and collected many at a time. */
#include "circuit/batch_internal.h"

#include <assert.h>
#include <string.h>

void batch_park(struct batch *b, const uint64_t *mask)
{
    TICKS_BEGIN(b);
    b->sweeper->park(b->code->parks.v, b->code->parks.n, mask, b->inside->mem);
    for (uint32_t w = 0; w < b->words; w++) {
        assert(!(b->parked[w] & mask[w]));
        b->parked[w] |= mask[w];
    }
    TICKS_END(b, BATCH_GOAL);
}

static void set_goals(const struct batch *b, uint32_t role, uint32_t w, uint64_t lanes, int value,
                      int16_t *goals)
{
    for (; lanes; lanes &= lanes - 1)
        goals[(w * 64 + (uint32_t)__builtin_ctzll(lanes)) * b->nroles + role] = (int16_t)value;
}

void batch_collect_goals(struct batch *b, int16_t *goals, uint64_t *mask)
{
    TICKS_BEGIN(b);
    if (mask) memcpy(mask, b->parked, b->words * 8);
    sweep_phase(b, b->code, PHASE_GOAL);
    for (uint32_t w = 0; w < b->words; w++) {
        if (!b->parked[w]) continue;
        for (uint64_t left = b->parked[w]; left; left &= left - 1) {
            int16_t *row = goals + (w * 64 + (uint32_t)__builtin_ctzll(left)) * b->nroles;
            for (uint32_t r = 0; r < b->nroles; r++) row[r] = BATCH_GOAL_UNDEFINED;
        }
        for (uint32_t r = 0; r < b->nroles; r++) {
            uint64_t once = 0, twice = 0;
            for (uint32_t i = 0; i < b->code->goals.n; i++) {
                const struct code_goal *g = &b->code->goals.v[i];
                if (g->role != r) continue;
                uint64_t lanes = slot(b, g->slot)[w] & b->parked[w];
                set_goals(b, r, w, lanes, (int)g->value, goals);
                twice |= once & lanes;
                once |= lanes;
            }
            set_goals(b, r, w, twice, BATCH_GOAL_UNDEFINED, goals); /* several values at once */
        }
    }
    memset(b->parked, 0, sizeof b->parked);
    TICKS_END(b, BATCH_GOAL);
}

uint32_t batch_lane_goals(struct batch *b, uint32_t lane, uint32_t role, uint32_t *out)
{
    TICKS_BEGIN(b);
    uint64_t mask[BATCH_MAX_WORDS] = {0};
    uint32_t n = 0;
    mask[lane / 64] = 1ull << lane % 64;
    assert(!(b->parked[lane / 64] & mask[lane / 64]));
    b->sweeper->park(b->code->parks.v, b->code->parks.n, mask, b->inside->mem);
    sweep_phase(b, b->code, PHASE_GOAL);
    for (uint32_t i = 0; i < b->code->goals.n; i++) {
        const struct code_goal *g = &b->code->goals.v[i];
        if (g->role == role && slot(b, g->slot)[lane / 64] >> lane % 64 & 1) out[n++] = g->value;
    }
    TICKS_END(b, BATCH_GOAL);
    return n;
}

void batch_tally_goals(struct batch *b, struct batch_tally *tally)
{
    TICKS_BEGIN(b);
    sweep_phase(b, b->code, PHASE_GOAL);
    const struct code *code = b->code;
    for (uint32_t w = 0; w < b->words; w++) {
        uint64_t parked = b->parked[w], defined = parked;
        if (!parked) continue;
        for (uint32_t r = 0; r < b->nroles; r++) {
            uint64_t once = 0, twice = 0;
            for (uint32_t i = 0; i < code->goals.n; i++) {
                if (code->goals.v[i].role != r) continue;
                uint64_t x = slot(b, code->goals.v[i].slot)[w];
                twice |= once & x;
                once |= x;
            }
            defined &= once & ~twice;
        }
        for (uint32_t i = 0; i < code->goals.n; i++) {
            const struct code_goal *g = &code->goals.v[i];
            int n = __builtin_popcountll(slot(b, g->slot)[w] & defined);
            if (tally->goal_count) tally->goal_count[i] += (uint64_t)n;
            if (tally->goal_sum) tally->goal_sum[g->role] += (double)g->value * n;
        }
        tally->undefined_goals += (uint64_t)__builtin_popcountll(parked & ~defined);
    }
    memset(b->parked, 0, sizeof b->parked);
    TICKS_END(b, BATCH_GOAL);
}
