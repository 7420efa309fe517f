// SPDX-License-Identifier: GPL-3.0-or-later
/* Which moves win at once, on wires: for every move a copy of what its role's win and the end of the game
 * depend on, with the state after the move in place of the state. Little of it is new: what the move does not
 * change is what it was before it, and the game was not over before it. */
#include "circuit/reduce.h"

#include <string.h>

#define MOST_WORK 40000000 /* edges looked at: a tenth of a second or two */
#define MOST_TIMES 8       /* as many edges as the circuit itself: more would cost more than it tells */
#define MOST_EDGES 150000  /* before they are shared, which takes a few tenths of a second then */

struct foresight {
    struct heap *heap;
    const struct circuit *c;
    struct net *net;
    edge *now, *after; /* by wire: its plain edge in the net, before and after the move */
    bool *read;        /* by wire: the end or a win depends on it in the next state */
    bool *step;        /* by wire: the next value of such a bit depends on it */
    uint8_t *assumed;  /* by edge of the net as far as it goes: 0 nothing, 1 true, 2 false */
    uint32_t nassumed;
    VEC(edge) args;
    uint64_t work;
};

static edge known(const struct foresight *f, edge e)
{
    if (e >= f->nassumed || !f->assumed[e]) return e;
    return f->assumed[e] == 1 ? EDGE_TRUE : EDGE_FALSE;
}

static edge at(const struct foresight *f, const edge *wires, edge e)
{
    return known(f, wires[e >> 1] ^ (e & 1));
}

/* A gate of the circuit in the net, reading from `wires`. */
static edge copy_gate(struct foresight *f, uint32_t gate, const edge *wires)
{
    struct gate g = f->c->gates.v[gate];
    f->args.n = 0;
    for (uint32_t i = 0; i < g.n; i++) vec_push(f->heap, &f->args, at(f, wires, f->c->edges.v[g.first + i]));
    return known(f, net_and(f->net, f->args.v, f->args.n));
}

static bool is_changed(const struct foresight *f, uint32_t gate)
{
    struct gate g = f->c->gates.v[gate];
    for (uint32_t i = 0; i < g.n; i++) {
        uint32_t wire = f->c->edges.v[g.first + i] >> 1;
        if (f->after[wire] != f->now[wire]) return true;
    }
    return false;
}

/* Before the move the game is not over: an OR that is false has only false inputs. */
static void assume(struct foresight *f, edge truth)
{
    struct vec_u32 stack = {0};
    vec_push(f->heap, &stack, truth);
    while (stack.n) {
        edge e = vec_pop(&stack);
        if (e <= EDGE_FALSE || f->assumed[e]) continue;
        f->assumed[e] = 1;
        f->assumed[e ^ 1] = 2;
        const struct net_node *n = &f->net->nodes.v[e >> 1];
        for (uint32_t i = 0; !(e & 1) && i < n->n; i++)
            vec_push(f->heap, &stack, f->net->pool.v[n->first + i]);
    }
    vec_free(f->heap, &stack);
}

/* The most a role can get, as an edge; false: it has no goals. */
static edge win_of(const struct circuit *c, uint32_t role)
{
    edge best = EDGE_FALSE;
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->goals.n; i++)
        if (c->goals.v[i].role == role && c->goals.v[i].value > most && c->goals.v[i].e != EDGE_FALSE)
            most = c->goals.v[i].value, best = c->goals.v[i].e;
    return best;
}

/* The state before the move. */
static void look_now(struct foresight *f)
{
    const struct circuit *c = f->c;
    f->now[0] = EDGE_TRUE;
    for (uint32_t b = 0; b < c->nbits; b++) f->now[wire_bit(c, b)] = net_bit(f->net, b);
    for (uint32_t m = 0; m < c->nmoves; m++) f->now[wire_move(c, m)] = net_move(f->net, m);
    for (uint32_t g = 0; g < c->phase_end[PHASE_GOAL]; g++) f->now[wire_gate(c, g)] = copy_gate(f, g, f->now);
    f->nassumed = 2 * f->net->nodes.n;
    f->assumed = heap_zalloc(f->heap, f->nassumed);
    assume(f, f->now[c->terminal >> 1] ^ (c->terminal & 1) ^ 1);
    /* what was built without knowing it is built again: most of it is the same */
    for (uint32_t g = 0; g < c->phase_end[PHASE_GOAL]; g++) f->now[wire_gate(c, g)] = copy_gate(f, g, f->now);
    for (uint32_t g = c->phase_end[PHASE_GOAL]; g < c->ngates; g++)
        f->now[wire_gate(c, g)] = copy_gate(f, g, f->now);
}

/* What the next state is like when the role makes the move, and all others the only one they have. */
static void make_move(struct foresight *f, uint32_t role, uint32_t move)
{
    const struct circuit *c = f->c;
    for (uint32_t m = 0; m < c->nmoves; m++) {
        bool own = m >= c->move_base[role] && m < c->move_base[role + 1];
        f->after[wire_move(c, m)] = own ? m == move ? EDGE_TRUE : EDGE_FALSE : at(f, f->now, c->legal[m]);
    }
    for (uint32_t b = 0; b < c->nbits; b++) f->after[wire_bit(c, b)] = f->now[wire_bit(c, b)];
    for (uint32_t g = 0; g < c->ngates; g++) {
        uint32_t wire = wire_gate(c, g);
        f->after[wire] = f->now[wire];
        if (!f->step[wire]) continue;
        f->work += c->gates.v[g].n;
        if (is_changed(f, g)) f->after[wire] = copy_gate(f, g, f->after);
    }
}

static edge wins(struct foresight *f, uint32_t role, uint32_t move, edge *next)
{
    const struct circuit *c = f->c;
    edge win = win_of(c, role), legal = at(f, f->now, c->legal[move]);
    if (win == EDGE_FALSE || legal == EDGE_FALSE) return EDGE_FALSE;
    f->work += c->ngates + c->nmoves;
    make_move(f, role, move);
    for (uint32_t b = 0; b < c->nbits; b++)
        if (f->read[wire_bit(c, b)]) next[b] = at(f, f->after, c->next[b]);
    for (uint32_t b = 0; b < c->nbits; b++)
        f->after[wire_bit(c, b)] = f->read[wire_bit(c, b)] ? next[b] : f->now[wire_bit(c, b)];
    for (uint32_t g = 0; g < c->phase_end[PHASE_GOAL]; g++) {
        uint32_t wire = wire_gate(c, g);
        f->after[wire] = f->now[wire];
        if (!f->read[wire]) continue;
        f->work += c->gates.v[g].n;
        if (is_changed(f, g)) f->after[wire] = copy_gate(f, g, f->after);
    }
    edge all[] = {legal, at(f, f->after, c->terminal), at(f, f->after, win)};
    return net_and(f->net, all, 3);
}

static void find_cones(struct foresight *f)
{
    const struct circuit *c = f->c;
    uint32_t wires = wire_gate(c, c->ngates);
    f->read = heap_zalloc(f->heap, wires);
    f->step = heap_zalloc(f->heap, wires);
    f->read[c->terminal >> 1] = true;
    for (uint32_t r = 0; r < c->nroles; r++) f->read[win_of(c, r) >> 1] = true;
    circuit_close(c, f->read);
    for (uint32_t b = 0; b < c->nbits; b++)
        if (f->read[wire_bit(c, b)]) f->step[c->next[b] >> 1] = true;
    circuit_close(c, f->step);
}

static _Noreturn void too_much(struct heap *heap)
{
    heap_fail(heap, ERROR_MEMORY, "winning moves would take too much to foresee");
}

static void build(struct circuit *out, const struct circuit *c)
{
    struct heap *heap = out->heap;
    uint32_t wires = wire_gate(c, c->ngates);
    out->nroles = c->nroles, out->nbits = c->nbits, out->nmoves = c->nmoves;
    out->move_base = heap_alloc(heap, (c->nroles + 1) * sizeof *out->move_base);
    memcpy(out->move_base, c->move_base, (c->nroles + 1) * sizeof *out->move_base);
    out->init = heap_zalloc(heap, c->nbits + 1);
    memcpy(out->init, c->init, c->nbits);
    struct foresight f = {.heap = heap, .c = c};
    f.net = net_new(heap, c->nbits, out->move_base, c->nroles);
    f.now = heap_zalloc(heap, wires * sizeof *f.now);
    f.after = heap_zalloc(heap, wires * sizeof *f.after);
    edge *next = heap_zalloc(heap, (c->nbits + 1) * sizeof *next);
    find_cones(&f);
    look_now(&f);
    f.after[0] = EDGE_TRUE;
    for (uint32_t r = 0; r < c->nroles; r++)
        for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++) {
            f.net->legal[m] = wins(&f, r, m, next);
            heap_poll_slow(heap);
            if (f.work > MOST_WORK || f.net->pool.n > 8 * MOST_EDGES) too_much(heap);
        }
    for (uint32_t b = 0; b < c->nbits; b++) f.net->next[b] = net_bit(f.net, b);
    struct net *net = net_clean(f.net);
    net_free(f.net);
    net = reduce_absorb(net);
    if (net_size(net).edges > MOST_EDGES) too_much(heap);
    net = reduce_share(net);
    if (net_size(net).edges / MOST_TIMES > c->edges.n) too_much(heap);
    circuit_emit(out, net);
}

struct circuit *circuit_foresee(const struct circuit *c, double seconds, const atomic_bool *cancel,
                                struct error *error)
{
    return circuit_derive(c, build, seconds, cancel, error);
}
