// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/prove.h"

#include "search/bound.h"
#include "search/driver_internal.h"
#include "search/tidings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 4096    /* of a duel; larger ones stay open */
#define NEARLY_SOLVED 1.0f /* play the mixture when the bounds are no further apart */

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

static struct bound bound_of(const struct tree *t, uint32_t node, uint32_t role)
{
    return node ? bound_read(node_bounds(t, tree_node(t, node)) + role) : t->widest[role];
}

/* Do other searches of the same root tell what they know of this node's moves? */
static bool has_tidings(const struct mcts *m, const struct tree_node *n)
{
    return m->tidings && n == tree_node(m->tree, m->tree->root);
}

/* What a joint move of a node is known to bring, by its child or from others. */
static struct bound bound_there(const struct mcts *m, const struct tree_node *n, uint32_t child,
                                uint32_t joint, uint32_t role)
{
    struct bound b = bound_of(m->tree, child, role);
    if (has_tidings(m, n)) {
        struct bound told = tidings_bound(m->tidings, joint, role);
        if (told.low > b.low) b.low = told.low;
        if (told.high < b.high) b.high = told.high;
    }
    return b;
}

/* Move i of the only role with a choice: its number among the joint moves is the same. */
static struct bound move_bound(const struct mcts *m, const struct tree_node *n, const struct tree_action *a,
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
        struct bound b = move_bound(m, n, a, i, role);
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
            if (move_bound(m, n, a, i, mover).high < sure) continue; /* equal ones he may choose */
            struct bound c = move_bound(m, n, a, i, r);
            if (c.low < all.low) all.low = c.low;
            if (c.high > all.high) all.high = c.high;
        }
        if (all.low <= all.high) moved |= tighten(&b[r], all.low, all.high);
    }
    return moved;
}

/* Moves to the end after move i, whose value is known: by its child, or by others who have proved it. */
static uint32_t plies_after(const struct mcts *m, const struct tree_node *n, const struct tree_action *a,
                            uint32_t i)
{
    const struct tree_node *c = child_of(&a[i]) ? tree_node(m->tree, child_of(&a[i])) : NULL;
    if (has_tidings(m, n) && !(c && node_flags(c) & NODE_SOLVED)) return tidings_plies(m->tidings, i);
    return c ? count_of(&c->plies) : 0;
}

static void count_plies(const struct mcts *m, struct tree_node *n, uint32_t mover)
{
    const struct tree *t = m->tree;
    const struct tree_action *a = node_action(t, n, mover);
    uint32_t count = node_actions(t, n, mover), least = UINT32_MAX, most = 0;
    struct bound b = bound_read(&node_bounds(t, n)[mover]);
    for (uint32_t i = 0; i < count; i++) {
        struct bound c = move_bound(m, n, a, i, mover);
        if (!bound_is_value(c) || fabsf(c.low - b.low) > BOUND_NEAR) continue;
        uint32_t plies = plies_after(m, n, a, i);
        if (plies < least) least = plies;
        if (plies > most) most = plies;
    }
    /* who wins hurries, everybody else does not */
    bool hurry = b.low >= t->widest[mover].high - BOUND_NEAR && least < UINT32_MAX;
    __atomic_store_n(&n->plies, 1 + (hurry ? least : most), __ATOMIC_RELAXED);
}

static bool update_turn(struct mcts *m, struct tree_node *n, bool *outed)
{
    struct tree *t = m->tree;
    uint32_t mover = n->mover, count = node_actions(t, n, mover);
    struct tree_action *a = node_action(t, n, mover);
    struct bound *b = node_bounds(t, n), now = {t->widest[mover].low, -INFINITY};
    float sure = mean_of(&b[mover].low);
    for (uint32_t i = 0; i < count; i++) {
        /* what is out brings no more than is sure already */
        struct bound c =
            action_is(&a[i], ACTION_OUT) ? (struct bound){sure, sure} : move_bound(m, n, a, i, mover);
        if (c.low > now.low) now.low = c.low;
        if (c.high > now.high) now.high = c.high;
    }
    bool moved = tighten(&b[mover], now.low, now.high);
    sure = mean_of(&b[mover].low);
    uint32_t keep = hopeful(m, n, mover);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = child_of(&a[i]);
        if (!child && !has_tidings(m, n)) continue;
        if (i != keep && move_bound(m, n, a, i, mover).high <= sure && !action_is(&a[i], ACTION_OUT)) {
            action_mark(&a[i], ACTION_OUT);
            *outed = true;
        }
        if (child && node_flags(tree_node(t, child)) & NODE_SOLVED) action_mark(&a[i], ACTION_SETTLED);
    }
    if (m->nroles == 1) return moved;
    if (m->constant_sum) return moved | share_out(m, b, mover);
    return moved | hull(m, n, mover);
}

/* The matrices of a node where two choose at once, in the prover's room. NULL: too large, or no memory. */
static struct duel *lay_out(const struct mcts *m, struct tree_node *n, struct prover *p)
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
        struct bound c = bound_of(t, child, 0);
        duel_set(d, joint / columns, joint % columns, (double)c.low, (double)c.high);
    }
    for (uint32_t joint = 0; has_tidings(m, n) && joint < rows * columns; joint++) {
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
    struct duel *d = lay_out(m, n, p);
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
            struct bound c = bound_of(t, edge_child(&t->edges[e]), r);
            if (c.low < all.low) all.low = c.low;
            if (c.high > all.high) all.high = c.high;
        }
        moved |= tighten(&b[r], all.low, all.high);
    }
    return moved;
}

static void set_bounded(struct mcts *m, struct tree_node *n, bool solved)
{
    if (!(node_flags(n) & NODE_BOUNDED)) __atomic_fetch_add(&m->bounded, 1, __ATOMIC_RELAXED);
    node_set_flags(n, NODE_BOUNDED | (solved ? NODE_SOLVED : 0));
}

/* Work out a node's bounds from its children's. `outed`: a move is out that was not before. */
static bool update(struct mcts *m, uint32_t node, struct prover *p, bool *outed)
{
    struct tree_node *n = tree_node(m->tree, node);
    bool turn = n->mover != NO_MOVER;
    bool moved = turn              ? update_turn(m, n, outed)
                 : m->constant_sum ? update_duel(m, n, p)
                                   : update_crowd(m, n);
    if (!moved) return false;
    struct bound *b = node_bounds(m->tree, n);
    bool solved = true;
    for (uint32_t r = 0; r < m->nroles; r++) solved &= bound_is_value(bound_read(&b[r]));
    if (turn && bound_is_value(bound_read(&b[n->mover]))) count_plies(m, n, n->mover);
    set_bounded(m, n, solved);
    return true;
}

/* --- Other searches of the same root ----------------------------------------------------------------------
 */

static uint32_t joint_of(const struct mcts *m, const uint32_t *choice)
{
    uint32_t joint = 0;
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    for (uint32_t r = 0; r < m->nroles; r++) joint = joint * node_actions(m->tree, root, r) + choice[r];
    return joint;
}

static void choice_of(const struct mcts *m, uint32_t joint, uint32_t *choice)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    for (uint32_t r = m->nroles; r-- > 0; joint /= node_actions(m->tree, root, r))
        choice[r] = joint % node_actions(m->tree, root, r);
}

/* What is known of a child of the root, and of the root. */
static void tell_others(struct mcts *m, uint32_t joint, uint32_t child)
{
    struct tree *t = m->tree;
    struct tree_node *c = tree_node(t, child), *root = tree_node(t, t->root);
    if (node_flags(c) & NODE_BOUNDED) tidings_tell(m->tidings, joint, node_bounds(t, c), count_of(&c->plies));
    if (node_flags(root) & NODE_BOUNDED)
        tidings_tell(m->tidings, TIDINGS_ROOT, node_bounds(t, root), count_of(&root->plies));
}

void prove_tell(struct mcts *m)
{
    uint32_t choice[MCTS_MAX_ROLES];
    for (uint32_t joint = 0; m->tidings && joint < tidings_joints(m->tidings); joint++) {
        choice_of(m, joint, choice);
        uint32_t child = tree_child(m->tree, m->tree->root, choice);
        if (child) tell_others(m, joint, child);
    }
}

/* A node of ours that others know more about. */
static bool learn(struct mcts *m, uint32_t node, uint32_t joint)
{
    struct tree_node *n = tree_node(m->tree, node);
    struct bound *b = node_bounds(m->tree, n);
    bool moved = false, solved = true;
    for (uint32_t r = 0; r < m->nroles; r++) {
        moved |= bound_tighten(&b[r], tidings_bound(m->tidings, joint, r));
        solved &= bound_is_value(bound_read(&b[r]));
    }
    if (!moved) return false;
    if (solved && !(node_flags(n) & NODE_SOLVED))
        __atomic_store_n(&n->plies, tidings_plies(m->tidings, joint), __ATOMIC_RELAXED);
    set_bounded(m, n, solved);
    return true;
}

/* The mean of the move that leads to a child whose value is known now. */
static void know_mean(struct mcts *m, struct tree_node *root, uint32_t action, uint32_t child)
{
    struct tree_action *a = node_action(m->tree, root, root->mover) + action;
    if (node_flags(tree_node(m->tree, child)) & NODE_SOLVED && count_of(&a->n))
        mean_set(&a->mean, bound_of(m->tree, child, root->mover).low);
}

void prove_hear(struct mcts *m, struct prover *p)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    uint32_t choice[MCTS_MAX_ROLES];
    bool outed = false;
    m->heard = tidings_count(m->tidings);
    for (uint32_t joint = 0; joint < tidings_joints(m->tidings); joint++) {
        choice_of(m, joint, choice);
        uint32_t child = tree_child(m->tree, m->tree->root, choice);
        if (!child || !learn(m, child, joint)) continue;
        if (root->mover != NO_MOVER) know_mean(m, root, choice[root->mover], child);
    }
    if (root->mover == NO_MOVER) count_add(m->tree, &root->changes, tidings_joints(m->tidings));
    learn(m, m->tree->root, TIDINGS_ROOT);
    if (update(m, m->tree->root, p, &outed))
        tidings_tell(m->tidings, TIDINGS_ROOT, node_bounds(m->tree, root), count_of(&root->plies));
    __atomic_store_n(&m->settled, prove_settled(m), __ATOMIC_RELAXED);
}

/* --- The path ------------------------------------------------------------------------------------------- */

/* Does the node not know yet what its child is worth? */
static bool is_news(struct mcts *m, uint32_t node, uint32_t child, const uint32_t *choice)
{
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, node);
    uint32_t flags = node_flags(tree_node(t, child));
    if (!(flags & NODE_BOUNDED)) return false;
    if (n->mover != NO_MOVER) {
        const struct tree_action *a = node_action(t, n, n->mover) + choice[n->mover];
        if (action_is(a, ACTION_OUT | ACTION_SETTLED)) return false;
        struct bound b = bound_of(t, node, n->mover), c = bound_of(t, child, n->mover);
        return flags & NODE_SOLVED || c.low > b.low || c.high < b.high;
    }
    struct tree_edge *e = tree_edge(t, node, choice);
    struct bound c = bound_of(t, child, 0);
    uint32_t told = (uint32_t)(int32_t)(c.low * 64) * 31u + (uint32_t)(int32_t)(c.high * 64) + 1;
    if (!e || count_of(&e->told) == told) return false;
    __atomic_store_n(&e->told, told, __ATOMIC_RELAXED);
    count_add(t, &n->changes, 1);
    return true;
}

/* What the moves that are left of a node have brought its mover; false: nothing is known of them, or none is
 * out. */
static bool mean_of_rest(const struct tree *t, struct tree_node *n, float *mean)
{
    const struct tree_action *a = node_action(t, n, n->mover);
    uint32_t count = node_actions(t, n, n->mover);
    double sum = 0, visits = 0;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (action_is(&a[i], ACTION_OUT)) {
            any = true;
            continue;
        }
        sum += (double)count_of(&a[i].n) * (double)mean_of(&a[i].mean);
        visits += count_of(&a[i].n);
    }
    if (visits > 0) *mean = (float)(sum / visits);
    return any && visits > 0;
}

/* The means of a node's actions that led to `child` become what is known of it now; what that shifts them by
 * is passed on to the node above, for as many visits. */
struct shift {
    float by[MCTS_MAX_ROLES];
    float visits;
};

static void correct(struct flight *f, uint32_t step, uint32_t child, bool anew, struct shift *shift)
{
    const struct mcts *m = f->hand->search;
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, f->path[step]), *c = tree_node(t, child);
    float rest = 0, visits = 0;
    bool known = anew && (node_flags(c) & NODE_SOLVED);
    bool partly = anew && !known && m->constant_sum && c->mover < 2 && mean_of_rest(t, c, &rest);
    uint32_t mover = n->mover;
    if (mover != NO_MOVER)
        visits = (float)count_of(&node_action(t, n, mover)[f->choice[(size_t)step * m->nroles + mover]].n);
    float share = visits > shift->visits ? shift->visits / visits : 1;
    for (uint32_t r = 0; r < m->nroles && visits > 0; r++) {
        struct tree_action *a = node_action(t, n, r) + f->choice[(size_t)step * m->nroles + r];
        struct bound b = bound_of(t, child, r);
        float mean = mean_of(&a->mean), target = mean + (shift->visits > 0 ? shift->by[r] * share : 0);
        if (known) target = b.low;
        if (partly) target = r == c->mover ? rest : (float)m->sum - rest;
        if (target < b.low) target = b.low;
        if (target > b.high) target = b.high;
        shift->by[r] = target - mean;
        mean_set(&a->mean, target);
    }
    shift->visits = visits;
}

/* From the end of the path up. `anew`: the child is not what it was, its bounds or what is left of its moves.
 */
static void tell_path(struct flight *f, uint32_t last, bool anew)
{
    struct mcts *m = f->hand->search;
    struct prover *p = &f->hand->driver->prover;
    struct shift shift = {.visits = 0};
    uint32_t child = last;
    for (uint32_t step = f->tree_steps; step-- > 0; child = f->path[step]) {
        uint32_t node = f->path[step];
        if (!node) return; /* collected meanwhile */
        if (!child) continue;
        bool news = is_news(m, node, child, f->choice + (size_t)step * m->nroles), outed = false,
             moved = false;
        if (news || anew || shift.visits > 0) correct(f, step, child, news || anew, &shift);
        if (news) moved = update(m, node, p, &outed);
        if (moved && step == 0) __atomic_store_n(&m->settled, prove_settled(m), __ATOMIC_RELAXED);
        if (news && step == 0 && m->tidings) tell_others(m, joint_of(m, f->choice), child);
        anew = moved || outed;
    }
}

void prove_path(struct flight *f, uint32_t last)
{
    tell_path(f, last, false);
}

/* --- Scouting ------------------------------------------------------------------------------------------- */

#define MOST_SCOUTED 512 /* joint moves; more of them cost more than they tell */

/* An ended child becomes a node, if it is none yet. */
static bool plant(struct mcts *m, uint32_t node, const uint32_t *choice, const struct place *p)
{
    struct tree *t = m->tree;
    struct state s = {.w = (uint64_t *)p->state, .words = p->words, .cap = p->words};
    uint64_t hash = state_hash(&s);
    static const struct list none[MCTS_MAX_ROLES];
    float goals[MCTS_MAX_ROLES];
    if (tree_child(t, node, choice)) return false;
    uint32_t child = tree_find(t, p->state, p->words, hash);
    if (!child) child = tree_add(t, p->state, p->words, hash, true, none);
    if (!child) return false;
    for (uint32_t r = 0; r < m->nroles; r++) goals[r] = p->goals[r];
    if (!(node_flags(tree_node(t, child)) & NODE_GOALS)) node_set_goals(t, tree_node(t, child), goals);
    prove_end(m, child);
    tree_link(t, node, choice, child);
    return true;
}

void prove_scout(struct flight *f, uint32_t node)
{
    struct mcts *m = f->hand->search;
    struct tree *t = m->tree;
    struct driver *d = f->hand->driver;
    struct tree_node *n = tree_node(t, node);
    struct place place = {.state = node_state(n), .words = n->words, .joints = 1};
    struct error ignored;
    struct fan fan;
    bool any = false;
    node_set_flags(n, NODE_SCOUTED);
    for (uint32_t r = 0; r < m->nroles; r++) {
        place.joints *= node_actions(t, n, r);
        if (place.joints > MOST_SCOUTED || place.joints == 0) return;
    }
    if (!d->prover.expander) d->prover.expander = expander_new(d->world->reasoner, d->code, &ignored);
    if (!d->prover.expander || !fan_open(d->prover.expander, &place, &fan, &ignored)) return;
    for (uint32_t i = 0; i < fan.n && fan.n == place.joints; i++) {
        uint32_t choice[MCTS_MAX_ROLES];
        bool same = true; /* the fan's moves are the node's, in the same order */
        if (!fan.child[i].end) continue;
        for (uint32_t r = 0; r < m->nroles; r++) {
            choice[r] = i / fan.stride[r] % fan.count[r];
            same &= node_action(t, tree_node(t, node), r)[choice[r]].move == fan.moves[r][choice[r]];
        }
        if (same) any |= plant(m, node, choice, &fan.child[i]);
        if (same && m->constant_sum) count_add(t, &tree_node(t, node)->changes, 1);
    }
    fan_close(d->prover.expander, &fan);
    bool outed = false, moved = any && update(m, node, &d->prover, &outed);
    if (moved && f->tree_steps == 0) {
        __atomic_store_n(&m->settled, prove_settled(m), __ATOMIC_RELAXED);
        prove_tell(m);
    }
    if (moved || outed) tell_path(f, node, true);
}

/* --- The root ------------------------------------------------------------------------------------------- */

bool prove_is_on(const struct mcts *m)
{
    return m->tree->with_bounds && m->opt.solver != SOLVER_OFF;
}

float prove_least(const struct mcts *m, uint32_t role)
{
    return m->tree->widest ? m->tree->widest[role].low : 0;
}

float prove_most(const struct mcts *m, uint32_t role)
{
    return m->tree->widest ? m->tree->widest[role].high : 100;
}

struct bound prove_root(const struct mcts *m, uint32_t role)
{
    if (!prove_is_on(m) || !m->tree->root) return (struct bound){0, 100};
    return bound_of(m->tree, m->tree->root, role);
}

bool prove_settled(const struct mcts *m)
{
    const struct tree *t = m->tree;
    if (!t->with_bounds || m->opt.solver == SOLVER_OFF || !t->root) return false;
    struct tree_node *n = tree_node(t, t->root);
    const struct bound *b = node_bounds(t, n);
    if (node_flags(n) & NODE_SOLVED) return true;
    return n->mover != NO_MOVER && bound_is_value(bound_read(&b[n->mover]));
}

struct bound prove_action(const struct mcts *m, uint32_t role, uint32_t action, uint32_t *plies, bool *solved)
{
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, t->root);
    struct bound wide = t->widest ? t->widest[role] : (struct bound){0, 100};
    *solved = false;
    *plies = 0;
    if (!prove_is_on(m) || n->mover == NO_MOVER || role != n->mover) return wide;
    const struct tree_action *a = node_action(t, n, role);
    if (!child_of(&a[action]) && !m->tidings) return wide;
    struct bound b = move_bound(m, n, a, action, role);
    *solved = bound_is_value(b);
    if (*solved) *plies = plies_after(m, n, a, action) + 1;
    return b;
}

bool prove_mixture(const struct mcts *m, uint32_t role, double *share)
{
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, t->root);
    if (!t->with_bounds || !m->constant_sum || n->mover != NO_MOVER || m->opt.solver == SOLVER_OFF)
        return false;
    struct bound b = bound_read(node_bounds(t, n));
    if (b.high - b.low > NEARLY_SOLVED) return false;
    struct prover p = {0};
    struct duel *d = lay_out(m, n, &p);
    bool ok = d && duel_strategies(d, &p.work, role == 0, role == 0 ? share : NULL, role == 0 ? NULL : share);
    prover_done(&p);
    return ok;
}
