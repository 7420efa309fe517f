// SPDX-License-Identifier: GPL-3.0-or-later
/* Bits that only tell whose turn it is, and the circuit as it is in one turn.
 *
 * In most games some bits follow a cycle of their own whatever moves are made: control of white and black,
 * the player who places and the one who picks. Such bits are found by what their next values read: bits of
 * the same kind only. They run through the same values from the initial state on, so if they have come round
 * once they always will.
 *
 * Where all games on the lanes are in the same turn these bits are constants. Then most of what concerns the
 * other roles is constant, too: their moves but one are not legal, and what these would change stays as it
 * is.
 */
#include "circuit/cycle.h"

#include "circuit/constants.h"
#include "circuit/reduce.h"

#include <string.h>

enum { LARGEST_CONE = 64, STEPS = 3 * CYCLE_MOST, LARGE = 5000 };

struct finder {
    struct heap *heap;
    const struct circuit *c;
    bool *moved;               /* by wire: moves or loops have a say in it */
    struct vec_u32 candidates; /* bits */
    struct vec_u32 *reads;     /* by candidate: bits its next value depends on */
    uint32_t *number;          /* by bit: candidate, or NONE */
    bool *value;               /* step * candidates.n + candidate */
    uint32_t *stamp, now;      /* by wire: when it was visited, or evaluated to known */
    bool *known;
    struct vec_u32 stack;
};

#define NONE UINT32_MAX

static void find_moved(struct finder *f)
{
    const struct circuit *c = f->c;
    uint32_t first = wire_gate(c, 0);
    memset(f->moved + wire_move(c, 0), true, c->nmoves + c->ngates); /* gates ahead: a loop */
    for (uint32_t g = 0; g < c->ngates; g++) {
        bool moved = false;
        for (uint32_t i = 0; i < c->gates.v[g].n && !moved; i++)
            moved = f->moved[c->edges.v[c->gates.v[g].first + i] >> 1];
        f->moved[first + g] = moved;
    }
}

/* The bits that an edge depends on; false if there is too much between. */
static bool find_reads(struct finder *f, edge e, struct vec_u32 *out)
{
    const struct circuit *c = f->c;
    uint32_t visited = 0;
    vec_clear(&f->stack);
    vec_push(f->heap, &f->stack, e >> 1);
    for (f->now++; f->stack.n;) {
        uint32_t w = vec_pop(&f->stack);
        if (f->stamp[w] == f->now) continue;
        f->stamp[w] = f->now;
        if (w == 0) continue;
        if (w <= c->nbits) {
            vec_push(f->heap, out, w - 1);
            continue;
        }
        const struct gate *g = &c->gates.v[w - wire_gate(c, 0)];
        if (++visited > LARGEST_CONE || g->n > LARGEST_CONE) return false;
        for (uint32_t i = 0; i < g->n; i++) vec_push(f->heap, &f->stack, c->edges.v[g->first + i] >> 1);
    }
    return true;
}

/* Drop candidates that read others than candidates. */
static void close_candidates(struct finder *f)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < f->candidates.n; i++) {
            uint32_t bit = f->candidates.v[i];
            for (uint32_t k = 0; k < f->reads[i].n && f->number[bit] != NONE; k++)
                if (f->number[f->reads[i].v[k]] == NONE) f->number[bit] = NONE, again = true;
        }
    }
}

static bool evaluate(struct finder *f, edge e, const bool *bits)
{
    const struct circuit *c = f->c;
    uint32_t w = e >> 1;
    if (f->stamp[w] != f->now) {
        bool x = true;
        if (w > c->nbits) {
            const struct gate *g = &c->gates.v[w - wire_gate(c, 0)];
            for (uint32_t i = 0; i < g->n && x; i++) x = evaluate(f, c->edges.v[g->first + i], bits);
        } else if (w > 0) {
            x = bits[f->number[w - 1]];
        }
        f->stamp[w] = f->now;
        f->known[w] = x;
    }
    return f->known[w] != (e & 1);
}

static void simulate(struct finder *f)
{
    uint32_t n = f->candidates.n;
    f->value = heap_zalloc(f->heap, (STEPS + 1) * (size_t)n);
    for (uint32_t i = 0; i < n; i++) f->value[i] = f->c->init[f->candidates.v[i]];
    for (uint32_t t = 0; t < STEPS; t++) {
        f->now++;
        for (uint32_t i = 0; i < n; i++)
            if (f->number[f->candidates.v[i]] != NONE)
                f->value[(t + 1) * n + i] = evaluate(f, f->c->next[f->candidates.v[i]], f->value + t * n);
    }
}

/* The candidates that have come round after so many steps, and read only such. */
static uint32_t count_cycle(struct finder *f, uint32_t period, const uint32_t *numbers)
{
    uint32_t n = f->candidates.n, left = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = f->candidates.v[i];
        bool same = numbers[i] != NONE;
        for (uint32_t t = 0; t + period <= STEPS && same; t++)
            same = f->value[t * n + i] == f->value[(t + period) * n + i];
        f->number[bit] = same ? i : NONE;
    }
    close_candidates(f);
    for (uint32_t i = 0; i < n; i++) left += f->number[f->candidates.v[i]] != NONE;
    return left;
}

static void choose_period(struct finder *f, struct circuit *c)
{
    uint32_t n = f->candidates.n, most = 0, *numbers = heap_alloc(f->heap, (n + 1) * sizeof *numbers);
    for (uint32_t i = 0; i < n; i++) numbers[i] = f->number[f->candidates.v[i]];
    for (uint32_t period = 2; period <= CYCLE_MOST; period++) {
        uint32_t left = count_cycle(f, period, numbers);
        if (left > most) most = left, c->period = period;
    }
    if (most == 0) return;
    count_cycle(f, c->period, numbers);
    c->turn_values = heap_alloc(f->heap, (size_t)most * c->period);
    for (uint32_t i = 0; i < n; i++)
        if (f->number[f->candidates.v[i]] != NONE) vec_push(f->heap, &c->turn_bits, f->candidates.v[i]);
    for (uint32_t t = 0; t < c->period; t++)
        for (uint32_t k = 0, i = 0; i < n; i++)
            if (f->number[f->candidates.v[i]] != NONE) c->turn_values[t * most + k++] = f->value[t * n + i];
}

/* The turn that the bits belong to which are known after so many steps. */
static uint32_t turn_at(const struct circuit *c, const uint8_t *can)
{
    for (uint32_t t = 0; t < c->period; t++) {
        bool same = true;
        for (uint32_t i = 0; i < c->turn_bits.n && same; i++)
            same = can[c->turn_bits.v[i]] ==
                   (c->turn_values[t * c->turn_bits.n + i] ? CAN_BE_TRUE : CAN_BE_FALSE);
        if (same) return t;
    }
    return NONE;
}

/* Bits that do not cycle, and yet are always the same in some turn. Small circuits have little to win. */
static void find_known(struct circuit *c, uint32_t least_gates)
{
    if (!c->times || c->period < 2 || c->ngates < least_gates) return;
    uint8_t *ever = heap_zalloc(c->heap, (size_t)c->period * c->nbits + 1);
    uint32_t *first = heap_zalloc(c->heap, (c->period + 1) * sizeof *first);
    bool good = true;
    for (uint32_t s = 0; s < c->ntimes && good; s++) {
        const uint8_t *can = c->times + (size_t)s * c->nbits;
        uint32_t t = turn_at(c, can);
        good = t != NONE;
        for (uint32_t b = 0; b < c->nbits && good; b++) ever[(size_t)t * c->nbits + b] |= can[b];
    }
    for (uint32_t i = 0; i < c->turn_bits.n; i++) /* these are known anyway */
        for (uint32_t t = 0; t < c->period; t++) ever[(size_t)t * c->nbits + c->turn_bits.v[i]] = 0;
    for (uint32_t t = 0; t < c->period && good; t++) {
        for (uint32_t b = 0; b < c->nbits; b++) {
            uint8_t can = ever[(size_t)t * c->nbits + b];
            if (can == CAN_BE_TRUE || can == CAN_BE_FALSE)
                vec_push(c->heap, &c->known, (struct known_bit){b, can == CAN_BE_TRUE});
        }
        first[t + 1] = c->known.n;
    }
    heap_release(c->heap, ever);
    c->known_first = first;
}

void cycle_find(struct circuit *c)
{
    uint32_t nwires = wire_gate(c, c->ngates);
    struct finder f = {.heap = c->heap, .c = c};
    c->period = 1;
    f.moved = heap_zalloc(f.heap, nwires);
    f.number = heap_alloc(f.heap, (c->nbits + 1) * sizeof *f.number);
    memset(f.number, 0xff, (c->nbits + 1) * sizeof *f.number);
    f.stamp = heap_zalloc(f.heap, nwires * sizeof *f.stamp);
    f.known = heap_zalloc(f.heap, nwires);
    f.reads = heap_zalloc(f.heap, (c->nbits + 1) * sizeof *f.reads);
    find_moved(&f);
    for (uint32_t b = 0; b < c->nbits; b++) {
        if (f.moved[c->next[b] >> 1] || !find_reads(&f, c->next[b], &f.reads[f.candidates.n])) continue;
        f.number[b] = f.candidates.n;
        vec_push(f.heap, &f.candidates, b);
    }
    close_candidates(&f);
    simulate(&f);
    choose_period(&f, c);
    find_known(c, LARGE);
    heap_release(c->heap, c->times);
    c->times = NULL;
    c->ntimes = 0;
    for (uint32_t i = 0; i <= c->nbits; i++) vec_free(f.heap, &f.reads[i]);
    heap_release(f.heap, f.reads);
    heap_release(f.heap, f.known);
    heap_release(f.heap, f.stamp);
    heap_release(f.heap, f.number);
    heap_release(f.heap, f.moved);
    heap_release(f.heap, f.value);
    vec_free(f.heap, &f.candidates);
    vec_free(f.heap, &f.stack);
}

/* --- One turn ------------------------------------------------------------------------------------------- */

struct copier {
    struct heap *heap;
    const struct circuit *c;
    struct net *net;
    edge *map;     /* by wire: what it becomes */
    edge *knot;    /* by wire: while it is a cut of the present loop and not yet made */
    uint32_t loop; /* the next one */
    VEC(edge) args;
};

/* Knots stand for what is false before the first sweep: the cut wire, or its inverse. */
static void open_loop(struct copier *x, const struct loop *loop)
{
    for (uint32_t i = 0; i < loop->cut_n; i++) {
        edge cut = x->c->cuts.v[loop->cut_first + i];
        x->knot[cut >> 1] = net_knot(x->net) ^ !(cut & 1);
        x->map[cut >> 1] = x->knot[cut >> 1];
    }
}

static void close_loop(struct copier *x, const struct loop *loop)
{
    for (uint32_t i = 0; i < loop->cut_n; i++) {
        edge cut = x->c->cuts.v[loop->cut_first + i], knot = x->knot[cut >> 1];
        net_define_knot(x->net, knot & ~1u, x->map[cut >> 1] ^ (knot & 1));
    }
}

static void copy_gates(struct copier *x, uint32_t first, uint32_t last)
{
    const struct circuit *c = x->c;
    while (x->loop < c->loops.n && c->loops.v[x->loop].first < first) x->loop++;
    for (uint32_t g = first; g < last; g++) {
        const struct loop *loop = x->loop < c->loops.n ? &c->loops.v[x->loop] : NULL;
        if (loop && loop->first == g) open_loop(x, loop);
        vec_clear(&x->args);
        for (uint32_t i = 0; i < c->gates.v[g].n; i++) {
            edge e = c->edges.v[c->gates.v[g].first + i];
            vec_push(x->heap, &x->args, x->map[e >> 1] ^ (e & 1));
        }
        x->map[wire_gate(c, g)] = net_and(x->net, x->args.v, x->args.n);
        if (loop && loop->first + loop->n == g + 1) close_loop(x, loop), x->loop++;
        heap_poll(x->heap);
    }
}

/* A move that is never legal in this turn is not made, one that is the only one always is. */
static void copy_moves(struct copier *x)
{
    const struct circuit *c = x->c;
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t possible = 0, first = c->move_base[r], last = c->move_base[r + 1];
        for (uint32_t m = first; m < last; m++) {
            x->net->legal[m] = x->map[c->legal[m] >> 1] ^ (c->legal[m] & 1);
            possible += x->net->legal[m] != EDGE_FALSE;
        }
        for (uint32_t m = first; m < last; m++) {
            edge legal = x->net->legal[m];
            bool only = last - first == 1 || (possible == 1 && legal == EDGE_TRUE);
            x->map[wire_move(c, m)] = only                  ? EDGE_TRUE
                                      : legal == EDGE_FALSE ? EDGE_FALSE
                                                            : net_move(x->net, m);
        }
    }
}

struct circuit *circuit_in_turn(struct heap *heap, const struct circuit *c, uint32_t turn, const edge *kept,
                                uint32_t nkept)
{
    struct circuit *to = heap_zalloc(heap, sizeof *to);
    struct copier x = {.heap = heap, .c = c};
    *to = (struct circuit){.heap = heap, .nroles = c->nroles, .nbits = c->nbits, .nmoves = c->nmoves};
    to->move_base = c->move_base;
    to->move = c->move;
    to->period = 1;
    x.net = net_new(heap, c->nbits, c->move_base, c->nroles);
    x.map = heap_alloc(heap, wire_gate(c, c->ngates) * sizeof *x.map);
    x.knot = heap_alloc(heap, wire_gate(c, c->ngates) * sizeof *x.knot);
    x.map[0] = EDGE_TRUE;
    for (uint32_t b = 0; b < c->nbits; b++) x.map[wire_bit(c, b)] = net_bit(x.net, b);
    for (uint32_t i = 0; i < c->turn_bits.n; i++)
        x.map[wire_bit(c, c->turn_bits.v[i])] =
            c->turn_values[turn * c->turn_bits.n + i] ? EDGE_TRUE : EDGE_FALSE;
    for (uint32_t i = c->known_first ? c->known_first[turn] : 0;
         c->known_first && i < c->known_first[turn + 1]; i++)
        x.map[wire_bit(c, c->known.v[i].bit)] = c->known.v[i].value ? EDGE_TRUE : EDGE_FALSE;
    copy_gates(&x, 0, c->phase_end[PHASE_VIEW]);
    copy_moves(&x);
    copy_gates(&x, c->phase_end[PHASE_GOAL], c->ngates);
#define MAPPED(e) (x.map[(e) >> 1] ^ ((e)&1))
    for (uint32_t b = 0; b < c->nbits; b++) x.net->next[b] = MAPPED(c->next[b]);
    x.net->terminal = MAPPED(c->terminal);
    for (uint32_t i = 0; i < nkept; i++) vec_push(heap, &x.net->kept, MAPPED(kept[i]));
#undef MAPPED
    x.net = reduce_absorb(x.net);
    circuit_emit(to, x.net);
    net_free(x.net);
    heap_release(heap, x.map);
    heap_release(heap, x.knot);
    vec_free(heap, &x.args);
    return to;
}
