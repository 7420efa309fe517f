// SPDX-License-Identifier: GPL-3.0-or-later
/* GRAVE (Cazenave, Generalized Rapid Action Value Estimation, 2015): a position that was seen a few times
 * knows next to nothing of its moves, the one it came from knows what became of the same moves in many
 * simulations. */
#include "search/ledger.h"

#include <stdlib.h>

static bool reserve(struct hand *h, uint32_t n)
{
    if (n <= h->borrowed_cap) return true;
    struct rave *grown = realloc(h->borrowed, 2 * n * sizeof *grown);
    if (!grown) return false;
    h->borrowed = grown;
    h->borrowed_cap = 2 * n;
    return true;
}

/* Engines list moves in the order of their numbers; where one does not, some are not found. */
const struct rave *grave_borrow(struct hand *h, struct tree_node *node, struct tree_node *elder,
                                uint32_t role)
{
    const struct tree *t = h->search->tree;
    uint32_t n = node_actions(t, node, role), known = node_actions(t, elder, role), k = 0;
    if (!reserve(h, n)) return NULL;
    const struct tree_action *here = node_action(t, node, role), *there = node_action(t, elder, role);
    const struct rave *rave = tally_of(h, elder).rave + node_first(t, elder)[role];
    for (uint32_t i = 0; i < n; i++) {
        while (k < known && there[k].move < here[i].move) k++;
        bool found = k < known && there[k].move == here[i].move;
        h->borrowed[i] = found ? (struct rave){.n = count_of(&rave[k].n), .mean = mean_of(&rave[k].mean)}
                               : (struct rave){0};
    }
    return h->borrowed;
}
