// SPDX-License-Identifier: GPL-3.0-or-later
/* A random move on the wires: trees of adders count the legal moves, a rank is drawn, and the way back down
 * the tree leaves the one move made. Leaves of the tree are three moves, which one adder counts. */
#include "gpu/plan.h"

#define LEAF 3
#define WIDEST 32

struct count {
    uint32_t plane[WIDEST], n;
};

struct tree {
    struct lut_net *net;
    const uint32_t *legal;
    uint32_t *made;
    struct count *counts; /* by node: a node's left half is the next one, its right half follows that */
    uint32_t ncounts;
};

static uint32_t planes_for(uint32_t most)
{
    uint32_t n = 0;
    while (most >> n) n++;
    return n;
}

/* Moves in the left half. */
static uint32_t left_half(uint32_t n)
{
    uint32_t leaves = (n + LEAF - 1) / LEAF;
    return (leaves + 1) / 2 * LEAF;
}

static uint32_t plane(const struct count *c, uint32_t i)
{
    return i < c->n ? c->plane[i] : LUT_FALSE;
}

static struct count add(struct lut_net *net, const struct count *a, const struct count *b, uint32_t most)
{
    struct count sum = {.n = planes_for(most)};
    uint32_t carry = LUT_FALSE;
    for (uint32_t j = 0; j < sum.n; j++) {
        uint32_t x = plane(a, j), y = plane(b, j);
        sum.plane[j] = lut_xor3(net, x, y, carry);
        carry = lut_majority(net, x, y, carry);
    }
    return sum;
}

static uint32_t count(struct tree *t, uint32_t first, uint32_t n)
{
    struct lut_net *net = t->net;
    const uint32_t *x = t->legal + first;
    uint32_t node = t->ncounts++;
    struct count c = {.n = planes_for(n)};
    if (n == 1) {
        c.plane[0] = x[0];
    } else if (n <= LEAF) {
        uint32_t third = n == LEAF ? x[2] : LUT_FALSE;
        c.plane[0] = lut_xor3(net, x[0], x[1], third);
        c.plane[1] = lut_majority(net, x[0], x[1], third);
    } else {
        uint32_t half = left_half(n), left = count(t, first, half), right = count(t, first + half, n - half);
        c = add(net, &t->counts[left], &t->counts[right], n);
    }
    t->counts[node] = c;
    return node;
}

static void choose_leaf(struct tree *t, uint32_t first, uint32_t n, const struct count *rank, uint32_t active)
{
    struct lut_net *net = t->net;
    const uint32_t *x = t->legal + first, r0 = plane(rank, 0), r1 = plane(rank, 1);
    uint32_t *y = t->made + first;
    if (n == 1) {
        y[0] = active;
    } else if (n == 2) {
        y[0] = lut_and3(net, active, x[0], lut_not(r0));
        y[1] = lut_and(net, active, lut_not(y[0]));
    } else {
        uint32_t none = lut_and3(net, active, lut_not(r0), lut_not(r1));
        y[0] = lut_and(net, none, x[0]);
        y[1] = lut_and3(net, active, x[1], lut_and(net, lut_not(r1), lut_not(lut_xor(net, r0, x[0]))));
        y[2] = lut_and3(net, active, lut_not(y[0]), lut_not(y[1]));
    }
}

/* Nodes come in the order in which `count` numbered them. */
static void descend(struct tree *t, uint32_t first, uint32_t n, const struct count *rank, uint32_t active)
{
    struct lut_net *net = t->net;
    t->ncounts++;
    if (n <= LEAF) {
        choose_leaf(t, first, n, rank, active);
        return;
    }
    uint32_t half = left_half(n), borrow = LUT_FALSE, borrows[WIDEST];
    const struct count *left = &t->counts[t->ncounts];
    for (uint32_t j = 0; j < rank->n; j++) {
        borrows[j] = borrow;
        borrow = lut_majority(net, lut_not(rank->plane[j]), plane(left, j), borrow);
    }
    struct count below = {.n = planes_for((half > n - half ? half : n - half) - 1)};
    for (uint32_t j = 0; j < below.n; j++) {
        uint32_t less = lut_xor3(net, plane(rank, j), plane(left, j), borrows[j]);
        below.plane[j] = lut_select(net, borrow, plane(rank, j), less);
    }
    descend(t, first, half, &below, lut_and(net, active, borrow));
    descend(t, first + half, n - half, &below, lut_and(net, active, lut_not(borrow)));
}

/* floor(total * u / 2^GPU_PLANES): multiply bit by bit, the lowest bit of u first, dropping one bit of the
 * product each time. */
static struct count draw(struct lut_net *net, const struct count *total, uint32_t role, uint32_t step)
{
    struct count sum = {.n = total->n};
    uint32_t words[4];
    for (uint32_t j = 0; j < sum.n; j++) sum.plane[j] = LUT_FALSE;
    for (uint32_t i = 0; i < GPU_PLANES; i++) {
        if (i % 4 == 0)
            for (uint32_t k = 0; k < 4; k++)
                words[k] = lut_leaf(net, LUT_RANDOM, step << 16 | ((role * GPU_GROUPS + i / 4) * 4 + k));
        uint32_t u = words[i % 4], carry = LUT_FALSE;
        for (uint32_t j = 0; j < sum.n; j++) {
            uint32_t x = lut_and(net, total->plane[j], u), bit = lut_xor3(net, sum.plane[j], x, carry);
            carry = lut_majority(net, sum.plane[j], x, carry);
            if (j) sum.plane[j - 1] = bit;
        }
        sum.plane[sum.n - 1] = carry;
    }
    return sum;
}

void gpu_choose(struct lut_net *net, const uint32_t *legal, uint32_t n, uint32_t role, uint32_t step,
                uint32_t *made)
{
    struct heap *heap = net->heap;
    if (role * GPU_PLANES >= 1u << 16) heap_fail(heap, ERROR_INPUT, "too many roles for a device");
    uint32_t *possible = heap_alloc(heap, (n + 1) * sizeof *possible), npossible = 0;
    for (uint32_t i = 0; i < n; i++) {
        made[i] = LUT_FALSE;
        if (legal[i] != LUT_FALSE) possible[npossible++] = i;
    }
    if (n == 1) /* it is made without being asked for, legal or not */
        made[0] = LUT_TRUE;
    else if (npossible == 1)
        made[possible[0]] = legal[possible[0]];
    else if (npossible > 1) {
        struct tree t = {.net = net};
        uint32_t *x = heap_alloc(heap, npossible * sizeof *x), *y = heap_alloc(heap, npossible * sizeof *y);
        t.counts = heap_alloc(heap, 2 * npossible * sizeof *t.counts);
        t.legal = x;
        t.made = y;
        for (uint32_t i = 0; i < npossible; i++) x[i] = legal[possible[i]];
        struct count total = t.counts[count(&t, 0, npossible)], rank;
        uint32_t some = LUT_FALSE;
        for (uint32_t j = 0; j < total.n; j++) some = lut_or(net, some, total.plane[j]);
        rank = draw(net, &total, role, step);
        rank.n = planes_for(npossible - 1);
        t.ncounts = 0;
        descend(&t, 0, npossible, &rank, some);
        for (uint32_t i = 0; i < npossible; i++) made[possible[i]] = y[i];
        heap_release(heap, t.counts);
        heap_release(heap, y);
        heap_release(heap, x);
    }
    heap_release(heap, possible);
}
