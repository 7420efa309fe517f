// SPDX-License-Identifier: GPL-3.0-or-later
/* Bits that never change because of what is when. A counter and whose turn it is run by themselves, so that a
 * fact which needs an odd count in the second player's turn never comes true; but neither a look at all
 * states at once (constants.c) nor one at a single step (merge.c) shows that.
 *
 * Three-valued simulation, step by step from the initial state: what runs by itself stays known, the rest
 * soon can be either. The values of step t stand for all states that can be reached in t steps. When they
 * come round to those of an earlier step, all reachable states have been looked at.
 */
#include "base/hash.h"
#include "circuit/constants.h"
#include "circuit/reduce.h"

#include <string.h>

enum {
    LONGEST = 1000,    /* steps */
    EFFORT = 30000000, /* inputs of gates looked at */
};

struct simulation {
    struct heap *heap;
    const struct net *net;
    uint8_t *can;         /* by node, now */
    uint8_t *ever;        /* by bit */
    VEC(uint8_t) past;    /* step * nbits + bit */
    VEC(uint64_t) hashes; /* by step */
};

static uint8_t value(const struct simulation *s, edge e)
{
    uint8_t x = s->can[e >> 1];
    return e & 1 ? (uint8_t)((x & CAN_BE_TRUE ? CAN_BE_FALSE : 0) | (x & CAN_BE_FALSE ? CAN_BE_TRUE : 0)) : x;
}

static void evaluate(struct simulation *s)
{
    const struct net *net = s->net;
    for (uint32_t i = net_inputs(net); i < net->nodes.n; i++) {
        struct net_node g = net->nodes.v[i];
        uint8_t all = CAN_BE_TRUE, any = 0;
        for (uint32_t k = 0; k < g.n; k++) {
            uint8_t x = value(s, net->pool.v[g.first + k]);
            all &= x;
            any |= x;
        }
        s->can[i] = g.n ? (uint8_t)(all | (any & CAN_BE_FALSE)) : CAN_BE_TRUE | CAN_BE_FALSE; /* knots */
        if ((i & 4095) == 0) heap_poll(s->heap);
    }
}

/* A move can be made if it can be legal; it is, if it is legal and the role has no other. */
static void set_moves(struct simulation *s)
{
    const struct net *net = s->net;
    for (uint32_t r = 0; r < net->nroles; r++) {
        uint32_t from = net->move_base[r] - net->move_base[0], to = net->move_base[r + 1] - net->move_base[0];
        uint32_t possible = 0;
        for (uint32_t m = from; m < to; m++) possible += (value(s, net->legal[m]) & CAN_BE_TRUE) != 0;
        for (uint32_t m = from; m < to; m++) {
            uint8_t legal = value(s, net->legal[m]);
            bool only = legal == CAN_BE_TRUE && possible == 1;
            s->can[1 + net->nbits + m] = only ? CAN_BE_TRUE : (uint8_t)(legal | CAN_BE_FALSE);
        }
    }
}

/* Note what the bits can be now; true if it was so before. */
static bool note(struct simulation *s)
{
    uint32_t n = s->net->nbits;
    const uint8_t *now = s->can + 1;
    uint64_t hash = hash_bytes(now, n);
    for (uint32_t t = 0; t < s->hashes.n; t++)
        if (s->hashes.v[t] == hash && memcmp(s->past.v + (size_t)t * n, now, n) == 0) return true;
    vec_push(s->heap, &s->hashes, hash);
    for (uint32_t b = 0; b < n; b++) {
        vec_push(s->heap, &s->past, now[b]);
        s->ever[b] |= now[b];
    }
    return false;
}

static bool simulate(struct simulation *s, const bool *init)
{
    const struct net *net = s->net;
    uint8_t *next = heap_alloc(s->heap, net->nbits + 1);
    uint64_t effort = 0;
    bool round = false;
    s->can[0] = CAN_BE_TRUE;
    for (uint32_t b = 0; b < net->nbits; b++) s->can[1 + b] = init[b] ? CAN_BE_TRUE : CAN_BE_FALSE;
    for (uint32_t t = 0; t < LONGEST && effort < EFFORT && !(round = note(s)); t++) {
        memset(s->can + 1 + net->nbits, CAN_BE_TRUE | CAN_BE_FALSE, net->nmoves);
        evaluate(s);
        set_moves(s);
        evaluate(s);
        for (uint32_t b = 0; b < net->nbits; b++) next[b] = value(s, net->next[b]);
        memcpy(s->can + 1, next, net->nbits);
        effort += 2 * net->pool.n;
    }
    heap_release(s->heap, next);
    return round;
}

static struct net *drop_constants(struct circuit *c, struct net *net, const uint8_t *ever)
{
    struct heap *heap = net->heap;
    uint32_t kept = 0, *bit_from = heap_alloc(heap, (net->nbits + 1) * sizeof *bit_from);
    edge *bit_to = heap_alloc(heap, (net->nbits + 1) * sizeof *bit_to);
    for (uint32_t b = 0; b < net->nbits; b++) {
        bool known = ever[b] == CAN_BE_TRUE || ever[b] == CAN_BE_FALSE;
        bit_to[b] = !known ? (1 + kept) << 1 : ever[b] == CAN_BE_TRUE ? EDGE_TRUE : EDGE_FALSE;
        if (!known) bit_from[kept++] = b;
    }
    struct net *to = net;
    if (kept < net->nbits) {
        to = net_copy(net, heap, kept, bit_to, bit_from, NULL);
        circuit_replace_bits(c, kept, bit_to, bit_from);
        net_free(net);
    }
    heap_release(heap, bit_from);
    heap_release(heap, bit_to);
    return to;
}

struct net *reduce_timed(struct circuit *c, struct net *net)
{
    struct simulation s = {.heap = net->heap, .net = net};
    if (net->nbits == 0) return net;
    s.can = heap_zalloc(s.heap, net->nodes.n);
    s.ever = heap_zalloc(s.heap, net->nbits + 1);
    if (simulate(&s, c->init)) {
        c->times = s.past.v;
        c->ntimes = s.hashes.n;
        net = drop_constants(c, net, s.ever);
    } else {
        vec_free(s.heap, &s.past);
    }
    vec_free(s.heap, &s.hashes);
    heap_release(s.heap, s.can);
    heap_release(s.heap, s.ever);
    return net;
}
