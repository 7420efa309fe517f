// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/mirror.h"

#include "analysis/symmetry.h"

/* Is a state what becomes of it? Most are not, which the first bits tell. */
static bool is_own_image(const uint64_t *state, uint32_t words, const uint32_t *bit)
{
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = state[w]; left; left &= left - 1) {
            uint32_t goes = bit[w * 64 + (uint32_t)__builtin_ctzll(left)];
            if (!(state[goes / 64] >> goes % 64 & 1)) return false;
        }
    return true;
}

void mirror_prune(const struct mcts *m, uint32_t node)
{
    const struct symmetry *s = m->opt.symmetry;
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, node);
    if (!m->constant_sum || node_flags(n) & (NODE_TERMINAL | NODE_FOLDED) || n->mover == NO_MOVER) return;
    uint32_t role = n->mover, count = node_actions(t, n, role), first = s->first_move[role];
    struct tree_action *a = node_action(t, n, role);
    if (count < 2) return;
    for (uint32_t k = 0; k < s->n; k++) {
        if (!is_own_image(node_state(n), n->words, s->bit[k])) continue;
        for (uint32_t i = 0; i < count; i++) /* the images of a legal move are legal: the least is left */
            if (s->move[k][first + a[i].move] < first + a[i].move) action_mark(&a[i], ACTION_OUT);
    }
}
