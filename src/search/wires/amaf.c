// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/amaf.h"

#include "search/ledger.h"

#include <stdlib.h>
#include <string.h>

bool amaf_init(struct amaf *a, const struct code *code)
{
    *a = (struct amaf){.nroles = code->nroles};
    for (uint32_t r = 0; r < code->nroles; r++) {
        a->base[r] = a->total;
        a->total += code->roles[r].n;
    }
    a->stamp = calloc(a->total + 1, sizeof *a->stamp);
    return a->stamp != NULL;
}

void amaf_done(struct amaf *a)
{
    free(a->stamp);
}

void amaf_add(struct amaf *a, struct amaf_move *moves, const uint32_t *played, uint32_t steps,
              const float *reward)
{
    a->now++;
    for (uint32_t t = 0; t < steps; t++)
        for (uint32_t r = 0; r < a->nroles; r++) {
            uint32_t at = a->base[r] + *played++;
            if (a->stamp[at] == a->now) continue;
            a->stamp[at] = a->now;
            moves[at].n++;
            moves[at].sum += reward[r];
        }
}

static void count_node(struct hand *h, struct tree_node *n, uint32_t role, const struct amaf_move *moves,
                       float worth)
{
    const struct tree *t = h->search->tree;
    uint32_t count = node_actions(t, n, role), first = node_first(t, n)[role];
    if (count < 2) return;
    struct tally tally = tally_of(h, n);
    const struct tree_action *a = tally.actions + first;
    struct rave *rave = tally.rave + first;
    for (uint32_t i = 0; i < count; i++) {
        const struct amaf_move *m = &moves[a[i].move];
        if (!tally.alone && m->n == 0) continue; /* else a move that was not played changes nothing either */
        float mean = mean_of(&rave[i].mean), all = (float)(int32_t)tally_add(&tally, &rave[i].n, m->n);
        mean_set(&rave[i].mean, mean + (worth * m->sum - (float)(int32_t)m->n * mean) / (all < 1 ? 1 : all));
    }
}

void amaf_back_up(const struct amaf *a, struct amaf_move *moves, struct flight *f, uint32_t n,
                  const float *sum)
{
    const struct mcts *m = f->hand->search;
    float worth = 1;
    for (uint32_t t = f->tree_steps; t-- > 0;) {
        worth *= m->opt.discount;
        for (uint32_t r = 0; r < a->nroles; r++) {
            moves[a->base[r] + f->moves[(size_t)t * a->nroles + r]] = (struct amaf_move){sum[r], n};
            if (f->path[t]) count_node(f->hand, tree_node(m->tree, f->path[t]), r, moves + a->base[r], worth);
        }
    }
    memset(moves, 0, a->total * sizeof *moves);
}
