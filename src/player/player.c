// SPDX-License-Identifier: GPL-3.0-or-later
/* A think, in the order in which it makes sure of things:
 *
 *     circuit ready? move to it ── make the joint moves announced since ── own legal moves: one is in hand
 *                                                                            │
 *     answer: the search's move, or the one in hand  <── search <── set up <──┘
 *
 * Every step obeys the deadline and the stop flag, and leaves the player fit to go on with it next time. */
#include "player/player.h"

#include "player/allies.h"
#include "player/audition.h"
#include "player/script.h"
#include "search/solver/outcomes.h"

#include <math.h>
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
    struct crew *crew;       /* of its own; NULL with a driver that others use, too */
    struct driver *driver;   /* that one */
    struct policy *policies; /* one per thread */
    uint32_t npolicies;
    struct outcomes *outcomes; /* what can come out of the game; NULL: nobody asked */
    struct mcts *mcts;         /* what is reported: the crew's first, or our own */
    bool rooted;               /* mcts knows the current state */
    struct allies *allies;     /* others who search for us; NULL: nobody */
    bool mustered;             /* they were asked for */
    uint32_t plies;            /* joint moves made since they were told where we are */
    uint32_t cores;            /* for threads; 0: all of the machine */
    uint32_t divergence;       /* which of several with the same seed we are */
    /* the think under way */
    struct budget budget;
    bool sure, searching;
    bool alone; /* solo or minimax has decided: */
    uint32_t alone_move;
    struct player_report report;
    struct audition_report audition;
    struct solo *solo;       /* games for one: asked before the search; NULL: it is not */
    struct minimax *minimax; /* kind=minimax: asked before the search, too; made on first use */
};

struct allies *(*allies_muster)(const struct allies_call *call);

#define MINIMAX_ENOUGH ((size_t)64 << 20) /* of table: what a few million positions need */

static size_t memory_limit(const struct player *p);
static bool take_turn(void *data, struct turn *turn, struct line *line);

struct player *player_new(const struct player_config *config, const struct game *game, struct engine *engine,
                          uint32_t role, uint64_t seed, struct error *error)
{
    struct player *p = calloc(1, sizeof *p);
    if (!p) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    p->config = *config;
    if (config->arm >= ARM_FIRST && !audition_apply(&p->config, (uint32_t)config->arm - ARM_FIRST, error))
        return free(p), NULL;
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
    if (game->nroles == 1 && config->puzzle != SOLO_OFF) /* without memory for it the search does it all */
        p->solo = solo_new((enum solo_way)config->puzzle, memory_limit(p) / 2, seed);
    if (p->solo) solo_invite(p->solo, take_turn, p, "tree");
    return p;
}

static void drop_search(struct player *p)
{
    if (p->crew)
        crew_free(p->crew);
    else
        mcts_free(p->mcts);
    p->crew = NULL;
    p->mcts = NULL;
    for (uint32_t i = 0; i < p->npolicies; i++) policy_done(&p->policies[i]);
    free(p->policies);
    p->policies = NULL;
    p->npolicies = 0;
    p->rooted = false;
    outcomes_free(p->outcomes);
    p->outcomes = NULL;
    minimax_free(p->minimax);
    p->minimax = NULL;
}

void player_join(struct player *p, struct driver *driver)
{
    p->driver = driver;
}

void player_diverge(struct player *p, uint32_t i, uint32_t cores)
{
    p->divergence = i;
    p->cores = cores;
}

void player_moved(struct player *p, uint32_t plies)
{
    for (uint32_t k = 0; k < plies; k++)
        for (uint32_t i = 0; i < p->npolicies; i++) policy_moved(&p->policies[i]);
}

void player_free(struct player *p)
{
    if (!p) return;
    drop_search(p);
    if (p->allies) p->allies->ops->free(p->allies);
    solo_free(p->solo);
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
    if (p->solo) solo_carry(p->solo, p->reasoner, circuit);
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
    enum engine_status status =
        budget_counts(budget) ? await_engine(p->engine, budget) : engine_poll(p->engine);
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

/* For the searches of games for one and for the tree, half of it each where there are both. */
static size_t memory_limit(const struct player *p)
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
    size_t share = memory_limit(p) / 4;
    if (p->config.playout != PLAYOUT_NST && p->config.playout != PLAYOUT_NST_WIRES) return 0;
    return share < ENOUGH ? share : ENOUGH;
}

static struct values *make_values(struct player *p, const struct budget *budget, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t nroles = p->game->nroles;
    switch ((enum playout_scheme)c->playout) {
    case PLAYOUT_UNIFORM:
    case PLAYOUT_UNIFORM_WIRES: break;
    case PLAYOUT_MAST_WIRES:
    case PLAYOUT_MAST: return values_mast(nroles, false);
    case PLAYOUT_TOMAST_WIRES:
    case PLAYOUT_TOMAST: return values_mast(nroles, true);
    case PLAYOUT_PAST: return values_past(nroles, (uint32_t)c->threshold, 50, !p->on_circuit);
    case PLAYOUT_NST:
    case PLAYOUT_NST_WIRES:
        return values_nst(nroles, c->playout == PLAYOUT_NST ? 3 : 2, (uint32_t)c->k,
                          table_limit(p) / p->npolicies);
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

/* Simulations in flight: one at a time where they are counted, as in the papers; by the clock few enough that
 * the tree guides most of them, many enough that sweeps are full. What they cost and bring is measured in
 * docs/search.md. */
static uint32_t default_lanes(const struct player *p, const struct budget *b)
{
    if (p->config.lanes) return (uint32_t)p->config.lanes;
    uint32_t many = p->config.playout >= PLAYOUT_WIRES ? 32 : 64; /* leaves, with several playouts each */
    return p->on_circuit && !budget_counts(b) ? many : 1;
}

/* By the clock every core; where simulations are counted one, so that the result is the same every time. */
static uint32_t default_threads(const struct player *p, const struct budget *b)
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
                                 .rave = (uint32_t)c->rave,
                                 .urgency = c->urgency,
                                 .rave_mix = (enum rave_mix)c->rave_mix,
                                 .final = (enum final_move)c->final,
                                 .window = (uint32_t)c->window,
                                 .carry = (uint32_t)c->carry,
                                 .lanes = lanes,
                                 .playouts = (uint32_t)c->playouts,
                                 .solver = (enum solving)c->solver,
                                 .outcomes = p->outcomes,
                                 .scout = (uint32_t)c->scout,
                                 .decisive = (enum decisive_moves)c->decisive,
                                 .memory = memory_limit(p) - table_limit(p),
                                 .seed = p->seed + p->divergence * CREW_STRIDE};
}

/* Which moves win at once, if that can be had in a tenth of the time. */
static const struct code *foresight(const struct player *p, const struct budget *budget)
{
    double end = budget_share(budget, 0.1);
    if (!p->config.decisive || !p->on_circuit) return NULL;
    return engine_foresight(p->engine, end > 0 ? fmax(end - clock_now(), 1e-3) : 0);
}

static void decide_cutoff(struct player *p, const struct budget *budget, struct cutoff *out)
{
    struct cutoff_sample sample;
    struct budget part = *budget;
    part.deadline = p->reasoner->deadline = budget_share(budget, 0.25);
    if (cutoff_measure(p->reasoner, p->seed, 100, &part, &sample))
        *out = cutoff_decide(&sample, p->game->nroles, 1000, 10);
    p->reasoner->deadline = budget->deadline;
}

static bool make_search(struct player *p, const struct budget *budget, struct error *error)
{
    const struct player_config *c = &p->config;
    uint32_t threads = default_threads(p, budget);
    if (!make_policies(p, threads, budget, error)) return false;
    if (c->solver != SOLVER_OFF && !p->outcomes)
        p->outcomes = outcomes_new(p->game, p->on_circuit ? engine_code(p->engine) : NULL, OUTCOMES_QUICK);
    struct crew_options o = {.how = (enum parallel)c->parallel,
                             .threads = threads,
                             .search = search_options(p, p->driver ? 1 : default_lanes(p, budget))};
    o.search.foresight = foresight(p, budget);
    if (c->cutoff) decide_cutoff(p, budget, &o.search.cutoff);
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
    return p->mcts != NULL;
}

static void dismiss(struct player *p)
{
    if (p->allies) p->allies->ops->free(p->allies);
    p->allies = NULL;
    p->mustered = false;
}

/* Others who search for us, if there are any. Games for one have searches of their own. */
static void muster(struct player *p)
{
    char spec[sizeof p->config.spec + 40];
    uint32_t arm = p->audition.chosen; /* who won the audition is sent, too */
    snprintf(spec, sizeof spec, "%s%s%s", p->config.spec, arm ? ",arm=" : "",
             arm ? player_arms[arm].name : "");
    struct allies_call call = {.rules = p->game->source->text,
                               .rules_size = p->game->source->size,
                               .player = spec,
                               .role = p->game->role_names[p->role],
                               .seed = p->seed,
                               .megabytes = (uint64_t)p->config.memory,
                               .ranks = (uint32_t)p->config.ranks};
    if (p->mustered || !allies_muster || p->driver || p->solo || p->config.ranks == 1) return;
    p->allies = allies_muster(&call);
    if (p->allies) p->cores = p->allies->cores;
    p->mustered = true;
}

/* The search is there and knows where we are. */
static bool prepare_search(struct player *p, const struct budget *budget, struct error *error)
{
    muster(p);
    if (!p->mcts && !make_search(p, budget, error)) {
        drop_search(p);
        return false;
    }
    if (p->rooted) return true;
    p->rooted =
        p->crew ? crew_root(p->crew, &p->state, budget, error) : mcts_root(p->mcts, &p->state, budget, error);
    return p->rooted;
}

/* What the search has come to. */
static bool conclude_search(struct player *p, uint32_t *move, struct error *error)
{
    if (!p->crew) mcts_count(p->mcts);
    p->report.stats = p->mcts->stats;
    if (p->mcts->trouble) error_set(error, ERROR_INTERNAL, "%s", p->mcts->trouble);
    p->report.nodes = p->mcts->tree->nodes;
    for (uint32_t i = 1; p->crew && i < p->crew->nsearches; i++)
        p->report.nodes += p->crew->searches[i]->tree->nodes;
    if (p->allies) {
        p->report.nodes += p->allies->nodes;
        p->report.allied = p->allies->pooled;
        p->report.of = p->allies->parts;
    }
    p->report.value = mcts_value(p->mcts, p->role);
    return mcts_best(p->mcts, p->role, move);
}

/* A game for one: the tree search takes its turn in the race. */
static bool take_turn(void *data, struct turn *turn, struct line *line)
{
    struct player *p = data;
    struct budget b = {.deadline = turn->until, .steps = turn->steps, .stop = turn->stop};
    struct error error;
    const uint32_t *moves;
    uint32_t n;
    if (!prepare_search(p, &b, &error)) return error.code == ERROR_TIME || error.code == ERROR_CANCELLED;
    if (!mcts_ready(p->mcts)) return false;
    if (p->crew)
        crew_run(p->crew, &b);
    else
        driver_work(p->driver, &p->mcts->hands[0], &b);
    if (!p->crew) mcts_count(p->mcts);
    turn->used += p->mcts->stats.steps;
    p->report.stats.simulations += p->mcts->stats.simulations;
    p->report.stats.steps += p->mcts->stats.steps;
    p->report.stats.seconds += p->mcts->stats.seconds;
    p->report.stats.max_depth = p->mcts->stats.max_depth;
    p->report.nodes = p->mcts->tree->nodes;
    p->report.value = mcts_value(p->mcts, p->role);
    for (uint32_t i = 0; i < (p->crew ? p->crew->nsearches : 1); i++) {
        float reward = mcts_kept(p->crew ? p->crew->searches[i] : p->mcts, &moves, &n);
        if (reward >= 0) line_offer(line, (int)reward, moves, n, "tree");
    }
    return true;
}

/* Before the tree search: if it has an answer, that is not asked. */
static bool by_minimax(struct player *p, const struct budget *budget, uint32_t *move)
{
    const struct player_config *c = &p->config;
    struct minimax_options o = {.policy = (enum minimax_policy)c->minimax,
                                .eval = (enum minimax_eval)c->eval,
                                .table = c->table,
                                .history = c->history,
                                .killers = c->killers,
                                .order = c->order,
                                .depth = (uint32_t)c->depth,
                                .noise = c->noise,
                                .memory = memory_limit(p) < MINIMAX_ENOUGH ? memory_limit(p) : MINIMAX_ENOUGH,
                                .seed = p->seed};
    struct error error = {0};
    if (!p->minimax)
        p->minimax =
            minimax_new(p->reasoner, p->on_circuit ? engine_code(p->engine) : NULL, p->role, &o, &error);
    if (!p->minimax) return p->report.trouble = error, false;
    bool decided = minimax_think(p->minimax, &p->state, budget, move, &error);
    const struct minimax_report *r = minimax_report(p->minimax);
    p->report.remark = r->remark;
    if (!r->nline) return false;
    p->report.minimax = r;
    p->report.stats = (struct mcts_stats){.simulations = r->nodes,
                                          .steps = r->nodes,
                                          .expansions = r->fans,
                                          .max_depth = r->depth,
                                          .seconds = r->seconds};
    p->report.nodes = r->nodes > UINT32_MAX ? UINT32_MAX : (uint32_t)r->nodes;
    /* of 100 that all have together */
    p->report.value = r->policy == MINIMAX_MAXN ? r->score : (r->score + 100) / 2;
    return decided;
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
        if (p->solo) solo_moved(p->solo, p->ahead.v[made]);
        made += nroles;
        p->plies++;
        p->legal_here = p->rooted = false;
        player_moved(p, 1);
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

/* Everything up to the search: where we are, a move in hand. */
static bool begin(struct player *p, const struct budget *budget, bool forced_too, struct error *error)
{
    p->budget = *budget;
    p->searching = false;
    set_patience(p, budget);
    follow_engine(p, budget);
    set_patience(p, budget); /* perhaps there is a new reasoner */
    p->report = (struct player_report){.value = 50, .engine = p->reasoner->ops->name, .remark = ""};
    bool here = catch_up(p), known = here && know_moves(p, error);
    if (!here) *error = p->reasoner->error;
    bool hurried = !known && (error->code == ERROR_TIME || error->code == ERROR_CANCELLED);
    if (!known && (!hurried || p->legal.n == 0)) return false;
    /* Moves of an earlier state are a guess, but better than no answer. */
    bool sure = known && p->legal_here;
    if (!sure)
        error_set(&p->report.trouble, ERROR_TIME, "the rules take too long to find %s",
                  here ? "all legal moves" : "the state");
    bool minimax = p->config.kind == PLAYER_MINIMAX;
    bool wanted = sure && (p->config.kind == PLAYER_SEARCH || minimax) && (p->legal.n > 1 || forced_too);
    p->alone = wanted && p->solo &&
               solo_think(p->solo, p->reasoner, p->on_circuit ? engine_code(p->engine) : NULL, &p->state,
                          budget, &p->alone_move);
    if (wanted && minimax && !p->alone) p->alone = by_minimax(p, budget, &p->alone_move);
    if (p->report.minimax) wanted = false; /* it has thought, about others' moves perhaps */
    p->searching =
        wanted && !p->alone && prepare_search(p, &p->budget, &p->report.trouble) && mcts_ready(p->mcts);
    return true;
}

/* The search's move, if it has one; else the one in hand. */
static void end(struct player *p, uint32_t *move)
{
    if (p->alone)
        *move = p->alone_move;
    else if (!p->searching || !conclude_search(p, move, &p->report.trouble))
        *move = p->legal.v[p->config.kind == PLAYER_RANDOM   ? rng_below(&p->rng, p->legal.n)
                           : p->config.kind == PLAYER_SCRIPT ? by_script(p)
                                                             : 0];
    p->searching = false;
    set_patience(p, NULL);
}

/* The search, with the allies' if there are any. */
static void search(struct player *p, const struct budget *budget)
{
    struct allies *a = p->allies;
    struct budget mine = *budget;
    if (a) {
        a->ops->think(a, p->reasoner, &p->state, p->plies, budget);
        p->plies = 0;
        mine.simulations = budget_part(budget->simulations, 0, a->parts);
        mine.steps = budget_part(budget->steps, 0, a->parts);
        mine.expansions = budget_part(budget->expansions, 0, a->parts);
    }
    crew_run(p->crew, &mine);
    if (!a) return;
    if (p->crew->nsearches == 1) mcts_pool(p->mcts, NULL, 0); /* else it is pooled already */
    a->ops->gather(a, p->mcts, budget);
    a->ops->rest(a);
}

static bool think(struct player *p, const struct budget *budget, bool forced_too, uint32_t *move,
                  struct error *error)
{
    if (!begin(p, budget, forced_too, error)) {
        set_patience(p, NULL);
        return false;
    }
    if (p->searching && p->crew)
        search(p, budget);
    else if (p->searching)
        driver_work(p->driver, &p->mcts->hands[0], budget);
    end(p, move);
    return true;
}

bool player_think(struct player *p, const struct budget *budget, uint32_t *move, struct error *error)
{
    struct budget b = with_reserve(budget);
    return think(p, &b, p->config.forced, move, error);
}

bool player_ponder(struct player *p, const struct budget *budget, struct error *error)
{
    uint32_t move;
    return think(p, budget, true, &move, error);
}

/* Is there a choice to be made, and the circuit to make it on? */
static bool may_audition(struct player *p, const struct budget *budget)
{
    bool wanted = p->config.kind == PLAYER_SEARCH && p->config.arm == ARM_AUTO && p->game->nroles > 1;
    if (!wanted || p->audition.held || !p->engine || !p->config.tree) return false;
    bool waits = budget_counts(budget) || budget->deadline > 0;
    return (waits ? await_engine(p->engine, budget) : engine_poll(p->engine)) == ENGINE_READY;
}

bool player_start(struct player *p, const struct budget *budget, struct error *error)
{
    struct budget left = *budget;
    if (may_audition(p, budget)) {
        struct error trouble; /* then it stays as it is */
        if (audition_hold(&p->config, p->game, p->engine, default_threads(p, budget), p->seed, budget,
                          &p->audition, &trouble) &&
            p->audition.chosen) {
            drop_search(p);
            dismiss(p); /* they are to play by it, too */
            if (!audition_apply(&p->config, p->audition.chosen, error)) return false;
        }
        left.simulations = left.simulations ? left.simulations * 2 / 5 + 1 : 0;
        left.steps = left.steps ? left.steps * 2 / 5 + 1 : 0;
    }
    return player_ponder(p, &left, error);
}

const struct audition_report *player_audition(const struct player *p)
{
    return &p->audition;
}

bool player_begin(struct player *p, const struct budget *budget, bool ponder, struct hand **hand,
                  struct error *error)
{
    *hand = NULL;
    if (!begin(p, budget, ponder || p->config.forced, error)) {
        set_patience(p, NULL);
        return false;
    }
    if (p->searching) *hand = &p->mcts->hands[0];
    return true;
}

bool player_end(struct player *p, uint32_t *move, struct error *error)
{
    if (p->legal.n == 0) return error_set(error, ERROR_INTERNAL, "nothing was begun");
    end(p, move);
    return true;
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
    if (p->solo) solo_forget(p->solo);
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

struct solo *player_solo(struct player *p)
{
    return p->solo;
}

struct minimax *player_minimax(struct player *p)
{
    return p->minimax;
}

const struct player_config *player_config(const struct player *p)
{
    return &p->config;
}
