// SPDX-License-Identifier: GPL-3.0-or-later
/* What the search has to say: moves at the root, the expected line, the move to play. */
#include "search/mcts.h"

#include <stdlib.h>

static int by_visits(const void *a, const void *b)
{
    const struct mcts_move *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    if (x->mean != y->mean) return x->mean > y->mean ? -1 : 1;
    return x->move < y->move ? -1 : x->move > y->move;
}

uint32_t mcts_moves(struct mcts *m, uint32_t role, struct mcts_move *out, uint32_t room)
{
    struct tree_node *n = tree_node(m->tree, m->tree->root);
    uint32_t count = node_actions(m->tree, n, role);
    const struct tree_action *a = node_action(m->tree, n, role);
    struct mcts_move *all = count <= room ? out : malloc(count * sizeof *all);
    if (!all) return 0;
    for (uint32_t i = 0; i < count; i++) {
        all[i] = (struct mcts_move){.move = a[i].move, .n = a[i].n, .mean = a[i].mean};
        if (m->single) all[i].best = node_best(m->tree, n, role)[i];
        if (m->opt.rave) all[i].rave = node_rave(m->tree, n, role)[i].mean;
    }
    qsort(all, count, sizeof *all, by_visits);
    if (all != out) {
        for (uint32_t i = 0; i < room; i++) out[i] = all[i];
        free(all);
    }
    return count;
}

/* The papers play the move with the best mean; in one-player games the one that led to the best result seen
 * (002 §3.3.5). Ties go to more visits. With RAVE the mean is mixed with it as in the tree: a move tried once
 * and won would otherwise be played, since the search, trusting RAVE, never looked at it again. */
struct verdict {
    float best, value;
    uint32_t n;
};

static struct verdict verdict_of(const struct mcts *m, struct tree_node *node, uint32_t role, uint32_t i)
{
    const struct tree_action *a = node_action(m->tree, node, role) + i;
    struct verdict v = {.value = a->mean, .n = a->n};
    if (m->single && m->opt.tree) v.best = node_best(m->tree, node, role)[i];
    if (m->opt.rave) {
        const struct rave *rave = node_rave(m->tree, node, role) + i;
        float beta = rave->n ? select_beta(m->opt.rave, node->visits) : 0;
        v.value = beta * rave->mean + (1 - beta) * v.value;
    }
    return v;
}

static bool better(const struct mcts *m, struct verdict a, struct verdict b)
{
    if (!a.n != !b.n) return a.n > 0;
    if (a.best != b.best) return a.best > b.best;
    if (m->opt.by_visits && a.n != b.n) return a.n > b.n;
    if (a.value != b.value) return a.value > b.value;
    return a.n > b.n;
}

bool mcts_best(struct mcts *m, uint32_t role, uint32_t *move)
{
    if (!m->tree->root) return false;
    struct tree_node *n = tree_node(m->tree, m->tree->root);
    uint32_t count = node_actions(m->tree, n, role), best = 0;
    if (count == 0) return false;
    for (uint32_t i = 1; i < count; i++)
        if (better(m, verdict_of(m, n, role, i), verdict_of(m, n, role, best))) best = i;
    *move = node_action(m->tree, n, role)[best].move;
    return true;
}

uint32_t mcts_line(struct mcts *m, uint32_t *moves, uint32_t max_steps)
{
    uint32_t node = m->tree->root, steps = 0, choice[MCTS_MAX_ROLES];
    while (node && steps < max_steps) {
        struct tree_node *n = tree_node(m->tree, node);
        if ((n->flags & NODE_TERMINAL) || n->visits == 0) break;
        bool seen = true;
        for (uint32_t r = 0; r < m->nroles; r++) {
            uint32_t count = node_actions(m->tree, n, r), best = 0;
            const struct tree_action *a = node_action(m->tree, n, r);
            for (uint32_t i = 1; i < count; i++)
                if (a[i].n > a[best].n) best = i;
            seen &= count > 0 && a[best].n > 0;
            choice[r] = best;
            if (count) moves[steps * m->nroles + r] = a[best].move;
        }
        if (!seen) break;
        steps++;
        node = m->opt.tree ? tree_child(m->tree, node, choice) : 0;
    }
    return steps;
}

float mcts_value(struct mcts *m, uint32_t role)
{
    if (!m->tree->root) return 50;
    struct tree_node *n = tree_node(m->tree, m->tree->root);
    const struct tree_action *a = node_action(m->tree, n, role);
    double sum = 0, visits = 0;
    for (uint32_t i = 0; i < node_actions(m->tree, n, role); i++)
        sum += (double)a[i].mean * a[i].n, visits += a[i].n;
    return visits > 0 ? (float)(sum / visits) : 50;
}
