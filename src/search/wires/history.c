// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/history.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROUNDS = 128, MOST_ROUNDS = 4096 };

static bool resize(struct history *h, uint32_t rounds)
{
    uint16_t *moves = malloc((size_t)rounds * h->nroles * h->lanes * sizeof *moves);
    uint64_t *many = malloc((size_t)rounds * h->nroles * h->words * sizeof *many);
    uint32_t *all = malloc((size_t)rounds * h->nroles * sizeof *all);
    if (!moves || !many || !all) {
        free(moves);
        free(many);
        free(all);
        return false;
    }
    free(h->moves);
    free(h->many);
    free(h->all);
    h->moves = moves;
    h->many = many;
    h->all = all;
    h->rounds = rounds;
    return true;
}

bool history_init(struct history *h, uint32_t nroles, uint32_t lanes)
{
    *h = (struct history){.nroles = nroles, .lanes = lanes, .words = lanes / 64};
    return resize(h, FIRST_ROUNDS);
}

void history_done(struct history *h)
{
    free(h->moves);
    free(h->many);
    free(h->all);
    free(h->out);
    free(h->forced);
}

void history_begin(struct history *h, uint32_t round)
{
    if (!h->full) return;
    h->full = false;
    if (h->rounds < MOST_ROUNDS && resize(h, h->rounds * 2)) h->first = round;
}

void history_write(struct history *h, uint32_t round, uint32_t role, const uint32_t *moves,
                   const uint64_t *many)
{
    size_t at = (size_t)(round & (h->rounds - 1)) * h->nroles + role;
    uint16_t *to = h->moves + at * h->lanes;
    h->all[at] = HISTORY_DIFFER;
    for (uint32_t i = 0; i < h->lanes; i++) to[i] = (uint16_t)moves[i];
    memcpy(h->many + at * h->words, many, h->words * sizeof *many);
}

void history_fill(struct history *h, uint32_t round, uint32_t role, uint32_t move)
{
    h->all[(size_t)(round & (h->rounds - 1)) * h->nroles + role] = move;
}

static bool reserve(struct history *h, uint32_t steps)
{
    if (steps <= h->cap) return true;
    uint32_t *out = realloc(h->out, (size_t)2 * steps * h->nroles * sizeof *out);
    if (out) h->out = out;
    uint8_t *forced = realloc(h->forced, (size_t)2 * steps * h->nroles);
    if (forced) h->forced = forced;
    if (out && forced) h->cap = 2 * steps;
    return out && forced;
}

bool history_read(struct history *h, uint32_t lane, uint32_t from, uint32_t to, uint32_t now)
{
    if (now - from >= h->rounds) h->full = true;
    if (now - from >= h->rounds || from < h->first || !reserve(h, to - from)) return false;
    uint32_t n = 0;
    for (uint32_t t = from; t < to; t++)
        for (uint32_t r = 0; r < h->nroles; r++, n++) {
            size_t at = (size_t)(t & (h->rounds - 1)) * h->nroles + r;
            bool all = h->all[at] != HISTORY_DIFFER;
            h->out[n] = all ? h->all[at] : h->moves[at * h->lanes + lane];
            h->forced[n] = all || !(h->many[at * h->words + lane / 64] >> lane % 64 & 1);
        }
    return true;
}
