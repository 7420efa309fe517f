/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweeper's source, included once for each number of lanes. The including file defines
 *
 *     LANES        64, 256 or 512
 *     TARGET       the function attribute that lets the compiler use the vectors, or nothing
 *     SWEEPER      the name of the struct sweeper to define
 *     AVAILABLE    expression: does this processor have them
 *     and, where the processor has three-operand logic, TERNARY(a, b, c, table)
 */
#include "circuit/sweep.h"

#include <string.h>

#define WORDS (LANES / 64)
#if LANES == 64
typedef uint64_t vec;
#else
typedef uint64_t vec __attribute__((vector_size(LANES / 8)));
#endif
typedef vec vec_alias __attribute__((may_alias));

#define FN static TARGET
#define INLINE static inline __attribute__((always_inline)) TARGET

/* Logic of three. Tables are written for a = 0xf0, b = 0xcc, c = 0xaa. */
#ifdef TERNARY
#define XOR3(a, b, c) TERNARY(a, b, c, 0x96)
#define MAJORITY(a, b, c) TERNARY(a, b, c, 0xe8)
#define BORROW(a, b, c) TERNARY(a, b, c, 0x8e) /* majority of ~a, b, c */
#define SELECT(m, a, b) TERNARY(m, a, b, 0xca) /* m ? a : b */
#define AND_AND(a, b, c) TERNARY(a, b, c, 0x80)
#define AND_NOT(a, b, c) TERNARY(a, b, c, 0x40) /* a & b & ~c */
#define NOT_NOT(a, b, c) TERNARY(a, b, c, 0x10) /* a & ~b & ~c */
#define ALL_NOT(a, b, c) TERNARY(a, b, c, 0x01) /* ~a & ~b & ~c */
#else
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define MAJORITY(a, b, c) (((a) & (b)) | (((a) ^ (b)) & (c)))
#define BORROW(a, b, c) ((~(a) & ((b) | (c))) | ((b) & (c)))
#define SELECT(m, a, b) ((((a) ^ (b)) & (m)) ^ (b))
#define AND_AND(a, b, c) ((a) & (b) & (c))
#define AND_NOT(a, b, c) ((a) & (b) & ~(c))
#define NOT_NOT(a, b, c) ((a) & ~((b) | (c)))
#define ALL_NOT(a, b, c) (~((a) | (b) | (c)))
#endif

INLINE bool any(vec x)
{
#if LANES == 64
    return x != 0;
#else
    uint64_t or = 0;
    for (int w = 0; w < WORDS; w++) or |= x[w];
    return or != 0;
#endif
}

INLINE vec load(const uint64_t *words)
{
    vec x;
    memcpy(&x, words, sizeof x);
    return x;
}

INLINE void store(uint64_t *words, vec x)
{
    memcpy(words, &x, sizeof x);
}

/* --- Gates ---------------------------------------------------------------------------------------------- */

/* An operation with so many plain and so many inverted inputs, known when this is compiled. */
INLINE void gate(const uint32_t *op, vec_alias *mem, const uint32_t plain, const uint32_t inverted,
                 bool invert)
{
    const uint32_t n = plain + inverted;
    const uint32_t *in = op + 1;
    vec acc;
    uint32_t i;
    if (plain > 0) {
        acc = mem[in[0]];
        i = 1;
    } else if (n >= 3) {
        acc = ALL_NOT(mem[in[0]], mem[in[1]], mem[in[2]]);
        i = 3;
    } else if (n == 2) {
        acc = ~(mem[in[0]] | mem[in[1]]);
        i = 2;
    } else {
        acc = ~mem[in[0]];
        i = 1;
    }
    for (; i + 2 <= n; i += 2) {
        if (i + 2 <= plain)
            acc = AND_AND(acc, mem[in[i]], mem[in[i + 1]]);
        else if (i + 1 <= plain)
            acc = AND_NOT(acc, mem[in[i]], mem[in[i + 1]]);
        else
            acc = NOT_NOT(acc, mem[in[i]], mem[in[i + 1]]);
    }
    if (i < n) acc = i < plain ? acc & mem[in[i]] : acc & ~mem[in[i]];
    mem[op[0]] = invert ? ~acc : acc;
}

INLINE const uint32_t *wide_gate(const uint32_t *op, vec_alias *mem, bool invert)
{
    uint32_t plain = op[1], inverted = op[2];
    const uint32_t *in = op + 3, *mid = in + plain, *end = mid + inverted;
    vec acc;
    if (plain > 0)
        acc = mem[*in++];
    else
        acc = ~mem[*mid++], in = mid;
    for (; in + 2 <= mid; in += 2) acc = AND_AND(acc, mem[in[0]], mem[in[1]]);
    if (in < mid) acc &= mem[*in++];
    for (; in + 2 <= end; in += 2) acc = NOT_NOT(acc, mem[in[0]], mem[in[1]]);
    if (in < end) acc &= ~mem[*in];
    mem[op[0]] = invert ? ~acc : acc;
    return end;
}

#define GATE_SHAPE(plain, inverted, shape)                                                                \
    case 2 * (shape):                                                                                     \
        for (; count > 0; count--, op += 1 + (plain) + (inverted)) gate(op, mem, plain, inverted, false); \
        break;                                                                                            \
    case 2 * (shape) + 1:                                                                                 \
        for (; count > 0; count--, op += 1 + (plain) + (inverted)) gate(op, mem, plain, inverted, true);  \
        break;

FN void run(const uint32_t *op, const uint32_t *end, vec_alias *mem)
{
    while (op < end) {
        uint32_t count = *op >> 8, kind = *op & 255;
        op++;
        switch (kind) {
            GATE_SHAPE(1, 0, 0)
            GATE_SHAPE(0, 1, 1)
            GATE_SHAPE(2, 0, 2)
            GATE_SHAPE(1, 1, 3)
            GATE_SHAPE(0, 2, 4)
            GATE_SHAPE(3, 0, 5)
            GATE_SHAPE(2, 1, 6)
            GATE_SHAPE(1, 2, 7)
            GATE_SHAPE(0, 3, 8)
            GATE_SHAPE(4, 0, 9)
            GATE_SHAPE(3, 1, 10)
            GATE_SHAPE(2, 2, 11)
            GATE_SHAPE(1, 3, 12)
            GATE_SHAPE(0, 4, 13)
            GATE_SHAPE(5, 0, 14)
            GATE_SHAPE(4, 1, 15)
            GATE_SHAPE(3, 2, 16)
            GATE_SHAPE(2, 3, 17)
            GATE_SHAPE(1, 4, 18)
            GATE_SHAPE(0, 5, 19)
            GATE_SHAPE(6, 0, 20)
            GATE_SHAPE(5, 1, 21)
            GATE_SHAPE(4, 2, 22)
            GATE_SHAPE(3, 3, 23)
            GATE_SHAPE(2, 4, 24)
            GATE_SHAPE(1, 5, 25)
            GATE_SHAPE(0, 6, 26)
        case 2 * CODE_WIDE:
            for (; count > 0; count--) op = wide_gate(op, mem, false);
            break;
        case 2 * CODE_WIDE + 1:
            for (; count > 0; count--) op = wide_gate(op, mem, true);
            break;
        default: __builtin_unreachable();
        }
    }
}

/* A loop is swept until its cuts stay as they are: then a further sweep would compute the same again. The
 * cuts' values before each sweep are kept behind the last slot. */
FN void run_loop(const struct code *code, const struct code_segment *s, vec_alias *mem)
{
    const uint32_t *cuts = code->cuts.v + s->cut_first, *ops = code->ops.v;
    vec_alias *before = mem + code->nslots;
    for (uint32_t i = 0; i < s->cut_n; i++)
        before[i] = mem[cuts[i] >> 1] = mem[cuts[i] & 1 ? SLOT_ONES : SLOT_ZEROS];
    for (;;) {
        run(ops + s->begin, ops + s->end, mem);
        vec changed = mem[SLOT_ZEROS];
        for (uint32_t i = 0; i < s->cut_n; i++) {
            vec now = mem[cuts[i] >> 1];
            changed |= now ^ before[i];
            before[i] = now;
        }
        if (!any(changed)) break;
    }
}

FN void sweep(const struct code *code, uint32_t first, uint32_t last, uint64_t *memory)
{
    vec_alias *mem = (vec_alias *)memory;
    for (uint32_t i = first; i < last; i++) {
        const struct code_segment *s = &code->segments.v[i];
        if (s->cut_n)
            run_loop(code, s, mem);
        else
            run(code->ops.v + s->begin, code->ops.v + s->end, mem);
    }
}

/* --- Choosing ------------------------------------------------------------------------------------------- */

/* Sums of bits: a full adder takes three of one weight and gives one of the same and one of twice the weight.
 */
#define FULL_ADD(sum, carry, a, b, c)              \
    do {                                           \
        vec add_a = (a), add_b = (b), add_c = (c); \
        sum = XOR3(add_a, add_b, add_c);           \
        carry = MAJORITY(add_a, add_b, add_c);     \
    } while (0)

INLINE void count_block(const vec_alias *x, vec_alias *out)
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

INLINE void count_pair(const vec_alias *left, const vec_alias *right, vec_alias *out, const uint32_t q)
{
    vec carry = left[0] & right[0];
    out[0] = left[0] ^ right[0];
    for (uint32_t j = 1; j < q; j++) FULL_ADD(out[j], carry, left[j], right[j], carry);
    out[q] = carry;
}

/* The counts of all nodes, from the leaves up. */
FN void count(const struct choice *c, const vec_alias *mem, vec_alias *scratch)
{
    for (uint32_t i = 0; i < c->blocks; i++)
        count_block(mem + c->legal + i * CHOICE_BLOCK, scratch + c->at[0] + i * 4);
    for (uint32_t l = 0; l < c->levels; l++) {
        const vec_alias *in = scratch + c->at[l];
        vec_alias *out = scratch + c->at[l + 1];
        uint32_t q = 4 + l, n = c->nodes[l];
        for (uint32_t i = 0; i + 1 < n; i += 2, in += 2 * q, out += q + 1) count_pair(in, in + q, out, q);
        if (n & 1) {
            for (uint32_t j = 0; j < q; j++) out[j] = in[j];
            out[q] = mem[SLOT_ZEROS];
        }
    }
}

/* From a node with rank (q planes) and active to its two children, whose counts have q planes. */
INLINE void descend_pair(const vec_alias *rank, vec active, vec_alias *left, vec_alias *right,
                         const uint32_t q)
{
    vec less[32], borrow = ~rank[0] & left[0], goes_left;
    less[0] = rank[0] ^ left[0];
    for (uint32_t j = 1; j + 1 < q; j++) {
        less[j] = XOR3(rank[j], left[j], borrow);
        borrow = BORROW(rank[j], left[j], borrow);
    }
    goes_left = BORROW(rank[q - 1], left[q - 1], borrow);
    for (uint32_t j = 0; j + 1 < q; j++) left[j] = SELECT(goes_left, rank[j], less[j]);
    left[q - 1] = active & goes_left;
    right[q - 1] = active & ~goes_left;
}

INLINE void descend_level(const struct choice *c, uint32_t level, const uint32_t q, vec_alias *scratch)
{
    const vec_alias *node = scratch + c->at[level];
    vec_alias *child = scratch + c->at[level - 1];
    uint32_t n = c->nodes[level - 1];
    for (uint32_t i = 0; i < n; i += 2, node += q + 1, child += 2 * q) {
        const vec_alias *rank = i & 2 ? node - (q + 1) : node;
        if (i + 1 < n) {
            descend_pair(rank, node[q], child, child + q, q);
        } else {
            for (uint32_t j = 0; j + 1 < q; j++) child[j] = rank[j];
            child[q - 1] = node[q];
        }
    }
}

/* One of four: rank n0, n1 (2 planes) among the legal x0 .. x3, where active. */
#define CHOOSE_FOUR(active, n0, n1, s, c, x0, x2, y)                                   \
    do {                                                                               \
        vec pair = BORROW(n1, c, ~(n0) & (s)), m = SELECT(pair, n0, (n0) ^ (s));       \
        vec left = (active)&pair, right = (active) & ~pair, y0 = AND_NOT(left, x0, m), \
            y2 = AND_NOT(right, x2, m);                                                \
        (y)[0] = y0;                                                                   \
        (y)[1] = left & ~y0;                                                           \
        (y)[2] = y2;                                                                   \
        (y)[3] = right & ~y2;                                                          \
    } while (0)

INLINE void choose_block(const vec_alias *x, vec_alias *does, vec r0, vec r1, vec r2, vec active)
{
    vec x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    vec s01 = x0 ^ x1, c01 = x0 & x1, s23 = x2 ^ x3, c23 = x2 & x3;
    /* how many among the first four, and whether the rank is among them */
    vec carry = s01 & s23, q0 = s01 ^ s23, q1, q2, less0, less1, borrow, four, n0, n1;
    FULL_ADD(q1, q2, c01, c23, carry);
    less0 = r0 ^ q0;
    borrow = ~r0 & q0;
    less1 = XOR3(r1, q1, borrow);
    borrow = BORROW(r1, q1, borrow);
    four = BORROW(r2, q2, borrow);
    n0 = SELECT(four, r0, less0);
    n1 = SELECT(four, r1, less1);
    vec low = active & four, high = active & ~four;
    CHOOSE_FOUR(low, n0, n1, s01, c01, x0, x2, does);
    vec x4 = x[4], x5 = x[5], x6 = x[6], s45 = x4 ^ x5, c45 = x4 & x5;
    CHOOSE_FOUR(high, n0, n1, s45, c45, x4, x6, does + 4);
}

/* From the rank and the active lanes at the root down to the moves. */
FN void descend(const struct choice *c, vec_alias *mem, vec_alias *scratch)
{
    for (uint32_t level = c->levels; level > 0; level--) {
        switch (level) {
        case 1: descend_level(c, level, 4, scratch); break;
        case 2: descend_level(c, level, 5, scratch); break;
        case 3: descend_level(c, level, 6, scratch); break;
        case 4: descend_level(c, level, 7, scratch); break;
        case 5: descend_level(c, level, 8, scratch); break;
        default: descend_level(c, level, level + 3, scratch); break;
        }
    }
    const vec_alias *block = scratch + c->at[0];
    for (uint32_t i = 0; i < c->blocks; i++, block += 4) {
        const vec_alias *rank = i & 1 ? block - 4 : block;
        choose_block(mem + c->legal + i * CHOICE_BLOCK, mem + c->does + i * CHOICE_BLOCK, rank[0], rank[1],
                     rank[2], block[3]);
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

/* rank = floor(total * u / 2^CHOICE_PLANES) with u uniform: multiply bit by bit, the lowest bit of u first,
 * dropping one bit of the product each time. */
INLINE void draw_planes(struct choice_source *source, const vec_alias *total, vec_alias *rank,
                        const uint32_t planes)
{
    vec s0 = load(source->s0), s1 = load(source->s1), acc[32], t[32];
    for (uint32_t j = 0; j < planes; j++) acc[j] = total[j] ^ total[j], t[j] = total[j];
    for (int i = 0; i < CHOICE_PLANES; i++) {
        vec u = random_plane(&s0, &s1), x = t[0] & u, carry = acc[0] & x;
        for (uint32_t j = 1; j < planes; j++) {
            x = t[j] & u;
            acc[j - 1] = XOR3(acc[j], x, carry);
            carry = MAJORITY(acc[j], x, carry);
        }
        acc[planes - 1] = carry;
    }
    for (uint32_t j = 0; j < planes; j++) rank[j] = acc[j];
    store(source->s0, s0);
    store(source->s1, s1);
}

FN void draw(struct choice_source *source, const vec_alias *total, vec_alias *rank, uint32_t planes)
{
    if (source->behind > 1) catch_up(source);
    source->behind = 0;
    switch (planes) {
    case 2: draw_planes(source, total, rank, 2); break;
    case 3: draw_planes(source, total, rank, 3); break;
    case 4: draw_planes(source, total, rank, 4); break;
    case 5: draw_planes(source, total, rank, 5); break;
    case 6: draw_planes(source, total, rank, 6); break;
    case 7: draw_planes(source, total, rank, 7); break;
    case 8: draw_planes(source, total, rank, 8); break;
    case 9: draw_planes(source, total, rank, 9); break;
    case 10: draw_planes(source, total, rank, 10); break;
    default: draw_planes(source, total, rank, planes); break;
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

/* Lanes in which a role has one legal move need no draw, and in most games no lane has two roles that do. So
 * lanes draw in rounds: in its first round a lane draws for its first role that has a choice, whichever that
 * is, in the second for the next. */
FN void choose(struct choices *c, const uint64_t *mask, uint64_t *memory)
{
    vec_alias *mem = (vec_alias *)memory, *scratch = (vec_alias *)c->scratch,
              *totals = (vec_alias *)c->totals;
    vec_alias *rounds = (vec_alias *)c->rounds, *takes = (vec_alias *)c->takes, *used = (vec_alias *)c->used;
    const vec lanes = load(mask), zero = lanes ^ lanes;
    uint32_t nrounds = 0, *planes = c->round_planes;
    for (uint32_t i = 0; i < c->n; i++) c->sources[i].behind++;
    for (uint32_t r = 0; r < c->n; r++) {
        const struct choice *ch = &c->v[r];
        vec_alias *total = totals + r * 32, *root;
        count(ch, mem, scratch);
        root = scratch + ch->at[ch->levels];
        vec many = zero;
        for (uint32_t j = 0; j < ch->planes; j++) total[j] = root[j];
        for (uint32_t j = 1; j < ch->planes; j++) many |= total[j];
        root[3 + ch->levels] = lanes & (many | total[0]);
        many &= lanes;
        for (uint32_t j = 0; j < c->n; j++) takes[r * c->n + j] = zero;
        for (uint32_t j = 0; any(many); j++) {
            vec take = j < nrounds ? many & ~used[j] : many;
            if (j == nrounds) {
                nrounds++;
                used[j] = zero;
                for (uint32_t k = 0; k < 32; k++) rounds[j * 32 + k] = zero;
                planes[j] = 0;
            }
            used[j] |= take;
            takes[r * c->n + j] = take;
            if (planes[j] < ch->planes) planes[j] = ch->planes;
            for (uint32_t k = 0; k < ch->planes; k++) rounds[j * 32 + k] |= total[k] & take;
            many &= ~take;
        }
    }
    for (uint32_t j = 0; j < nrounds; j++) draw(&c->sources[j], rounds + j * 32, rounds + j * 32, planes[j]);
    for (uint32_t r = 0; r < c->n; r++) {
        const struct choice *ch = &c->v[r];
        vec_alias *root = scratch + ch->at[ch->levels];
        for (uint32_t k = 0; k < 3 + ch->levels; k++) {
            vec rank = zero;
            if (k < ch->planes)
                for (uint32_t j = 0; j < nrounds; j++) rank |= rounds[j * 32 + k] & takes[r * c->n + j];
            root[k] = rank;
        }
        descend(ch, mem, scratch);
    }
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

/* --- States ----------------------------------------------------------------------------------------------
 */

FN void park(const struct code_park *parks, uint32_t n, const uint64_t *mask, uint64_t *memory)
{
    vec_alias *mem = (vec_alias *)memory;
    const vec lanes = load(mask);
    for (uint32_t i = 0; i < n; i++) mem[parks[i].to] = SELECT(lanes, mem[parks[i].from], mem[parks[i].to]);
}

FN void restart(const uint64_t *bits, uint32_t n, const uint64_t *mask, uint64_t *memory)
{
    vec_alias *mem = (vec_alias *)memory + SLOT_BITS;
    const vec lanes = load(mask);
    for (uint32_t i = 0; i < n; i++) {
        vec ones = lanes & (0 - (bits[i / 64] >> i % 64 & 1)); /* all ones if the bit is set */
        mem[i] = (mem[i] & ~lanes) | ones;
    }
}

FN void encode(uint32_t from, uint32_t n, uint32_t planes, uint64_t *out, const uint64_t *memory)
{
    const vec_alias *mem = (const vec_alias *)memory + from;
    for (uint32_t k = 0; k < planes; k++) {
        vec acc = {0};
        for (uint32_t i = 1u << k; i < n; i += 2u << k)
            for (uint32_t j = i; j < i + (1u << k) && j < n; j++) acc |= mem[j];
        store(out + k * WORDS, acc);
    }
}

static bool available(void)
{
    return AVAILABLE;
}

const struct sweeper SWEEPER = {
    .lanes = LANES,
    .available = available,
    .sweep = sweep,
    .choose = choose,
    .choose_first = choose_first,
    .toss = toss,
    .park = park,
    .restart = restart,
    .encode = encode,
};
