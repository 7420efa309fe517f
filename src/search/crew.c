// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/crew.h"

#include "game/engine.h"
#include "search/meeting.h"
#include "search/prove.h"
#include "search/relay.h"
#include "search/tidings.h"

#include <pthread.h>
#include <stdlib.h>

static bool make_drivers(struct crew *c, struct reasoner *reasoner, const struct code *code,
                         struct error *error)
{
    for (; c->n < c->opt.threads; c->n++) {
        uint32_t i = c->n;
        c->reasoners[i] = i ? reasoner_circuit(reasoner->game, code, error) : reasoner;
        if (!c->reasoners[i]) return false;
        c->drivers[i] = driver_new(c->reasoners[i], code, c->opt.search.lanes, error);
        if (!c->drivers[i]) {
            if (i) reasoner_free(c->reasoners[i]);
            return false;
        }
    }
    return true;
}

static bool make_searches(struct crew *c, struct policy **policies, struct error *error)
{
    bool apart = c->opt.how == PARALLEL_ROOT && c->n > 1;
    uint32_t searches = apart ? c->n : 1, hands = apart ? 1 : c->n;
    for (; c->nsearches < searches; c->nsearches++) {
        uint32_t i = c->nsearches;
        struct mcts_options o = c->opt.search;
        o.seed += i * CREW_STRIDE;
        o.memory /= searches;
        c->searches[i] = mcts_new(&o, c->reasoners[i], policies + i, hands, error);
        if (!c->searches[i]) return false;
    }
    if (c->opt.how != PARALLEL_LEAF || c->n == 1) return true;
    uint32_t each = c->opt.search.lanes * 2 * (c->opt.search.playouts ? c->opt.search.playouts : 1);
    c->relay = relay_new(each * (c->n - 1));
    return c->relay || error_set(error, ERROR_MEMORY, "out of memory");
}

struct crew *crew_new(const struct crew_options *options, struct reasoner *reasoner, const struct code *code,
                      struct policy **policies, struct error *error)
{
    struct crew *c = calloc(1, sizeof *c);
    if (!c) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    c->opt = *options;
    if (!code || c->opt.threads < 1) c->opt.threads = 1;
    if (c->opt.threads > CREW_MAX) c->opt.threads = CREW_MAX;
    if (make_drivers(c, reasoner, code, error) && make_searches(c, policies, error)) return c;
    crew_free(c);
    return NULL;
}

void crew_free(struct crew *c)
{
    if (!c) return;
    for (uint32_t i = 0; i < c->nsearches; i++) mcts_free(c->searches[i]);
    tidings_free(c->tidings);
    for (uint32_t i = 0; i < c->n; i++) {
        driver_free(c->drivers[i]);
        if (i) reasoner_free(c->reasoners[i]);
    }
    relay_free(c->relay);
    free(c);
}

/* Searches of one root hear of each other's proofs, beginning with what their trees know already. */
static void open_tidings(struct crew *c)
{
    const struct mcts *m = c->searches[0];
    const struct tree_node *root = tree_node(m->tree, m->tree->root);
    uint64_t joints = 1;
    tidings_free(c->tidings);
    c->tidings = NULL;
    if (c->nsearches > 1 && mcts_ready(m) && prove_is_on(m)) {
        for (uint32_t r = 0; r < m->nroles && joints <= TIDINGS_JOINTS; r++)
            joints *= node_actions(m->tree, root, r);
        c->tidings = tidings_new(m->nroles, joints, m->tree->widest);
    }
    for (uint32_t i = 0; i < c->nsearches; i++) {
        c->searches[i]->tidings = c->tidings;
        c->searches[i]->heard = 0;
        prove_tell(c->searches[i]);
    }
}

bool crew_root(struct crew *c, const struct state *state, const struct budget *budget, struct error *error)
{
    for (uint32_t i = 0; i < c->nsearches; i++)
        if (!mcts_root(c->searches[i], state, budget, error)) return false;
    open_tidings(c);
    return true;
}

struct task {
    struct driver *driver;
    struct hand *hand;
    struct budget budget;
    pthread_t thread;
    bool started;
};

static void *work(void *data)
{
    struct task *t = data;
    struct reasoner *r = driver_reasoner(t->driver);
    r->deadline = t->budget.deadline;
    r->cancel = t->budget.stop;
    driver_work(t->driver, t->hand, &t->budget);
    r->deadline = 0;
    r->cancel = NULL;
    return NULL;
}

static struct hand *hand_of(struct crew *c, uint32_t i)
{
    return c->nsearches > 1 ? &c->searches[i]->hands[0] : &c->searches[0]->hands[i];
}

static struct budget part_of(const struct crew *c, const struct budget *b, uint32_t i, uint32_t n)
{
    struct budget part = *b;
    if (c->relay) n = 1; /* the master counts for all */
    part.simulations = budget_part(b->simulations, i, n);
    part.steps = budget_part(b->steps, i, n);
    part.expansions = budget_part(b->expansions, i, n);
    return part;
}

static void nothing_to_tend(void *data)
{
    (void)data;
}

/* Start the threads but the first, which is our own. Where one cannot be had, the others do without it. */
static void start(struct crew *c, struct task *tasks, const struct budget *budget)
{
    struct mcts *m = c->searches[0];
    bool together = c->nsearches == 1 && !c->relay;
    if (together) mcts_begin(m);
    tree_share(m->tree, together ? c->n : 1);
    if (together) meeting_open(m->meeting, c->n);
    if (c->relay) relay_open(c->relay, m);
    for (uint32_t i = 0; i < c->n; i++)
        tasks[i] = (struct task){
            .driver = c->drivers[i], .hand = hand_of(c, i), .budget = part_of(c, budget, i, c->n)};
    for (uint32_t i = 1; i < c->n; i++) {
        tasks[i].started = pthread_create(&tasks[i].thread, NULL, work, &tasks[i]) == 0;
        if (tasks[i].started) continue;
        tasks[i].hand->stats = (struct mcts_stats){0};
        if (together) meeting_leave(m->meeting, nothing_to_tend, NULL);
    }
}

static void run_threads(struct crew *c, const struct budget *budget)
{
    struct task tasks[CREW_MAX];
    start(c, tasks, budget);
    driver_work(c->drivers[0], tasks[0].hand, &tasks[0].budget);
    if (c->relay) relay_close(c->relay);
    for (uint32_t i = 1; i < c->n; i++)
        if (tasks[i].started) pthread_join(tasks[i].thread, NULL);
    if (c->relay) relay_settle(c->relay);
    tree_share(c->searches[0]->tree, 1);
}

void crew_run(struct crew *c, const struct budget *budget)
{
    struct mcts *m = c->searches[0];
    if (!mcts_ready(m)) {
        m->stats = (struct mcts_stats){0};
        return;
    }
    if (c->n == 1)
        driver_work(c->drivers[0], &m->hands[0], budget);
    else
        run_threads(c, budget);
    for (uint32_t i = 0; i < c->nsearches; i++) mcts_count(c->searches[i]);
    if (c->tidings) {
        struct prover room = {0};
        prove_hear(m, &room);
        prover_done(&room);
    }
    if (c->nsearches > 1) mcts_pool(m, c->searches + 1, c->nsearches - 1);
}
