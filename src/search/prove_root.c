// SPDX-License-Identifier: GPL-3.0-or-later
/* What is proved of the root, by this search and by others of the same position. */
#include "search/prove_internal.h"

#include <stdlib.h>

#define NEARLY_SOLVED 1.0f /* play the mixture when the bounds are no further apart */

/* --- Other searches of the same root -------------------------------------------------------------------- */

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

void prove_tell_child(struct mcts *m, const uint32_t *choice, uint32_t child)
{
    uint32_t joint = joint_of(m, choice);
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
        if (child) prove_tell_child(m, choice, child);
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
    prove_set_bounded(m, n, solved);
    return true;
}

/* The mean of the move that leads to a child whose value is known now. */
static void know_mean(struct mcts *m, struct tree_node *root, uint32_t action, uint32_t child)
{
    struct tree_action *a = node_action(m->tree, root, root->mover) + action;
    if (node_flags(tree_node(m->tree, child)) & NODE_SOLVED && count_of(&a->n))
        mean_set(&a->mean, prove_bound(m->tree, child, root->mover).low);
}

void prove_hear(struct mcts *m, struct prover *p)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    uint32_t choice[MCTS_MAX_ROLES];
    m->heard = tidings_count(m->tidings);
    for (uint32_t joint = 0; joint < tidings_joints(m->tidings); joint++) {
        choice_of(m, joint, choice);
        uint32_t child = tree_child(m->tree, m->tree->root, choice);
        if (!child || !learn(m, child, joint)) continue;
        if (root->mover != NO_MOVER) know_mean(m, root, choice[root->mover], child);
    }
    if (root->mover == NO_MOVER) count_add(m->tree, &root->changes, tidings_joints(m->tidings));
    learn(m, m->tree->root, TIDINGS_ROOT);
    if (prove_update(m, m->tree->root, p))
        tidings_tell(m->tidings, TIDINGS_ROOT, node_bounds(m->tree, root), count_of(&root->plies));
    __atomic_store_n(&m->settled, prove_settled(m), __ATOMIC_RELAXED);
}

/* --- Somebody who has looked at nothing but the end ------------------------------------------------------
 */

void prove_assure(struct mcts *m, uint32_t role, float sure, const uint32_t *keep, uint32_t n)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    struct tree_action *a = node_action(m->tree, root, role);
    if (!prove_is_on(m) || root->mover != role || n == 0) return;
    struct bound known = {sure, prove_most(m, role)};
    if (bound_tighten(&node_bounds(m->tree, root)[role], known)) prove_set_bounded(m, root, false);
    for (uint32_t i = 0; i < node_actions(m->tree, root, role); i++) {
        uint32_t k = 0;
        while (k < n && keep[k] != a[i].move) k++;
        if (k == n)
            action_mark(&a[i], ACTION_OUT);
        else /* whoever marked it before knew of another that is as good, which may be out now */
            __atomic_fetch_and(&a[i].pending, ~(uint32_t)ACTION_OUT, __ATOMIC_RELAXED);
    }
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
    return prove_bound(m->tree, m->tree->root, role);
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
    struct bound b = prove_move_bound(m, n, a, action, role);
    *solved = bound_is_value(b);
    if (*solved) *plies = prove_plies_after(m, n, a, action) + 1;
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
    struct duel *d = prove_lay_out(m, n, &p);
    bool ok = d && duel_strategies(d, &p.work, role == 0, role == 0 ? share : NULL, role == 0 ? NULL : share);
    prover_done(&p);
    return ok;
}
