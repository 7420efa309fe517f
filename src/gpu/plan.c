// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/plan_internal.h"

struct gpu_setup gpu_setup_initial(const struct circuit *c)
{
    const double MOST_WAIT = 0.2; /* of a game's length, on average */
    bool wait = c->period > 1 && (c->period - 1) / 2.0 <= MOST_WAIT * c->length;
    struct gpu_setup setup = {.turns = wait ? c->period : 1};
    if (!wait) setup.mover = gpu_find_mover(c);
    return setup;
}

static bool in_turn(const struct circuit *c, const uint64_t *state, uint32_t turn)
{
    for (uint32_t i = 0; i < c->turn_bits.n; i++) {
        uint32_t b = c->turn_bits.v[i];
        if ((state[b / 64] >> b % 64 & 1) != c->turn_values[turn * c->turn_bits.n + i]) return false;
    }
    return true;
}

struct gpu_setup gpu_setup_from(const struct circuit *c, const uint64_t *states, uint32_t n)
{
    struct gpu_setup setup = gpu_setup_initial(c);
    uint32_t words = (c->nbits + 63) / 64;
    setup.starts = setup.roots = true;
    while (setup.turns > 1 && setup.first_turn < setup.turns && !in_turn(c, states, setup.first_turn))
        setup.first_turn++;
    bool same = setup.first_turn < setup.turns;
    for (uint32_t i = 0; setup.turns > 1 && same && i < n; i++)
        same = in_turn(c, states + (size_t)i * words, setup.first_turn);
    if (!same) { /* somebody made these up */
        setup.turns = 1;
        setup.first_turn = 0;
        setup.mover = gpu_find_mover(c);
    }
    for (uint32_t i = 0; i < n; i++)
        if (gpu_both_free(c, &setup.mover, states + (size_t)i * words)) setup.mover = (struct gpu_mover){0};
    return setup;
}

/* Inputs that nobody else needs as they are come last, so that they can be computed within this gate. */
uint32_t gpu_plan_gate(struct planner *p, const struct gate *g, const uint32_t *readers)
{
    struct lut_net *net = &p->plan->net;
    uint32_t all = LUT_TRUE;
    for (int late = 0; late < 2; late++)
        for (uint32_t i = 0; i < g->n; i++) {
            edge e = p->c->edges.v[g->first + i];
            uint32_t w = e >> 1;
            bool inside =
                w >= wire_gate(p->c, 0) && readers[w] == 1 && p->c->gates.v[w - wire_gate(p->c, 0)].n == 2;
            if (inside == late) all = lut_and(net, all, literal(p, e));
        }
    return all;
}

static void open_loop(struct planner *p, const struct loop *loop)
{
    struct gpu_plan *plan = p->plan;
    plan->net.loop = plan->loops.n;
    vec_push(plan->heap, &plan->loops, (struct gpu_loop){plan->cuts.n, loop->cut_n});
    for (uint32_t i = 0; i < loop->cut_n; i++) {
        edge e = p->c->cuts.v[loop->cut_first + i];
        uint32_t leaf = lut_leaf(&plan->net, LUT_CUT, plan->cuts.n);
        p->wire[e >> 1] = leaf;
        vec_push(plan->heap, &plan->cuts, (struct gpu_cut){.leaf = leaf, .start = !(e & 1)});
    }
}

static void close_loop(struct planner *p, const struct loop *loop)
{
    struct gpu_plan *plan = p->plan;
    const struct gpu_loop *l = &plan->loops.v[plan->net.loop];
    for (uint32_t i = 0; i < l->n; i++)
        plan->cuts.v[l->first + i].made = p->wire[p->c->cuts.v[loop->cut_first + i] >> 1];
    plan->net.loop = LUT_STRAIGHT;
}

void gpu_plan_gates(struct planner *p, uint32_t first, uint32_t last, const uint32_t *readers)
{
    const struct circuit *c = p->c;
    while (p->loop < c->loops.n && c->loops.v[p->loop].first < first) p->loop++; /* of a phase left out */
    for (uint32_t g = first; g < last; g++) {
        const struct loop *loop = p->loop < c->loops.n ? &c->loops.v[p->loop] : NULL;
        if (loop && loop->first == g) open_loop(p, loop);
        p->wire[wire_gate(c, g)] = gpu_plan_gate(p, &c->gates.v[g], readers);
        if (loop && loop->first + loop->n == g + 1) close_loop(p, loop), p->loop++;
        heap_poll(p->plan->heap);
    }
}

static void root(struct planner *p, uint32_t lit, uint32_t counter)
{
    if (lit != LUT_FALSE) vec_push(p->plan->heap, &p->plan->roots, (struct gpu_root){lit, counter});
}

uint32_t gpu_plan_one_goal(struct planner *p, uint32_t role)
{
    struct lut_net *net = &p->plan->net;
    const struct circuit *c = p->c;
    uint32_t once = LUT_FALSE, twice = LUT_FALSE;
    for (uint32_t i = 0; i < c->goals.n; i++) {
        if (c->goals.v[i].role != role) continue;
        uint32_t x = literal(p, c->goals.v[i].e);
        twice = lut_gate(net, once, x, twice, 0xea); /* once & x | twice */
        once = lut_or(net, once, x);
    }
    return lut_and(net, once, lut_not(twice));
}

/* Games that end here: how many, with which goals. As everywhere only those count in which each role has
 * exactly one. */
static void count_goals(struct planner *p, uint32_t ended)
{
    struct lut_net *net = &p->plan->net;
    const struct circuit *c = p->c;
    uint32_t defined = ended;
    for (uint32_t r = 0; r < c->nroles; r++) defined = lut_and(net, defined, gpu_plan_one_goal(p, r));
    for (uint32_t i = 0; i < c->goals.n; i++)
        root(p, lut_and(net, defined, literal(p, c->goals.v[i].e)), GPU_GOALS + i);
}

/* One choice for both roles of the mover: the i-th possible moves of both are one. */
static void choose_for_both(struct planner *p, const uint32_t *legal)
{
    const struct circuit *c = p->c;
    const struct gpu_mover *m = &p->plan->setup.mover;
    struct heap *heap = p->plan->heap;
    struct lut_net *net = &p->plan->net;
    uint8_t *known = heap_alloc(heap, wire_gate(c, c->ngates));
    uint32_t *moves[2], n[2], most = 2, free[2];
    for (uint32_t i = 0; i < 2; i++) {
        moves[i] = heap_alloc(heap, (c->nmoves + 1) * sizeof *moves[i]);
        n[i] = gpu_mover_moves(c, m, i, known, moves[i]);
        free[i] = literal(p, m->free[i]);
        if (n[i] > most) most = n[i];
    }
    uint32_t *both = heap_alloc(heap, most * sizeof *both), *made = heap_alloc(heap, most * sizeof *made);
    for (uint32_t k = 0; k < most; k++)
        both[k] = lut_select(net, free[0], k < n[0] ? legal[moves[0][k]] : LUT_FALSE,
                             k < n[1] ? legal[moves[1][k]] : LUT_FALSE);
    gpu_choose(net, both, most, gpu_draws_as(m, m->role[0]), p->step, made);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t role = m->role[i], only = gpu_mover_only_move(c, m, i, known);
        for (uint32_t k = c->move_base[role]; k < c->move_base[role + 1]; k++)
            p->wire[wire_move(c, k)] = LUT_FALSE;
        for (uint32_t k = 0; k < n[i]; k++)
            p->wire[wire_move(c, moves[i][k])] = lut_and(net, free[i], made[k]);
        p->wire[wire_move(c, only)] = lut_or(net, p->wire[wire_move(c, only)], lut_not(free[i]));
        heap_release(heap, moves[i]);
    }
    heap_release(heap, made);
    heap_release(heap, both);
    heap_release(heap, known);
}

static void step(struct planner *p, uint32_t turn, const uint32_t *readers)
{
    struct gpu_plan *plan = p->plan;
    struct lut_net *net = &plan->net;
    const struct circuit *c = p->c;
    if (plan->setup.turns > 1)
        for (uint32_t i = 0; i < c->turn_bits.n; i++)
            p->wire[wire_bit(c, c->turn_bits.v[i])] =
                c->turn_values[turn * c->turn_bits.n + i] ? LUT_TRUE : LUT_FALSE;
    p->loop = 0;
    gpu_plan_gates(p, 0, c->phase_end[PHASE_VIEW], readers);
    uint32_t ended = lut_and(net, literal(p, c->terminal), lut_not(p->waiting));
    p->waiting = lut_or(net, p->waiting, ended);
    p->young = lut_or(net, p->young, ended);
    root(p, lut_not(p->waiting), GPU_TRANSITIONS);
    root(p, ended, GPU_GAMES);
    gpu_plan_gates(p, c->phase_end[PHASE_VIEW], c->phase_end[PHASE_GOAL], readers);
    count_goals(p, ended);
    uint32_t *legal = heap_alloc(plan->heap, (c->nmoves + 1) * sizeof *legal);
    for (uint32_t m = 0; m < c->nmoves; m++) legal[m] = literal(p, c->legal[m]);
    const struct gpu_mover *mover = &plan->setup.mover;
    if (gpu_has_mover(mover)) choose_for_both(p, legal);
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t first = c->move_base[r];
        if (gpu_has_mover(mover) && (r == mover->role[0] || r == mover->role[1])) continue;
        gpu_choose(net, legal + first, c->move_base[r + 1] - first, r, p->step,
                   &p->wire[wire_move(c, first)]);
    }
    heap_release(plan->heap, legal);
    for (uint32_t m = 0; m < c->nmoves; m++) root(p, p->wire[wire_move(c, m)], GPU_PERHAPS); /* in a row */
    gpu_plan_gates(p, c->phase_end[PHASE_GOAL], c->ngates, readers);
    uint32_t *next = heap_alloc(plan->heap, (c->nbits + 1) * sizeof *next);
    for (uint32_t b = 0; b < c->nbits; b++) next[b] = literal(p, c->next[b]);
    for (uint32_t b = 0; b < c->nbits; b++) p->wire[wire_bit(c, b)] = next[b];
    heap_release(plan->heap, next);
}

static bool is_turn_bit(const struct gpu_plan *plan, uint32_t bit)
{
    for (uint32_t i = 0; plan->setup.turns > 1 && i < plan->circuit->turn_bits.n; i++)
        if (plan->circuit->turn_bits.v[i] == bit) return true;
    return false;
}

void gpu_plan_cover(struct gpu_plan *plan)
{
    struct vec_u32 all = {0};
    for (uint32_t i = 0; i < plan->roots.n; i++)
        if (plan->roots.v[i].counter != GPU_PERHAPS) vec_push(plan->heap, &all, plan->roots.v[i].literal);
    for (uint32_t i = 0; i < plan->cuts.n; i++) vec_push(plan->heap, &all, plan->cuts.v[i].made);
    for (uint32_t i = 0; i < plan->ninputs; i++)
        if (plan->out[i] != GPU_NOTHING) vec_push(plan->heap, &all, plan->out[i]);
    plan->used = heap_zalloc(plan->heap, plan->net.nodes.n);
    lut_cover(&plan->net, all.v, all.n, plan->used);
    for (uint32_t i = 0; i < plan->net.nodes.n; i++)
        plan->gates += plan->used[i] && plan->net.nodes.v[i].kind == LUT_GATE;
    vec_free(plan->heap, &all);
}

uint32_t *gpu_plan_readers(struct heap *heap, const struct circuit *c)
{
    uint32_t *readers = heap_zalloc(heap, wire_gate(c, c->ngates) * sizeof *readers);
    for (uint32_t i = 0; i < c->edges.n; i++) readers[c->edges.v[i] >> 1]++;
    return readers;
}

struct gpu_plan *gpu_plan_new(struct heap *heap, const struct circuit *c, struct gpu_setup setup)
{
    struct gpu_plan *plan = heap_zalloc(heap, sizeof *plan);
    *plan = (struct gpu_plan){.heap = heap, .circuit = c, .setup = setup};
    plan->ninputs = c->nbits + 3;
    plan->ncounters = gpu_counters(c);
    lut_init(&plan->net, heap);
    struct planner p = {.plan = plan, .c = c};
    uint32_t nwires = wire_gate(c, c->ngates);
    p.wire = heap_zalloc(heap, nwires * sizeof *p.wire);
    uint32_t *readers = gpu_plan_readers(heap, c);
    for (uint32_t b = 0; b < c->nbits; b++) p.wire[wire_bit(c, b)] = lut_leaf(&plan->net, LUT_INPUT, b);
    p.waiting = lut_leaf(&plan->net, LUT_INPUT, gpu_waiting(plan));
    p.young = lut_leaf(&plan->net, LUT_INPUT, gpu_young(plan));
    uint32_t last = lut_leaf(&plan->net, LUT_INPUT, gpu_last(plan));
    for (; p.step < plan->setup.turns; p.step++) {
        step(&p, (setup.first_turn + p.step) % setup.turns, readers);
        if (p.step + 1 < plan->setup.turns) /* the order of boards: neighbours have much in common */
            for (uint32_t b = 0; b < c->nbits; b++) root(&p, p.wire[wire_bit(c, b)], GPU_NOTHING);
    }
    plan->out = heap_alloc(heap, plan->ninputs * sizeof *plan->out);
    for (uint32_t b = 0; b < c->nbits; b++) {
        uint32_t next = p.wire[wire_bit(c, b)], start = c->init[b] ? LUT_TRUE : LUT_FALSE;
        plan->out[b] = GPU_NOTHING;
        if (is_turn_bit(plan, b)) continue;
        if (setup.starts) start = lut_leaf(&plan->net, LUT_START, b);
        plan->out[b] = lut_select(&plan->net, p.waiting, start, next);
        root(&p, plan->out[b], GPU_NOTHING);
    }
    plan->out[gpu_waiting(plan)] = lut_and(&plan->net, p.waiting, last);
    plan->out[gpu_young(plan)] = p.young;
    plan->out[gpu_last(plan)] = last;
    for (uint32_t k = c->nbits; k < plan->ninputs; k++) root(&p, plan->out[k], GPU_NOTHING);
    heap_release(heap, readers);
    heap_release(heap, p.wire);
    gpu_plan_cover(plan);
    return plan;
}
