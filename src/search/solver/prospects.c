// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/prospects.h"

#include <stdlib.h>
#include <string.h>

#define NO_GOAL (-1) /* never true, wherever one looks out from */

struct prospects {
    struct batch *narrow, *wide;    /* 64 lanes, and as many as are asked for */
    struct batch *now;              /* the one that looked last */
    uint64_t less[BATCH_MAX_WORDS]; /* lanes in which some goal can not come any more */
    int16_t values[];               /* of the goals, role after role */
};

struct prospects *prospects_new(const struct code *code, const struct code *outlook, uint32_t lanes,
                                struct error *error)
{
    const struct circuit *c = code->circuit;
    struct prospects *p = calloc(1, sizeof *p + c->goals.n * sizeof *p->values);
    uint32_t n = 0;
    if (!p) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    for (uint32_t role = 0; role < c->nroles; role++)
        for (uint32_t i = 0; i < c->goals.n; i++)
            if (c->goals.v[i].role == role)
                p->values[n++] = c->goals.v[i].e == EDGE_FALSE ? NO_GOAL : (int16_t)c->goals.v[i].value;
    p->narrow = batch_new(outlook, 64, 0, error);
    p->wide = p->narrow ? batch_new(outlook, lanes, 0, error) : NULL;
    if (!p->wide) return prospects_free(p), NULL;
    return p;
}

void prospects_free(struct prospects *p)
{
    if (!p) return;
    batch_free(p->narrow);
    batch_free(p->wide);
    free(p);
}

static void look(struct prospects *p)
{
    struct batch *b = p->now;
    const int16_t *value = p->values;
    batch_view(b);
    memset(p->less, 0, sizeof p->less);
    for (uint32_t role = 0; role < b->nroles; role++) {
        const uint64_t *wires = batch_legal_wires(b, role);
        for (uint32_t i = 0; i < b->code->roles[role].n; i++, value++)
            for (uint32_t w = 0; w < b->words && *value != NO_GOAL; w++)
                p->less[w] |= ~wires[(size_t)i * b->words + w];
    }
}

void prospects_look(struct prospects *p, const struct batch *b)
{
    p->now = b->lanes == p->narrow->lanes ? p->narrow : p->wide;
    batch_set_all(p->now, batch_state_wires(b));
    look(p);
}

void prospects_look_from(struct prospects *p, const uint64_t *state)
{
    p->now = p->narrow;
    batch_set_state(p->now, 0, state);
    look(p);
}

bool prospects_of(const struct prospects *p, uint32_t lane, int16_t *ranges)
{
    const struct batch *b = p->now;
    const int16_t *value = p->values;
    if (!(p->less[lane / 64] >> lane % 64 & 1)) return false;
    for (uint32_t role = 0; role < b->nroles; role++, ranges += 2) {
        const uint64_t *wire = batch_legal_wires(b, role) + lane / 64;
        ranges[0] = INT16_MAX, ranges[1] = INT16_MIN;
        for (uint32_t i = 0; i < b->code->roles[role].n; i++, value++, wire += b->words) {
            if (!(*wire >> lane % 64 & 1)) continue;
            if (*value < ranges[0]) ranges[0] = *value;
            if (*value > ranges[1]) ranges[1] = *value;
        }
    }
    return true;
}
