// SPDX-License-Identifier: GPL-3.0-or-later
/* Which move first: what the table remembers, then moves that cut elsewhere at the same ply (killers), then
 * by what is known of moves at first sight, then by how often and how deep they have cut anywhere (history).
 */
#include "search/minimax/minimax_internal.h"

#include "base/hash.h"

#define FIRST 1e30f
#define KILLER 1e29f

static uint32_t *history_of(const struct minimax *m, uint32_t role, uint32_t move)
{
    return &m->history[(role * 0x9e3779b1u + move) % HISTORY_SLOTS];
}

static uint64_t killer_of(const struct candidate *c)
{
    return (uint64_t)c->role << 32 | c->move;
}

/* What a move leads to, as its mover sees it. */
static float child_score(struct minimax *m, const struct candidate *c, bool ours)
{
    float v[MINIMAX_MAX_ROLES];
    minimax_judge(m, c->child, v);
    if (m->width > 1) return v[c->role];
    return ours ? v[0] : -v[0];
}

/* Helpers look at things in another order, each in its own. */
static const float WHIM = 0.5f;

static float whim(const struct minimax *m, const struct candidate *c)
{
    return WHIM * (float)(hash_mix(m->number, c->move) >> 40) * 0x1p-24f;
}

/* At the horizon that would cost more than it brings. */
bool order_by_child(const struct minimax *m, uint32_t depth)
{
    if (!m->opt.order || ahead_lazily(m)) return false;
    return m->eval->order ? m->eval->order_sees && depth > 1 : depth > 2;
}

void order_candidates(struct minimax *m, const struct place *p, const struct opened *o, struct ask ask,
                      uint32_t known)
{
    bool by_child = order_by_child(m, ask.depth), ours = o->mover == m->role;
    for (struct candidate *c = o->moves; c < o->moves + o->nmoves; c++) {
        float score = 0;
        if (m->opt.order && m->eval->order)
            score = m->eval->order(m->eval, p, by_child ? c->child : NULL, c->role, c->move);
        else if (by_child)
            score = child_score(m, c, ours);
        if (m->opt.history) score += 1e-6f * (float)*history_of(m, c->role, c->move);
        if (m->number) score += whim(m, c);
        for (uint32_t k = 0; k < KILLERS && m->opt.killers; k++)
            if (m->killer[ask.ply][k] == killer_of(c)) score = KILLER / (float)(k + 1);
        if (c->number == known) score = FIRST;
        c->score = score;
    }
}

/* Most nodes are done after a move or two: sorting them all would be a waste. */
void order_next(struct candidate *c, uint32_t i, uint32_t n)
{
    uint32_t best = i;
    for (uint32_t k = i + 1; k < n; k++)
        if (c[k].score > c[best].score || (c[k].score == c[best].score && c[k].number < c[best].number))
            best = k;
    struct candidate swap = c[i];
    c[i] = c[best];
    c[best] = swap;
}

void order_cut(struct minimax *m, const struct candidate *c, uint32_t depth, uint32_t ply)
{
    uint32_t *h = history_of(m, c->role, c->move);
    *h += depth * depth;
    if (*h > 1u << 24)
        for (uint32_t i = 0; i < HISTORY_SLOTS; i++) m->history[i] /= 2;
    if (m->killer[ply][0] == killer_of(c)) return;
    m->killer[ply][1] = m->killer[ply][0];
    m->killer[ply][0] = killer_of(c);
}

void order_fade(struct minimax *m)
{
    for (uint32_t i = 0; i < HISTORY_SLOTS; i++) m->history[i] /= 8;
    for (uint32_t ply = 0; ply <= MINIMAX_MAX_PLY; ply++)
        for (uint32_t k = 0; k < KILLERS; k++) m->killer[ply][k] = NO_KILLER;
}
