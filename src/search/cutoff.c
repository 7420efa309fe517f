// SPDX-License-Identifier: GPL-3.0-or-later
/* Early cutoffs (002 §5.1.1): a hundred games tell whether the goal values grow steadily during a game (then
 * a playout may be scored in the middle), or whether games end at very different depths (then a long one may
 * be called a draw). The thesis watches the first simulations of the agent itself; games at random stand in
 * where there is no such thing as the first (threads, playouts on the wires), or no search.
 *
 * As CadiaPlayer's source has it, the goals of ended states are not among those that must be stable, and
 * where games end at very different depths playouts are at least as long as that would have them, whatever
 * the goals say. */
#include "search/mcts.h"

#include <string.h>

/* How the goals change from state to state in one game, the last not among them: mean and sum of squares
 * (Welford) per role. */
struct changes {
    int before[MCTS_MAX_ROLES];
    double mean[MCTS_MAX_ROLES], square[MCTS_MAX_ROLES];
};

static bool see(struct changes *c, struct reasoner *r, const struct state *s, uint32_t depth,
                struct cutoff_sample *out)
{
    for (uint32_t i = 0; i < r->game->nroles; i++) {
        int goal;
        if (!reasoner_goal(r, s, i, &goal)) return false;
        if (goal == GOAL_UNDEFINED) goal = 0; /* no goal yet is nothing gained yet */
        if (depth > 0) {
            double change = goal - c->before[i], delta = change - c->mean[i];
            c->mean[i] += delta / depth;
            c->square[i] += delta * (change - c->mean[i]);
            if (goal != c->before[i] && (out->first_change == 0 || depth < out->first_change))
                out->first_change = depth;
        }
        c->before[i] = goal;
    }
    return true;
}

static void count(const struct changes *c, uint32_t nroles, uint32_t depth, struct cutoff_sample *out)
{
    double variance = 0; /* of depth - 1 changes, since the last state was not seen */
    for (uint32_t i = 0; i < nroles && depth > 1; i++) variance += c->square[i] / (depth - 1) / nroles;
    if (out->games == 0 || depth < out->first_terminal) out->first_terminal = depth;
    if (depth > out->last_terminal) out->last_terminal = depth;
    out->games++;
    out->stability += (variance - out->stability) / out->games;
}

static void swap(struct state *a, struct state *b)
{
    struct state c = *a;
    *a = *b;
    *b = c;
}

bool cutoff_watch(struct reasoner *r, const struct state *root, const uint32_t *moves, uint32_t steps,
                  struct cutoff_sample *out)
{
    struct state now = {0}, next = {0};
    struct changes changes = {0};
    bool good = state_reserve(&now, root->words);
    if (good) {
        now.words = root->words;
        memcpy(now.w, root->w, root->words * sizeof *now.w);
    }
    for (uint32_t t = 0; good && t < steps; t++) {
        good = see(&changes, r, &now, t, out) &&
               r->ops->next(r, &now, moves + (size_t)t * r->game->nroles, &next);
        swap(&now, &next);
    }
    if (good) count(&changes, r->game->nroles, steps, out);
    state_done(&now);
    state_done(&next);
    return good;
}

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
    bool good = true;
    for (uint32_t g = 0; g < games && good; g++) {
        struct changes changes = {0};
        uint32_t depth = 0;
        bool terminal = false;
        good = r->ops->initial(r, &now);
        for (;; depth++) {
            good = good && r->ops->terminal(r, &now, &terminal) && depth < 100000;
            if (!good || terminal) break;
            good = see(&changes, r, &now, depth, out);
            for (uint32_t i = 0; i < nroles && good; i++) {
                moves.n = 0;
                good = r->ops->legal(r, &now, i, &moves) && moves.n > 0;
                if (good) joint[i] = moves.v[rng_below(&rng, moves.n)];
            }
            good = good && r->ops->next(r, &now, joint, &next);
            swap(&now, &next);
            if (budget_over(budget)) good = false;
        }
        if (good) count(&changes, nroles, depth, out);
    }
    state_done(&now);
    state_done(&next);
    list_done(&moves);
    return out->games == games;
}

struct cutoff cutoff_decide(const struct cutoff_sample *s, uint32_t nroles, double threshold,
                            uint32_t minimum_steps)
{
    uint32_t interval = s->last_terminal - s->first_terminal, third = s->first_terminal + interval / 3;
    bool wide = interval >= minimum_steps;
    uint32_t least = wide && third > minimum_steps ? third : minimum_steps;
    if (s->stability > 0 && s->stability < threshold && s->first_change > 0) {
        uint32_t cut = s->first_change + nroles;
        return (struct cutoff){CUT_GOAL_STABLE, cut > least ? cut : least};
    }
    return wide ? (struct cutoff){CUT_TERMINAL_INTERVAL, least} : (struct cutoff){CUT_NEVER, 0};
}
