// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/net.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static void grow_slots(struct net *net);

struct net *net_new(struct heap *heap, uint32_t nbits, const uint32_t *move_base, uint32_t nroles)
{
    struct net *net = heap_zalloc(heap, sizeof *net);
    net->heap = heap;
    net->nbits = nbits;
    net->nroles = nroles;
    net->move_base = move_base;
    net->nmoves = move_base[nroles] - move_base[0];
    net->move_role = heap_alloc(heap, (net->nmoves + 1) * sizeof *net->move_role);
    for (uint32_t r = 0; r < nroles; r++)
        for (uint32_t m = move_base[r]; m < move_base[r + 1]; m++) net->move_role[m - move_base[0]] = r;
    vec_resize_zero(heap, &net->nodes, net_inputs(net));
    net->legal = heap_zalloc(heap, (net->nmoves + 1) * sizeof *net->legal);
    net->next = heap_zalloc(heap, (nbits + 1) * sizeof *net->next);
    net->terminal = EDGE_FALSE;
    grow_slots(net);
    return net;
}

void net_free(struct net *net)
{
    struct heap *heap = net->heap;
    vec_free(heap, &net->nodes);
    vec_free(heap, &net->pool);
    vec_free(heap, &net->knots);
    vec_free(heap, &net->knot_def);
    vec_free(heap, &net->goals);
    vec_free(heap, &net->kept);
    vec_free(heap, &net->stamp);
    vec_free(heap, &net->work);
    heap_release(heap, net->slots);
    heap_release(heap, net->legal);
    heap_release(heap, net->next);
    heap_release(heap, net->move_role);
    heap_release(heap, net);
}

static uint32_t slot_of(const struct net *net, const edge *e, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) h = hash_mix(h, e[i]);
    uint32_t i = (uint32_t)h & net->mask;
    for (; net->slots[i]; i = (i + 1) & net->mask) {
        const struct net_node *g = &net->nodes.v[net->slots[i]];
        if (g->n == n && memcmp(net->pool.v + g->first, e, n * sizeof *e) == 0) break;
    }
    return i;
}

static void grow_slots(struct net *net)
{
    uint32_t size = net->slots ? (net->mask + 1) * 2 : 1024;
    heap_release(net->heap, net->slots);
    net->slots = NULL;
    net->slots = heap_zalloc(net->heap, (size_t)size * sizeof *net->slots);
    net->mask = size - 1;
    for (uint32_t i = net_inputs(net); i < net->nodes.n; i++) {
        const struct net_node *g = &net->nodes.v[i];
        if (g->n) net->slots[slot_of(net, net->pool.v + g->first, g->n)] = i;
    }
}

edge net_knot(struct net *net)
{
    uint32_t node = net->nodes.n;
    vec_push(net->heap, &net->nodes, (struct net_node){0});
    vec_push(net->heap, &net->knots, node);
    vec_push(net->heap, &net->knot_def, EDGE_FALSE);
    return node << 1;
}

void net_define_knot(struct net *net, edge knot, edge def)
{
    uint32_t low = 0, high = net->knots.n; /* knots are numbered upwards */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (net->knots.v[middle] <= knot >> 1)
            low = middle;
        else
            high = middle;
    }
    net->knot_def.v[low] = def;
}

static int by_edge(const void *a, const void *b)
{
    edge x = *(const edge *)a, y = *(const edge *)b;
    return x < y ? -1 : x > y;
}

static void sort_edges(edge *e, uint32_t n)
{
    if (n > 24) {
        qsort(e, n, sizeof *e, by_edge);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        edge x = e[i];
        uint32_t j = i;
        for (; j > 0 && e[j - 1] > x; j--) e[j] = e[j - 1];
        e[j] = x;
    }
}

uint32_t net_simplify(struct net *net, edge *e, uint32_t n)
{
    vec_reserve(net->heap, &net->work, n + 1);
    sort_edges(e, n);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        edge x = e[i];
        if (x == EDGE_TRUE || (kept && e[kept - 1] == x)) continue;
        if (x == EDGE_FALSE || (kept && (e[kept - 1] ^ 1) == x)) return UINT32_MAX;
        e[kept++] = x;
    }
    /* A positive move of a role makes the negations of its other moves superfluous, and a second one
     * impossible. */
    bool positive = false;
    for (uint32_t i = 0; i < kept; i++) positive |= net_is_move(net, e[i]) && !(e[i] & 1);
    if (!positive) return kept;
    uint32_t out = 0;
    for (uint32_t i = 0; i < kept; i++) {
        bool drop = false;
        if (net_is_move(net, e[i])) {
            uint32_t role = net->move_role[(e[i] >> 1) - 1 - net->nbits];
            for (uint32_t j = 0; j < kept && !drop; j++) {
                if (j == i || (e[j] & 1) || !net_is_move(net, e[j])) continue;
                if (net->move_role[(e[j] >> 1) - 1 - net->nbits] != role) continue;
                if (!(e[i] & 1)) return UINT32_MAX;
                drop = true;
            }
        }
        if (!drop) net->work.v[out++] = e[i];
    }
    memcpy(e, net->work.v, out * sizeof *e);
    return out;
}

static edge intern(struct net *net, const edge *e, uint32_t n)
{
    uint32_t slot = slot_of(net, e, n);
    if (net->slots[slot]) return net->slots[slot] << 1;
    struct net_node g = {.first = net->pool.n, .n = n};
    if ((uint64_t)net->pool.n + n > UINT32_MAX / 2) heap_fail(net->heap, ERROR_MEMORY, "circuit too large");
    vec_reserve(net->heap, &net->pool, net->pool.n + n);
    memcpy(net->pool.v + net->pool.n, e, n * sizeof *e);
    net->pool.n += n;
    uint32_t node = net->nodes.n;
    vec_push(net->heap, &net->nodes, g);
    net->slots[slot] = node;
    if (net->nodes.n > net->mask - net->mask / 3) grow_slots(net);
    return node << 1;
}

/* Look one gate deep for contradictions and redundancies between an input that is a gate and the other
 * inputs: x AND NOT(x AND y) = x AND NOT y        x AND NOT(NOT x AND y) = x x AND (x AND y) = (x AND y) x
 * AND (NOT x AND y) = false Returns true if something changed; UINT32_MAX in *n for false. */
static bool look_inside(struct net *net, edge *e, uint32_t *n)
{
    enum { WIDEST = 32 };
    vec_resize_zero(net->heap, &net->stamp, (net->nodes.n + 1) * 2);
    uint32_t mark = ++net->epoch;
    for (uint32_t i = 0; i < *n; i++) net->stamp.v[e[i]] = mark;
    for (uint32_t i = 0; i < *n; i++) {
        struct net_node g = net->nodes.v[e[i] >> 1];
        if (g.n == 0 || g.n > WIDEST) continue;
        uint32_t known = 0;
        bool contradiction = false;
        for (uint32_t j = 0; j < g.n; j++) {
            edge x = net->pool.v[g.first + j];
            known += net->stamp.v[x] == mark;
            contradiction |= net->stamp.v[x ^ 1] == mark;
        }
        if (e[i] & 1) {
            if (contradiction) { /* the inner AND is false, so its negation adds nothing */
                e[i] = e[--*n];
                return true;
            }
            if (known) {
                edge rest[WIDEST];
                uint32_t m = 0;
                for (uint32_t j = 0; j < g.n; j++) {
                    edge x = net->pool.v[g.first + j];
                    if (net->stamp.v[x] != mark) rest[m++] = x;
                }
                if (m == 0) {
                    *n = UINT32_MAX;
                    return true;
                }
                e[i] = net_and(net, rest, m) ^ 1;
                return true;
            }
        } else {
            if (contradiction) {
                *n = UINT32_MAX;
                return true;
            }
            if (known) { /* drop what the inner AND says already */
                uint32_t out = 0;
                edge inner = e[i];
                for (uint32_t j = 0; j < *n; j++) {
                    bool inside = false;
                    for (uint32_t k = 0; k < g.n && e[j] != inner; k++)
                        inside |= net->pool.v[g.first + k] == e[j];
                    if (!inside) e[out++] = e[j];
                }
                *n = out;
                return true;
            }
        }
    }
    return false;
}

edge net_and(struct net *net, edge *e, uint32_t n)
{
    n = net_simplify(net, e, n);
    if (n == UINT32_MAX) return EDGE_FALSE;
    if (n > 1 && n <= 256 && net->depth < 8) {
        net->depth++;
        for (uint32_t rounds = 0; n > 1 && rounds < 64 && look_inside(net, e, &n); rounds++) {
            if (n == UINT32_MAX) break;
            n = net_simplify(net, e, n);
            if (n == UINT32_MAX) break;
        }
        net->depth--;
    }
    if (n == UINT32_MAX) return EDGE_FALSE;
    if (n == 0) return EDGE_TRUE;
    if (n == 1) return e[0];
    return intern(net, e, n);
}

edge net_or(struct net *net, edge *e, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) e[i] ^= 1;
    return net_and(net, e, n) ^ 1;
}

static void mark_edge(bool *mark, struct vec_u32 *stack, struct heap *heap, edge e)
{
    if (mark[e >> 1]) return;
    mark[e >> 1] = true;
    vec_push(heap, stack, e >> 1);
}

void net_mark(const struct net *net, bool *mark)
{
    struct heap *heap = net->heap;
    struct vec_u32 stack = {0};
    memset(mark, 0, net->nodes.n);
    uint32_t *def = heap_zalloc(heap, net->nodes.n * sizeof *def); /* knot node -> number + 1 */
    for (uint32_t k = 0; k < net->knots.n; k++) def[net->knots.v[k]] = k + 1;
    for (uint32_t m = 0; m < net->nmoves; m++) mark_edge(mark, &stack, heap, net->legal[m]);
    for (uint32_t b = 0; b < net->nbits; b++) mark_edge(mark, &stack, heap, net->next[b]);
    for (uint32_t g = 0; g < net->goals.n; g++) mark_edge(mark, &stack, heap, net->goals.v[g].e);
    mark_edge(mark, &stack, heap, net->terminal);
    for (uint32_t i = 0; i < net->kept.n; i++) mark_edge(mark, &stack, heap, net->kept.v[i]);
    while (stack.n) {
        uint32_t node = vec_pop(&stack);
        struct net_node g = net->nodes.v[node];
        for (uint32_t i = 0; i < g.n; i++) mark_edge(mark, &stack, heap, net->pool.v[g.first + i]);
        if (def[node]) mark_edge(mark, &stack, heap, net->knot_def.v[def[node] - 1]);
    }
    vec_free(heap, &stack);
    heap_release(heap, def);
}

struct net_size net_size(const struct net *net)
{
    struct net_size s = {0};
    bool *mark = heap_alloc(net->heap, net->nodes.n);
    net_mark(net, mark);
    for (uint32_t i = 0; i < net->nodes.n; i++)
        if (mark[i] && net->nodes.v[i].n) s.gates++, s.edges += net->nodes.v[i].n;
    heap_release(net->heap, mark);
    return s;
}

struct net *net_copy(const struct net *from, struct heap *heap, uint32_t nbits, const edge *bit_to,
                     const uint32_t *bit_from, edge *nexts)
{
    struct net *to = net_new(heap, nbits, from->move_base, from->nroles);
    bool *mark = heap_alloc(heap, from->nodes.n);
    net_mark(from, mark);
    edge *map = heap_alloc(heap, from->nodes.n * sizeof *map); /* by node: what its plain edge becomes */
    map[0] = EDGE_TRUE;
    for (uint32_t b = 0; b < from->nbits; b++) map[1 + b] = bit_to[b];
    for (uint32_t m = 0; m < from->nmoves; m++) map[1 + from->nbits + m] = net_move(to, m);
    VEC(edge) args = {0};
    for (uint32_t i = net_inputs(from); i < from->nodes.n; i++) {
        struct net_node g = from->nodes.v[i];
        if (!mark[i]) continue;
        if (g.n == 0) {
            map[i] = net_knot(to);
            continue;
        }
        vec_clear(&args);
        for (uint32_t j = 0; j < g.n; j++) {
            edge e = from->pool.v[g.first + j];
            vec_push(heap, &args, map[e >> 1] ^ (e & 1));
        }
        map[i] = net_and(to, args.v, args.n);
        heap_poll(heap);
    }
#define MAPPED(e) (map[(e) >> 1] ^ ((e)&1))
    for (uint32_t k = 0; k < from->knots.n; k++)
        if (mark[from->knots.v[k]]) net_define_knot(to, map[from->knots.v[k]], MAPPED(from->knot_def.v[k]));
    for (uint32_t m = 0; m < from->nmoves; m++) to->legal[m] = MAPPED(from->legal[m]);
    for (uint32_t b = 0; b < nbits; b++) to->next[b] = MAPPED(from->next[bit_from[b]]);
    for (uint32_t g = 0; g < from->goals.n; g++) {
        struct circuit_goal goal = from->goals.v[g];
        goal.e = MAPPED(goal.e);
        vec_push(heap, &to->goals, goal);
    }
    to->terminal = MAPPED(from->terminal);
    for (uint32_t i = 0; i < from->kept.n; i++) vec_push(heap, &to->kept, MAPPED(from->kept.v[i]));
    for (uint32_t b = 0; b < from->nbits && nexts; b++) nexts[b] = MAPPED(from->next[b]);
#undef MAPPED
    vec_free(heap, &args);
    heap_release(heap, mark);
    heap_release(heap, map);
    return to;
}

struct net *net_clean(const struct net *from)
{
    struct heap *heap = from->heap;
    edge *bit_to = heap_alloc(heap, (from->nbits + 1) * sizeof *bit_to);
    uint32_t *bit_from = heap_alloc(heap, (from->nbits + 1) * sizeof *bit_from);
    for (uint32_t b = 0; b < from->nbits; b++) bit_to[b] = net_bit(from, b), bit_from[b] = b;
    struct net *to = net_copy(from, heap, from->nbits, bit_to, bit_from, NULL);
    heap_release(heap, bit_to);
    heap_release(heap, bit_from);
    return to;
}
