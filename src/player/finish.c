// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/finish.h"

#include "search/crew.h"
#include "search/prove.h"
#include "search/solver/solve.h"

#include <math.h>
#include <stdlib.h>

#define MEMORY ((size_t)32 << 20) /* for its table */
#define RATE 100000.0             /* positions a second, before it is known */
#define PER_SIMULATION 6          /* positions in the time of one, where simulations are counted */
#define SLACK 8                   /* doublings: how many more than it can open the estimate may say */

void finish_note(struct player *p)
{
    const struct mcts_stats *s = &p->report.stats;
    if (!s->simulations) return;
    /* of those that were cut off nobody knows how long they would have been, nor of what a GPU plays */
    bool whole = s->cut * 4 < s->simulations && (s->playout_steps || s->playouts == 0);
    p->finish.length = whole ? (double)(s->depth_sum + s->playout_steps) / (double)s->simulations : 0;
}

/* Positions that it may open: by the clock about so many. */
static double affordable(const struct player *p, const struct budget *budget)
{
    double share = p->config.finish;
    if (budget->simulations) return share * PER_SIMULATION * (double)budget->simulations;
    if (budget->deadline <= 0 || budget->steps || budget->expansions) return 0; /* it would not be counted */
    return budget_seconds(budget, share) * (p->finish.rate > 0 ? p->finish.rate : RATE);
}

/* The best order of moves makes a tree as large as the root of all of it. */
static bool is_near(const struct player *p, double positions)
{
    double doublings = p->finish.length * log2((double)p->legal.n) / 2;
    return p->finish.length > 0 && positions > 1 && doublings <= log2(positions) + SLACK;
}

static bool fits(const struct player *p)
{
    const struct mcts *m = p->mcts;
    if (p->config.finish <= 0 || p->game->nroles != 2 || !p->on_circuit || p->legal.n < 2 || !prove_is_on(m))
        return false;
    return m->constant_sum && tree_node(m->tree, m->tree->root)->mover == p->role && !m->settled;
}

/* Moves that keep what is proved; while that is nothing, those that are not lost. */
static bool keeps(const struct player *p, const struct solve_result *r, const struct solve_move *m)
{
    double least = outcomes_low(p->outcomes, p->role), sure = r->low[p->role];
    return sure > least ? m->low >= sure : m->high > least;
}

/* What is proved goes into the roots of all trees. */
static void tell(struct player *p, double sure, const uint32_t *keep, uint32_t n)
{
    for (uint32_t i = 0; i < (p->crew ? p->crew->nsearches : 1); i++)
        prove_assure(p->crew ? p->crew->searches[i] : p->mcts, p->role, (float)sure, keep, n);
}

static bool take(struct player *p, const struct solve_result *r, uint32_t *move)
{
    double sure = r->low[p->role], least = outcomes_low(p->outcomes, p->role);
    if (r->proved ? sure <= least : sure > least) return false; /* all is lost; half of an answer */
    uint32_t *keep = calloc(r->nmoves + 1, sizeof *keep), n = 0;
    for (uint32_t i = 0; i < r->nmoves && keep; i++)
        if (keeps(p, r, &r->moves[i])) keep[n++] = r->moves[i].move;
    bool won = n && r->proved && sure >= outcomes_high(p->outcomes, p->role);
    if (won) {
        *move = keep[0];
        p->report.value = (float)sure;
        p->report.remark = "proved before the tree was asked";
    } else if (n)
        tell(p, sure, keep, n);
    free(keep);
    return won;
}

bool finish_try(struct player *p, const struct budget *budget, uint32_t *move)
{
    double positions = affordable(p, budget);
    if (!fits(p) || !is_near(p, positions)) return false;
    struct solve_options o = {.memory = MEMORY,
                              .memo = &p->finish.memo,
                              .budget = {.stop = budget->stop},
                              .outcomes = p->outcomes,
                              .turns_alone = true,
                              .every_move = true};
    if (budget->simulations) o.budget.expansions = (uint64_t)positions;
    if (budget->deadline > 0) o.budget.deadline = budget_share(budget, p->config.finish);
    struct solve_result r;
    struct error ignored;
    bool won =
        solve_run(p->reasoner, engine_code(p->engine), &p->state, &o, &r, &ignored) && take(p, &r, move);
    if (r.seconds > 0.001) p->finish.rate = (double)r.opened / r.seconds;
    solve_result_done(&r);
    return won;
}
