// SPDX-License-Identifier: GPL-3.0-or-later
/* The bounds of one node, from those of its children. */
#include "search/prove_internal.h"

#include <math.h>
#include <stdlib.h>

#define MOST_CELLS 4096 /* of a duel; larger ones stay open */
#define SOME_DAY 1000   /* moves to an end that is far but cannot be missed */

void prover_done(struct prover *p)
{
    matrix_work_done(&p->work);
    free(p->duel);
    expander_free(p->expander);
    *p = (struct prover){0};
}

static bool tighten(struct bound *b, float low, float high)
{
    return bound_tighten(b, (struct bound){low, high});
}

/* What a joint move of a node is known to bring, by its child or from others. */
static struct bound bound_there(const struct mcts *m, const struct tree_node *n, uint32_t child,
                                uint32_t joint, uint32_t role)
{
    struct bound b = prove_bound(m->tree, child, role);
    if (prove_has_tidings(m, n)) {
        struct bound told = tidings_bound(m->tidings, joint, role);
        if (told.low > b.low) b.low = told.low;
        if (told.high < b.high) b.high = told.high;
    }
    return b;
}

/* Its number among the joint moves is the same. */
struct bound prove_move_bound(const struct mcts *m, const struct tree_node *n, const struct tree_action *a,
                              uint32_t i, uint32_t role)
{
    return bound_there(m, n, child_of(&a[i]), i, role);
}

/* --- Ends ----------------------------------------------------------------------------------------------- */

void prove_end(struct mcts *m, uint32_t node)
{
    struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, node);
    struct bound *b = node_bounds(t, n);
    /* An end without a goal, a fault of the sheet: nothing is proved about it. */
    if (m->constant_sum && node_goal(t, n, 0) + node_goal(t, n, 1) != m->sum) return;
    for (uint32_t r = 0; r < m->nroles; r++) {
        mean_set(&b[r].low, (float)node_goal(t, n, r));
        mean_set(&b[r].high, (float)node_goal(t, n, r));
    }
    node_set_flags(n, NODE_BOUNDED | NODE_SOLVED);
}

/* --- One node ------------------------------------------------------------------------------------------- */

/* Two roles: what one does not get the other does. */
static bool share_out(const struct mcts *m, struct bound *b, uint32_t role)
{
    struct bound own = bound_read(&b[role]);
    return tighten(&b[1 - role], (float)m->sum - own.high, (float)m->sum - own.low);
}

/* The action that is never out: the most it can still bring, then the most it promises. */
static uint32_t hopeful(const struct mcts *m, struct tree_node *n, uint32_t role)
{
    const struct tree_action *a = node_action(m->tree, n, role);
    uint32_t best = 0, count = node_actions(m->tree, n, role);
    struct bound top = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++) {
        struct bound b = prove_move_bound(m, n, a, i, role);
        if (action_is(&a[i], ACTION_OUT)) continue;
        if (b.high > top.high || (b.high == top.high && b.low > top.low)) top = b, best = i;
    }
    return best;
}

/* The others' bounds, from the children that the mover may still choose. */
static bool hull(const struct mcts *m, struct tree_node *n, uint32_t mover)
{
    const struct tree *t = m->tree;
    const struct tree_action *a = node_action(t, n, mover);
    uint32_t count = node_actions(t, n, mover);
    struct bound *b = node_bounds(t, n);
    float sure = mean_of(&b[mover].low);
    bool moved = false;
    for (uint32_t r = 0; r < m->nroles; r++) {
        struct bound all = {INFINITY, -INFINITY};
        if (r == mover) continue;
        for (uint32_t i = 0; i < count; i++) {
            if (prove_move_bound(m, n, a, i, mover).high < sure) continue; /* equal ones he may choose */
            struct bound c = prove_move_bound(m, n, a, i, r);
            if (c.low < all.low) all.low = c.low;
            if (c.high > all.high) all.high = c.high;
        }
        if (all.low <= all.high) moved |= tighten(&b[r], all.low, all.high);
    }
    return moved;
}

uint32_t prove_plies_after(const struct mcts *m, const struct tree_node *n, const struct tree_action *a,
                           uint32_t i)
{
    const struct tree_node *c = child_of(&a[i]) ? tree_node(m->tree, child_of(&a[i])) : NULL;
    if (prove_has_tidings(m, n) && !(c && node_flags(c) & NODE_SOLVED)) return tidings_plies(m->tidings, i);
    return c ? count_of(&c->plies) : 0;
}

static void count_plies(const struct mcts *m, struct tree_node *n, uint32_t mover)
{
    const struct tree *t = m->tree;
    const struct tree_action *a = node_action(t, n, mover);
    uint32_t count = node_actions(t, n, mover), least = UINT32_MAX, most = 0;
    struct bound b = bound_read(&node_bounds(t, n)[mover]);
    for (uint32_t i = 0; i < count; i++) {
        struct bound c = prove_move_bound(m, n, a, i, mover);
        if (!bound_is_value(c) || fabsf(c.low - b.low) > BOUND_NEAR) continue;
        uint32_t plies = prove_plies_after(m, n, a, i);
        if (plies < least) least = plies;
        if (plies > most) most = plies;
    }
    /* who wins hurries, everybody else does not */
    bool hurry = b.low >= t->widest[mover].high - BOUND_NEAR && least < UINT32_MAX;
    __atomic_store_n(&n->plies, 1 + (hurry ? least : most), __ATOMIC_RELAXED);
}

static bool update_turn(struct mcts *m, struct tree_node *n)
{
    struct tree *t = m->tree;
    uint32_t mover = n->mover, count = node_actions(t, n, mover);
    struct tree_action *a = node_action(t, n, mover);
    struct bound *b = node_bounds(t, n), now = {t->widest[mover].low, -INFINITY};
    float sure = mean_of(&b[mover].low);
    for (uint32_t i = 0; i < count; i++) {
        /* what is out brings no more than is sure already */
        struct bound c =
            action_is(&a[i], ACTION_OUT) ? (struct bound){sure, sure} : prove_move_bound(m, n, a, i, mover);
        if (c.low > now.low) now.low = c.low;
        if (c.high > now.high) now.high = c.high;
    }
    bool moved = tighten(&b[mover], now.low, now.high);
    sure = mean_of(&b[mover].low);
    uint32_t keep = hopeful(m, n, mover);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = child_of(&a[i]);
        if (!child && !prove_has_tidings(m, n)) continue;
        if (i != keep && prove_move_bound(m, n, a, i, mover).high <= sure && !action_is(&a[i], ACTION_OUT))
            action_mark(&a[i], ACTION_OUT);
        if (child && node_flags(tree_node(t, child)) & NODE_SOLVED) action_mark(&a[i], ACTION_SETTLED);
    }
    if (m->nroles == 1) return moved;
    if (m->constant_sum) return moved | share_out(m, b, mover);
    return moved | hull(m, n, mover);
}

struct duel *prove_lay_out(const struct mcts *m, struct tree_node *n, struct prover *p)
{
    const struct tree *t = m->tree;
    uint32_t rows = node_actions(t, n, 0), columns = node_actions(t, n, 1);
    size_t need = duel_bytes(rows, columns);
    if ((size_t)rows * columns > MOST_CELLS) return NULL;
    if (p->duel_cap < need) {
        void *grown = realloc(p->duel, need);
        if (!grown) return NULL;
        p->duel = grown, p->duel_cap = need;
    }
    struct duel *d = duel_init(p->duel, rows, columns, (double)t->widest[0].low, (double)t->widest[0].high);
    struct bound b = bound_read(node_bounds(t, n));
    d->low = (double)b.low, d->high = (double)b.high;
    for (uint32_t i = 0; i < rows; i++) d->row_out[i] = action_is(node_action(t, n, 0) + i, ACTION_OUT);
    for (uint32_t i = 0; i < columns; i++) d->column_out[i] = action_is(node_action(t, n, 1) + i, ACTION_OUT);
    for (uint32_t e = first_edge(n); e; e = t->edges[e].next) {
        uint32_t child = __atomic_load_n(&t->edges[e].child, __ATOMIC_ACQUIRE),
                 joint = (uint32_t)t->edges[e].joint;
        if (!child) continue;
        struct bound c = prove_bound(t, child, 0);
        duel_set(d, joint / columns, joint % columns, (double)c.low, (double)c.high);
    }
    for (uint32_t joint = 0; prove_has_tidings(m, n) && joint < rows * columns; joint++) {
        uint32_t choice[] = {joint / columns, joint % columns};
        struct bound c = bound_there(m, n, tree_child(t, t->root, choice), joint, 0);
        duel_set(d, choice[0], choice[1], (double)c.low, (double)c.high);
    }
    return d;
}

/* Rows and columns in which nothing is open any more. */
static void mark_settled(const struct tree *t, struct tree_node *n, const struct duel *d)
{
    for (uint32_t role = 0; role < 2; role++)
        for (uint32_t i = 0; i < node_actions(t, n, role); i++) {
            bool open = false;
            uint32_t others = node_actions(t, n, 1 - role);
            for (uint32_t k = 0; k < others && !open; k++) {
                uint32_t cell = role == 0 ? i * d->columns + k : k * d->columns + i;
                bool out = role == 0 ? d->column_out[k] : d->row_out[k];
                open = !out && d->o[cell] - d->p[cell] > (double)BOUND_NEAR;
            }
            if (!open) action_mark(node_action(t, n, role) + i, ACTION_SETTLED);
        }
}

static bool update_duel(struct mcts *m, struct tree_node *n, struct prover *p)
{
    struct tree *t = m->tree;
    uint32_t rows = node_actions(t, n, 0), columns = node_actions(t, n, 1);
    /* nothing can move before a whole row or column has (002 §6.5) */
    if (count_of(&n->changes) < (rows < columns ? rows : columns)) return false;
    struct duel *d = prove_lay_out(m, n, p);
    if (!d) return false;
    duel_update(d, &p->work, true);
    for (uint32_t i = 0; i < rows; i++)
        if (d->row_out[i]) action_mark(node_action(t, n, 0) + i, ACTION_OUT);
    for (uint32_t i = 0; i < columns; i++)
        if (d->column_out[i]) action_mark(node_action(t, n, 1) + i, ACTION_OUT);
    mark_settled(t, n, d);
    struct bound *b = node_bounds(t, n);
    bool moved = tighten(&b[0], (float)d->low, (float)d->high);
    return moved && (share_out(m, b, 0), true);
}

/* Several choose, and nobody knows what against whom. */
static bool update_crowd(struct mcts *m, struct tree_node *n)
{
    const struct tree *t = m->tree;
    struct bound *b = node_bounds(t, n);
    uint64_t joints = 1, seen = 0;
    bool moved = false;
    for (uint32_t r = 0; r < m->nroles; r++) joints *= node_actions(t, n, r);
    for (uint32_t e = first_edge(n); e; e = t->edges[e].next) seen += edge_child(&t->edges[e]) != 0;
    if (seen < joints) return false;
    for (uint32_t r = 0; r < m->nroles; r++) {
        struct bound all = {INFINITY, -INFINITY};
        for (uint32_t e = first_edge(n); e; e = t->edges[e].next) {
            if (!edge_child(&t->edges[e])) continue;
            struct bound c = prove_bound(t, edge_child(&t->edges[e]), r);
            if (c.low < all.low) all.low = c.low;
            if (c.high > all.high) all.high = c.high;
        }
        moved |= tighten(&b[r], all.low, all.high);
    }
    return moved;
}

void prove_set_bounded(struct mcts *m, struct tree_node *n, bool solved)
{
    if (!__atomic_load_n(&m->bounded, __ATOMIC_RELAXED))
        __atomic_store_n(&m->bounded, true, __ATOMIC_RELAXED);
    node_set_flags(n, NODE_BOUNDED | (solved ? NODE_SOLVED : 0));
}

/* Its bounds have moved. */
static void note_bounds(struct mcts *m, struct tree_node *n)
{
    const struct bound *b = node_bounds(m->tree, n);
    bool solved = true;
    for (uint32_t r = 0; r < m->nroles; r++) solved &= bound_is_value(bound_read(&b[r]));
    prove_set_bounded(m, n, solved);
}

bool prove_update(struct mcts *m, uint32_t node, struct prover *p)
{
    struct tree_node *n = tree_node(m->tree, node);
    bool turn = n->mover != NO_MOVER;
    bool moved = turn ? update_turn(m, n) : m->constant_sum ? update_duel(m, n, p) : update_crowd(m, n);
    if (!moved) return false;
    if (turn && bound_is_value(bound_read(&node_bounds(m->tree, n)[n->mover]))) count_plies(m, n, n->mover);
    note_bounds(m, n);
    return true;
}

bool prove_outlook(struct mcts *m, uint32_t node, const int16_t *ranges)
{
    struct tree_node *n = tree_node(m->tree, node);
    struct bound *b = node_bounds(m->tree, n);
    bool moved = false;
    for (uint32_t r = 0; r < m->nroles; r++) {
        if (ranges[2 * r] > ranges[2 * r + 1]) continue; /* no end can be reached */
        moved |= tighten(&b[r], ranges[2 * r], ranges[2 * r + 1]);
        if (moved && m->constant_sum) share_out(m, b, r);
    }
    if (moved) note_bounds(m, n);
    if (moved && node_flags(n) & NODE_SOLVED) __atomic_store_n(&n->plies, SOME_DAY, __ATOMIC_RELAXED);
    return moved;
}
