// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/player.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct player {
    struct player_config config;
    const struct game *game;
    struct engine *engine;
    uint32_t role;
    uint64_t seed;
    struct rng rng;
    struct reasoner *reasoner;
    struct state state; /* of the reasoner */
    bool on_circuit;
    /* the search, made on first use and made anew when the engine changes */
    struct world *world;
    struct policy policy;
    bool policy_ready;
    struct mcts *mcts;
    bool rooted; /* mcts knows the current state */
    struct player_report report;
};

struct player *player_new(const struct player_config *config, const struct game *game, struct engine *engine,
                          uint32_t role, uint64_t seed, struct error *error)
{
    struct player *p = calloc(1, sizeof *p);
    if (!p) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    p->config = *config;
    p->game = game;
    p->engine = engine;
    p->role = role;
    p->seed = seed;
    rng_init(&p->rng, seed ^ 0x706c61796572u);
    /* A circuit that is there already is used at once. */
    if (engine && engine_poll(engine) == ENGINE_READY) {
        p->reasoner = reasoner_circuit(game, engine_code(engine), error);
        p->on_circuit = p->reasoner != NULL;
    }
    if (!p->reasoner) p->reasoner = reasoner_lifted(game, 0, error);
    if (!p->reasoner) {
        free(p);
        return NULL;
    }
    if (!p->reasoner->ops->initial(p->reasoner, &p->state)) {
        *error = p->reasoner->error;
        player_free(p);
        return NULL;
    }
    return p;
}

static void drop_search(struct player *p)
{
    mcts_free(p->mcts);
    p->mcts = NULL;
    if (p->policy_ready) policy_done(&p->policy);
    p->policy = (struct policy){0};
    p->policy_ready = false;
    world_free(p->world);
    p->world = NULL;
    p->rooted = false;
}

void player_free(struct player *p)
{
    if (!p) return;
    drop_search(p);
    state_done(&p->state);
    reasoner_free(p->reasoner);
    free(p);
}

/* Move to the circuit if it is ready. What was learned on the lifted engine is lost: moves have other numbers
 * there. */
static void follow_engine(struct player *p, bool wait)
{
    if (p->on_circuit || !p->engine) return;
    enum engine_status status = wait ? engine_wait(p->engine, -1) : engine_poll(p->engine);
    if (status != ENGINE_READY) return;
    struct error error;
    struct state state = {0};
    struct reasoner *circuit = reasoner_circuit(p->game, engine_code(p->engine), &error);
    if (!circuit) return;
    if (!reasoner_carry_state(circuit, p->reasoner, &p->state,
                              &state)) { /* a state the circuit cannot hold: stay */
        reasoner_free(circuit);
        state_done(&state);
        return;
    }
    drop_search(p);
    reasoner_free(p->reasoner);
    state_done(&p->state);
    p->reasoner = circuit;
    p->state = state;
    p->on_circuit = true;
}

static size_t memory_limit(const struct player *p)
{
    if (p->config.memory) return (size_t)p->config.memory << 20;
    return (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
}

static struct values *make_values(struct player *p, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t nroles = p->game->nroles;
    switch ((enum playout_scheme)c->playout) {
    case PLAYOUT_UNIFORM: break;
    case PLAYOUT_MAST: return values_mast(nroles, false);
    case PLAYOUT_TOMAST: return values_mast(nroles, true);
    case PLAYOUT_PAST: return values_past(nroles, (uint32_t)c->threshold, 50);
    case PLAYOUT_NST: return values_nst(nroles, (uint32_t)c->k);
    case PLAYOUT_FAST:
        return values_fast(p->reasoner, p->on_circuit ? engine_code(p->engine)->circuit : NULL,
                           (float)c->cells, p->seed, error);
    case PLAYOUT_MAST_FAST:
        return values_sum(values_mast(nroles, false),
                          values_fast(p->reasoner, p->on_circuit ? engine_code(p->engine)->circuit : NULL,
                                      (float)c->cells, p->seed, error),
                          (float)c->weight);
    }
    return NULL;
}

static bool make_playout(struct player *p, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t nroles = p->game->nroles;
    struct values *v = make_values(p, error);
    if (!v && c->playout != PLAYOUT_UNIFORM) return error_set(error, ERROR_MEMORY, "out of memory");
    p->policy = (struct policy){.values = v,
                                .sampler = {(enum sampler_kind)c->sampler, (float)c->tau, (float)c->epsilon},
                                .decay = c->decay};
    if (nroles == 1 && !c->solo)
        p->policy.decay = (struct decay){1, 1, 50, 1}; /* nothing goes stale when nobody interferes */
    p->policy.wants_states = v && v->ops->wants_states;
    p->policy_ready = true;
    if (c->lgr && !(p->policy.lgr = lgr_new(nroles))) return error_set(error, ERROR_MEMORY, "out of memory");
    return true;
}

/* Simulations in flight: few enough that the tree guides most of them, many enough that sweeps are full. */
static uint32_t default_lanes(const struct budget *b, bool on_circuit)
{
    if (!on_circuit) return 1;
    if (b->simulations && b->simulations < 2000) return 8;
    if (b->simulations && b->simulations < 20000) return 32;
    return 64;
}

static bool make_search(struct player *p, const struct budget *budget, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t lanes = c->lanes ? (uint32_t)c->lanes : default_lanes(budget, p->on_circuit);
    if (!make_playout(p, error)) return false;
    p->world = world_new(p->reasoner, p->on_circuit ? engine_code(p->engine) : NULL, lanes, p->seed, error);
    if (!p->world) return false;
    struct mcts_options o = {.tree = c->tree,
                             .c = (float)c->c,
                             .discount = p->game->nroles == 1 ? 1 : (float)c->discount,
                             .rave = (uint32_t)c->rave,
                             .urgency = c->urgency,
                             .by_visits = c->final == FINAL_VISITS,
                             .lanes = lanes,
                             .memory = memory_limit(p),
                             .seed = p->seed};
    if (c->cutoff) {
        struct cutoff_sample sample;
        double now = clock_now(), deadline = budget->deadline > 0 ? now + (budget->deadline - now) / 4 : 0;
        if (cutoff_measure(p->reasoner, p->seed, 100, deadline, &sample))
            o.cutoff = cutoff_decide(&sample, p->game->nroles, 1000, 10);
    }
    p->mcts = mcts_new(&o, p->world, &p->policy, error);
    return p->mcts != NULL;
}

static bool search(struct player *p, const struct budget *budget, uint32_t *move, struct error *error)
{
    if (!p->mcts && !make_search(p, budget, error)) {
        drop_search(p);
        return false;
    }
    if (!p->rooted && !mcts_root(p->mcts, &p->state, error)) return false;
    p->rooted = true;
    mcts_run(p->mcts, budget);
    p->report.stats = p->mcts->stats;
    if (p->mcts->trouble) error_set(error, ERROR_INTERNAL, "%s", p->mcts->trouble);
    p->report.nodes = p->mcts->tree->nodes;
    p->report.value = mcts_value(p->mcts, p->role);
    return mcts_best(p->mcts, p->role, move);
}

bool player_think(struct player *p, const struct budget *budget, uint32_t *move, struct error *error)
{
    follow_engine(p, budget->simulations || budget->expansions);
    p->report = (struct player_report){.value = 50, .engine = p->reasoner->ops->name};
    struct list legal = {0};
    bool good = p->reasoner->ops->legal(p->reasoner, &p->state, p->role, &legal);
    if (!good) {
        *error = p->reasoner->error;
    } else if (legal.n == 0) {
        good = error_set(error, ERROR_INPUT, "there is no legal move");
    } else {
        bool search_it = p->config.kind == PLAYER_SEARCH && (legal.n > 1 || p->config.forced);
        if (!search_it || !search(p, budget, move, &p->report.trouble))
            *move = legal.v[p->config.kind == PLAYER_RANDOM ? rng_below(&p->rng, legal.n) : 0];
    }
    list_done(&legal);
    return good;
}

static void enter_state(struct player *p, struct state *next)
{
    struct error error;
    state_done(&p->state);
    p->state = *next;
    /* Without a root the next think begins anew. */
    p->rooted = p->mcts && mcts_root(p->mcts, &p->state, &error);
}

bool player_advance(struct player *p, struct reasoner *from, const uint32_t *joint, struct error *error)
{
    uint32_t mine[MCTS_MAX_ROLES];
    struct state next = {0};
    for (uint32_t r = 0; r < p->game->nroles; r++)
        if (!reasoner_carry_move(p->reasoner, from, r, joint[r], &mine[r]))
            return *error = p->reasoner->error, false;
    if (!p->reasoner->ops->next(p->reasoner, &p->state, mine, &next)) {
        *error = p->reasoner->error;
        state_done(&next);
        return false;
    }
    if (p->policy_ready) policy_moved(&p->policy);
    enter_state(p, &next);
    return true;
}

bool player_goto(struct player *p, struct reasoner *from, const struct state *state, struct error *error)
{
    struct state next = {0};
    if (!reasoner_carry_state(p->reasoner, from, state, &next)) {
        *error = p->reasoner->error;
        state_done(&next);
        return false;
    }
    enter_state(p, &next);
    return true;
}

const struct player_report *player_report(const struct player *p)
{
    return &p->report;
}

struct reasoner *player_reasoner(struct player *p)
{
    return p->reasoner;
}

struct mcts *player_search(struct player *p)
{
    return p->mcts;
}

const struct player_config *player_config(const struct player *p)
{
    return &p->config;
}
