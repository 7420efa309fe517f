// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/lut.h"

#include "base/hash.h"

static uint32_t add_node(struct lut_net *net, struct lut_node node)
{
    if (net->nodes.n >= UINT32_MAX / 4) heap_fail(net->heap, ERROR_MEMORY, "too many gates for a device");
    vec_push(net->heap, &net->nodes, node);
    return net->nodes.n - 1;
}

void lut_init(struct lut_net *net, struct heap *heap)
{
    *net = (struct lut_net){.heap = heap, .loop = LUT_STRAIGHT, .nbuckets = 1u << 12};
    net->buckets = heap_zalloc(heap, net->nbuckets * sizeof *net->buckets);
    add_node(net, (struct lut_node){.kind = LUT_CONSTANT, .loop = LUT_STRAIGHT});
}

uint32_t lut_leaf(struct lut_net *net, enum lut_kind kind, uint32_t tag)
{
    return add_node(net, (struct lut_node){.kind = (uint8_t)kind, .tag = tag, .loop = net->loop}) << 1;
}

static uint64_t node_hash(const struct lut_node *n)
{
    uint64_t h = (uint64_t)n->in[0] << 32 | n->in[1];
    h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u + ((uint64_t)n->in[2] << 24 | (uint64_t)n->table << 8 | n->n);
    h = (h ^ h >> 29) * 0x94d049bb133111ebu + n->loop;
    return h ^ h >> 32;
}

static bool node_equal(const struct lut_node *x, const struct lut_node *y)
{
    return x->kind == LUT_GATE && x->n == y->n && x->table == y->table && x->loop == y->loop &&
           memcmp(x->in, y->in, sizeof x->in) == 0;
}

static void insert(struct lut_net *net, uint32_t node)
{
    uint32_t at = (uint32_t)node_hash(&net->nodes.v[node]) & (net->nbuckets - 1);
    while (net->buckets[at]) at = (at + 1) & (net->nbuckets - 1);
    net->buckets[at] = node + 1;
}

static void grow(struct lut_net *net)
{
    heap_release(net->heap, net->buckets);
    net->nbuckets *= 4;
    net->buckets = heap_zalloc(net->heap, (size_t)net->nbuckets * sizeof *net->buckets);
    for (uint32_t i = 0; i < net->nodes.n; i++)
        if (net->nodes.v[i].kind == LUT_GATE) insert(net, i);
}

static uint32_t find_or_add(struct lut_net *net, struct lut_node node)
{
    uint32_t at = (uint32_t)node_hash(&node) & (net->nbuckets - 1);
    for (; net->buckets[at]; at = (at + 1) & (net->nbuckets - 1))
        if (node_equal(&net->nodes.v[net->buckets[at] - 1], &node)) return net->buckets[at] - 1;
    uint32_t new = add_node(net, node);
    net->buckets[at] = new + 1;
    if (net->nodes.n > net->nbuckets / 2) grow(net);
    return new;
}

/* The table with input i gone, having the value it is given; the inputs after it move up. */
static uint8_t fix_input(uint8_t table, uint32_t i, uint32_t value)
{
    uint8_t out = 0;
    for (uint32_t k = 0; k < 8; k++) { /* of the new inputs the last no longer matters */
        uint32_t bits[3] = {k >> 2 & 1, k >> 1 & 1, k & 1}, from = 0;
        for (uint32_t j = 0, next = 0; j < 3; j++) from = from << 1 | (j == i ? value : bits[next++]);
        out |= (uint8_t)((table >> from & 1) << k);
    }
    return out;
}

static uint8_t swap_inputs(uint8_t table, uint32_t i, uint32_t j)
{
    uint8_t out = 0;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t bits[3] = {k >> 2 & 1, k >> 1 & 1, k & 1}, keep = bits[i];
        bits[i] = bits[j];
        bits[j] = keep;
        out |= (uint8_t)((table >> (bits[0] << 2 | bits[1] << 1 | bits[2]) & 1) << k);
    }
    return out;
}

/* Input j is the same as input i < j. */
static uint8_t join_inputs(uint8_t table, uint32_t i, uint32_t j)
{
    uint8_t out = 0;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t bits[3] = {k >> 2 & 1, k >> 1 & 1, k & 1};
        bits[j] = bits[i];
        out |= (uint8_t)((table >> (bits[0] << 2 | bits[1] << 1 | bits[2]) & 1) << k);
    }
    return fix_input(out, j, 0);
}

static void drop(uint32_t *in, uint32_t *n, uint32_t i)
{
    for (uint32_t j = i; j + 1 < *n; j++) in[j] = in[j + 1];
    --*n;
}

uint32_t lut_gate(struct lut_net *net, uint32_t a, uint32_t b, uint32_t c, uint8_t table)
{
    uint32_t in[3] = {a >> 1, b >> 1, c >> 1}, n = 3;
    if (a & 1) table = lut_flip(table, 0);
    if (b & 1) table = lut_flip(table, 1);
    if (c & 1) table = lut_flip(table, 2);
    for (uint32_t i = 0; i < n;)
        if (in[i] == 0)
            table = fix_input(table, i, 1), drop(in, &n, i);
        else
            i++;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n;)
            if (in[i] == in[j])
                table = join_inputs(table, i, j), drop(in, &n, j);
            else
                j++;
    for (uint32_t i = 0; i < n;)
        if (lut_flip(table, i) == table)
            table = fix_input(table, i, 0), drop(in, &n, i);
        else
            i++;
    if (n == 0) return table & 1 ? LUT_TRUE : LUT_FALSE;
    if (n == 1) return in[0] << 1 | (table & 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (in[j] < in[i]) {
                uint32_t keep = in[i];
                in[i] = in[j];
                in[j] = keep;
                table = swap_inputs(table, i, j);
            }
    bool inverted = table & 1;
    if (inverted) table = (uint8_t)~table;
    struct lut_node node = {.in = {in[0], in[1], n > 2 ? in[2] : 0},
                            .n = (uint8_t)n,
                            .table = table,
                            .kind = LUT_GATE,
                            .loop = net->loop};
    return find_or_add(net, node) << 1 | inverted;
}
