// SPDX-License-Identifier: GPL-3.0-or-later
/* From ground rules to a circuit: find the atoms that never change, build a net of the rest in order of
 * dependency, reduce it, emit it.
 *
 *     ground ── constants ──> net ── factor ── merge ── regroup ── select ── absorb ── share ──> circuit
 */
#include "base/clock.h"
#include "base/scc.h"
#include "circuit/constants.h"
#include "circuit/cycle.h"
#include "circuit/factor.h"
#include "circuit/reduce.h"

#include <string.h>

struct builder {
    struct heap *heap;
    const struct ground *g;
    struct circuit *c;
    uint32_t inputs;      /* derived atoms begin here */
    uint32_t *rule_first; /* by derived atom - inputs, one more entry: its rules */
    uint32_t *component, ncomponents, *start, *order; /* of derived atoms, counted from `inputs` */
    bool *cyclic;                                     /* by atom */
    uint8_t *can;                                     /* by atom */
    edge *value;                                      /* by atom; NOT_BUILT until known */
    struct net *net;
    struct sop sop;
};

#define NOT_BUILT UINT32_MAX

/* Dependency graph among derived atoms, its components, and who is on a cycle. */
static void order_atoms(struct builder *b)
{
    const struct ground *g = b->g;
    uint32_t n = g->natoms - b->inputs;
    uint32_t *first = heap_alloc(b->heap, ((size_t)n + 1) * sizeof *first);
    b->rule_first = heap_zalloc(b->heap, ((size_t)n + 2) * sizeof *b->rule_first);
    for (uint32_t r = 0; r < g->rules.n; r++) b->rule_first[g->rules.v[r].head - b->inputs + 1]++;
    for (uint32_t a = 0; a < n; a++) b->rule_first[a + 1] += b->rule_first[a];
    struct vec_u32 to = {0};
    for (uint32_t a = 0; a < n; a++) {
        first[a] = to.n;
        for (uint32_t r = b->rule_first[a]; r < b->rule_first[a + 1]; r++) {
            struct ground_rule rule = g->rules.v[r];
            for (uint32_t i = 0; i < rule.n; i++) {
                uint32_t atom = g->literals.v[rule.first + i] >> 1;
                if (atom >= b->inputs) vec_push(b->heap, &to, atom - b->inputs);
            }
        }
    }
    first[n] = to.n;
    b->component = heap_alloc(b->heap, ((size_t)n + 1) * sizeof *b->component);
    b->ncomponents = scc_find(b->heap, n, first, to.v, b->component);
    b->start = heap_alloc(b->heap, ((size_t)b->ncomponents + 1) * sizeof *b->start);
    b->order = heap_alloc(b->heap, ((size_t)n + 1) * sizeof *b->order);
    scc_sort(n, b->component, b->ncomponents, b->start, b->order);
    b->cyclic = heap_zalloc(b->heap, (size_t)g->natoms + 1);
    for (uint32_t a = 0; a < n; a++) {
        bool self = false;
        for (uint32_t i = first[a]; i < first[a + 1] && !self; i++) self = to.v[i] == a;
        uint32_t c = b->component[a];
        b->cyclic[b->inputs + a] = self || b->start[c + 1] - b->start[c] > 1;
    }
    heap_release(b->heap, first);
    vec_free(b->heap, &to);
}

/* Facts that change become bits; moves that can be legal become moves of the circuit. */
static void choose_inputs(struct builder *b)
{
    const struct ground *g = b->g;
    struct circuit *c = b->c;
    struct heap *heap = b->heap;
    c->nroles = g->nroles;
    c->init = heap_zalloc(heap, g->nfacts + 1);
    c->fact = heap_alloc(heap, (g->nfacts + 1) * sizeof *c->fact);
    c->fact_edge = heap_alloc(heap, (g->nfacts + 1) * sizeof *c->fact_edge);
    for (uint32_t f = 0; f < g->nfacts; f++) {
        if (!(b->can[f] & CAN_BE_TRUE)) continue;
        c->fact[c->nfacts] = g->fact[f];
        if (b->can[f] & CAN_BE_FALSE) {
            c->init[c->nbits] = g->init[f];
            c->fact_edge[c->nfacts] = wire_bit(c, c->nbits++) << 1;
        } else {
            c->fact_edge[c->nfacts] = EDGE_TRUE;
        }
        b->value[f] = c->fact_edge[c->nfacts++];
    }
    c->move_base = heap_zalloc(heap, (g->nroles + 1) * sizeof *c->move_base);
    c->move = heap_alloc(heap, (g->move_base[g->nroles] - g->nfacts + 1) * sizeof *c->move);
    for (uint32_t r = 0; r < g->nroles; r++) {
        c->move_base[r] = c->nmoves;
        for (uint32_t a = g->move_base[r]; a < g->move_base[r + 1]; a++)
            if (b->can[a] & CAN_BE_TRUE) c->move[c->nmoves++] = g->move[a - g->nfacts];
    }
    c->move_base[g->nroles] = c->nmoves;
    b->net = net_new(heap, c->nbits, c->move_base, c->nroles);
    for (uint32_t r = 0, m = 0; r < g->nroles; r++) {
        uint32_t total = c->move_base[r + 1] - c->move_base[r];
        for (uint32_t a = g->move_base[r]; a < g->move_base[r + 1]; a++)
            if (b->can[a] & CAN_BE_TRUE) {
                b->value[a] = total == 1 ? EDGE_TRUE : net_move(b->net, m);
                m++;
            }
    }
}

static edge atom_value(struct builder *b, uint32_t atom)
{
    if (b->value[atom] != NOT_BUILT) return b->value[atom];
    return b->value[atom] = net_knot(b->net); /* ahead of us on a cycle */
}

static edge build_rules(struct builder *b, uint32_t atom)
{
    const struct ground *g = b->g;
    sop_clear(&b->sop);
    uint32_t at = atom - b->inputs;
    for (uint32_t r = b->rule_first[at]; r < b->rule_first[at + 1]; r++) {
        struct ground_rule rule = g->rules.v[r];
        struct cube cube = {.first = b->sop.lits.n};
        bool dead = false;
        for (uint32_t i = 0; i < rule.n && !dead; i++) {
            uint32_t l = g->literals.v[rule.first + i];
            edge e = atom_value(b, l >> 1) ^ (l & 1);
            if (e == EDGE_FALSE) dead = true;
            if (e != EDGE_TRUE) vec_push(b->heap, &b->sop.lits, e);
        }
        if (dead) {
            b->sop.lits.n = cube.first;
            continue;
        }
        cube.n = b->sop.lits.n - cube.first;
        vec_push(b->heap, &b->sop.cubes, cube);
        heap_poll(b->heap);
    }
    return factor_sop(b->net, &b->sop);
}

static void build_component(struct builder *b, uint32_t c)
{
    for (uint32_t i = b->start[c]; i < b->start[c + 1]; i++) {
        uint32_t atom = b->inputs + b->order[i];
        edge before = b->value[atom];
        if (before == EDGE_TRUE || before == EDGE_FALSE) continue;
        edge e = build_rules(b, atom);
        edge knot = b->value[atom]; /* may have been made meanwhile, by a rule that names its own head */
        if (knot != NOT_BUILT) net_define_knot(b->net, knot, e);
        b->value[atom] = e; /* whoever comes later reads the definition itself */
    }
}

/* Mark the components that an atom needs, itself included. */
static void need(struct builder *b, bool *needed, struct vec_u32 *stack, uint32_t atom)
{
    if (atom == GROUND_NONE || atom < b->inputs) return;
    uint32_t c = b->component[atom - b->inputs];
    if (needed[c]) return;
    needed[c] = true;
    vec_push(b->heap, stack, c);
    while (stack->n) {
        c = vec_pop(stack);
        for (uint32_t i = b->start[c]; i < b->start[c + 1]; i++) {
            uint32_t at = b->order[i];
            if (b->value[b->inputs + at] != NOT_BUILT) continue; /* constant */
            for (uint32_t r = b->rule_first[at]; r < b->rule_first[at + 1]; r++) {
                struct ground_rule rule = b->g->rules.v[r];
                for (uint32_t k = 0; k < rule.n; k++) {
                    uint32_t a = b->g->literals.v[rule.first + k] >> 1;
                    if (a < b->inputs || needed[b->component[a - b->inputs]]) continue;
                    needed[b->component[a - b->inputs]] = true;
                    vec_push(b->heap, stack, b->component[a - b->inputs]);
                }
            }
        }
    }
}

static edge root(const struct builder *b, uint32_t atom)
{
    return atom == GROUND_NONE ? EDGE_FALSE : b->value[atom];
}

/* Legality first: the rest is simplified with it. */
static void build_net(struct builder *b)
{
    const struct ground *g = b->g;
    bool *needed = heap_zalloc(b->heap, (size_t)b->ncomponents + 1),
         *built = heap_zalloc(b->heap, (size_t)b->ncomponents + 1);
    struct vec_u32 stack = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t a = g->nfacts; a < b->inputs; a++)
            if (b->value[a] != EDGE_FALSE) need(b, needed, &stack, g->legal[a - g->nfacts]);
        if (pass == 1) {
            for (uint32_t f = 0; f < g->nfacts; f++)
                if (b->value[f] != EDGE_FALSE && b->value[f] != EDGE_TRUE)
                    need(b, needed, &stack, g->next[f]);
            for (uint32_t i = 0; i < g->goals.n; i++) need(b, needed, &stack, g->goals.v[i].atom);
            need(b, needed, &stack, g->terminal);
        }
        for (uint32_t c = 0; c < b->ncomponents; c++)
            if (needed[c] && !built[c]) built[c] = true, build_component(b, c);
        if (pass == 1) break;
        for (uint32_t a = g->nfacts, m = 0; a < b->inputs; a++)
            if (b->can[a] & CAN_BE_TRUE) b->net->legal[m++] = root(b, g->legal[a - g->nfacts]);
    }
    for (uint32_t f = 0, bit = 0; f < g->nfacts; f++)
        if (b->can[f] == (CAN_BE_TRUE | CAN_BE_FALSE)) b->net->next[bit++] = root(b, g->next[f]);
    for (uint32_t i = 0; i < g->goals.n; i++) {
        struct circuit_goal goal = {g->goals.v[i].role, g->goals.v[i].value, root(b, g->goals.v[i].atom)};
        if (goal.e != EDGE_FALSE) vec_push(b->heap, &b->net->goals, goal);
    }
    b->net->terminal = root(b, g->terminal);
    heap_release(b->heap, needed);
    heap_release(b->heap, built);
    vec_free(b->heap, &stack);
}

void circuit_stage(struct circuit *c, const char *name, uint32_t bits, uint32_t gates, uint32_t edges,
                   double seconds)
{
    vec_push(c->heap, &c->stages, (struct circuit_stage){name, bits, gates, edges, seconds});
}

static void note(struct circuit *c, const char *name, const struct net *net, double *since)
{
    double now = clock_now();
    struct net_size size = net_size(net);
    circuit_stage(c, name, net->nbits, size.gates, size.edges, now - *since);
    *since = now;
}

static void build(struct circuit *c, const struct ground *g)
{
    struct heap *heap = c->heap;
    double since = clock_now();
    struct builder b = {.heap = heap, .g = g, .c = c, .inputs = g->move_base[g->nroles]};
    c->terms = terms_clone(heap, g->terms);
    circuit_stage(c, "ground rules", g->nfacts, g->rules.n, g->literals.n, 0);
    order_atoms(&b);
    b.can = constants_find(heap, g, b.cyclic);
    b.value = heap_alloc(heap, ((size_t)g->natoms + 1) * sizeof *b.value);
    for (uint32_t a = 0; a < g->natoms; a++)
        b.value[a] = !(b.can[a] & CAN_BE_TRUE)    ? EDGE_FALSE
                     : !(b.can[a] & CAN_BE_FALSE) ? EDGE_TRUE
                                                  : NOT_BUILT;
    choose_inputs(&b);
    build_net(&b);
    note(c, "factored", b.net, &since);
    heap_release(heap, b.rule_first);
    heap_release(heap, b.component);
    heap_release(heap, b.start);
    heap_release(heap, b.order);
    heap_release(heap, b.cyclic);
    heap_release(heap, b.can);
    heap_release(heap, b.value);
    vec_free(heap, &b.sop.cubes);
    vec_free(heap, &b.sop.lits);
    vec_free(heap, &b.sop.count);
    struct net *net = reduce_timed(c, b.net);
    note(c, "timed", net, &since);
    net = reduce_merge(c, net);
    note(c, "equal facts merged", net, &since);
    net = reduce_regroup(net);
    note(c, "sums regrouped", net, &since);
    net = reduce_select(net);
    note(c, "selections shared", net, &since);
    net = reduce_absorb(net);
    note(c, "chains absorbed", net, &since);
    net = reduce_share(net);
    note(c, "parts shared", net, &since);
    circuit_emit(c, net);
    net_free(net);
    cycle_find(c);
}

struct circuit *circuit_build(const struct ground *ground, const struct ground_limits *limits,
                              struct error *error)
{
    struct heap *heap = heap_new(limits ? limits->bytes : 0);
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (limits && limits->seconds > 0) heap->deadline = clock_now() + limits->seconds;
    if (limits) heap->cancel = limits->cancel;
    struct heap_guard guard;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct circuit *c = heap_zalloc(heap, sizeof *c);
        c->heap = heap;
        build(c, ground);
        heap->deadline = 0;
        heap->cancel = NULL;
        heap_leave(heap);
        return c;
    }
    error_prefix(error, "building the circuit");
    heap_free(heap);
    return NULL;
}

void circuit_free(struct circuit *c)
{
    if (c) heap_free(c->heap);
}
