// SPDX-License-Identifier: GPL-3.0-or-later
/* States of lanes, in and out. */
#include "circuit/batch_internal.h"
#include "circuit/transpose.h"

#include <string.h>

void batch_set_state(struct batch *b, uint32_t lane, const uint64_t *state)
{
    TICKS_BEGIN(b);
    uint64_t *at = slot(b, SLOT_BITS) + lane / 64;
    for (uint32_t w = 0; w < b->state_words; w++, at += 64 * (size_t)b->words)
        transpose_put(at, b->words, at_most_64(b->code->nbits - w * 64), lane % 64, state[w]);
    TICKS_END(b, BATCH_REST);
}

void batch_get_state(struct batch *b, uint32_t lane, uint64_t *state)
{
    TICKS_BEGIN(b);
    const uint64_t *at = slot(b, SLOT_BITS) + lane / 64;
    for (uint32_t w = 0; w < b->state_words; w++, at += 64 * (size_t)b->words)
        state[w] = transpose_get(at, b->words, at_most_64(b->code->nbits - w * 64), lane % 64);
    TICKS_END(b, BATCH_REST);
}

void batch_get_states(struct batch *b, uint32_t lanes, uint64_t *out)
{
    TICKS_BEGIN(b);
    for (uint32_t s = 0; s < b->state_words; s++)
        b->sweeper->get_rows(SLOT_BITS + s * 64, NULL, at_most_64(b->code->nbits - s * 64), out + s,
                             b->state_words, lanes, NULL, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_put_states(struct batch *b, uint32_t lanes, const uint64_t *states)
{
    TICKS_BEGIN(b);
    uint64_t turned[64];
    for (uint32_t w = 0; w * 64 < lanes; w++)
        for (uint32_t s = 0; s < b->state_words; s++) {
            uint32_t left = lanes - w * 64, n = b->code->nbits - s * 64 < 64 ? b->code->nbits - s * 64 : 64;
            transpose_count(states + (size_t)w * 64 * b->state_words + s, b->state_words,
                            left < 64 ? left : 64, turned, 1, NULL);
            uint64_t *at = slot(b, SLOT_BITS + s * 64) + w;
            for (uint32_t i = 0; i < n; i++, at += b->words) *at = turned[i];
        }
    TICKS_END(b, BATCH_REST);
}

void batch_restart_from(struct batch *b, const uint64_t *mask, const uint64_t *state)
{
    TICKS_BEGIN(b);
    b->sweeper->restart(state, b->code->nbits, mask, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_restart(struct batch *b, const uint64_t *mask)
{
    batch_restart_from(b, mask, b->inside->initial);
}

void batch_set_all(struct batch *b, const uint64_t *states)
{
    memcpy(slot(b, SLOT_BITS), states, batch_state_bytes(b));
}

void batch_set_lanes(struct batch *b, const uint64_t *states, const uint64_t *mask)
{
    uint64_t *to = slot(b, SLOT_BITS);
    for (uint32_t i = 0; i < b->code->nbits; i++)
        for (uint32_t w = 0; w < b->words; w++, to++, states++) *to = (*to & ~mask[w]) | (*states & mask[w]);
}

void batch_put_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, const uint64_t *rows,
                    const uint32_t *order, uint32_t lanes)
{
    TICKS_BEGIN(b);
    uint32_t words = (nbits + 63) / 64;
    for (uint32_t k = 0; k < words; k++)
        b->sweeper->put_rows(SLOT_BITS, bits + k * 64, at_most_64(nbits - k * 64), rows + k, words, order,
                             lanes, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_get_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, uint64_t *rows, uint32_t lanes)
{
    TICKS_BEGIN(b);
    uint32_t words = (nbits + 63) / 64;
    for (uint32_t k = 0; k < words; k++)
        b->sweeper->get_rows(SLOT_BITS, bits + k * 64, at_most_64(nbits - k * 64), rows + k, words, lanes,
                             NULL, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_fill_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, const uint64_t *row)
{
    TICKS_BEGIN(b);
    for (uint32_t i = 0; i < nbits; i++) {
        uint64_t all = 0 - (row[i / 64] >> i % 64 & 1), *to = slot(b, SLOT_BITS + bits[i]);
        for (uint32_t w = 0; w < b->words; w++) to[w] = all;
    }
    TICKS_END(b, BATCH_REST);
}

const uint64_t *batch_state_wires(const struct batch *b)
{
    return slot(b, SLOT_BITS);
}
