// SPDX-License-Identifier: GPL-3.0-or-later
/* Facts that always agree, such as the same counter kept twice, or always differ, such as control of white
 * and of black.
 *
 * Random games give the candidates: bits whose histories agree (after inverting those that start true).
 * Induction proves them: suppose all bits of a class agree, replace them by one, and see whether their next
 * values come out as the same edge. Where they do not, the class is split and all is done again, until
 * nothing splits: what is left holds in the initial state and is kept by every move. Bits that never change
 * are the class of `false`.
 */
#include "base/hash.h"
#include "base/rng.h"
#include "circuit/reduce.h"

#include <stdlib.h>
#include <string.h>

/* 64 random games at once, gate by gate, until all have ended; fills in a fingerprint of each bit's history.
 */
struct trial {
    const struct net *net;
    struct heap *heap;
    uint64_t *w;     /* by node */
    uint64_t *state; /* by bit */
    uint64_t *hash;  /* by bit */
    struct rng rng;
};

static uint64_t wire(const struct trial *t, edge e)
{
    return t->w[e >> 1] ^ (0 - (uint64_t)(e & 1));
}

static void evaluate(struct trial *t)
{
    const struct net *net = t->net;
    for (uint32_t k = 0; k < net->knots.n; k++) t->w[net->knots.v[k]] = 0;
    for (bool again = true; again;) {
        for (uint32_t i = net_inputs(net); i < net->nodes.n; i++) {
            struct net_node g = net->nodes.v[i];
            if (g.n == 0) continue;
            uint64_t x = ~(uint64_t)0;
            for (uint32_t j = 0; j < g.n; j++) x &= wire(t, net->pool.v[g.first + j]);
            t->w[i] = x;
        }
        again = false;
        for (uint32_t k = 0; k < net->knots.n; k++) {
            uint64_t x = wire(t, net->knot_def.v[k]);
            again |= x != t->w[net->knots.v[k]];
            t->w[net->knots.v[k]] = x;
        }
        heap_poll(t->heap);
    }
}

/* One move per role and lane, by reservoir: the k-th legal move replaces the choice with probability 1/k. */
static void choose_moves(struct trial *t)
{
    const struct net *net = t->net;
    for (uint32_t r = 0; r < net->nroles; r++) {
        uint32_t from = net->move_base[r] - net->move_base[0], to = net->move_base[r + 1] - net->move_base[0];
        uint32_t seen[64] = {0}, choice[64] = {0};
        for (uint32_t m = from; m < to; m++) {
            t->w[1 + net->nbits + m] = 0;
            for (uint64_t x = wire(t, net->legal[m]); x; x &= x - 1) {
                int lane = __builtin_ctzll(x);
                if (rng_below(&t->rng, ++seen[lane]) == 0) choice[lane] = m;
            }
        }
        for (int lane = 0; lane < 64; lane++)
            if (seen[lane]) t->w[1 + net->nbits + choice[lane]] |= (uint64_t)1 << lane;
    }
}

/* Returns how many steps a game has, on the average. */
static double run_trial(struct trial *t, const bool *init, uint32_t steps)
{
    const struct net *net = t->net;
    for (uint32_t b = 0; b < net->nbits; b++) t->w[1 + b] = init[b] ? ~(uint64_t)0 : 0;
    uint64_t alive = ~(uint64_t)0, transitions = 0;
    for (uint32_t s = 0; s < steps && alive; s++) {
        for (uint32_t m = 0; m < net->nmoves; m++) t->w[1 + net->nbits + m] = 0;
        evaluate(t);
        alive &= ~wire(t, net->terminal);
        transitions += (uint64_t)__builtin_popcountll(alive);
        choose_moves(t);
        evaluate(t);
        for (uint32_t b = 0; b < net->nbits; b++) t->state[b] = wire(t, net->next[b]);
        for (uint32_t b = 0; b < net->nbits; b++) {
            t->w[1 + b] = t->state[b];
            uint64_t x = (t->state[b] ^ (init[b] ? ~(uint64_t)0 : 0)) & alive;
            if (x || t->hash[b]) t->hash[b] = hash_mix(t->hash[b], x) | 1;
        }
    }
    int ended = 64 - __builtin_popcountll(alive);
    return (double)transitions / (ended ? ended : 1);
}

/* Classes are numbered; class 0 is "always as in the beginning". */
struct classes {
    uint32_t *of; /* by bit */
    uint32_t count;
};

struct key {
    uint64_t a;
    uint32_t b, bit;
};

static int by_key(const void *x, const void *y)
{
    const struct key *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return p->bit < q->bit ? -1 : p->bit > q->bit;
}

/* Number the classes by equal (a, b); those with `zero_a`, `zero_b` get number 0. */
static void number(struct classes *c, struct key *keys, uint32_t n, uint64_t zero_a, uint32_t zero_b)
{
    qsort(keys, n, sizeof *keys, by_key);
    c->count = 1;
    for (uint32_t i = 0; i < n; i++) {
        bool same = i && keys[i].a == keys[i - 1].a && keys[i].b == keys[i - 1].b;
        bool zero = keys[i].a == zero_a && keys[i].b == zero_b;
        c->of[keys[i].bit] = zero ? 0 : same ? c->count - 1 : c->count++;
    }
}

void circuit_replace_bits(struct circuit *c, uint32_t kept, const edge *bit_to, const uint32_t *bit_from)
{
    bool *init = heap_zalloc(c->heap, kept + 1);
    for (uint32_t f = 0; f < c->nfacts; f++) {
        edge e = c->fact_edge[f];
        if (e >> 1) c->fact_edge[f] = bit_to[(e >> 1) - 1] ^ (e & 1);
    }
    for (uint32_t b = 0; b < kept; b++) init[b] = c->init[bit_from[b]];
    for (uint32_t t = 0; t < c->ntimes; t++) /* in place: no bit moves up */
        for (uint32_t b = 0; b < kept; b++)
            c->times[(size_t)t * kept + b] = c->times[(size_t)t * c->nbits + bit_from[b]];
    heap_release(c->heap, c->init);
    c->init = init;
    c->nbits = kept;
}

struct net *reduce_merge(struct circuit *c, struct net *net)
{
    enum { STEPS = 200, MAX_ROUNDS = 40 };
    struct heap *heap = net->heap;
    uint32_t n = net->nbits;
    if (n == 0) return net;
    struct trial t = {.net = net, .heap = heap};
    t.w = heap_zalloc(heap, net->nodes.n * sizeof *t.w);
    t.w[0] = ~(uint64_t)0;
    t.state = heap_alloc(heap, n * sizeof *t.state);
    t.hash = heap_zalloc(heap, n * sizeof *t.hash);
    rng_init(&t.rng, 1);
    /* Large nets get fewer steps: a bad candidate costs a round of induction, not correctness. */
    uint32_t steps = net->pool.n > 4000000 ? 10 : net->pool.n > 400000 ? 50 : STEPS;
    c->length = run_trial(&t, c->init, steps);
    struct key *keys = heap_alloc(heap, n * sizeof *keys);
    for (uint32_t b = 0; b < n; b++) keys[b] = (struct key){t.hash[b], 0, b};
    heap_release(heap, t.w);
    heap_release(heap, t.state);
    heap_release(heap, t.hash);
    struct classes classes = {.of = heap_alloc(heap, n * sizeof *classes.of)};
    number(&classes, keys, n, 0, 0);

    edge *bit_to = heap_alloc(heap, n * sizeof *bit_to);
    uint32_t *bit_from = heap_alloc(heap, n * sizeof *bit_from),
             *leader = heap_alloc(heap, (n + 1) * sizeof *leader);
    struct net *result = NULL;
    for (uint32_t round = 0; !result && round < MAX_ROUNDS; round++) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < classes.count; k++) leader[k] = UINT32_MAX;
        for (uint32_t b = 0; b < n; b++) {
            uint32_t k = classes.of[b];
            if (k == 0) {
                bit_to[b] = c->init[b] ? EDGE_TRUE : EDGE_FALSE;
                continue;
            }
            if (leader[k] == UINT32_MAX) leader[k] = b, bit_from[kept] = b, bit_to[b] = (1 + kept++) << 1;
            bit_to[b] = bit_to[leader[k]] ^ (edge)(c->init[b] != c->init[leader[k]]);
        }
        if (kept == n) {
            result = net;
            break;
        }
        /* A copy in which the classes are merged; also what every old bit's next value becomes. */
        edge *nexts = heap_alloc(heap, n * sizeof *nexts);
        struct net *trial = net_copy(net, heap, kept, bit_to, bit_from, nexts);
        for (uint32_t b = 0; b < n; b++) keys[b] = (struct key){classes.of[b], nexts[b] ^ c->init[b], b};
        heap_release(heap, nexts);
        uint32_t before = classes.count;
        uint32_t zero_before = 0, zero_after = 0;
        for (uint32_t b = 0; b < n; b++) zero_before += classes.of[b] == 0;
        number(&classes, keys, n, 0, EDGE_FALSE);
        for (uint32_t b = 0; b < n; b++) zero_after += classes.of[b] == 0;
        if (classes.count == before && zero_before == zero_after) {
            result = trial;
            circuit_replace_bits(c, kept, bit_to, bit_from);
        } else {
            net_free(trial);
        }
    }
    heap_release(heap, keys);
    heap_release(heap, classes.of);
    heap_release(heap, bit_to);
    heap_release(heap, bit_from);
    heap_release(heap, leader);
    if (result && result != net) net_free(net);
    return result ? result : net;
}
