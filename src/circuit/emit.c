// SPDX-License-Identifier: GPL-3.0-or-later
/* The last step: knots are tied to their definitions, which closes the loops again; every gate gets its phase
 * and its place. */
#include "base/scc.h"
#include "circuit/reduce.h"

#include <string.h>

struct emitter {
    struct heap *heap;
    struct circuit *c;
    const struct net *net;
    uint32_t *knot_number; /* by node: number + 1 */
    edge *tied;            /* by knot: the edge it stands for */
    uint32_t *gate_of;     /* by node: dense number among live gates, or NONE */
    struct vec_u32 gates;  /* live gates: their nodes */
    uint32_t *first, *component, count, *start, *order;
    struct vec_u32 to;
    uint8_t *cone;   /* by gate: which roots need it, a set of 1 << phase */
    uint32_t *final; /* by gate: number in the circuit */
};

#define NONE UINT32_MAX

/* What a knot stands for once all knots are replaced; a ring of knots that define each other has the least
 * solution: false. */
static edge resolve(struct emitter *x, edge e)
{
    for (uint32_t steps = 0; x->knot_number[e >> 1]; steps++) {
        if (steps > x->net->knots.n) return EDGE_FALSE;
        e = x->net->knot_def.v[x->knot_number[e >> 1] - 1] ^ (e & 1);
    }
    return e;
}

static edge input(const struct emitter *x, edge e)
{
    uint32_t k = x->knot_number[e >> 1];
    return k ? x->tied[k - 1] ^ (e & 1) : e;
}

static void collect_gates(struct emitter *x)
{
    const struct net *net = x->net;
    x->knot_number = heap_zalloc(x->heap, net->nodes.n * sizeof *x->knot_number);
    for (uint32_t k = 0; k < net->knots.n; k++) x->knot_number[net->knots.v[k]] = k + 1;
    x->tied = heap_alloc(x->heap, (net->knots.n + 1) * sizeof *x->tied);
    for (uint32_t k = 0; k < net->knots.n; k++) x->tied[k] = resolve(x, net->knots.v[k] << 1);
    bool *mark = heap_alloc(x->heap, net->nodes.n);
    net_mark(net, mark);
    x->gate_of = heap_alloc(x->heap, net->nodes.n * sizeof *x->gate_of);
    for (uint32_t i = 0; i < net->nodes.n; i++) {
        x->gate_of[i] = NONE;
        if (!mark[i] || net->nodes.v[i].n == 0) continue;
        x->gate_of[i] = x->gates.n;
        vec_push(x->heap, &x->gates, i);
    }
    heap_release(x->heap, mark);
}

static void find_loops(struct emitter *x)
{
    uint32_t n = x->gates.n;
    x->first = heap_alloc(x->heap, ((size_t)n + 1) * sizeof *x->first);
    for (uint32_t i = 0; i < n; i++) {
        x->first[i] = x->to.n;
        struct net_node g = x->net->nodes.v[x->gates.v[i]];
        for (uint32_t j = 0; j < g.n; j++) {
            uint32_t from = x->gate_of[input(x, x->net->pool.v[g.first + j]) >> 1];
            if (from != NONE) vec_push(x->heap, &x->to, from);
        }
    }
    x->first[n] = x->to.n;
    x->component = heap_alloc(x->heap, ((size_t)n + 1) * sizeof *x->component);
    x->count = scc_find(x->heap, n, x->first, x->to.v, x->component);
    x->start = heap_alloc(x->heap, ((size_t)x->count + 1) * sizeof *x->start);
    x->order = heap_alloc(x->heap, ((size_t)n + 1) * sizeof *x->order);
    scc_sort(n, x->component, x->count, x->start, x->order);
}

static void mark_cone(struct emitter *x, struct vec_u32 *stack, edge root, uint8_t phase)
{
    uint32_t g = x->gate_of[input(x, root) >> 1];
    if (g != NONE && !(x->cone[g] & phase)) x->cone[g] |= phase, vec_push(x->heap, stack, g);
    while (stack->n) {
        g = vec_pop(stack);
        for (uint32_t i = x->first[g]; i < x->first[g + 1]; i++) {
            uint32_t h = x->to.v[i];
            if (!(x->cone[h] & phase)) x->cone[h] |= phase, vec_push(x->heap, stack, h);
        }
    }
}

/* A gate that only goals need is swept with them; one that only the next state needs, with the step;
 * everything else, also what both need, with the view. Gates that read moves can only be in the step:
 * legality, end and goals never depend on moves. */
static void find_phases(struct emitter *x)
{
    const struct net *net = x->net;
    struct vec_u32 stack = {0};
    x->cone = heap_zalloc(x->heap, x->gates.n + 1);
    for (uint32_t m = 0; m < net->nmoves; m++) mark_cone(x, &stack, net->legal[m], 1 << PHASE_VIEW);
    mark_cone(x, &stack, net->terminal, 1 << PHASE_VIEW);
    for (uint32_t i = 0; i < net->kept.n; i++) mark_cone(x, &stack, net->kept.v[i], 1 << PHASE_VIEW);
    for (uint32_t i = 0; i < net->goals.n; i++) mark_cone(x, &stack, net->goals.v[i].e, 1 << PHASE_GOAL);
    for (uint32_t b = 0; b < net->nbits; b++) mark_cone(x, &stack, net->next[b], 1 << PHASE_STEP);
    vec_free(x->heap, &stack);
}

static enum circuit_phase phase_of(uint8_t cone)
{
    return cone == 1 << PHASE_GOAL ? PHASE_GOAL : cone == 1 << PHASE_STEP ? PHASE_STEP : PHASE_VIEW;
}

static edge final_edge(const struct emitter *x, edge e)
{
    e = input(x, e);
    uint32_t g = x->gate_of[e >> 1];
    return g == NONE ? e : wire_gate(x->c, x->final[g]) << 1 | (e & 1);
}

/* Within a loop gates keep their order in the net: each reads gates before it, or definitions of knots, which
 * come later or are itself: those are cut. A definition that is read inverted starts true, so that the knot
 * starts false. */
static void cut_loop(struct emitter *x, uint32_t component, uint32_t at)
{
    struct circuit *c = x->c;
    struct loop loop = {
        .first = at, .n = x->start[component + 1] - x->start[component], .cut_first = c->cuts.n};
    for (uint32_t i = 0; i < loop.n; i++) {
        uint32_t g = x->order[x->start[component] + i];
        struct net_node node = x->net->nodes.v[x->gates.v[g]];
        for (uint32_t j = 0; j < node.n; j++) {
            edge raw = x->net->pool.v[node.first + j];
            if (!x->knot_number[raw >> 1]) continue;
            edge e = x->tied[x->knot_number[raw >> 1] - 1];
            uint32_t from = x->gate_of[e >> 1];
            if (from == NONE || x->component[from] != component || x->final[from] < at + i) continue;
            edge cut = wire_gate(c, x->final[from]) << 1 | ((e & 1) ^ 1);
            bool known = false;
            for (uint32_t k = loop.cut_first; k < c->cuts.n && !known; k++)
                known = c->cuts.v[k] >> 1 == cut >> 1;
            if (!known) vec_push(x->heap, &c->cuts, cut);
        }
    }
    loop.cut_n = c->cuts.n - loop.cut_first;
    vec_push(x->heap, &c->loops, loop);
}

static bool is_loop(const struct emitter *x, uint32_t component)
{
    if (x->start[component + 1] - x->start[component] > 1) return true;
    uint32_t g = x->order[x->start[component]];
    for (uint32_t i = x->first[g]; i < x->first[g + 1]; i++)
        if (x->to.v[i] == g) return true;
    return false;
}

static void place_gates(struct emitter *x)
{
    struct circuit *c = x->c;
    x->final = heap_alloc(x->heap, (x->gates.n + 1) * sizeof *x->final);
    uint32_t *sequence = heap_alloc(x->heap, (x->gates.n + 1) * sizeof *sequence);
    c->ngates = x->gates.n;
    uint32_t at = 0;
    for (enum circuit_phase phase = PHASE_VIEW; phase < PHASE_COUNT; phase++) {
        for (uint32_t k = 0; k < x->count; k++) {
            uint8_t cone = 0;
            for (uint32_t i = x->start[k]; i < x->start[k + 1]; i++) cone |= x->cone[x->order[i]];
            if (phase_of(cone) != phase) continue;
            uint32_t from = at;
            for (uint32_t i = x->start[k]; i < x->start[k + 1]; i++) {
                sequence[at] = x->order[i];
                x->final[x->order[i]] = at++;
            }
            if (is_loop(x, k)) cut_loop(x, k, from);
        }
        c->phase_end[phase] = at;
    }
    uint32_t *level = heap_zalloc(x->heap, (x->gates.n + 1) * sizeof *level);
    for (uint32_t i = 0; i < at; i++) {
        struct net_node g = x->net->nodes.v[x->gates.v[sequence[i]]];
        vec_push(x->heap, &c->gates, (struct gate){c->edges.n, g.n});
        for (uint32_t j = 0; j < g.n; j++) {
            edge e = final_edge(x, x->net->pool.v[g.first + j]);
            vec_push(x->heap, &c->edges, e);
            uint32_t gate = (e >> 1) - wire_gate(c, 0);
            if (e >> 1 >= wire_gate(c, 0) && gate < i && level[gate] >= level[i]) level[i] = level[gate] + 1;
        }
        if (level[i] + 1 > c->depth) c->depth = level[i] + 1;
    }
    heap_release(x->heap, level);
    heap_release(x->heap, sequence);
}

void circuit_emit(struct circuit *c, const struct net *net)
{
    struct heap *heap = c->heap;
    struct emitter x = {.heap = heap, .c = c, .net = net};
    collect_gates(&x);
    find_loops(&x);
    find_phases(&x);
    place_gates(&x);
    c->legal = heap_alloc(heap, (c->nmoves + 1) * sizeof *c->legal);
    for (uint32_t m = 0; m < c->nmoves; m++) c->legal[m] = final_edge(&x, net->legal[m]);
    c->next = heap_alloc(heap, (c->nbits + 1) * sizeof *c->next);
    for (uint32_t b = 0; b < c->nbits; b++) c->next[b] = final_edge(&x, net->next[b]);
    c->terminal = final_edge(&x, net->terminal);
    for (uint32_t i = 0; i < net->goals.n; i++) {
        struct circuit_goal goal = net->goals.v[i];
        goal.e = final_edge(&x, goal.e);
        vec_push(heap, &c->goals, goal);
    }
    for (uint32_t i = 0; i < net->kept.n; i++) vec_push(heap, &c->kept, final_edge(&x, net->kept.v[i]));
    heap_release(heap, x.knot_number);
    heap_release(heap, x.tied);
    heap_release(heap, x.gate_of);
    heap_release(heap, x.first);
    heap_release(heap, x.component);
    heap_release(heap, x.start);
    heap_release(heap, x.order);
    heap_release(heap, x.cone);
    heap_release(heap, x.final);
    vec_free(heap, &x.gates);
    vec_free(heap, &x.to);
}
