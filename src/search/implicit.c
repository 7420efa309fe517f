// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/implicit.h"

#include "search/driver_internal.h"
#include "search/judgement.h"

#include <math.h>

#define LATELY 0.1f /* least weight of what is new, where both choose at once */

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

/* --- Both at once ----------------------------------------------------------------------------------------
 */

void implicit_look_at_once(const struct mcts *m, struct tree_node *n, const struct fan *fan)
{
    float sum[2][IMPLICIT_ACTIONS] = {{0}};
    uint32_t known[2][IMPLICIT_ACTIONS] = {{0}};
    if (fan->count[0] > IMPLICIT_ACTIONS || fan->count[1] > IMPLICIT_ACTIONS) return;
    for (uint32_t i = 0; i < fan->n; i++) {
        const struct place *c = &fan->child[i];
        float lead = c->end ? judgement_lead_of(c->goals[0], c->goals[1])
                            : judgement_lead(m->opt.judgement, c->state, c->words);
        if (c->end && (c->goals[0] < 0 || c->goals[1] < 0)) continue;
        for (uint32_t r = 0; r < 2; r++) {
            uint32_t action = i / fan->stride[r] % fan->count[r];
            sum[r][action] += lead;
            known[r][action]++;
        }
    }
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t a = 0; a < fan->count[r]; a++) {
            float *lead = node_leads(m->tree, n, r) + a;
            if (known[r][a] && mean_of(lead) < 0) mean_set(lead, sum[r][a] / (float)known[r][a]);
        }
}

/* What each can have against what the other does, which need not meet. */
static void update_at_once(const struct mcts *m, struct tree_node *n)
{
    const struct tree *t = m->tree;
    float best[2] = {-1, -1};
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t i = 0; i < node_actions(t, n, r); i++) {
            if (action_is(node_action(t, n, r) + i, ACTION_OUT)) continue;
            float lead = mean_of(node_leads(t, n, r) + i);
            if (lead >= 0 && implicit_for(r, lead) > best[r]) best[r] = implicit_for(r, lead);
        }
    if (best[0] >= 0 && best[1] >= 0)
        set_lead(&node_lead(t, n)->backed, (best[0] + implicit_for(1, best[1])) / 2);
}

/* An action is worth the mean of what it led to, later ones counting more as these know more. */
static void add_at_once(const struct mcts *m, struct tree_node *n, const uint32_t *choice, float lead)
{
    for (uint32_t r = 0; r < 2; r++) {
        float *at = node_leads(m->tree, n, r) + choice[r], before = mean_of(at);
        float visits = (float)count_of(&node_action(m->tree, n, r)[choice[r]].n);
        float weight = fmaxf(1 / (visits + 1), LATELY);
        mean_set(at, before < 0 ? lead : before + weight * (lead - before));
    }
}

void implicit_update(const struct mcts *m, struct tree_node *n)
{
    const struct tree *t = m->tree;
    if (n->mover == NO_MOVER) {
        update_at_once(m, n);
        return;
    }
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
        uint32_t child = tree_child(t, f->path[step], choice);
        if (!child) continue;
        float lead = lead_of(m, tree_node(t, child));
        if (lead >= 0 && n->mover == NO_MOVER)
            add_at_once(m, n, choice, lead);
        else if (lead >= 0)
            set_lead(node_leads(t, n, n->mover) + choice[n->mover], lead);
        implicit_update(m, n);
    }
}

float implicit_root(const struct mcts *m, uint32_t role, uint32_t action)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    if (!implicit_is_on(m) || (root->mover != role && root->mover != NO_MOVER)) return -1;
    float lead = mean_of(node_leads(m->tree, root, role) + action);
    return lead < 0 ? lead : implicit_for(role, lead);
}
