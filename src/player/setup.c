// SPDX-License-Identifier: GPL-3.0-or-later
/* From options to a search: how much memory, which playout policies, how many lanes and threads. */
#include "player/player_internal.h"

#include "player/allies.h"
#include "search/judgement.h"
#include "search/solver/outcomes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

size_t player_memory(const struct player *p)
{
    size_t all = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
    if (p->allies) all /= p->allies->sharers;
    if (p->driver) all = (size_t)PLAYER_POOLED_MB << 20;
    if (p->config.memory) all = (size_t)p->config.memory << 20;
    return p->solo ? all / 2 : all;
}

/* Of that, what the sequences of NST may take, all threads together; the rest is for the tree. */
static size_t table_limit(const struct player *p)
{
    enum { ENOUGH = 512 << 20 };
    size_t share = player_memory(p) / 4;
    if (p->config.playout != PLAYOUT_NST && p->config.playout != PLAYOUT_NST_WIRES) return 0;
    return share < ENOUGH ? share : ENOUGH;
}

static struct values *make_ngrams(struct player *p, const struct budget *budget)
{
    const struct player_config *c = &p->config;
    bool wires = c->playout == PLAYOUT_NST_WIRES, movers = !wires && c->turns && p->on_circuit;
    struct values *v =
        values_nst(p->game->nroles, wires ? 2 : 3, (uint32_t)c->k, table_limit(p) / p->npolicies,
                   movers ? engine_movers(p->engine, budget_seconds(budget, 0.4)) : NULL);
    if (p->on_circuit) values_nst_spare(v, engine_lone_moves(p->engine));
    return v;
}

static struct values *make_mast(struct player *p)
{
    struct values *v = values_mast(p->game->nroles, p->config.playout == PLAYOUT_TOMAST);
    if (p->on_circuit) values_mast_spare(v, engine_lone_moves(p->engine));
    return v;
}

static struct values *make_fast(struct player *p, const struct budget *budget, struct error *error)
{
    return values_fast(p->reasoner, p->on_circuit ? engine_code(p->engine)->circuit : NULL,
                       p->config.goals ? p->role : FAST_ALL_ALIKE, (float)p->config.cells, p->seed, budget,
                       error);
}

static struct values *make_values(struct player *p, const struct budget *budget, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t nroles = p->game->nroles;
    switch ((enum playout_scheme)c->playout) {
    case PLAYOUT_UNIFORM:
    case PLAYOUT_UNIFORM_WIRES: break;
    case PLAYOUT_MAST_WIRES: return values_mast(nroles, false);
    case PLAYOUT_TOMAST_WIRES: return values_mast(nroles, true);
    case PLAYOUT_MAST:
    case PLAYOUT_TOMAST: return make_mast(p);
    case PLAYOUT_PAST: return values_past(nroles, (uint32_t)c->threshold, 50, !p->on_circuit);
    case PLAYOUT_NST:
    case PLAYOUT_NST_WIRES: return make_ngrams(p, budget);
    case PLAYOUT_FAST: return make_fast(p, budget, error);
    case PLAYOUT_MAST_FAST: return values_sum(make_mast(p), make_fast(p, budget, error), (float)c->weight);
    }
    return NULL;
}

/* The playout policy of one thread. */
static bool make_policy(struct player *p, struct policy *policy, const struct budget *budget,
                        struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t nroles = p->game->nroles;
    struct values *v = make_values(p, budget, error);
    if (!v && c->playout != PLAYOUT_UNIFORM && c->playout != PLAYOUT_UNIFORM_WIRES)
        return error_set(error, ERROR_MEMORY, "out of memory");
    *policy = (struct policy){.values = v,
                              .sampler = {(enum sampler_kind)c->sampler, (float)c->tau, (float)c->epsilon},
                              .decay = c->decay};
    if (nroles == 1 && !c->solo)
        policy->decay = (struct decay){1, 1, 50, 1}; /* nothing goes stale when nobody interferes */
    policy->wires = c->playout >= PLAYOUT_WIRES;
    policy->wants_states = v && v->ops->wants_states;
    if (c->lgr && !(policy->lgr = lgr_new(nroles))) return error_set(error, ERROR_MEMORY, "out of memory");
    return true;
}

static bool make_policies(struct player *p, uint32_t n, const struct budget *budget, struct error *error)
{
    if (p->lender && p->lender->policies) {
        p->policies = p->lender->policies;
        p->npolicies = n;
        return true;
    }
    struct budget part = *budget; /* finding boards must leave time for the search */
    bool good = true;
    p->policies = calloc(n, sizeof *p->policies);
    if (!p->policies) return error_set(error, ERROR_MEMORY, "out of memory");
    p->npolicies = n;
    for (uint32_t i = 0; i < n && good; i++) {
        part.deadline = p->reasoner->deadline = budget_share(budget, 0.25 / n);
        good = make_policy(p, &p->policies[i], &part, error);
    }
    p->reasoner->deadline = budget->deadline;
    return good;
}

enum { FAR_LEAVES = 128 }; /* on a GPU or waiting for it */

/* Simulations in flight: one at a time where they are counted, as in the papers, unless a GPU plays them out;
 * by the clock few enough that the tree guides most of them, many enough that sweeps are full. What they cost
 * and bring is measured in docs/search.md. */
static uint32_t default_lanes(const struct player *p, const struct budget *b)
{
    if (p->config.lanes) return (uint32_t)p->config.lanes;
    if (p->driver) return 1; /* others are on it, too */
    if (p->config.device && p->on_circuit) return FAR_LEAVES;
    return p->on_circuit && !budget_counts(b) ? 64 : 1;
}

uint32_t player_threads(const struct player *p, const struct budget *b)
{
    long cores = p->cores ? (long)p->cores : sysconf(_SC_NPROCESSORS_ONLN);
    if (p->driver || !p->on_circuit) return 1;
    if (p->config.threads) return (uint32_t)p->config.threads;
    return budget_counts(b) || cores < 1 ? 1 : cores > CREW_MAX ? CREW_MAX : (uint32_t)cores;
}

static struct mcts_options search_options(const struct player *p, uint32_t lanes)
{
    const struct player_config *c = &p->config;
    return (struct mcts_options){.tree = c->tree,
                                 .c = (float)c->c,
                                 .discount = p->game->nroles == 1 ? 1 : (float)c->discount,
                                 .difference = c->goals && p->game->nroles == 2 && c->solver == SOLVER_OFF,
                                 .rave = (uint32_t)c->rave,
                                 .rave_prior = (uint32_t)c->prior,
                                 .learn = (uint32_t)c->learn,
                                 .urgency = (enum urgency)c->urgency,
                                 .rave_mix = (enum rave_mix)c->rave_mix,
                                 .final = (enum final_move)c->final,
                                 .window = (uint32_t)c->window,
                                 .carry = (uint32_t)c->carry,
                                 .lanes = lanes,
                                 .playouts = (uint32_t)c->playouts,
                                 .device = c->device && !p->driver,
                                 .solver = (enum solving)c->solver,
                                 .outcomes = p->outcomes,
                                 .scout = (uint32_t)c->scout,
                                 .decisive = (enum decisive_moves)c->decisive,
                                 .adapt = {.role = p->role,
                                           .control = (uint32_t)c->control,
                                           .alarm = (enum alarm)c->alarm,
                                           .who = (enum adapt_roles)c->adapt,
                                           .what = (enum adapt_what)c->factors},
                                 .memory = player_memory(p) - table_limit(p),
                                 .seed = p->seed + p->divergence * CREW_STRIDE};
}

/* Which moves win at once, if that can be had in a tenth of the time. */
static const struct code *foresight(const struct player *p, const struct budget *budget)
{
    if (!p->config.decisive || !p->on_circuit) return NULL;
    return engine_foresight(p->engine, budget_seconds(budget, 0.1), budget->stop);
}

/* Which goals can still come, likewise. */
static const struct code *outlook(const struct player *p, const struct budget *budget)
{
    if (!p->config.outlook || !p->config.scout || !p->on_circuit) return NULL;
    return engine_outlook(p->engine, budget_seconds(budget, 0.1), budget->stop);
}

/* Likewise for mirror images, once. */
static const struct symmetry *symmetry(struct player *p, const struct budget *budget)
{
    if (!p->config.symmetry || !p->on_circuit || p->game->nroles != 2) return NULL;
    if (!p->mirrored) {
        struct symmetry_limits limits = {budget->deadline > 0 ? budget_share(budget, 0.1) : 0, budget->stop};
        symmetry_look(&p->symmetry, p->reasoner, engine_code(p->engine)->circuit, &limits);
        p->mirrored = true;
    }
    return p->symmetry.n ? &p->symmetry : NULL;
}

static void decide_cutoff(struct player *p, const struct budget *budget, struct cutoff *out)
{
    struct cutoff_sample sample;
    struct budget part = *budget;
    part.deadline = p->reasoner->deadline = budget_share(budget, 0.25);
    if (cutoff_measure(p->reasoner, p->seed, CUTOFF_GAMES, &part, &sample))
        *out = cutoff_decide(&sample, p->game->nroles, CUTOFF_STABLE, CUTOFF_MINIMUM);
    p->reasoner->deadline = budget->deadline;
}

static const double JUDGING = 0.5, JUDGED = 5; /* of the time; seconds at most */

/* What positions seem worth, where options ask for it: made once, on the first clock. Without it the search
 * is what it is without these options, and `why` says so. */
static const struct judgement *judge(struct player *p, const struct budget *budget,
                                     const struct code *foresight, const char **why)
{
    const struct player_config *c = &p->config;
    *why = NULL;
    if (c->implicit <= 0 && c->horizon < 0) return NULL;
    if (!p->judgement && p->on_circuit) { /* found out when it was chosen, whose it stays */
        p->judgement = p->audition.judgement;
        p->lent = p->judgement;
    }
    if (p->judgement) return p->judgement;
    if (p->lender) return p->lender->judgement; /* if it found none, neither would we */
    struct budget part = {.deadline = budget_share(budget, JUDGING), .stop = budget->stop};
    if (!budget_counts(budget)) {
        double most = clock_now() + JUDGED;
        part.deadline = part.deadline > 0 ? fmin(part.deadline, most) : most;
    }
    struct judgement_order order = {.reasoner = p->reasoner,
                                    .code = p->on_circuit ? engine_code(p->engine) : NULL,
                                    .foresight = foresight,
                                    .which = (enum minimax_eval)c->eval,
                                    .sharpness = (float)c->sharpness,
                                    .seed = p->seed,
                                    .budget = &part};
    p->judgement = judgement_new(&order, why);
    return p->judgement;
}

static void use_judgement(struct player *p, const struct budget *budget, struct mcts_options *o,
                          const char **why)
{
    const struct player_config *c = &p->config;
    o->judgement = judge(p, budget, o->foresight, why);
    if (!o->judgement) return;
    o->implicit = (float)c->implicit;
    if (c->horizon < 0) return;
    /* where both move at once, half the steps are as many moves */
    bool at_once = judgement_at_once(o->judgement);
    o->cutoff = (struct cutoff){CUT_JUDGED, (uint32_t)(at_once ? (c->horizon + 1) / 2 : c->horizon)};
    o->watch = 0;
}

bool player_make_search(struct player *p, const struct budget *budget, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t threads = player_threads(p, budget);
    if (!make_policies(p, threads, budget, error)) return false;
    if (c->solver != SOLVER_OFF && !p->outcomes)
        p->outcomes = outcomes_new(p->game, p->on_circuit ? engine_code(p->engine) : NULL, OUTCOMES_QUICK);
    struct crew_options o = {.how = (enum parallel)c->parallel,
                             .threads = threads,
                             .search = search_options(p, default_lanes(p, budget))};
    o.search.foresight = foresight(p, budget);
    o.search.outlook = outlook(p, budget);
    o.search.symmetry = symmetry(p, budget);
    if (c->cutoff && p->lender && p->lender->mcts && !p->lender->mcts->opt.watch)
        o.search.cutoff = p->lender->mcts->opt.cutoff;
    else if (c->cutoff && threads == 1 && c->playout < PLAYOUT_WIRES)
        o.search.watch = CUTOFF_GAMES;
    else if (c->cutoff)
        decide_cutoff(p, budget, &o.search.cutoff);
    const char *unjudged;
    use_judgement(p, budget, &o.search, &unjudged);
    /* Stopped while finding out about the game: next time, all of it. */
    if (budget->stop && atomic_load(budget->stop)) return error_set(error, ERROR_CANCELLED, "cancelled");
    struct policy *policies[CREW_MAX];
    for (uint32_t i = 0; i < threads; i++) policies[i] = &p->policies[i];
    if (p->driver) {
        p->mcts = mcts_new(&o.search, p->reasoner, policies, 1, error);
        return p->mcts != NULL;
    }
    p->crew = crew_new(&o, p->reasoner, p->on_circuit ? engine_code(p->engine) : NULL, policies, error);
    p->mcts = p->crew ? p->crew->searches[0] : NULL;
    if (p->mcts && unjudged)
        snprintf(p->mcts->remark, sizeof p->mcts->remark, "nothing is judged: %s", unjudged);
    return p->mcts != NULL;
}

void player_drop_search(struct player *p)
{
    if (p->crew)
        crew_free(p->crew);
    else
        mcts_free(p->mcts);
    p->crew = NULL;
    p->mcts = NULL;
    bool lent = p->lender && p->policies == p->lender->policies;
    for (uint32_t i = 0; i < p->npolicies && !lent; i++) policy_done(&p->policies[i]);
    if (!lent) free(p->policies);
    p->policies = NULL;
    p->npolicies = 0;
    p->rooted = false;
    outcomes_free(p->outcomes);
    p->outcomes = NULL;
    if (!p->lent) judgement_free(p->judgement);
    p->judgement = NULL;
    p->lent = false;
    symmetry_done(&p->symmetry);
    p->mirrored = false;
    minimax_free(p->minimax);
    p->minimax = NULL;
}
