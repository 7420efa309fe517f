// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/leaves.h"

#include "search/wires/amaf.h"
#include "search/wires/far.h"
#include "search/wires/wires.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILLING = 32 };        /* leaves that fill the wires, where nobody says how many playouts each has */
enum { ROUNDS = 16 };         /* between two looks at the clock */
enum { POWERS = 512 };        /* of the discount that are worked out beforehand */
enum { FAR_PLAYOUTS = 1024 }; /* from each leaf on a GPU, where nobody says: some of it is busy then */
enum { FAR_LENGTHS = 8 };     /* of a random game, as long as a playout there may be */

struct leaf {
    struct wires_group group;
    struct flight flight;     /* path and choices in the tree, moves up to the first outside */
    struct state state;       /* of the new node */
    struct amaf_move *played; /* for RAVE */
    float *sum, *own;         /* by role: discounted rewards of all; rewards of the one written down */
    bool away, recorded;
    uint32_t first;    /* moves of the flight before it went out */
    struct leaf *next; /* free ones */
};

struct leaves {
    struct hand *hand;
    struct wires *wires;
    struct far *far; /* instead of wires */
    struct leaf *v, *free;
    struct amaf amaf;
    struct amaf_move *played; /* of all leaves */
    float *rewards;
    float worth[POWERS]; /* what a reward so many steps away is worth */
    uint32_t n, away;
};

/* --- Setting up ----------------------------------------------------------------------------------------- */

static void over(void *data, const struct wires_playout *p);
static void far_back(void *data, void *leaf, const struct gpu_sample *sample, const float *mean);

static bool set_up(struct leaves *l, const struct mcts *m)
{
    l->n = m->opt.lanes < 1 ? 1 : m->opt.lanes;
    l->v = calloc(l->n + 1, sizeof *l->v);
    l->rewards = calloc(((size_t)l->n + 1) * 2 * m->nroles, sizeof *l->rewards);
    for (uint32_t i = 0; i < POWERS; i++) l->worth[i] = powf(m->opt.discount, (float)i);
    return l->v && l->rewards;
}

static void link_leaves(struct leaves *l, const struct mcts *m)
{
    for (uint32_t i = 0; i < l->n; i++) {
        struct leaf *leaf = &l->v[i];
        leaf->sum = l->rewards + (size_t)i * 2 * m->nroles;
        leaf->own = leaf->sum + m->nroles;
        leaf->played = l->played + (size_t)i * l->amaf.total;
        leaf->next = l->free;
        l->free = leaf;
    }
}

static bool open_wires(struct leaves *l, const struct code *code)
{
    struct hand *h = l->hand;
    const struct mcts *m = h->search;
    struct error ignored = {0};
    bool records = h->records || m->opt.rave || m->single;
    l->wires = wires_new(code, h->policy, records, rng_next(&h->rng), over, l, &ignored);
    if (!l->wires) return false;
    if (m->opt.rave) {
        l->played =
            amaf_init(&l->amaf, code) ? calloc((size_t)l->n * l->amaf.total + 1, sizeof *l->played) : NULL;
        if (!l->played) return false;
    }
    const struct cutoff *cut = &m->opt.cutoff;
    wires_limit(l->wires, &(struct wires_limits){
                              .steps = m->max_steps,
                              .cut = cut->kind == CUT_NEVER || cut->kind == CUT_JUDGED ? 0 : cut->steps,
                              .cut_by_goal = cut->kind == CUT_GOAL_STABLE});
    return true;
}

static bool open_far(struct leaves *l, const struct code *code)
{
    const struct mcts *m = l->hand->search;
    double longest = FAR_LENGTHS * (code->circuit->length + 1);
    struct gpu_sampler_options o = {.positions = l->n,
                                    .playouts = m->opt.playouts ? m->opt.playouts : FAR_PLAYOUTS,
                                    .steps = longest < m->max_steps ? (uint32_t)longest : m->max_steps,
                                    .seed = rng_next(&l->hand->rng)};
    return (l->far = far_new(code, &o, far_back, l));
}

/* Where simulations are counted, what they come to must not hang on when it is ready. */
static void await_far(struct leaves *l)
{
    const struct budget *b = &l->hand->budget;
    const struct timespec moment = {.tv_nsec = 2000000};
    if (!budget_counts(b) || b->deadline > 0) return;
    while (far_state(l->far) == FAR_MAKING && !budget_over(b)) nanosleep(&moment, NULL);
}

/* It is, if it is ready; if it has failed, that is told. */
static bool take_far(struct leaves *l)
{
    struct mcts *m = l->hand->search;
    enum far_state state = far_state(l->far);
    if (state == FAR_FAILED && !__atomic_exchange_n(&m->remarked, true, __ATOMIC_RELAXED))
        snprintf(m->remark, sizeof m->remark, "%.200s; going on with the processor", far_trouble(l->far));
    return state == FAR_READY;
}

bool leaves_open(struct hand *h, const struct code *code)
{
    const struct mcts *m = h->search;
    bool far = m->opt.device && code && !m->single;
    if (!m->opt.tree || h->relay || (!far && (!h->policy->wires || !wires_fit(h->policy, code))))
        return false;
    if (!h->leaves) {
        struct leaves *l = h->leaves = calloc(1, sizeof *l);
        if (!l) return false;
        l->hand = h;
        if (!set_up(l, m) || !(far ? open_far(l, code) : open_wires(l, code))) {
            leaves_free(l);
            h->leaves = NULL;
            return false;
        }
        link_leaves(l, m);
    }
    if (far) await_far(h->leaves);
    return !far || take_far(h->leaves);
}

bool leaves_late(struct hand *h)
{
    return h->leaves && h->leaves->far && (h->wired = take_far(h->leaves));
}

bool leaves_far(const struct hand *h)
{
    return h->leaves->far;
}

void leaves_free(struct leaves *l)
{
    if (!l) return;
    for (uint32_t i = 0; i < l->n && l->v; i++) {
        flight_release(&l->v[i].flight);
        state_done(&l->v[i].state);
    }
    wires_free(l->wires);
    far_free(l->far);
    amaf_done(&l->amaf);
    free(l->played);
    free(l->v);
    free(l->rewards);
    free(l);
}

uint32_t leaves_room(const struct hand *h)
{
    uint32_t out = h->leaves->away + h->aloft;
    return out < h->lanes ? h->lanes - out : 0;
}

bool leaves_busy(const struct hand *h)
{
    return h->leaves && h->leaves->away > 0;
}

void leaves_renumber(struct hand *h)
{
    for (uint32_t i = 0; h->leaves && i < h->leaves->n; i++) {
        struct leaf *leaf = &h->leaves->v[i];
        for (uint32_t t = 0; t < leaf->flight.tree_steps && leaf->away; t++)
            leaf->flight.path[t] = tree_moved(h->search->tree, leaf->flight.path[t]);
    }
}

void leaves_abandon(struct hand *h)
{
    struct leaves *l = h->leaves;
    if (!l || l->away == 0) return;
    if (l->far)
        far_clear(l->far);
    else
        wires_clear(l->wires);
    for (uint32_t i = 0; i < l->n; i++) {
        if (!l->v[i].away) continue;
        flight_undo_pending(&l->v[i].flight);
        if (l->played) memset(l->v[i].played, 0, l->amaf.total * sizeof *l->v[i].played);
        l->v[i].away = false;
        l->v[i].next = l->free;
        l->free = &l->v[i];
    }
    l->away = 0;
}

static float worth_after(const struct leaves *l, uint32_t steps)
{
    return steps < POWERS ? l->worth[steps] : powf(l->hand->search->opt.discount, (float)steps);
}

/* --- There and back ------------------------------------------------------------------------------------- */

bool leaves_send(struct flight *f, const struct state *state)
{
    struct hand *h = f->hand;
    struct leaves *l = h->leaves;
    struct leaf *leaf = l->free;
    const struct mcts *m = h->search;
    if (!leaf) return false;
    if (l->far ? !far_put(l->far, leaf, state->w) : !state_copy(&leaf->state, state)) return false;
    struct flight swap = leaf->flight;
    uint32_t lane = f->lane;
    l->free = leaf->next;
    flight_stage(f, IDLE);
    leaf->flight = *f;
    *f = swap;
    f->hand = h;
    f->lane = lane;
    f->stage = IDLE;
    h->aloft--;
    l->away++;
    leaf->away = true;
    leaf->recorded = false;
    leaf->first = leaf->flight.steps;
    memset(leaf->sum, 0, m->nroles * sizeof *leaf->sum);
    if (l->far) return true;
    leaf->group = (struct wires_group){
        .state = leaf->state.w,
        .moves = leaf->flight.moves + (size_t)(leaf->flight.steps - 1) * m->nroles,
        .wanted = m->opt.playouts ? m->opt.playouts : (wires_lanes(l->wires) + FILLING - 1) / FILLING};
    wires_put(l->wires, &leaf->group);
    return true;
}

/* The playout becomes the rest of the simulation. */
static void write_down(struct leaves *l, struct leaf *leaf, const struct wires_playout *p,
                       const float *reward, const uint32_t *moves, const uint8_t *forced)
{
    struct flight *f = &leaf->flight;
    uint32_t nroles = l->hand->search->nroles;
    f->steps = leaf->first;
    while (f->cap <= leaf->first + p->steps) {
        f->steps = f->cap;
        if (!flight_reserve(f)) break;
    }
    f->steps = leaf->first;
    f->playout_steps = 0;
    memcpy(leaf->own, reward, nroles * sizeof *leaf->own);
    leaf->recorded = f->cap > leaf->first + p->steps;
    if (!leaf->recorded) return;
    size_t at = (size_t)leaf->first * nroles, n = (size_t)p->steps * nroles;
    memcpy(f->moves + at, moves, n * sizeof *moves);
    memcpy(f->forced + at, forced, n);
    f->steps += p->steps;
    f->playout_steps = p->steps;
    f->cut = p->cut;
}

static void come_back(struct leaves *l, struct leaf *leaf)
{
    struct hand *h = l->hand;
    struct flight *f = &leaf->flight;
    const struct mcts *m = h->search;
    float mean[MCTS_MAX_ROLES];
    /* what was discounted once will be again on the way up */
    float scale = worth_after(l, f->steps - leaf->first) * (float)leaf->group.wanted;
    for (uint32_t r = 0; r < m->nroles; r++) mean[r] = leaf->sum[r] / scale;
    leaf->away = false;
    l->away--;
    h->aloft++;
    f->own = leaf->recorded ? leaf->own : NULL;
    if (m->opt.rave && !l->far) amaf_back_up(&l->amaf, leaf->played, f, leaf->group.wanted, leaf->sum);
    uint32_t steps = leaf->recorded ? f->steps : leaf->first;
    flight_settle(f, mean);
    if (h->records && !l->far) wires_learned(l->wires, f->moves, f->forced, steps);
    f->own = NULL;
    leaf->next = l->free;
    l->free = leaf;
}

static void over(void *data, const struct wires_playout *p)
{
    struct leaves *l = data;
    struct leaf *leaf = (struct leaf *)p->group;
    struct hand *h = l->hand;
    const struct mcts *m = h->search;
    float worth = worth_after(l, p->steps), reward[MCTS_MAX_ROLES], lead[2];
    const float *got = mcts_rewards(m, p->reward, lead);
    for (uint32_t r = 0; r < m->nroles; r++) leaf->sum[r] += reward[r] = worth * got[r];
    h->stats.steps += p->steps;
    h->stats.playouts++;
    h->stats.cut += p->cut; /* the one that began first, not the one that ended first; alone, the best */
    bool chosen = p->lane == p->group->lane ? !leaf->recorded
                                            : m->single && (!leaf->recorded || p->reward[0] > leaf->own[0]);
    const uint32_t *moves;
    const uint8_t *forced;
    if ((chosen || m->opt.rave) && wires_moves(l->wires, p, &moves, &forced)) {
        if (m->opt.rave) amaf_add(&l->amaf, leaf->played, moves, p->steps, reward);
        if (chosen) write_down(l, leaf, p, got, moves, forced);
    }
    if (p->group->over == p->group->wanted) come_back(l, leaf);
}

/* Playouts on a GPU are over: what is known of them is how they ended and how long they were on average. */
static void far_back(void *data, void *which, const struct gpu_sample *sample, const float *mean)
{
    struct leaves *l = data;
    struct leaf *leaf = which;
    struct hand *h = l->hand;
    uint32_t steps = (uint32_t)(sample->steps / sample->playouts);
    h->stats.steps += sample->steps;
    h->stats.playouts += sample->playouts;
    h->stats.cut += sample->broken;
    float lead[2];
    const float *got = mcts_rewards(h->search, mean, lead);
    for (uint32_t r = 0; r < h->search->nroles; r++) leaf->sum[r] = got[r] * worth_after(l, steps);
    leaf->group.wanted = 1;
    come_back(l, leaf);
}

/* A batch sets out when half of the leaves wait for it, or when nobody has anything else to do, and the one
 * before it is back: where simulations are counted this hangs on nothing but the search, by the clock nobody
 * is waited for. */
static void play_far(struct hand *h)
{
    struct leaves *l = h->leaves;
    bool idle = h->aloft == 0 && (leaves_room(h) == 0 || !hand_may_launch(h));
    if (far_waiting(l->far) < (l->n + 1) / 2 && !(idle && l->away > 0)) return;
    while (!far_ready(l->far)) {
        if (!budget_counts(&h->budget) || budget_over(&h->budget)) return;
        sched_yield();
    }
    if (far_turn(l->far)) return;
    h->launched -= l->away; /* these have never been */
    leaves_abandon(h);
    take_far(l);
    h->wired = false;
}

void leaves_play(struct hand *h)
{
    struct leaves *l = h->leaves;
    if (l->far) {
        play_far(h);
        return;
    }
    for (int i = 0; i < ROUNDS && l->away > 0; i++) {
        if (!h->over && wires_waiting(l->wires) == 0 &&
            (h->aloft > 0 || (leaves_room(h) > h->lanes / 4 && hand_may_launch(h))))
            return;
        wires_round(l->wires);
    }
}
