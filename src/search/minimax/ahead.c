// SPDX-License-Identifier: GPL-3.0-or-later
/* Opening nodes before the search comes to them. A sweep costs the same for one child as for hundreds; but
 * alpha-beta wants one child of this node and all of that. Which, is known beforehand where moves are in good
 * order: in the smallest tree that proves a value, nodes that are cut by their first move alternate with
 * nodes of which all moves are looked at.
 *
 *     ALL    o                 level by level that tree is opened in as many sweeps as it has levels:
 *           /|\
 *     CUT  o o o               moves of many nodes listed at once, the one picked that would be looked at
 *          | | |               first (or all), children made together
 *     ALL  o o o
 *         /|\|\|\
 *
 * The search then walks through what is there, finds most of what it needs, and opens what is missing. What
 * is opened decides nothing: values, order and the count of nodes are those of one state at a time. */
#include "search/minimax/minimax_internal.h"

#include <string.h>

#define FEW_LEAVES 4u    /* this part of the lanes */
#define MOST_NODES 4096u /* of a level */

static bool fail(struct minimax *m)
{
    m->over = true;
    return false;
}

static bool no_memory(struct minimax *m)
{
    error_set(&m->error, ERROR_MEMORY, "out of memory");
    return fail(m);
}

/* Looked at where time goes: before positions are opened. */
static bool late(struct minimax *m)
{
    if (m->budget.expansions && expander_fans(m->expander) - m->fans_before >= m->budget.expansions)
        m->over = true;
    if (budget_over(&m->budget) || atomic_load_explicit(m->halt, memory_order_relaxed)) m->over = true;
    return m->over;
}

bool ahead_lazily(const struct minimax *m)
{
    return m->opt.one_by_one || !m->code;
}

static uint32_t places_of(const struct minimax *m, enum whose whose)
{
    return whose == WHOSE_THEIRS ? m->nroles - 1 : 1;
}

static enum whose after(enum whose whose)
{
    return whose == WHOSE_RULES ? WHOSE_RULES : whose == WHOSE_OURS ? WHOSE_THEIRS : WHOSE_OURS;
}

struct ask ahead_below(const struct minimax *m, struct ask ask, bool first)
{
    struct ask below = {after(ask.whose), EXPECT_CUT, ask.depth - 1, ask.ply + 1};
    if (ask.expect == EXPECT_WHOLE)
        below.expect = EXPECT_WHOLE;
    else if (first && m->width > 1)
        below.expect = EXPECT_MIXED;
    else if (first && ask.expect == EXPECT_CUT)
        below.expect = EXPECT_ALL;
    return below;
}

double ahead_leaves(const struct minimax *m, const struct place *p, struct ask ask)
{
    double moves = (double)p->joints * places_of(m, ask.whose);
    uint32_t plies = ask.depth;
    if (ask.expect == EXPECT_CUT) plies /= 2;
    if (ask.expect == EXPECT_ALL || ask.expect == EXPECT_MIXED) plies = (plies + 1) / 2;
    double leaves = 1;
    while (plies-- > 0 && leaves <= AHEAD_LEAVES) leaves *= moves;
    return leaves;
}

/* --- One level ------------------------------------------------------------------------------------------ */

/* Nodes of a level, and where each is to be found from above. */
struct level {
    const struct place **p;
    struct opened ***to;
    enum expect *expect;
    uint32_t n;
};

/* The places that are opened for a node: itself, or copies in which each opponent has the turn. */
static bool list_places(struct minimax *m, const struct place *p, enum whose whose, const struct place **out)
{
    if (whose != WHOSE_THEIRS) {
        *out = p;
        return true;
    }
    for (uint32_t role = 0, k = 0; role < m->nroles; role++) {
        if (role == m->role) continue;
        struct place *copy = expander_room(m->expander, sizeof *copy);
        uint64_t *state = expander_room(m->expander, p->words * sizeof *state);
        if (!copy || !state) return no_memory(m);
        memcpy(state, p->state, p->words * sizeof *state);
        passing_give(&m->passing, state, role);
        *copy = (struct place){.state = state, .words = p->words}; /* moves not looked at */
        out[k++] = copy;
    }
    return true;
}

static struct opening opening_at(const struct minimax *m, struct ask ask)
{
    struct opening how = {.leaves = ask.depth == 1,
                          .moves = m->eval->wants_moves,
                          .goals = m->eval->wants_goals,
                          .lazily = ahead_lazily(m)};
    if (ask.whose == WHOSE_THEIRS) { /* afterwards it is our turn */
        how.bits = m->passing.bits;
        how.nbits = m->passing.nbits;
        how.row = &m->passing.row[m->role];
    }
    return how;
}

/* The moves of a node whose fans are listed, numbered as they come. */
static bool list_moves(struct minimax *m, struct opened *o, struct ask ask)
{
    for (uint32_t i = 0; i < o->n; i++) o->nmoves += o->fans[i].n;
    o->mover = ask.whose == WHOSE_THEIRS ? m->nroles : o->fans[0].mover;
    o->moves = expander_room(m->expander, o->nmoves * sizeof *o->moves);
    o->below = ask.depth > 1 ? expander_room(m->expander, o->nmoves * sizeof *o->below) : NULL;
    if (!o->moves || (ask.depth > 1 && !o->below)) return no_memory(m);
    if (o->below) memset(o->below, 0, o->nmoves * sizeof *o->below);
    for (uint32_t i = 0, k = 0; i < o->n; i++) {
        const struct fan *f = &o->fans[i];
        uint32_t role = f->mover;
        if (f->choosers > 1)
            return error_set(&m->error, ERROR_INPUT, "several roles choose at once"), fail(m);
        if (ask.whose == WHOSE_THEIRS) role = i < m->role ? i : i + 1;
        bool alone = f->count[role] == f->n;
        for (uint32_t j = 0; j < f->n; j++, k++) {
            uint32_t move = alone ? f->moves[role][j] : fan_move(f, role, j);
            o->moves[k] = (struct candidate){i, j, k, role, move, 0, &f->child[j]};
        }
    }
    return true;
}

static void rank(struct minimax *m, const struct place *p, struct opened *o, struct ask ask)
{
    if (o->ranked) return;
    o->ranked = true;
    struct twodeep_entry e;
    order_candidates(m, p, o, ask, frame_known(m, p, ask.whose, &e) ? e.move : TWODEEP_NO_MOVE);
    order_next(o->moves, 0, o->nmoves);
}

/* Which children are made at once: all, or the one that would be looked at first. A few leaves more cost
 * less than coming back for them. */
static uint32_t list_parts(struct minimax *m, const struct level *l, struct opened *o, struct ask ask,
                           struct fan_part *parts)
{
    uint32_t n = 0, fan = 0, total = 0;
    for (uint32_t i = 0; i < l->n; i++) total += o[i].nmoves;
    bool whole = ask.depth == 1 && total <= expander_lanes(m->expander) / FEW_LEAVES;
    for (uint32_t i = 0; i < l->n; fan += o[i++].n) {
        if (whole || l->expect[i] != EXPECT_CUT || order_by_child(m, ask.depth)) {
            for (uint32_t k = 0; k < o[i].n; k++) parts[n++] = (struct fan_part){fan + k, 0, o[i].fans[k].n};
        } else {
            rank(m, l->p[i], &o[i], ask);
            parts[n++] = (struct fan_part){fan + o[i].moves[0].fan, o[i].moves[0].joint, 1};
        }
    }
    return n;
}

/* What the table has of the children will be asked for. */
static void look_forward(const struct minimax *m, const struct opened *o, uint32_t n, struct ask ask)
{
    for (uint32_t i = 0; i < n && m->has_table; i++)
        for (const struct candidate *c = o[i].moves; c < o[i].moves + o[i].nmoves; c++)
            if (c->child->state) frame_fetch(m, c->child, after(ask.whose));
}

static bool open_level(struct minimax *m, const struct level *l, struct ask ask)
{
    uint32_t each = places_of(m, ask.whose);
    struct opened *o = expander_room(m->expander, l->n * sizeof *o);
    const struct place **places = expander_room(m->expander, l->n * each * sizeof *places);
    struct fan *fans = expander_room(m->expander, l->n * each * sizeof *fans);
    struct opening how = opening_at(m, ask);
    if (!o || !places || !fans) return no_memory(m);
    for (uint32_t i = 0; i < l->n; i++) {
        o[i] =
            (struct opened){.fans = fans + (size_t)i * each, .places = places + (size_t)i * each, .n = each};
        if (!list_places(m, l->p[i], ask.whose, o[i].places)) return false;
    }
    if (late(m)) return false;
    if (!fans_list(m->expander, places, l->n * each, &how, fans, &m->error)) return fail(m);
    for (uint32_t i = 0; i < l->n; i++) {
        if (!list_moves(m, &o[i], ask)) return false;
        *l->to[i] = &o[i];
    }
    if (how.lazily) return true;
    struct fan_part *parts = expander_room(m->expander, l->n * each * sizeof *parts);
    if (!parts) return no_memory(m);
    if (!fans_make(m->expander, places, fans, parts, list_parts(m, l, o, ask, parts), &how, &m->error))
        return fail(m);
    if (ask.depth > 1) look_forward(m, o, l->n, ask);
    return true;
}

/* --- Level by level ------------------------------------------------------------------------------------- */

/* The table will answer, if it is not asked too much. */
static bool is_known(const struct minimax *m, const struct place *p, struct ask ask)
{
    struct twodeep_entry e;
    return frame_known(m, p, ask.whose, &e) && (e.depth >= ask.depth || e.ends);
}

static bool room_for_level(struct minimax *m, struct level *l, uint32_t n)
{
    *l = (struct level){.p = expander_room(m->expander, n * sizeof *l->p),
                        .to = expander_room(m->expander, n * sizeof *l->to),
                        .expect = expander_room(m->expander, n * sizeof *l->expect)};
    return (l->p && l->to && l->expect) || no_memory(m);
}

/* What the nodes of a level will need. */
static bool descend(struct minimax *m, const struct level *l, struct ask ask, struct level *next)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < l->n; i++) most += l->expect[i] == EXPECT_CUT ? 1 : (*l->to[i])->nmoves;
    if (!room_for_level(m, next, most)) return false;
    for (uint32_t i = 0; i < l->n; i++) {
        struct opened *o = *l->to[i];
        bool ranked = l->expect[i] == EXPECT_CUT || l->expect[i] == EXPECT_MIXED;
        if (ranked) rank(m, l->p[i], o, ask);
        ask.expect = l->expect[i];
        for (uint32_t k = 0; k < (l->expect[i] == EXPECT_CUT ? 1 : o->nmoves); k++) {
            const struct candidate *c = &o->moves[k];
            struct ask below = ahead_below(m, ask, ranked && k == 0);
            if (!c->child->state || c->child->end || is_known(m, c->child, below)) continue;
            next->p[next->n] = c->child;
            next->to[next->n] = &o->below[c->number];
            next->expect[next->n++] = below.expect;
        }
    }
    return true;
}

bool ahead_open(struct minimax *m, const struct place *const *p, uint32_t n, struct ask ask,
                struct opened **out)
{
    struct level l;
    bool far = !ahead_lazily(m);
    double leaves = 0;
    if (!room_for_level(m, &l, n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        l.p[l.n] = p[i];
        l.to[l.n] = &out[i];
        l.expect[l.n++] = ask.expect;
        leaves += ahead_leaves(m, p[i], ask);
    }
    far &= leaves <= 2 * AHEAD_LEAVES;
    while (l.n) {
        if (!open_level(m, &l, ask)) return false;
        if (ask.depth == 1 || !far) return true;
        struct level next;
        if (!descend(m, &l, ask, &next)) return false;
        if (next.n > MOST_NODES) return true;
        l = next;
        ask = ahead_below(m, ask, true);
    }
    return true;
}

bool ahead_child(struct minimax *m, const struct opened *o, struct ask ask, const struct candidate *c)
{
    struct opening how = opening_at(m, ask);
    struct fan_part *parts = expander_room(m->expander, o->nmoves * sizeof *parts);
    uint32_t n = 0;
    if (!parts) return no_memory(m);
    if (how.lazily) {
        parts[n++] = (struct fan_part){c->fan, c->joint, 1};
    } else {
        if (late(m)) return false;
        for (uint32_t i = 0; i < o->n; i++)
            for (uint32_t j = 0; j < o->fans[i].n; j++) {
                bool on = n && parts[n - 1].fan == i && parts[n - 1].first + parts[n - 1].n == j;
                if (o->fans[i].child[j].state) continue;
                if (on)
                    parts[n - 1].n++;
                else
                    parts[n++] = (struct fan_part){i, j, 1};
            }
    }
    return fans_make(m->expander, o->places, o->fans, parts, n, &how, &m->error) || fail(m);
}
