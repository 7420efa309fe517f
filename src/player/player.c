// SPDX-License-Identifier: GPL-3.0-or-later
/* A think, in the order in which it makes sure of things:
 *
 *     circuit ready? move to it ── make the joint moves announced since ── own legal moves: one is in hand
 *                                                                            │
 *     answer: the search's move, or the one in hand  <── search <── set up <──┘
 *
 * Every step obeys the deadline and the stop flag, and leaves the player fit to go on with it next time. */
#include "player/player.h"

#include "player/script.h"

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
    struct state state; /* of the reasoner, before the joint moves in `ahead` */
    bool on_circuit;
    struct list ahead; /* joint moves announced and not made yet, one after the other */
    struct list legal; /* own moves in the last state that was looked at */
    bool legal_here;   /* that is `state`, and all of them */
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
    list_done(&p->ahead);
    list_done(&p->legal);
    reasoner_free(p->reasoner);
    free(p);
}

/* What a budget in simulations is spent on should be the same every time: the engine is awaited, but a
 * deadline or the stop flag is not missed for it. */
static enum engine_status await_engine(struct engine *engine, const struct budget *budget)
{
    double end = budget_share(budget, 0.5);
    enum engine_status status;
    while ((status = engine_wait(engine, 0.005)) == ENGINE_WORKING)
        if (budget_over(budget) || (end > 0 && clock_now() > end)) break;
    return status;
}

/* Tables of terms are made for the circuit: about so many seconds. */
static double moving_takes(const struct code *code)
{
    return 5e-7 * (code->circuit->nfacts + code->nmoves + code->nslots);
}

static void take_over(struct player *p, struct reasoner *circuit, struct state *state, struct list *ahead)
{
    drop_search(p);
    reasoner_free(p->reasoner);
    state_done(&p->state);
    list_done(&p->ahead);
    p->reasoner = circuit;
    p->state = *state;
    p->ahead = *ahead;
    p->legal.n = 0;
    p->legal_here = false;
    p->on_circuit = true;
}

/* Move to the circuit if it is ready. What was learned on the lifted engine is lost: moves have other numbers
 * there. */
static void follow_engine(struct player *p, const struct budget *budget)
{
    if (p->on_circuit || !p->engine) return;
    bool wait = budget->simulations || budget->expansions;
    enum engine_status status = wait ? await_engine(p->engine, budget) : engine_poll(p->engine);
    if (status != ENGINE_READY) return;
    const struct code *code = engine_code(p->engine);
    if (budget->deadline > 0 && clock_now() + 3 * moving_takes(code) > budget->deadline) return;
    struct error error;
    struct state state = {0};
    struct list ahead = {0};
    struct reasoner *circuit = reasoner_circuit(p->game, code, &error);
    /* A state or a move that the circuit cannot hold: stay. */
    bool good = circuit && reasoner_carry_state(circuit, p->reasoner, &p->state, &state);
    for (uint32_t i = 0; i < p->ahead.n && good; i++) {
        uint32_t move;
        good = reasoner_carry_move(circuit, p->reasoner, i % p->game->nroles, p->ahead.v[i], &move) &&
               list_push(&ahead, move);
    }
    if (good) {
        take_over(p, circuit, &state, &ahead);
        return;
    }
    reasoner_free(circuit);
    state_done(&state);
    list_done(&ahead);
}

static size_t memory_limit(const struct player *p)
{
    if (p->config.memory) return (size_t)p->config.memory << 20;
    return (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
}

/* Of that, what the sequences of NST may take; the rest is for the tree. */
static size_t table_limit(const struct player *p)
{
    enum { ENOUGH = 512 << 20 };
    size_t share = memory_limit(p) / 4;
    if (p->config.playout != PLAYOUT_NST) return 0;
    return share < ENOUGH ? share : ENOUGH;
}

static struct values *make_values(struct player *p, const struct budget *budget, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t nroles = p->game->nroles;
    switch ((enum playout_scheme)c->playout) {
    case PLAYOUT_UNIFORM: break;
    case PLAYOUT_MAST: return values_mast(nroles, false);
    case PLAYOUT_TOMAST: return values_mast(nroles, true);
    case PLAYOUT_PAST: return values_past(nroles, (uint32_t)c->threshold, 50, !p->on_circuit);
    case PLAYOUT_NST: return values_nst(nroles, (uint32_t)c->k, table_limit(p));
    case PLAYOUT_FAST:
        return values_fast(p->reasoner, p->on_circuit ? engine_code(p->engine)->circuit : NULL,
                           (float)c->cells, p->seed, budget, error);
    case PLAYOUT_MAST_FAST:
        return values_sum(values_mast(nroles, false),
                          values_fast(p->reasoner, p->on_circuit ? engine_code(p->engine)->circuit : NULL,
                                      (float)c->cells, p->seed, budget, error),
                          (float)c->weight);
    }
    return NULL;
}

static bool make_playout(struct player *p, const struct budget *budget, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t nroles = p->game->nroles;
    struct budget part = *budget; /* finding boards must leave time for the search */
    part.deadline = budget_share(budget, 0.25);
    p->reasoner->deadline = part.deadline;
    struct values *v = make_values(p, &part, error);
    p->reasoner->deadline = budget->deadline;
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

/* Simulations in flight: few enough that the tree guides most of them, many enough that sweeps are full. What
 * they cost and bring is measured in docs/search.md. */
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
    if (!make_playout(p, budget, error)) return false;
    p->world = world_new(p->reasoner, p->on_circuit ? engine_code(p->engine) : NULL, lanes, p->seed, error);
    if (!p->world) return false;
    struct mcts_options o = {.tree = c->tree,
                             .c = (float)c->c,
                             .discount = p->game->nroles == 1 ? 1 : (float)c->discount,
                             .rave = (uint32_t)c->rave,
                             .urgency = c->urgency,
                             .by_visits = c->final == FINAL_VISITS,
                             .lanes = lanes,
                             .memory = memory_limit(p) - table_limit(p),
                             .seed = p->seed};
    if (c->cutoff) {
        struct cutoff_sample sample;
        struct budget part = *budget;
        part.deadline = p->reasoner->deadline = budget_share(budget, 0.25);
        if (cutoff_measure(p->reasoner, p->seed, 100, &part, &sample))
            o.cutoff = cutoff_decide(&sample, p->game->nroles, 1000, 10);
        p->reasoner->deadline = budget->deadline;
    }
    /* Stopped while finding out about the game: next time, all of it. */
    if (budget->stop && atomic_load(budget->stop)) return error_set(error, ERROR_CANCELLED, "cancelled");
    p->mcts = mcts_new(&o, p->world, &p->policy, error);
    return p->mcts != NULL;
}

static bool search(struct player *p, const struct budget *budget, uint32_t *move, struct error *error)
{
    if (!p->mcts && !make_search(p, budget, error)) {
        drop_search(p);
        return false;
    }
    if (!p->rooted && !mcts_root(p->mcts, &p->state, budget, error)) return false;
    p->rooted = true;
    mcts_run(p->mcts, budget);
    p->report.stats = p->mcts->stats;
    if (p->mcts->trouble) error_set(error, ERROR_INTERNAL, "%s", p->mcts->trouble);
    p->report.nodes = p->mcts->tree->nodes;
    p->report.value = mcts_value(p->mcts, p->role);
    return mcts_best(p->mcts, p->role, move);
}

/* Make the moves announced since. False: the rules took too long (or failed); the rest is made next time. */
static bool catch_up(struct player *p)
{
    struct reasoner *r = p->reasoner;
    uint32_t nroles = p->game->nroles, made = 0;
    struct state next = {0};
    while (made < p->ahead.n && r->ops->next(r, &p->state, p->ahead.v + made, &next)) {
        struct state swap = p->state;
        p->state = next;
        next = swap;
        made += nroles;
        p->legal_here = p->rooted = false;
        if (p->policy_ready) policy_moved(&p->policy);
    }
    p->ahead.n -= made;
    if (p->ahead.n) memmove(p->ahead.v, p->ahead.v + made, p->ahead.n * sizeof *p->ahead.v);
    state_done(&next);
    return p->ahead.n == 0;
}

/* Know the own moves. False: not even one was found in time, or there is none. */
static bool know_moves(struct player *p, struct error *error)
{
    struct reasoner *r = p->reasoner;
    if (p->legal_here) return true;
    struct list found = {0};
    p->legal_here = r->ops->legal(r, &p->state, p->role, &found);
    if (found.n) { /* some of them are better than what was known before */
        list_done(&p->legal);
        p->legal = found;
        return true;
    }
    list_done(&found);
    if (!p->legal_here) return *error = r->error, false;
    p->legal_here = false;
    return error_set(error, ERROR_INPUT, "there is no legal move");
}

/* Some time is needed to leave the search and hand over the answer, more of it on a busy machine, where
 * others get the processor in between. */
static struct budget with_reserve(const struct budget *budget)
{
    struct budget b = *budget;
    double reserve = 0.03 * (b.deadline - clock_now());
    if (b.deadline > 0) b.deadline -= reserve < 0.002 ? 0.002 : reserve > 0.05 ? 0.05 : reserve;
    return b;
}

static void set_patience(struct player *p, const struct budget *budget)
{
    p->reasoner->deadline = budget ? budget->deadline : 0;
    p->reasoner->cancel = budget ? budget->stop : NULL;
}

/* Without memory for the text of moves, the first legal move. */
static uint32_t by_script(struct player *p)
{
    struct error error;
    struct heap_guard guard;
    struct heap *heap = heap_new(0);
    volatile uint32_t chosen = 0;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        chosen = script_choose(p->config.prefer, heap, p->reasoner, p->role, &p->legal);
        heap_leave(heap);
    }
    heap_free(heap);
    return chosen;
}

/* The search's move, if it has one; else the one in hand. */
static bool think(struct player *p, const struct budget *budget, bool forced_too, uint32_t *move,
                  struct error *error)
{
    follow_engine(p, budget);
    set_patience(p, budget); /* perhaps there is a new reasoner */
    p->report = (struct player_report){.value = 50, .engine = p->reasoner->ops->name};
    bool here = catch_up(p), known = here && know_moves(p, error);
    if (!here) *error = p->reasoner->error;
    bool hurried = !known && (error->code == ERROR_TIME || error->code == ERROR_CANCELLED);
    if (!known && (!hurried || p->legal.n == 0)) return false;
    /* Moves of an earlier state are a guess, but better than no answer. */
    bool sure = known && p->legal_here;
    if (!sure)
        error_set(&p->report.trouble, ERROR_TIME, "the rules take too long to find %s",
                  here ? "all legal moves" : "the state");
    bool searching = sure && p->config.kind == PLAYER_SEARCH && (p->legal.n > 1 || forced_too);
    if (!searching || !search(p, budget, move, &p->report.trouble))
        *move = p->legal.v[p->config.kind == PLAYER_RANDOM   ? rng_below(&p->rng, p->legal.n)
                           : p->config.kind == PLAYER_SCRIPT ? by_script(p)
                                                             : 0];
    return true;
}

bool player_think(struct player *p, const struct budget *budget, uint32_t *move, struct error *error)
{
    struct budget b = with_reserve(budget);
    set_patience(p, &b);
    bool good = think(p, &b, p->config.forced, move, error);
    set_patience(p, NULL);
    return good;
}

bool player_ponder(struct player *p, const struct budget *budget, struct error *error)
{
    uint32_t move;
    set_patience(p, budget);
    bool good = think(p, budget, true, &move, error);
    set_patience(p, NULL);
    return good;
}

bool player_advance(struct player *p, struct reasoner *from, const uint32_t *joint, struct error *error)
{
    uint32_t before = p->ahead.n, move;
    for (uint32_t r = 0; r < p->game->nroles; r++) {
        bool good = reasoner_carry_move(p->reasoner, from, r, joint[r], &move);
        if (!good) *error = p->reasoner->error;
        if (good && !list_push(&p->ahead, move)) good = error_set(error, ERROR_MEMORY, "out of memory");
        if (good) continue;
        p->ahead.n = before;
        return false;
    }
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
    state_done(&p->state);
    p->state = next;
    p->ahead.n = 0;
    p->legal_here = p->rooted = false;
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
