// SPDX-License-Identifier: GPL-3.0-or-later
/* Hands come and go, rounds are played, trees are collected. What happens inside a round is in round.c. */
#include "search/driver_internal.h"
#include "search/ledger.h"
#include "search/meeting.h"
#include "search/round.h"
#include "search/wires/leaves.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONG_WALK = 10000, /* positions entered in the tree in a row before somebody looks at the clock */
    GLANCE = 32,       /* rounds between two looks at stop flags, where no clock runs */
    LAUNCHES = 64,     /* simulations in a row that may end in the tree before others get a turn */
    BARREN = 1000      /* simulations per node of a budget in nodes: the tree may be all there is */
};

/* --- Setting up ----------------------------------------------------------------------------------------- */

struct driver *driver_new(struct reasoner *reasoner, const struct code *code, uint32_t lanes,
                          struct error *error)
{
    struct driver *d = calloc(1, sizeof *d);
    struct world *w = d ? world_new(reasoner, code, lanes, error) : NULL;
    if (!w) {
        if (!d) error_set(error, ERROR_MEMORY, "out of memory");
        free(d);
        return NULL;
    }
    d->world = w;
    d->code = code;
    d->nroles = w->nroles;
    d->in_turns = w->batch && batch_turns_pay(w->batch);
    d->goal_share = w->batch ? batch_goal_share(w->batch) : 0;
    d->lanes = lanes < 1 ? 1 : lanes > w->lanes ? w->lanes : lanes;
    d->lane = calloc(d->lanes, sizeof *d->lane);
    d->flights = calloc((size_t)d->lanes * 2, sizeof *d->flights);
    d->hands = calloc(d->lanes, sizeof *d->hands);
    d->goals = calloc((size_t)w->lanes * d->nroles, sizeof *d->goals);
    d->chosen = calloc(w->lanes, sizeof *d->chosen);
    d->draws = calloc(w->lanes, sizeof *d->draws);
    d->until = calloc(w->lanes, sizeof *d->until);
    d->stream = calloc(w->lanes, sizeof *d->stream);
    d->legal = calloc(d->nroles, sizeof *d->legal);
    d->arrived = w->batch ? calloc(w->lanes, (1 + (size_t)w->batch->state_words) * sizeof *d->arrived) : NULL;
    if (!d->lane || !d->flights || !d->hands || !d->goals || !d->chosen || !d->draws || !d->until ||
        !d->stream || !d->legal || (w->batch && !d->arrived)) {
        driver_free(d);
        return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    }
    for (uint32_t i = 0; i < d->lanes; i++) {
        d->lane[i].flying = &d->flights[2 * i], d->lane[i].parked = &d->flights[2 * i + 1];
        d->lane[i].flying->lane = d->lane[i].parked->lane = i;
    }
    return d;
}

void driver_free(struct driver *d)
{
    if (!d) return;
    for (uint32_t i = 0; i < 2 * d->lanes && d->flights; i++) flight_release(&d->flights[i]);
    for (uint32_t r = 0; r < d->nroles && d->legal; r++) list_done(&d->legal[r]);
    world_free(d->world);
    free(d->lane);
    free(d->flights);
    free(d->hands);
    free(d->goals);
    free(d->chosen);
    free(d->draws);
    free(d->until);
    free(d->stream);
    free(d->legal);
    free(d->arrived);
    free(d->stamp);
    prover_done(&d->prover);
    decisive_free(d->decisive);
    state_done(&d->state);
    free(d);
}

uint32_t driver_room(const struct driver *d)
{
    return d->lanes - d->held;
}

struct reasoner *driver_reasoner(const struct driver *d)
{
    return d->world->reasoner;
}

/* --- Hands ---------------------------------------------------------------------------------------------- */

/* Put the driver's clock forward: a second counts for each hand as much as its share of the driver. */
static void tick(struct driver *d)
{
    double now = clock_now();
    if (d->nhands) d->clock += (now - d->ticked) / d->nhands;
    d->ticked = now;
}

/* Nodes may be folded until they are visited again: nobody else is at work, and simulations leave nothing but
 * means. */
static bool may_fold(const struct hand *h)
{
    const struct mcts *m = h->search;
    return !h->relay && m->opt.solver == SOLVER_OFF && !m->opt.rave && !m->opt.carry && !m->opt.implicit &&
           !m->single;
}

/* Its simulations need not be in every round, and nobody but the round looks at the lanes: they may wait
 * until it is their turn. */
static bool is_plain(const struct hand *h)
{
    return h->solo && !h->leaves && !decisive_is_on(h->search);
}

void driver_add(struct driver *d, struct hand *h, const struct budget *budget)
{
    uint32_t wanted = h->search->opt.lanes < 1 ? 1 : h->search->opt.lanes;
    tick(d);
    if (d->nhands == 0) { /* whatever troubled those before is over */
        d->world->failed = false;
        error_clear(&d->world->reasoner->error);
        d->world->bulk = false;
        d->round = 0; /* a machine that was busy then need not be now */
    }
    d->world->bulk |= !policy_is_uniform(h->policy);
    h->driver = d;
    h->budget = *budget;
    h->launched = 0;
    h->aloft = h->lanes = 0;
    h->over = false;
    h->walked = 0;
    h->stats = (struct mcts_stats){0};
    h->began = d->clock;
    h->solo = wanted == 1 && !h->search->tree->shared && !h->relay;
    h->wired = leaves_open(h, d->code);
    if (!h->search->tree->shared && !relay_serves(h)) h->search->tree->folds = may_fold(h);
    d->watched += budget->deadline > 0;
    d->shared += h->search->tree->shared;
    if (h->search->tree->shared && !h->ledger) h->ledger = ledger_new();
    d->plain += is_plain(h);
    d->leafy += h->leaves != NULL;
    h->first_round = d->now;
    if (!h->search->tree->shared && !relay_serves(h)) mcts_begin(h->search);
    for (uint32_t i = 0; i < d->lanes && h->lanes < wanted; i++) {
        if (d->lane[i].hand) continue;
        d->lane[i].hand = d->lane[i].flying->hand = d->lane[i].parked->hand = h;
        d->in[IDLE][i / 64] |= (uint64_t)1 << (i % 64);
        h->lanes++;
        d->held++;
    }
    d->hands[d->nhands++] = h;
}

static void give_up_flights(struct driver *d, const struct hand *h)
{
    for (uint32_t i = 0; i < d->lanes; i++) {
        if (d->lane[i].hand != h) continue;
        if (d->lane[i].parked->stage == PARKED) {
            d->nparked--;
            d->parked[i / 64] &= ~((uint64_t)1 << (i % 64));
            world_unpark(d->world, i);
        }
        flight_abort(d->lane[i].flying);
        flight_abort(d->lane[i].parked);
    }
}

/* A hand whose budget is spent gives its lanes back. */
static void leave(struct driver *d, uint32_t which)
{
    struct hand *h = d->hands[which];
    tick(d);
    give_up_flights(d, h);
    leaves_abandon(h);
    ledger_close(h);
    tree_release(h->search->tree, &h->claim);
    for (uint32_t i = 0; i < d->lanes; i++)
        if (d->lane[i].hand == h) {
            d->lane[i].hand = NULL;
            d->in[IDLE][i / 64] &= ~((uint64_t)1 << (i % 64));
        }
    d->held -= h->lanes;
    d->hands[which] = d->hands[--d->nhands];
    d->watched -= h->budget.deadline > 0;
    d->shared -= h->search->tree->shared;
    d->plain -= is_plain(h);
    d->leafy -= h->leaves != NULL;
    h->stats.rounds = d->now - h->first_round;
    h->stats.seconds = d->clock - h->began;
}

bool hand_may_launch(const struct hand *h)
{
    const struct budget *b = &h->budget;
    if (h->over || __atomic_load_n(&h->search->settled, __ATOMIC_RELAXED) || relay_serves(h) ||
        (b->simulations && h->launched >= b->simulations) || (b->steps && h->stats.steps >= b->steps))
        return false;
    return !b->expansions || (h->stats.expansions < b->expansions && h->launched < BARREN * b->expansions);
}

/* Sweeps of a large circuit take long and cannot be broken off: none is begun that would end too late. */
static bool out_of_time(const struct driver *d, const struct hand *h)
{
    if (h->budget.stop && atomic_load_explicit(h->budget.stop, memory_order_relaxed)) return true;
    return h->budget.deadline > 0 && clock_now() >= h->budget.deadline - d->round;
}

static bool is_finished(const struct hand *h)
{
    return h->over || (h->aloft == 0 && !hand_may_launch(h) && !relay_busy(h) && !leaves_busy(h));
}

/* Give a lane a simulation. One that never leaves the tree ends at once, and the lane gets another: not too
 * many of them, and not without looking at the clock. */
static void launch(struct driver *d, struct lane *lane)
{
    struct hand *h = lane->hand;
    if (h->lanes == 1 && lane->parked->stage != IDLE) return; /* a result is known before the next begins */
    if (h->wired && leaves_room(h) == 0) return;
    for (int tries = 0; lane->flying->stage == IDLE && tries < LAUNCHES && hand_may_launch(h); tries++) {
        h->launched++;
        flight_launch(lane->flying);
        /* where positions come back there is no end of it */
        bool far = h->stats.steps - h->walked > LONG_WALK;
        if (far) h->walked = h->stats.steps;
        if (far || tries == LAUNCHES - 1) h->over = out_of_time(d, h);
    }
    if (lane->flying->stage == IDLE && is_finished(h)) d->finished = true;
}

/* Lanes for a simulation to begin in; those of hands with but one wait for its result. */
static uint64_t free_lanes(const struct driver *d, uint32_t w)
{
    return d->in[IDLE][w] & ~(d->plain == d->nhands ? d->parked[w] : 0);
}

/* What a descent begins with is on its way to the cache while others begin theirs. */
static void fetch_roots(const struct driver *d)
{
    FOR_LANES(d, i, w, free_lanes(d, w))
    {
        const struct tree *t = d->lane[i].hand->search->tree;
        if (relay_serves(d->lane[i].hand)) return; /* the tree is somebody else's */
        const char *root = (const char *)tree_node(t, t->root);
        for (int line = 0; line < 4; line++) __builtin_prefetch(root + 64 * line);
    }
}

static void launch_all(struct driver *d)
{
    if (d->watched || d->leafy || d->now % GLANCE == 0)
        for (uint32_t i = 0; i < d->nhands; i++)
            if (out_of_time(d, d->hands[i])) d->hands[i]->over = d->finished = true;
    fetch_roots(d);
    FOR_LANES(d, i, w, free_lanes(d, w)) launch(d, &d->lane[i]);
}

/* A hand that has nothing left to do. */
static bool find_finished(struct driver *d, uint32_t *which)
{
    for (uint32_t i = 0; i < d->nhands && d->finished; i++)
        if (is_finished(d->hands[i])) return *which = i, true;
    return d->finished = false;
}

/* --- Trees ---------------------------------------------------------------------------------------------- */

/* The node that a simulation is about to go on from. */
static bool needs_node(const struct flight *f)
{
    return f->stage == ENTERING || f->stage == LEAVING || f->stage == ARRIVED || f->stage == WAITING;
}

/* Those under way learn the new numbers, and those whose node is gone are given up. Threads that do playouts
 * for others go on meanwhile: no simulation of theirs is in the tree. */
static void renumber(struct mcts *m, struct hand *h)
{
    if (relay_serves(h)) return;
    struct driver *d = h->driver;
    for (uint32_t i = 0; d && i < 2 * d->lanes; i++) {
        struct flight *f = &d->flights[i];
        if (f->hand != h || f->stage == IDLE || f->errand) continue;
        f->node = tree_moved(m->tree, f->node);
        for (uint32_t t = 0; t < f->tree_steps; t++) f->path[t] = tree_moved(m->tree, f->path[t]);
        if (!needs_node(f) || (f->node && f->path[f->tree_steps - 1])) continue;
        flight_abort(f);
        h->launched--;
    }
    relay_renumber(h);
    leaves_renumber(h);
}

/* It may take a share of the time, not more. */
bool driver_make_room(struct mcts *m, const struct budget *budget)
{
    for (uint32_t i = 0; i < m->nhands; i++) {
        if (relay_serves(&m->hands[i])) continue; /* is at work, and has nothing of the tree */
        ledger_close(&m->hands[i]);
        tree_release(m->tree, &m->hands[i].claim);
    }
    if (!tree_collect(m->tree, 0.4, budget_share(budget, 0.2), budget)) return false;
    for (uint32_t i = 0; i < m->nhands; i++) renumber(m, &m->hands[i]);
    tree_forget(m->tree);
    return true;
}

struct crowd {
    struct mcts *m;
    const struct budget *budget;
};

/* All hands of the search are here. Without room the search goes on with the tree it has. */
static void tend_tree(void *data)
{
    const struct crowd *c = data;
    struct tree *t = c->m->tree;
    if (t->tight && !tree_grow(t)) t->full = true;
    if ((t->full || t->edges_full) && !driver_make_room(c->m, c->budget)) t->stuck = true;
}

/* Others may set these at the same time. */
static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static bool wants_tending(const struct tree *t)
{
    return !is_set(&t->stuck) && (is_set(&t->tight) || is_set(&t->full) || is_set(&t->edges_full));
}

static void attend(struct hand *h, struct crowd *crowd)
{
    double before = clock_now();
    meeting_attend(h->search->meeting, tend_tree, crowd);
    h->stats.meetings++;
    h->stats.waited += clock_now() - before;
}

static void tend_trees(struct driver *d)
{
    if (!d->crowded && !d->shared) return;
    d->crowded = false;
    for (uint32_t i = 0; i < d->nhands; i++) {
        struct mcts *m = d->hands[i]->search;
        struct crowd crowd = {m, &d->hands[i]->budget};
        if (!m->tree->shared) {
            if (wants_tending(m->tree)) tend_tree(&crowd);
            continue;
        }
        if (!meeting_called(m->meeting) && wants_tending(m->tree)) meeting_call(m->meeting);
        if (meeting_called(m->meeting)) attend(d->hands[i], &crowd);
    }
}

/* --- The loop ------------------------------------------------------------------------------------------- */

/* Everybody stops when the reasoner gave up. */
static void give_up(struct driver *d)
{
    const struct reasoner *r = d->world->reasoner;
    for (uint32_t i = 0; i < d->nhands; i++) {
        d->hands[i]->over = d->finished = true;
        if (!reasoner_timed_out(r)) d->hands[i]->search->trouble = r->error.text;
    }
}

/* Somebody needs a round; simulations whose playouts are on the wires do not. */
static bool is_flying(const struct driver *d)
{
    uint64_t flying = d->nparked;
    if (d->leafy < d->nhands) return true;
    for (uint32_t i = 0; i < d->nhands; i++)
        if (!d->hands[i]->wired) return true;
    for (uint32_t w = 0; w < d->world->words; w++)
        for (int stage = ENTERING; stage < PARKED; stage++) flying |= d->in[stage][w];
    return flying != 0;
}

static void one_round(struct driver *d)
{
    double before = d->watched ? clock_now() : 0;
    round_play(d);
    if (d->world->failed) give_up(d);
    if (!d->watched || !d->world->batch) return;
    double took = clock_now() - before;
    d->round = took > d->round ? took : 0.9 * d->round + 0.1 * took;
}

/* Playouts that go on elsewhere: on the wires, or on a device, which may be ready only now. */
static void play_leaves(struct driver *d)
{
    for (uint32_t i = 0; i < d->nhands && d->leafy; i++)
        if (d->hands[i]->wired || leaves_late(d->hands[i])) leaves_play(d->hands[i]);
}

struct hand *driver_run(struct driver *d)
{
    uint32_t which;
    for (;;) {
        if (d->nhands == 1 && d->hands[0]->relay) relay_exchange(d->hands[0]);
        play_leaves(d);
        launch_all(d);
        if (d->nhands == 1) d->finished = true; /* hands that serve have nothing to launch */
        if (find_finished(d, &which)) {
            struct hand *h = d->hands[which];
            leave(d, which);
            struct crowd crowd = {h->search, &h->budget};
            h->driver = NULL;
            if (h->search->tree->shared) meeting_leave(h->search->meeting, tend_tree, &crowd);
            return h;
        }
        if (d->nhands == 0) return NULL;
        if (is_flying(d)) one_round(d);
        if (!d->world->failed) tend_trees(d);
    }
}

void driver_work(struct driver *d, struct hand *h, const struct budget *budget)
{
    driver_add(d, h, budget);
    driver_run(d);
}
