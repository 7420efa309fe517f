/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing moves without leaving the wires; part of sweep_kernel.h. See struct choice for the idea. */

/* Sums of bits: a full adder takes three of one weight and gives one of the same and one of twice the weight.
 */
#define FULL_ADD(sum, carry, a, b, c)              \
    do {                                           \
        vec add_a = (a), add_b = (b), add_c = (c); \
        sum = XOR3(add_a, add_b, add_c);           \
        carry = MAJORITY(add_a, add_b, add_c);     \
    } while (0)

/* --- Counting ------------------------------------------------------------------------------------------- */

/* How many of eight: four planes. */
INLINE void count_eight(const vec_alias *x, vec out[4])
{
    vec x7 = x[7], s0, s1, s2, c0, c1, c2, c3, t, d0, d1;
    FULL_ADD(s0, c0, x[0], x[1], x[2]);
    FULL_ADD(s1, c1, x[3], x[4], x[5]);
    FULL_ADD(s2, c2, s0, s1, x[6]);
    out[0] = s2 ^ x7;
    c3 = s2 & x7;
    FULL_ADD(t, d0, c0, c1, c2);
    out[1] = t ^ c3;
    d1 = t & c3;
    out[2] = d0 ^ d1;
    out[3] = d0 & d1;
}

/* The counts of all blocks, p planes of each; returns the lanes where that was not enough. */
INLINE vec count_blocks(const struct choice *c, const vec_alias *mem, vec_alias *scratch, const uint32_t p)
{
    const vec_alias *x = mem + c->legal;
    vec_alias *out = scratch + c->at[0];
    vec over = mem[SLOT_ZEROS];
    for (uint32_t i = 0; i < c->nodes[0]; i++, x += CHOICE_BLOCK, out += p) {
        vec low[4], high[4], sum[5], carry;
        count_eight(x, low);
        count_eight(x + 8, high);
        sum[0] = low[0] ^ high[0];
        carry = low[0] & high[0];
        for (uint32_t j = 1; j < 3; j++) FULL_ADD(sum[j], carry, low[j], high[j], carry);
        sum[3] = (low[3] ^ high[3]) | carry; /* where all eight are, nothing is carried */
        sum[4] = low[3] & high[3];
        for (uint32_t j = 0; j < 5; j++) {
            if (j < p)
                out[j] = sum[j];
            else
                over |= sum[j];
        }
    }
    return over;
}

/* From nodes of q planes to their parents of p planes, p = q or q + 1. */
INLINE vec count_pairs(const struct choice *c, uint32_t level, const vec_alias *mem, vec_alias *scratch,
                       const uint32_t q, const uint32_t p)
{
    const vec_alias *in = scratch + c->at[level];
    vec_alias *out = scratch + c->at[level + 1];
    uint32_t n = c->nodes[level];
    vec over = mem[SLOT_ZEROS];
    for (uint32_t i = 0; i + 1 < n; i += 2, in += 2 * q, out += p) {
        const vec_alias *right = in + q;
        vec carry = in[0] & right[0];
        out[0] = in[0] ^ right[0];
        for (uint32_t j = 1; j < q; j++) FULL_ADD(out[j], carry, in[j], right[j], carry);
        if (p > q)
            out[q] = carry;
        else
            over |= carry;
    }
    if (n & 1) {
        for (uint32_t j = 0; j < q; j++) out[j] = in[j];
        if (p > q) out[q] = mem[SLOT_ZEROS];
    }
    return over;
}

/* One number of p planes. */
INLINE void count_number(const struct code_parts *parts, const struct code_number *x, const vec_alias *mem,
                         const vec_alias *numbers, vec *sum, const uint32_t p)
{
    const uint32_t *wire = parts->wires.v + x->first, *end = wire + x->n;
    vec carry;
    if (x->a == UINT32_MAX)
        for (uint32_t j = 0; j < p; j++) sum[j] = mem[SLOT_ZEROS];
    else
        for (uint32_t j = 0; j < p; j++) sum[j] = numbers[x->a * p + j];
    if (x->b != UINT32_MAX) {
        carry = mem[SLOT_ZEROS];
        for (uint32_t j = 0; j < p; j++) FULL_ADD(sum[j], carry, sum[j], numbers[x->b * p + j], carry);
    }
    for (; wire < end; wire += 2) {
        FULL_ADD(sum[0], carry, sum[0], mem[wire[0]], mem[wire + 1 < end ? wire[1] : SLOT_ZEROS]);
        for (uint32_t j = 1; j < p; j++) {
            vec both = sum[j] & carry;
            sum[j] ^= carry;
            carry = both;
        }
    }
}

/* The counts of all groups, as count_blocks; numbers have q planes. */
INLINE vec count_groups(const struct choice *c, const vec_alias *mem, vec_alias *scratch, const uint32_t q)
{
    const struct code_parts *parts = c->parts;
    const uint32_t p = c->planes[0];
    vec_alias *numbers = scratch + c->numbers, *out = scratch + c->at[0];
    vec sum[CODE_NUMBER_PLANES], over = mem[SLOT_ZEROS];
    for (uint32_t i = 0; i < parts->numbers.n; i++) {
        count_number(parts, &parts->numbers.v[i], mem, numbers, sum, q);
        for (uint32_t j = 0; j < q; j++) numbers[i * q + j] = sum[j];
    }
    for (uint32_t g = 0; g < parts->ngroups; g++, out += p) {
        vec head = mem[parts->head[g]];
        count_number(parts, &parts->sum[g], mem, numbers, sum, q);
        for (uint32_t j = 0; j < q; j++) {
            if (j < p)
                out[j] = sum[j] & head;
            else
                over |= sum[j] & head;
        }
    }
    return over;
}

FN vec count_level(const struct choice *c, uint32_t level, const vec_alias *mem, vec_alias *scratch)
{
    uint32_t p = c->planes[level];
    if (level == 0 && c->parts) switch (c->parts->planes) {
        case 5: return count_groups(c, mem, scratch, 5);
        case 6: return count_groups(c, mem, scratch, 6);
        default: return count_groups(c, mem, scratch, c->parts->planes);
        }
    if (level == 0) switch (p) {
        case 1: return count_blocks(c, mem, scratch, 1);
        case 2: return count_blocks(c, mem, scratch, 2);
        case 3: return count_blocks(c, mem, scratch, 3);
        case 4: return count_blocks(c, mem, scratch, 4);
        default: return count_blocks(c, mem, scratch, 5);
        }
    uint32_t q = c->planes[level - 1];
    switch (q * 2 + (p > q)) {
    case 2: return count_pairs(c, level - 1, mem, scratch, 1, 1);
    case 3: return count_pairs(c, level - 1, mem, scratch, 1, 2);
    case 4: return count_pairs(c, level - 1, mem, scratch, 2, 2);
    case 5: return count_pairs(c, level - 1, mem, scratch, 2, 3);
    case 6: return count_pairs(c, level - 1, mem, scratch, 3, 3);
    case 7: return count_pairs(c, level - 1, mem, scratch, 3, 4);
    case 8: return count_pairs(c, level - 1, mem, scratch, 4, 4);
    case 9: return count_pairs(c, level - 1, mem, scratch, 4, 5);
    case 10: return count_pairs(c, level - 1, mem, scratch, 5, 5);
    case 11: return count_pairs(c, level - 1, mem, scratch, 5, 6);
    case 12: return count_pairs(c, level - 1, mem, scratch, 6, 6);
    case 13: return count_pairs(c, level - 1, mem, scratch, 6, 7);
    case 14: return count_pairs(c, level - 1, mem, scratch, 7, 7);
    case 15: return count_pairs(c, level - 1, mem, scratch, 7, 8);
    default: return count_pairs(c, level - 1, mem, scratch, q, p);
    }
}

/* The counts of all nodes, from the leaves up. A level whose planes do not suffice gets one more, for ever.
 */
FN void count(struct choice *c, const vec_alias *mem, vec_alias *scratch)
{
    for (uint32_t level = 0; level <= c->levels; level++)
        while (any(count_level(c, level, mem, scratch))) {
            c->planes[level]++;
            choice_layout(c);
        }
}

/* --- Descending ------------------------------------------------------------------------------------------
 *
 * A lane is in one node of each level, so it needs one rank and not one for each node. What it is compared
 * with is gathered from the nodes, each telling it to the lanes that are there. */

/* The nodes of a level that lanes are in, ascending, and which these are. In a small tree all nodes count as
 * such: looking costs more. */
struct front {
    uint32_t n, node[LANES + 1];
    vec lanes[LANES + 1];
};

enum { SMALL = 48 }; /* blocks */

INLINE void add_node(struct front *f, uint32_t node, vec lanes, bool all)
{
    f->node[f->n] = node;
    f->lanes[f->n] = lanes;
    f->n += all || any(lanes); /* without a branch: who goes where is chance */
}

/* From nodes of p planes to their children of q planes. A single child counts as a left one: the rank is
 * below its count. */
INLINE void descend_pairs(const struct choice *c, uint32_t level, const vec_alias *scratch, vec *rank,
                          const struct front *from, struct front *to, const uint32_t p, const uint32_t q)
{
    const vec_alias *child = scratch + c->at[level - 1];
    const uint32_t children = c->nodes[level - 1];
    vec left[CHOICE_LEVELS], change[CHOICE_LEVELS];
    left[0] = rank[0] ^ rank[0];
    for (uint32_t j = 1; j < q; j++) left[j] = left[0];
    for (uint32_t i = 0; i < from->n; i++)
        for (uint32_t j = 0; j < q; j++)
            left[j] = OR_AND(left[j], from->lanes[i], child[2 * q * from->node[i] + j]);
    vec goes_left = ~rank[0] & left[0]; /* the borrow of rank - left */
    change[0] = left[0];
    for (uint32_t j = 1; j < q; j++) {
        change[j] = left[j] ^ goes_left;
        goes_left = BORROW(rank[j], left[j], goes_left);
    }
    if (p > q) goes_left &= ~rank[q];
    for (uint32_t j = 0; j < q; j++) rank[j] = CHANGE_UNLESS(goes_left, rank[j], change[j]);
    to->n = 0;
    if (c->nodes[0] <= SMALL) {
        for (uint32_t i = 0; i < from->n; i++) {
            add_node(to, 2 * i, from->lanes[i] & goes_left, true);
            add_node(to, 2 * i + 1, from->lanes[i] & ~goes_left, true);
        }
        to->n = children;
        return;
    }
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t node = 2 * from->node[i];
        add_node(to, node, from->lanes[i] & goes_left, false);
        if (node + 1 < children) add_node(to, node + 1, from->lanes[i] & ~goes_left, false);
    }
}

FN void descend_level(const struct choice *c, uint32_t level, const vec_alias *scratch, vec *rank,
                      const struct front *from, struct front *to)
{
    uint32_t p = c->planes[level], q = c->planes[level - 1];
    switch (q * 2 + (p > q)) {
    case 2: descend_pairs(c, level, scratch, rank, from, to, 1, 1); break;
    case 3: descend_pairs(c, level, scratch, rank, from, to, 2, 1); break;
    case 4: descend_pairs(c, level, scratch, rank, from, to, 2, 2); break;
    case 5: descend_pairs(c, level, scratch, rank, from, to, 3, 2); break;
    case 6: descend_pairs(c, level, scratch, rank, from, to, 3, 3); break;
    case 7: descend_pairs(c, level, scratch, rank, from, to, 4, 3); break;
    case 8: descend_pairs(c, level, scratch, rank, from, to, 4, 4); break;
    case 9: descend_pairs(c, level, scratch, rank, from, to, 5, 4); break;
    case 10: descend_pairs(c, level, scratch, rank, from, to, 5, 5); break;
    case 11: descend_pairs(c, level, scratch, rank, from, to, 6, 5); break;
    case 12: descend_pairs(c, level, scratch, rank, from, to, 6, 6); break;
    case 13: descend_pairs(c, level, scratch, rank, from, to, 7, 6); break;
    case 14: descend_pairs(c, level, scratch, rank, from, to, 7, 7); break;
    case 15: descend_pairs(c, level, scratch, rank, from, to, 8, 7); break;
    default: descend_pairs(c, level, scratch, rank, from, to, p, q); break;
    }
}

/* One of two pairs and then of two: the sum and carry of the left pair are s and c, of which at most one is
 * set, the rank is n0, n1. */
#define CHOOSE_FOUR(active, n0, n1, s, c, x0, x2, y)                                                        \
    do {                                                                                                    \
        vec pair = NOT_AND_OR(n1, c, ~(n0) & (s)), m = CHANGE_UNLESS(pair, n0, s), on_left = (active)&pair, \
            on_right = (active) & ~pair, y0 = AND_NOT(on_left, x0, m), y2 = AND_NOT(on_right, x2, m);       \
        (y)[0] = y0;                                                                                        \
        (y)[1] = on_left & ~y0;                                                                             \
        (y)[2] = y2;                                                                                        \
        (y)[3] = on_right & ~y2;                                                                            \
    } while (0)

/* One of eight. */
INLINE void choose_eight(const vec_alias *x, vec_alias *does, vec r0, vec r1, vec r2, vec active)
{
    vec x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    vec s01 = x0 ^ x1, c01 = x0 & x1, s23 = x2 ^ x3, c23 = x2 & x3;
    /* how many of the first four: where two pairs have one each, neither has two */
    vec q0 = s01 ^ s23, q1 = (c01 ^ c23) | (s01 & s23), q2 = c01 & c23;
    vec borrow = ~r0 & q0, change = q1 ^ borrow;
    vec four = NOT_AND_OR(r2, q2, BORROW(r1, q1, borrow)); /* where there are four nothing is borrowed */
    vec n0 = CHANGE_UNLESS(four, r0, q0), n1 = CHANGE_UNLESS(four, r1, change);
    vec low = active & four, high = active & ~four;
    CHOOSE_FOUR(low, n0, n1, s01, c01, x0, x2, does);
    vec x4 = x[4], x5 = x[5], s45 = x4 ^ x5, c45 = x4 & x5;
    CHOOSE_FOUR(high, n0, n1, s45, c45, x4, x[6], does + 4);
}

/* One of sixteen, of which no lane has 2^p legal. */
INLINE void choose_block(const vec_alias *x, vec_alias *does, const vec *rank, vec active, const uint32_t p)
{
    if (p == 1) { /* at most one is legal */
        for (uint32_t i = 0; i < CHOICE_BLOCK; i++) does[i] = x[i] & active;
        return;
    }
    const vec zero = active ^ active;
    const uint32_t n = p < 4 ? p : 4;
    vec low[4], r[4] = {zero, zero, zero, zero};
    count_eight(x, low);
    vec eight = ~rank[0] & low[0], change[4] = {low[0], zero, zero, zero};
    for (uint32_t j = 1; j < n; j++) {
        change[j] = low[j] ^ eight;
        eight = BORROW(rank[j], low[j], eight);
    }
    for (uint32_t j = 0; j < 3 && j < n; j++) r[j] = CHANGE_UNLESS(eight, rank[j], change[j]);
    choose_eight(x, does, r[0], r[1], r[2], active & eight);
    choose_eight(x + 8, does + 8, r[0], r[1], r[2], active & ~eight);
}

/* The sixteen moves of the block a lane is in. */
INLINE void gather_blocks(const vec_alias *x, const struct front *f, vec *out)
{
    for (uint32_t half = 0; half < CHOICE_BLOCK; half += 8) { /* as many as there are registers for */
        vec got[8];
        for (uint32_t j = 0; j < 8; j++) got[j] = f->lanes[0] & x[f->node[0] * CHOICE_BLOCK + half + j];
        for (uint32_t i = 1; i < f->n; i++)
            for (uint32_t j = 0; j < 8; j++)
                got[j] = OR_AND(got[j], f->lanes[i], x[f->node[i] * CHOICE_BLOCK + half + j]);
        for (uint32_t j = 0; j < 8; j++) out[half + j] = got[j];
    }
}

/* Blocks in which nobody chooses, but somebody did last time. */
INLINE void clear_blocks(struct choice *c, vec_alias *does, const struct front *f, vec zero)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) c->dirty[f->node[i]] = false;
    for (uint32_t i = 0; i < c->nhot; i++) {
        uint32_t block = c->hot[i];
        c->hot[n] = block;
        n += c->dirty[block];
        c->dirty[block] = false;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < CHOICE_BLOCK; j++) does[c->hot[i] * CHOICE_BLOCK + j] = zero;
    for (uint32_t i = 0; i < f->n; i++) {
        c->hot[i] = f->node[i];
        c->dirty[f->node[i]] = true;
    }
    c->nhot = f->n;
}

/* Of what is gathered one is chosen, and goes to where it came from. */
INLINE void choose_blocks(struct choice *c, vec_alias *mem, const vec *rank, const struct front *f,
                          const uint32_t p)
{
    const vec_alias *x = mem + c->legal;
    vec_alias *does = mem + c->does;
    vec own[CHOICE_BLOCK], made[CHOICE_BLOCK], zero = rank[0] ^ rank[0];
    if (c->nodes[0] > SMALL) clear_blocks(c, does, f, zero);
    if (f->n == 0) return;
    if (p > 1) {
        gather_blocks(x, f, own);
        choose_block((vec_alias *)own, (vec_alias *)made, rank, ~zero, p);
    }
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t first = f->node[i] * CHOICE_BLOCK;
        for (uint32_t j = 0; j < CHOICE_BLOCK; j++)
            does[first + j] = f->lanes[i] & (p > 1 ? made[j] : (vec)x[first + j]);
    }
}

/* The same where moves have parts: the tails of the group that a lane is in are gathered. One of them is
 * chosen by counting the rank down; below zero it is more than what is left. */
FN void choose_tails(struct choice *c, vec_alias *mem, vec *rank, const struct front *f)
{
    const struct code_parts *parts = c->parts;
    const uint32_t p = c->planes[0];
    const vec zero = rank[0] ^ rank[0];
    vec_alias *does = mem + c->does;
    vec own[1 << CODE_NUMBER_PLANES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const uint32_t *tail = parts->tail + parts->first[f->node[i]];
        uint32_t size = parts->first[f->node[i] + 1] - parts->first[f->node[i]];
        for (; n < size; n++) own[n] = zero;
        for (uint32_t j = 0; j < size; j++) own[j] = OR_AND(own[j], f->lanes[i], mem[tail[j]]);
    }
    for (uint32_t j = 0; j < n; j++) {
        vec borrow = own[j], some = zero;
        for (uint32_t k = 0; k < p; k++) some |= rank[k];
        own[j] = borrow & ~some;
        for (uint32_t k = 0; k < p; k++) {
            rank[k] ^= borrow;
            borrow &= rank[k];
        }
    }
    for (uint32_t i = 0; i < c->nhot; i++) {
        c->dirty[c->hot[i]] = false;
        for (uint32_t j = 0; j < CHOICE_BLOCK; j++) does[c->hot[i] * CHOICE_BLOCK + j] = zero;
    }
    c->nhot = 0;
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t m = parts->first[f->node[i]], j = 0; m < parts->first[f->node[i] + 1]; m++, j++) {
            vec made = f->lanes[i] & own[j];
            if (!any(made)) continue;
            does[m] = made;
            if (!c->dirty[m / CHOICE_BLOCK]) c->hot[c->nhot++] = m / CHOICE_BLOCK;
            c->dirty[m / CHOICE_BLOCK] = true;
        }
}

/* Where there is but one. */
INLINE void choose_single(const struct choice *c, vec_alias *mem, const vec *rank, vec lanes)
{
    const vec_alias *x = mem + c->legal;
    vec_alias *does = mem + c->does;
    switch (c->planes[0]) {
    case 1: choose_block(x, does, rank, lanes, 1); break;
    case 2: choose_block(x, does, rank, lanes, 2); break;
    case 3: choose_block(x, does, rank, lanes, 3); break;
    default: choose_block(x, does, rank, lanes, 4); break;
    }
}

/* From the rank of these lanes down to the moves. */
FN void descend(struct choice *c, vec_alias *mem, const vec_alias *scratch, vec *rank, vec lanes)
{
    struct front front[2];
    uint32_t level = c->levels;
    if (level == 0) {
        choose_single(c, mem, rank, lanes);
        return;
    }
    front[level & 1].n = 0;
    add_node(&front[level & 1], 0, lanes, true);
    for (; level > 0; level--) descend_level(c, level, scratch, rank, &front[level & 1], &front[~level & 1]);
    if (c->parts) {
        choose_tails(c, mem, rank, &front[0]);
        return;
    }
    switch (c->planes[0]) {
    case 1: choose_blocks(c, mem, rank, &front[0], 1); break;
    case 2: choose_blocks(c, mem, rank, &front[0], 2); break;
    case 3: choose_blocks(c, mem, rank, &front[0], 3); break;
    case 4: choose_blocks(c, mem, rank, &front[0], 4); break;
    default: choose_blocks(c, mem, rank, &front[0], 5); break;
    }
}

/* --- Random numbers --------------------------------------------------------------------------------------
 */

INLINE vec rotate(vec x, const int k)
{
    return (x << k) | (x >> (64 - k));
}

INLINE vec random_plane(vec *s0, vec *s1) /* xoroshiro128++ */
{
    vec a = *s0, b = *s1, sum = a + b, result = rotate(sum, 17) + a;
    b ^= a;
    *s0 = rotate(a, 49) ^ b ^ (b << 21);
    *s1 = rotate(b, 28);
    return result;
}

/* Skip the draws this source was not needed for. */
FN void catch_up(struct choice_source *source)
{
    vec s0 = load(source->s0), s1 = load(source->s1);
    for (; source->behind > 1; source->behind--)
        for (int i = 0; i < CHOICE_PLANES; i++) random_plane(&s0, &s1);
    store(source->s0, s0);
    store(source->s1, s1);
}

/* total becomes rank = floor(total * u / 2^CHOICE_PLANES) with u uniform: multiply bit by bit, the lowest bit
 * of u first, dropping one bit of the product each time. */
INLINE void draw_planes(struct choice_source *source, const vec_alias *drawn, vec_alias *total,
                        const uint32_t planes)
{
    vec s0 = load(source->s0), s1 = load(source->s1), acc[32], t[32];
    for (uint32_t j = 0; j < planes; j++) acc[j] = total[j] ^ total[j], t[j] = total[j];
    for (int i = 0; i < CHOICE_PLANES; i++) {
        vec u = drawn ? (vec)drawn[i] : random_plane(&s0, &s1), x = t[0] & u, carry = acc[0] & x;
        for (uint32_t j = 1; j < planes; j++) {
            x = t[j] & u;
            acc[j - 1] = XOR3(acc[j], x, carry);
            carry = MAJORITY(acc[j], x, carry);
        }
        acc[planes - 1] = carry;
    }
    for (uint32_t j = 0; j < planes; j++) total[j] = acc[j];
    store(source->s0, s0);
    store(source->s1, s1);
}

FN void draw(struct choice_source *source, const vec_alias *drawn, vec_alias *total, uint32_t planes)
{
    if (!drawn) {
        if (source->behind > 1) catch_up(source);
        source->behind = 0;
    }
    switch (planes) {
    case 2: draw_planes(source, drawn, total, 2); break;
    case 3: draw_planes(source, drawn, total, 3); break;
    case 4: draw_planes(source, drawn, total, 4); break;
    case 5: draw_planes(source, drawn, total, 5); break;
    case 6: draw_planes(source, drawn, total, 6); break;
    case 7: draw_planes(source, drawn, total, 7); break;
    case 8: draw_planes(source, drawn, total, 8); break;
    case 9: draw_planes(source, drawn, total, 9); break;
    case 10: draw_planes(source, drawn, total, 10); break;
    default: draw_planes(source, drawn, total, planes); break;
    }
}

FN void toss(struct choice_source *source, uint32_t p, uint64_t *mask)
{
    vec s0 = load(source->s0), s1 = load(source->s1), below = s0 ^ s0;
    for (int i = 0; i < CHOICE_PLANES; i++) {
        vec u = random_plane(&s0, &s1);
        below = p >> i & 1 ? below | ~u : below & ~u;
    }
    store(source->s0, s0);
    store(source->s1, s1);
    store(mask, below);
}

/* --- Together ------------------------------------------------------------------------------------------- */

/* Lanes in which a role has one legal move need no draw, and in most games no lane has two roles that do. So
 * lanes draw in rounds: in its first round a lane draws for its first role that has a choice, whichever that
 * is, in the second for the next. */
FN uint32_t plan_rounds(struct choices *c, vec lanes, const vec_alias *scratch)
{
    vec_alias *rounds = (vec_alias *)c->rounds, *takes = (vec_alias *)c->takes, *used = (vec_alias *)c->used;
    const vec zero = lanes ^ lanes;
    uint32_t nrounds = 0;
    for (uint32_t r = 0; r < c->n; r++) {
        const struct choice *ch = &c->v[r];
        const vec_alias *total = scratch + ch->at[ch->levels];
        uint32_t planes = ch->planes[ch->levels];
        vec many = zero; /* lanes in which the role has a choice and no round yet */
        for (uint32_t k = 1; k < planes; k++) many |= total[k];
        many &= lanes;
        for (uint32_t j = 0; j < c->n; j++) takes[r * c->n + j] = zero;
        for (uint32_t j = 0; any(many); j++) {
            if (j == nrounds) {
                used[j] = zero;
                for (uint32_t k = 0; k < CHOICE_LEVELS; k++) rounds[j * CHOICE_LEVELS + k] = zero;
                c->round_planes[j] = 0;
                nrounds++;
            }
            vec take = many & ~used[j];
            used[j] |= take;
            takes[r * c->n + j] = take;
            if (c->round_planes[j] < planes) c->round_planes[j] = planes;
            for (uint32_t k = 0; k < planes; k++) rounds[j * CHOICE_LEVELS + k] |= total[k] & take;
            many &= ~take;
        }
    }
    return nrounds;
}

INLINE const vec_alias *given_draws(const struct choices *c, uint32_t round)
{
    return c->given ? (vec_alias *)c->drawn + round * CHOICE_PLANES : NULL;
}

FN void choose_in_rounds(struct choices *c, vec lanes, vec_alias *mem, vec_alias *scratch)
{
    vec_alias *rounds = (vec_alias *)c->rounds, *takes = (vec_alias *)c->takes;
    const vec zero = lanes ^ lanes;
    uint32_t nrounds = plan_rounds(c, lanes, scratch);
    for (uint32_t j = 0; j < nrounds; j++)
        draw(&c->sources[j], given_draws(c, j), rounds + j * CHOICE_LEVELS, c->round_planes[j]);
    for (uint32_t r = 0; r < c->n; r++) {
        struct choice *ch = &c->v[r];
        uint32_t planes = ch->planes[ch->levels];
        const vec_alias *root = scratch + ch->at[ch->levels];
        vec some = zero, rank[CHOICE_LEVELS];
        for (uint32_t k = 0; k < planes; k++) {
            some |= root[k];
            rank[k] = zero;
            for (uint32_t j = 0; j < nrounds; j++)
                rank[k] |= rounds[j * CHOICE_LEVELS + k] & takes[r * c->n + j];
        }
        descend(ch, mem, scratch, rank, lanes & some);
    }
}

/* Where only one role chooses, all lanes draw for it: of one move the rank is 0, whatever is drawn. */
FN void choose_alone(struct choices *c, vec lanes, vec_alias *mem, vec_alias *scratch)
{
    struct choice *ch = &c->v[0];
    uint32_t planes = ch->planes[ch->levels];
    const vec_alias *root = scratch + ch->at[ch->levels];
    vec some = root[0], rank[CHOICE_LEVELS];
    rank[0] = some;
    for (uint32_t k = 1; k < planes; k++) some |= rank[k] = root[k];
    draw(&c->sources[0], given_draws(c, 0), (vec_alias *)rank, planes);
    descend(ch, mem, scratch, rank, lanes & some);
}

FN void choose(struct choices *c, const uint64_t *mask, uint64_t *memory)
{
    vec_alias *mem = (vec_alias *)memory, *scratch = (vec_alias *)c->scratch;
    const vec lanes = load(mask);
    for (uint32_t i = 0; i < c->nsources; i++) c->sources[i].behind += !c->given;
    for (uint32_t i = 0; i < c->n; i++) count(&c->v[i], mem, scratch);
    if (c->n == 1)
        choose_alone(c, lanes, mem, scratch);
    else
        choose_in_rounds(c, lanes, mem, scratch);
}

FN void choose_first(const struct code_role *role, const uint32_t *order, uint32_t n, const uint64_t *mask,
                     uint64_t *memory)
{
    const vec_alias *legal = (vec_alias *)memory + role->legal;
    vec_alias *does = (vec_alias *)memory + role->does;
    vec open = load(mask);
    for (uint32_t i = 0; i < n; i++) {
        vec x = legal[order[i]];
        does[order[i]] |= open & x;
        open &= ~x;
        if ((i & 15) == 15 && !any(open)) break;
    }
}
