// SPDX-License-Identifier: GPL-3.0-or-later
/* Early cutoffs (002 §5.1.1): a hundred random games tell whether the goal values grow steadily during a game
 * (then a playout may be scored in the middle), or whether games end at very different depths (then a long
 * one may be called a draw). */
#include "search/mcts.h"

bool cutoff_measure(struct reasoner *r, uint64_t seed, uint32_t games, const struct budget *budget,
                    struct cutoff_sample *out)
{
    uint32_t nroles = r->game->nroles, joint[MCTS_MAX_ROLES];
    if (nroles > MCTS_MAX_ROLES) return false;
    struct rng rng;
    rng_init(&rng, seed);
    struct state now = {0}, next = {0};
    struct list moves = {0};
    *out = (struct cutoff_sample){0};
    double variance_sum = 0;
    bool good = true;
    for (uint32_t g = 0; g < games && good; g++) {
        int before[MCTS_MAX_ROLES];
        /* change of each goal from state to state: mean and sum of squares (Welford) per role */
        double mean[MCTS_MAX_ROLES] = {0}, square[MCTS_MAX_ROLES] = {0};
        uint32_t depth = 0;
        bool terminal = false;
        good = r->ops->initial(r, &now);
        for (;; depth++) {
            good = good && r->ops->terminal(r, &now, &terminal) && depth < 100000;
            for (uint32_t i = 0; i < nroles && good; i++) {
                int goal;
                good = reasoner_goal(r, &now, i, &goal);
                if (goal == GOAL_UNDEFINED) goal = 0; /* no goal yet is nothing gained yet */
                if (depth > 0) {
                    double change = goal - before[i], delta = change - mean[i];
                    mean[i] += delta / depth;
                    square[i] += delta * (change - mean[i]);
                    if (goal != before[i] && (out->first_change == 0 || depth < out->first_change))
                        out->first_change = depth;
                }
                before[i] = goal;
            }
            if (!good || terminal) break;
            for (uint32_t i = 0; i < nroles && good; i++) {
                moves.n = 0;
                good = r->ops->legal(r, &now, i, &moves) && moves.n > 0;
                if (good) joint[i] = moves.v[rng_below(&rng, moves.n)];
            }
            good = good && r->ops->next(r, &now, joint, &next);
            struct state swap = now;
            now = next;
            next = swap;
            if (budget_over(budget)) good = false;
        }
        if (!good) break;
        for (uint32_t i = 0; i < nroles && depth > 0; i++) variance_sum += square[i] / depth / nroles;
        if (out->games == 0 || depth < out->first_terminal) out->first_terminal = depth;
        if (depth > out->last_terminal) out->last_terminal = depth;
        out->games++;
    }
    out->stability = out->games ? variance_sum / out->games : 0;
    state_done(&now);
    state_done(&next);
    list_done(&moves);
    return out->games == games;
}

struct cutoff cutoff_decide(const struct cutoff_sample *s, uint32_t nroles, double threshold,
                            uint32_t minimum_steps)
{
    if (s->stability > 0 && s->stability < threshold && s->first_change > 0) {
        uint32_t cut = s->first_change + nroles;
        return (struct cutoff){CUT_GOAL_STABLE, cut > minimum_steps ? cut : minimum_steps};
    }
    uint32_t interval = s->last_terminal - s->first_terminal;
    if (interval > minimum_steps) {
        uint32_t cut = s->first_terminal + interval / 3;
        return (struct cutoff){CUT_TERMINAL_INTERVAL, cut > minimum_steps ? cut : minimum_steps};
    }
    return (struct cutoff){CUT_NEVER, 0};
}
