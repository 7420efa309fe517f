// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/implicit.h"

#include "search/driver_internal.h"
#include "search/judgement.h"

/* A line of the cache that all threads read is written to only if something is new. */
static void set_lead(float *at, float lead)
{
    if (mean_of(at) != lead) mean_set(at, lead);
}

void implicit_begin(const struct mcts *m, uint32_t node)
{
    struct tree_node *n = tree_node(m->tree, node);
    struct lead *l = node_lead(m->tree, n);
    if (node_flags(n) & NODE_TERMINAL || mean_of(&l->seen) >= 0) return;
    float lead = judgement_lead(m->opt.judgement, node_state(n), n->words);
    float unknown = -1;
    mean_set(&l->seen, lead);
    /* whoever was here meanwhile knows more */
    __atomic_compare_exchange(&l->backed, &unknown, &lead, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* What is known of a node; negative: nothing. */
static float lead_of(const struct mcts *m, struct tree_node *n)
{
    const struct tree *t = m->tree;
    uint32_t flags = node_flags(n);
    if (flags & NODE_SOLVED) {
        const struct bound *b = node_bounds(t, n);
        return judgement_lead_of(mean_of(&b[0].low), mean_of(&b[1].low));
    }
    if (flags & NODE_GOALS) return judgement_lead_of((float)node_goal(t, n, 0), (float)node_goal(t, n, 1));
    return mean_of(&node_lead(t, n)->backed);
}

void implicit_look(const struct mcts *m, struct tree_node *n, uint32_t action, const struct place *child)
{
    float *lead = node_leads(m->tree, n, n->mover) + action;
    if (mean_of(lead) >= 0) return;
    if (!child->end)
        mean_set(lead, judgement_lead(m->opt.judgement, child->state, child->words));
    else if (child->goals[0] >= 0 && child->goals[1] >= 0)
        mean_set(lead, judgement_lead_of(child->goals[0], child->goals[1]));
}

void implicit_update(const struct mcts *m, struct tree_node *n)
{
    const struct tree *t = m->tree;
    uint32_t mover = n->mover, count = node_actions(t, n, mover);
    const struct tree_action *a = node_action(t, n, mover);
    const float *leads = node_leads(t, n, mover);
    float best = -1;
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        float lead = mean_of(&leads[i]);
        if (action_is(&a[i], ACTION_OUT)) continue;
        if (lead < 0)
            all = false;
        else if (implicit_for(mover, lead) > best)
            best = implicit_for(mover, lead);
    }
    float seen = mean_of(&node_lead(t, n)->seen);
    if (!all && seen >= 0 && implicit_for(mover, seen) > best) best = implicit_for(mover, seen);
    if (best >= 0) set_lead(&node_lead(t, n)->backed, implicit_for(mover, best));
}

void implicit_back_up(struct flight *f)
{
    const struct mcts *m = f->hand->search;
    const struct tree *t = m->tree;
    for (uint32_t step = f->tree_steps; step-- > 0;) {
        if (!f->path[step]) continue; /* collected meanwhile */
        struct tree_node *n = tree_node(t, f->path[step]);
        const uint32_t *choice = f->choice + (size_t)step * m->nroles;
        if (n->mover == NO_MOVER) continue;
        uint32_t child = tree_child(t, f->path[step], choice);
        if (!child) continue;
        float lead = lead_of(m, tree_node(t, child));
        if (lead >= 0) set_lead(node_leads(t, n, n->mover) + choice[n->mover], lead);
        implicit_update(m, n);
    }
}

float implicit_root(const struct mcts *m, uint32_t role, uint32_t action)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    if (!implicit_is_on(m) || root->mover != role) return -1;
    float lead = mean_of(node_leads(m->tree, root, role) + action);
    return lead < 0 ? lead : implicit_for(role, lead);
}
