// SPDX-License-Identifier: GPL-3.0-or-later
/* A think, in the order in which it makes sure of things:
 *
 *     circuit ready? move to it ── make the joint moves announced since ── own legal moves: one is in hand
 *                                                                            │
 *     answer: the search's move, or the one in hand  <── search <── set up <──┘
 *
 * Every step obeys the deadline and the stop flag, and leaves the player fit to go on with it next time. */
#include "player/player_internal.h"

#include "player/allies.h"
#include "player/finish.h"
#include "player/script.h"
#include "search/judgement.h"

#include <stdlib.h>
#include <string.h>

struct allies *(*allies_muster)(const struct allies_call *call);

#define RULES_LEAST 0.03                  /* seconds */
#define MINIMAX_ENOUGH ((size_t)64 << 20) /* of table: what a few million positions need */

static bool take_turn(void *data, struct turn *turn, struct line *line);

struct player *player_new(const struct player_config *config, const struct game *game, struct engine *engine,
                          uint32_t role, uint64_t seed, struct error *error)
{
    struct player *p = calloc(1, sizeof *p);
    if (!p) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    p->config = *config;
    if (config->arm >= ARM_FIRST && !player_arm_apply(&p->config, (uint32_t)config->arm - ARM_FIRST, error))
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
        p->solo = solo_new((enum solo_way)config->puzzle, player_memory(p) / 2, seed);
    if (p->solo) solo_invite(p->solo, take_turn, p, "tree");
    if (p->solo && config->parts) solo_take_apart(p->solo);
    return p;
}

void player_join(struct player *p, struct driver *driver)
{
    p->driver = driver;
}

void player_borrow(struct player *p, const struct player *lender)
{
    const struct decay *d = &lender->config.decay;
    bool fades = d->move < 1 || d->batch < 1 || d->simulation < 1; /* then by each one's own moves */
    p->lender = !fades ? lender : NULL;
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
    player_drop_search(p);
    judgement_free(p->audition.judgement);
    minimax_lessons_free(p->audition.lessons);
    if (p->allies) p->allies->ops->free(p->allies);
    memo_done(&p->finish.memo);
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
    player_drop_search(p);
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
    if (!p->mcts && !player_make_search(p, budget, error)) {
        player_drop_search(p);
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
    if (*p->mcts->remark) p->report.remark = p->mcts->remark; /* else what was said before it holds */
    p->report.nodes = p->mcts->tree->nodes;
    for (uint32_t i = 1; p->crew && i < p->crew->nsearches; i++)
        p->report.nodes += p->crew->searches[i]->tree->nodes;
    if (p->allies) {
        p->report.nodes += p->allies->nodes;
        p->report.allied = p->allies->pooled;
        p->report.of = p->allies->parts;
    }
    p->report.value = mcts_value(p->mcts, p->role);
    finish_note(p);
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
                                .memory =
                                    player_memory(p) < MINIMAX_ENOUGH ? player_memory(p) : MINIMAX_ENOUGH,
                                .threads = player_threads(p, budget),
                                .seed = p->seed};
    struct error error = {0};
    struct minimax *m = p->lender ? p->lender->minimax : p->minimax;
    if (!m) {
        const struct minimax_lessons *lessons = p->lessons ? p->lessons : p->audition.lessons;
        m = p->minimax =
            minimax_new(p->reasoner, p->on_circuit ? engine_code(p->engine) : NULL, p->role, &o, &error);
        if (m && p->on_circuit && lessons) minimax_lend(m, lessons);
    }
    if (!m) return p->report.trouble = error, false;
    bool decided = minimax_think(m, &p->state, budget, move, &error);
    const struct minimax_report *r = minimax_report(m);
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

/* What the rules themselves may take when the clock is all but over: a move a little late is better than one
 * that is not legal. */
static struct budget for_the_rules(const struct budget *budget)
{
    struct budget b = *budget;
    double least = clock_now() + RULES_LEAST;
    if (b.deadline > 0 && b.deadline < least) b.deadline = least;
    return b;
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
    struct budget rules = for_the_rules(budget);
    set_patience(p, &rules); /* perhaps there is a new reasoner */
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
    set_patience(p, budget);
    bool minimax = p->config.kind == PLAYER_MINIMAX;
    bool wanted = sure && (p->config.kind == PLAYER_SEARCH || minimax) && (p->legal.n > 1 || forced_too);
    p->alone = wanted && p->solo &&
               solo_think(p->solo, p->reasoner, p->on_circuit ? engine_code(p->engine) : NULL, &p->state,
                          budget, &p->alone_move);
    if (wanted && minimax && !p->alone) p->alone = by_minimax(p, budget, &p->alone_move);
    if (p->report.minimax) wanted = false; /* it has thought, about others' moves perhaps */
    p->searching =
        wanted && !p->alone && prepare_search(p, &p->budget, &p->report.trouble) && mcts_ready(p->mcts);
    if (p->searching && finish_try(p, &p->budget, &p->alone_move)) p->alone = true, p->searching = false;
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
        if (audition_hold(&p->config, p->game, p->engine, player_threads(p, budget), p->seed, budget,
                          &p->audition, &trouble) &&
            p->audition.chosen) {
            player_drop_search(p);
            dismiss(p); /* they are to play by it, too */
            if (!player_arm_apply(&p->config, p->audition.chosen, error)) return false;
        }
        audition_leave(&left);
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

const struct judgement *player_judgement(const struct player *p)
{
    return p->judgement;
}

struct judgement *player_take_judgement(struct player *p)
{
    struct judgement *own = p->lent ? NULL : p->judgement;
    if (own) p->judgement = NULL;
    player_drop_search(p);
    return own;
}

void player_lend_judgement(struct player *p, struct judgement *j)
{
    player_drop_search(p);
    p->judgement = j;
    p->lent = true;
}

struct minimax_lessons *player_take_lessons(struct player *p)
{
    struct minimax_lessons *l = p->minimax ? minimax_take_lessons(p->minimax) : NULL;
    player_drop_search(p);
    return l;
}

void player_lend_lessons(struct player *p, const struct minimax_lessons *l)
{
    player_drop_search(p);
    p->lessons = l;
}

const struct player_config *player_config(const struct player *p)
{
    return &p->config;
}
