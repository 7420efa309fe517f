// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/leaves.h"

#include "search/wires/amaf.h"
#include "search/wires/wires.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILLING = 32,
    /* leaves that fill the wires, where nobody says how many playouts each has */ ROUNDS =
        16, /* between two looks at the clock */
    POWERS = 512
};

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
    struct leaf *v, *free;
    struct amaf amaf;
    struct amaf_move *played; /* of all leaves */
    float *rewards;
    float worth[POWERS]; /* what a reward so many steps away is worth */
    uint32_t n, away;
};

/* --- Setting up ----------------------------------------------------------------------------------------- */

static void over(void *data, const struct wires_playout *p);

bool leaves_open(struct hand *h, const struct code *code)
{
    const struct mcts *m = h->search;
    if (!h->policy->wires || !m->opt.tree || h->relay || !wires_fit(h->policy, code)) return false;
    if (h->leaves) return true;
    struct leaves *l = h->leaves = calloc(1, sizeof *l);
    struct error ignored = {0};
    if (!l) return false;
    l->hand = h;
    bool records = h->records || m->opt.rave || m->single;
    l->wires = wires_new(code, h->policy, records, rng_next(&h->rng), over, l, &ignored);
    l->n = m->opt.lanes < 1 ? 1 : m->opt.lanes;
    l->v = calloc(l->n + 1, sizeof *l->v);
    l->rewards = calloc(((size_t)l->n + 1) * 2 * m->nroles, sizeof *l->rewards);
    bool good = l->wires && l->v && l->rewards;
    if (good && m->opt.rave) {
        good = amaf_init(&l->amaf, code);
        l->played = calloc((size_t)l->n * l->amaf.total + 1, sizeof *l->played);
    }
    if (!good || (m->opt.rave && !l->played)) {
        leaves_free(l);
        h->leaves = NULL;
        return false;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        struct leaf *leaf = &l->v[i];
        leaf->sum = l->rewards + (size_t)i * 2 * m->nroles;
        leaf->own = leaf->sum + m->nroles;
        leaf->played = l->played + (size_t)i * l->amaf.total;
        leaf->next = l->free;
        l->free = leaf;
    }
    for (uint32_t i = 0; i < POWERS; i++) l->worth[i] = powf(m->opt.discount, (float)i);
    const struct cutoff *cut = &m->opt.cutoff;
    wires_limit(l->wires, &(struct wires_limits){.steps = m->max_steps,
                                                 .cut = cut->kind == CUT_NEVER ? 0 : cut->steps,
                                                 .cut_by_goal = cut->kind == CUT_GOAL_STABLE});
    return true;
}

void leaves_free(struct leaves *l)
{
    if (!l) return;
    for (uint32_t i = 0; i < l->n && l->v; i++) {
        flight_release(&l->v[i].flight);
        state_done(&l->v[i].state);
    }
    wires_free(l->wires);
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
    if (!leaf || !state_copy(&leaf->state, state)) return false;
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
    leaf->group = (struct wires_group){
        .state = leaf->state.w,
        .moves = leaf->flight.moves + (size_t)(leaf->flight.steps - 1) * m->nroles,
        .wanted = m->opt.playouts ? m->opt.playouts : (wires_lanes(l->wires) + FILLING - 1) / FILLING};
    wires_put(l->wires, &leaf->group);
    return true;
}

/* The playout becomes the rest of the simulation. */
static void write_down(struct leaves *l, struct leaf *leaf, const struct wires_playout *p,
                       const uint32_t *moves, const uint8_t *forced)
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
    memcpy(leaf->own, p->reward, nroles * sizeof *leaf->own);
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
    if (m->opt.rave) amaf_back_up(&l->amaf, leaf->played, f, leaf->group.wanted, leaf->sum);
    uint32_t steps = leaf->recorded ? f->steps : leaf->first;
    flight_finish(f, mean);
    if (h->records) wires_learned(l->wires, f->moves, f->forced, steps);
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
    float worth = worth_after(l, p->steps), reward[MCTS_MAX_ROLES];
    for (uint32_t r = 0; r < m->nroles; r++) leaf->sum[r] += reward[r] = worth * p->reward[r];
    h->stats.steps += p->steps;
    h->stats.playouts++;
    h->stats.cut += p->cut; /* the one that began first, not the one that ended first; alone, the best */
    bool chosen = p->lane == p->group->lane ? !leaf->recorded
                                            : m->single && (!leaf->recorded || p->reward[0] > leaf->own[0]);
    const uint32_t *moves;
    const uint8_t *forced;
    if ((chosen || m->opt.rave) && wires_moves(l->wires, p, &moves, &forced)) {
        if (m->opt.rave) amaf_add(&l->amaf, leaf->played, moves, p->steps, reward);
        if (chosen) write_down(l, leaf, p, moves, forced);
    }
    if (p->group->over == p->group->wanted) come_back(l, leaf);
}

void leaves_play(struct hand *h)
{
    struct leaves *l = h->leaves;
    for (int i = 0; i < ROUNDS && l->away > 0; i++) {
        if (!h->over && wires_waiting(l->wires) == 0 &&
            (h->aloft > 0 || (leaves_room(h) > h->lanes / 4 && hand_may_launch(h))))
            return;
        wires_round(l->wires);
    }
}
