// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/relay.h"

#include "search/driver_internal.h"
#include "search/ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct errand {
    struct errand *next;
    /* the master's half */
    struct flight flight; /* path and choices in the tree, moves up to the first outside */
    struct state state;   /* of the new node */
    bool away;
    /* the client's half */
    struct flight played;
    float reward[MCTS_MAX_ROLES];
};

/* A hand's end of the relay. */
struct relay_end {
    struct relay *centre;
    bool master;
    struct errand *staged; /* the master's: to go out; a client's: played, to go back */
};

struct relay {
    pthread_mutex_t lock; /* guards out, back, closed */
    pthread_cond_t change;
    struct errand *out, *back;
    bool closed;
    /* the master's */
    struct errand *errands, *free;
    uint32_t n, away;
    struct relay_end *ends;
};

struct relay *relay_new(uint32_t errands)
{
    struct relay *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->change, NULL);
    r->n = errands;
    r->errands = calloc(errands, sizeof *r->errands);
    if (!r->errands) return relay_free(r), NULL;
    return r;
}

void relay_free(struct relay *r)
{
    if (!r) return;
    for (uint32_t i = 0; i < r->n && r->errands; i++) {
        flight_release(&r->errands[i].flight);
        flight_release(&r->errands[i].played);
        state_done(&r->errands[i].state);
    }
    pthread_cond_destroy(&r->change);
    pthread_mutex_destroy(&r->lock);
    free(r->errands);
    free(r->ends);
    free(r);
}

void relay_open(struct relay *r, struct mcts *m)
{
    r->out = r->back = r->free = NULL;
    r->closed = false;
    r->away = 0;
    for (uint32_t i = 0; i < r->n; i++) r->errands[i].next = r->free, r->free = &r->errands[i];
    free(r->ends);
    r->ends = calloc(m->nhands, sizeof *r->ends);
    for (uint32_t i = 0; i < m->nhands; i++) {
        if (r->ends) r->ends[i] = (struct relay_end){.centre = r, .master = i == 0};
        m->hands[i].relay = r->ends ? &r->ends[i] : NULL;
    }
}

void relay_close(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

void relay_settle(struct relay *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->errands[i].away) flight_undo_pending(&r->errands[i].flight);
        r->errands[i].away = false;
    }
    r->away = 0;
}

bool relay_busy(const struct hand *h)
{
    if (!h->relay) return false;
    return h->relay->master ? h->relay->centre->away > 0 : true;
}

bool relay_serves(const struct hand *h)
{
    return h->relay && !h->relay->master;
}

void relay_renumber(struct hand *h)
{
    if (!h->relay || !h->relay->master) return;
    struct relay *r = h->relay->centre;
    for (uint32_t i = 0; i < r->n; i++) {
        struct flight *f = &r->errands[i].flight;
        for (uint32_t t = 0; t < f->tree_steps && r->errands[i].away; t++)
            f->path[t] = tree_moved(h->search->tree, f->path[t]);
    }
}

const struct state *relay_state(const struct flight *f)
{
    return &f->errand->state;
}

/* --- The master ----------------------------------------------------------------------------------------- */

static void stage(struct relay_end *end, struct errand *e)
{
    e->away = true;
    e->next = end->staged;
    end->staged = e;
    end->centre->away++;
}

/* The moves up to the first outside the tree, and the states if they are wanted. */
static bool copy_moves(struct flight *to, const struct flight *from)
{
    uint32_t nroles = from->hand->search->nroles;
    to->steps = to->tree_steps = 0;
    while (to->cap <= from->steps)
        if (to->steps = to->cap, !flight_reserve(to)) return false;
    memcpy(to->moves, from->moves, (size_t)from->steps * nroles * sizeof *to->moves);
    memcpy(to->forced, from->forced, (size_t)from->steps * nroles);
    to->stateless = to->end = false;
    for (to->steps = 0; from->hand->policy->wants_states && to->steps < from->steps + from->end;
         to->steps++) {
        if (from->stateless) {
            to->stateless = true;
            break;
        }
        const uint32_t *start = from->state_start + to->steps;
        flight_note_state(to, from->states + start[0], start[1] - start[0]);
    }
    to->end = from->end;
    to->steps = from->steps;
    to->playout_steps = from->playout_steps;
    return true;
}

/* One more playout from the same node: the path counts it as pending, too. */
static void send_twin(struct hand *h, const struct errand *first)
{
    struct relay *r = h->relay->centre;
    struct errand *e = r->free;
    const struct flight *from = &first->flight;
    const struct tree *t = h->search->tree;
    if (!e) return;
    e->flight.hand = h;
    if (!state_copy(&e->state, &first->state) || !copy_moves(&e->flight, from)) return;
    r->free = e->next;
    struct flight *f = &e->flight;
    memcpy(f->path, from->path, from->tree_steps * sizeof *f->path);
    memcpy(f->choice, from->choice, (size_t)from->tree_steps * t->nroles * sizeof *f->choice);
    f->tree_steps = from->tree_steps;
    h->launched++;
    f->teaches = flight_is_lesson(h);
    for (uint32_t k = 0; k < f->tree_steps; k++) {
        struct tree_node *n = tree_node(t, f->path[k]);
        for (uint32_t i = 0; i < t->nroles; i++)
            if (node_actions(t, n, i) > 1) tally_pending(h, n, i, f->choice[(size_t)k * t->nroles + i], 1);
    }
    stage(h->relay, e);
}

bool relay_send(struct flight *f, const struct state *state)
{
    struct hand *h = f->hand;
    struct errand *e = h->relay->centre->free;
    if (!h->relay->master || !e || !state_copy(&e->state, state)) return false;
    struct flight swap = e->flight;
    uint32_t lane = f->lane;
    h->relay->centre->free = e->next;
    flight_stage(f, IDLE);
    e->flight = *f;
    *f = swap;
    f->hand = h;
    f->lane = lane;
    f->stage = IDLE;
    h->aloft--;
    stage(h->relay, e);
    for (uint32_t i = 1; i < h->search->opt.playouts; i++) send_twin(h, e);
    return true;
}

/* What the client played becomes the rest of the simulation. */
static void take_back(struct hand *h, struct errand *e)
{
    struct relay *r = h->relay->centre;
    struct flight *f = &e->flight;
    f->hand = h;
    while (f->cap <= e->played.steps) {
        uint32_t steps = f->steps;
        f->steps = f->cap;
        bool room = flight_reserve(f);
        f->steps = steps;
        if (!room) break;
    }
    uint32_t path = f->tree_steps;
    bool good = f->cap > e->played.steps && copy_moves(f, &e->played);
    f->tree_steps = path;
    f->errand = NULL;
    h->aloft++;
    e->away = false;
    r->away--;
    if (good) {
        h->stats.steps += e->played.playout_steps;
        flight_finish(f, e->reward);
    } else {
        f->stage = PLAYING;
        flight_abort(f);
    }
    e->next = r->free;
    r->free = e;
}

/* Not longer than a millisecond: somebody may have to look at the clock. */
static void wait_a_moment(struct relay *r)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&r->change, &r->lock, &until);
}

static void append(struct errand **list, struct errand *more)
{
    while (*list) list = &(*list)->next;
    *list = more;
}

static void exchange_master(struct hand *h)
{
    struct relay *r = h->relay->centre;
    pthread_mutex_lock(&r->lock);
    if (h->relay->staged) {
        append(&r->out, h->relay->staged);
        h->relay->staged = NULL;
        pthread_cond_broadcast(&r->change);
    }
    if (!r->back && r->away > 0 && h->aloft == 0 && (!hand_may_launch(h) || !r->free)) wait_a_moment(r);
    struct errand *back = r->back;
    r->back = NULL;
    pthread_mutex_unlock(&r->lock);
    for (struct errand *next; back; back = next) {
        next = back->next;
        take_back(h, back);
    }
}

/* --- Clients -------------------------------------------------------------------------------------------- */

static void take_on(struct hand *h, struct flight *f, struct errand *e)
{
    bool good = copy_moves(f, &e->flight);
    f->errand = e;
    f->has_way = false;
    f->node = f->tree_steps = f->playout_steps = 0;
    f->expanded = true;
    f->cut = false;
    h->launched++;
    f->teaches = flight_is_lesson(h); /* of its own tables */
    flight_stage(f, ENTERING);
    h->aloft++;
    if (!good) flight_draw(f);
}

static void exchange_client(struct hand *h)
{
    struct relay *r = h->relay->centre;
    struct driver *d = h->driver;
    struct errand *list = NULL;
    uint32_t room = 0;
    FOR_LANES(d, i, w, d->in[IDLE][w]) room += d->lane[i].hand == h;
    pthread_mutex_lock(&r->lock);
    if (h->relay->staged) {
        append(&r->back, h->relay->staged);
        h->relay->staged = NULL;
        pthread_cond_broadcast(&r->change);
    }
    if (!r->out && h->aloft == 0 && !r->closed) wait_a_moment(r);
    for (; r->out && room; room--) {
        struct errand *e = r->out;
        r->out = e->next;
        e->next = list;
        list = e;
    }
    if (r->closed) h->over = true;
    pthread_mutex_unlock(&r->lock);
    for (uint32_t i = 0; i < d->lanes && list; i++) {
        if (d->lane[i].hand != h || d->lane[i].flying->stage != IDLE) continue;
        struct errand *e = list;
        list = e->next;
        take_on(h, d->lane[i].flying, e);
    }
}

void relay_exchange(struct hand *h)
{
    if (h->relay->master)
        exchange_master(h);
    else
        exchange_client(h);
}

/* The lane's flight and the errand's change places: both are the client's. */
static void hand_over(struct flight *f)
{
    struct hand *h = f->hand;
    struct errand *e = f->errand;
    struct flight swap = e->played;
    uint32_t lane = f->lane;
    flight_stage(f, IDLE);
    e->played = *f;
    *f = swap;
    f->hand = h;
    f->lane = lane;
    f->errand = NULL;
    f->stage = IDLE;
    h->aloft--;
    e->next = h->relay->staged;
    h->relay->staged = e;
}

void relay_return(struct flight *f, const float *reward)
{
    struct hand *h = f->hand;
    if (h->records && f->teaches) flight_teach(f, reward);
    h->stats.steps -= f->playout_steps; /* the master counts them */
    memcpy(f->errand->reward, reward, h->search->nroles * sizeof *reward);
    hand_over(f);
}

void relay_lose(struct flight *f)
{
    f->errand = NULL; /* it stays `away`: relay_settle */
}
