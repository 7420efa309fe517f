// SPDX-License-Identifier: GPL-3.0-or-later
/* A simulation on its way back: rewards to the nodes of its path, to RAVE, to the playout policy. */
#include "search/mcts_internal.h"

#include <stdlib.h>
#include <string.h>

void flight_undo_pending(struct mcts *m, struct flight *f)
{
    for (uint32_t t = 0; t < f->tree_steps; t++) {
        if (!f->path[t]) continue; /* collected meanwhile */
        struct tree_node *n = tree_node(m->tree, f->path[t]);
        n->pending--;
        for (uint32_t r = 0; r < m->nroles; r++) {
            struct tree_action *a = node_action(m->tree, n, r) + f->choice[(size_t)t * m->nroles + r];
            if (a->pending) a->pending--;
        }
    }
}

static void count_rave(struct mcts *m, struct tree_node *n, uint32_t role, float reward)
{
    uint32_t count = node_actions(m->tree, n, role);
    if (count < 2) return;
    const struct tree_action *a = node_action(m->tree, n, role);
    struct rave *rave = node_rave(m->tree, n, role);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)a[i].move * m->nroles + role;
        if (at >= m->stamp_cap || m->stamp[at] != m->stamp_now) continue;
        rave[i].n++;
        rave[i].mean += (reward - rave[i].mean) / (float)rave[i].n;
    }
}

static void stamp_move(struct mcts *m, uint32_t role, uint32_t move)
{
    size_t at = (size_t)move * m->nroles + role;
    if (at >= m->stamp_cap) {
        size_t cap = m->stamp_cap ? m->stamp_cap : 1024;
        while (cap <= at) cap *= 2;
        uint32_t *grown = realloc(m->stamp, cap * sizeof *grown);
        if (!grown) return;
        memset(grown + m->stamp_cap, 0, (cap - m->stamp_cap) * sizeof *grown);
        m->stamp = grown;
        m->stamp_cap = (uint32_t)cap;
    }
    m->stamp[at] = m->stamp_now;
}

static void back_up(struct mcts *m, struct flight *f, const float *reward)
{
    float r_now[MCTS_MAX_ROLES];
    memcpy(r_now, reward, m->nroles * sizeof *r_now);
    if (m->opt.rave) m->stamp_now++;
    for (uint32_t t = f->steps; t-- > 0;) {
        for (uint32_t r = 0; r < m->nroles; r++) {
            r_now[r] *= m->opt.discount;
            if (m->opt.rave) stamp_move(m, r, f->moves[(size_t)t * m->nroles + r]);
        }
        if (t >= f->tree_steps || !f->path[t]) continue;
        struct tree_node *n = tree_node(m->tree, f->path[t]);
        n->visits++;
        for (uint32_t r = 0; r < m->nroles; r++) {
            uint32_t choice = f->choice[(size_t)t * m->nroles + r];
            struct tree_action *a = node_action(m->tree, n, r) + choice;
            a->n++;
            a->mean += (r_now[r] - a->mean) / (float)a->n;
            if (m->single) {
                float *best = node_best(m->tree, n, r) + choice;
                if (a->n == 1 || reward[r] > *best) *best = reward[r];
            }
            if (m->opt.rave) count_rave(m, n, r, r_now[r]);
        }
    }
}

/* One-player games: a new best simulation is written into the tree whole, so that it is never forgotten (002
 * §3.3.5). The states are played again, one by one. */
static void keep_path(struct mcts *m, struct flight *f)
{
    struct reasoner *r = m->world->reasoner;
    if (f->tree_steps == 0 || f->tree_steps == f->steps || !m->opt.tree) return;
    uint32_t at = f->path[f->tree_steps - 1];
    struct state now = {0}, next = {0};
    struct list legal = {0};
    bool good = at && state_reserve(&now, tree_node(m->tree, at)->words);
    if (good) {
        now.words = tree_node(m->tree, at)->words;
        memcpy(now.w, node_state(tree_node(m->tree, at)), now.words * sizeof *now.w);
    }
    while (good && f->tree_steps <= f->steps) {
        uint32_t choice = f->choice[f->tree_steps - 1];
        good = r->ops->next(r, &now, &f->moves[f->tree_steps - 1], &next);
        if (!good) break;
        uint64_t hash = state_hash(&next);
        uint32_t node = tree_find(m->tree, next.w, next.words, hash);
        bool terminal = f->tree_steps == f->steps;
        legal.n = 0;
        if (!node) {
            if (terminal && !r->ops->terminal(r, &next, &terminal)) break;
            if (!terminal && !r->ops->legal(r, &next, 0, &legal)) break;
            if (terminal) break; /* ended nodes are made when they are next visited, with their goals */
            node = tree_add(m->tree, next.w, next.words, hash, false, &legal);
            if (node) m->stats.expansions++;
        }
        if (!node) break;
        tree_link(m->tree, at, &choice, node);
        if (f->tree_steps == f->steps) break;
        struct tree_node *n = tree_node(m->tree, node);
        uint32_t count = node_actions(m->tree, n, 0), i = 0;
        struct tree_action *a = node_action(m->tree, n, 0);
        while (i < count && a[i].move != f->moves[f->tree_steps]) i++;
        if (i == count) break;
        f->choice[f->tree_steps] = i;
        f->path[f->tree_steps++] = at = node;
        n->pending++;
        a[i].pending++;
        struct state swap = now;
        now = next;
        next = swap;
    }
    state_done(&now);
    state_done(&next);
    list_done(&legal);
}

/* A simulation has its rewards: learn from it and free the flight. */
void flight_finish(struct mcts *m, struct flight *f, const float *reward)
{
    if (m->single && reward[0] > m->best) {
        m->best = reward[0];
        keep_path(m, f);
    }
    flight_undo_pending(m, f);
    back_up(m, f, reward);
    if (m->records) {
        struct episode e = {.nroles = m->nroles,
                            .steps = f->steps,
                            .tree_steps = f->tree_steps,
                            .moves = f->moves,
                            .forced = f->forced,
                            .reward = reward,
                            .discount = m->opt.discount,
                            .states = m->policy->wants_states && !f->stateless ? f->states : NULL,
                            .state_start = f->state_start,
                            .end = f->end};
        policy_learn(m->policy, &e);
    }
    m->stats.simulations++;
    m->stats.playout_steps += f->playout_steps;
    m->stats.depth_sum += f->tree_steps;
    if (f->tree_steps > m->stats.max_depth) m->stats.max_depth = f->tree_steps;
    f->stage = IDLE;
}

void flight_draw(struct mcts *m, struct flight *f)
{
    float reward[MCTS_MAX_ROLES];
    for (uint32_t r = 0; r < m->nroles; r++) reward[r] = 50;
    flight_finish(m, f, reward);
}
