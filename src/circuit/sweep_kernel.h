/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweeper's source, included once for each number of lanes. The including file defines
 *
 *     LANES        64, 256 or 512
 *     TARGET       the function attribute that lets the compiler use the vectors, or nothing
 *     SWEEPER      the name of the struct sweeper to define
 *     AVAILABLE    expression: does this processor have them
 *     and, where the processor has three-operand logic, TERNARY(a, b, c, table),
 *     and, where it can tell in one go whether a vector has a bit set, ANY(x)
 */
#include "circuit/jit.h"
#include "circuit/sweep.h"
#include "circuit/transpose.h"

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
#define BORROW(a, b, c) TERNARY(a, b, c, 0x8e)        /* majority of ~a, b, c */
#define SELECT(m, a, b) TERNARY(m, a, b, 0xca)        /* m ? a : b */
#define CHANGE_UNLESS(m, a, b) TERNARY(m, a, b, 0xc6) /* m ? a : a ^ b */
#define NOT_AND_OR(a, b, c) TERNARY(a, b, c, 0x0e)    /* ~a & (b | c) */
#define OR_AND(a, b, c) TERNARY(a, b, c, 0xf8)        /* a | (b & c) */
#define AND_AND(a, b, c) TERNARY(a, b, c, 0x80)
#define AND_NOT(a, b, c) TERNARY(a, b, c, 0x40) /* a & b & ~c */
#define NOT_NOT(a, b, c) TERNARY(a, b, c, 0x10) /* a & ~b & ~c */
#define ALL_NOT(a, b, c) TERNARY(a, b, c, 0x01) /* ~a & ~b & ~c */
#else
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define MAJORITY(a, b, c) (((a) & (b)) | (((a) ^ (b)) & (c)))
#define BORROW(a, b, c) ((((b) ^ (c)) & ~(a)) | ((b) & (c))) /* b ^ c is wanted otherwise, too */
#define SELECT(m, a, b) ((((a) ^ (b)) & (m)) ^ (b))
#define CHANGE_UNLESS(m, a, b) ((a) ^ ((b) & ~(m)))
#define NOT_AND_OR(a, b, c) (((b) | (c)) & ~(a))
#define OR_AND(a, b, c) ((a) | ((b) & (c)))
#define AND_AND(a, b, c) ((a) & (b) & (c))
#define AND_NOT(a, b, c) ((a) & (b) & ~(c))
#define NOT_NOT(a, b, c) ((a) & ~((b) | (c)))
#define ALL_NOT(a, b, c) (~((a) | (b) | (c)))
#endif

INLINE bool any(vec x)
{
#if LANES == 64
    return x != 0;
#elif defined(ANY)
    return ANY(x);
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

/* The operations of segment i once. */
FN void run_segment(const struct code *code, uint32_t i, vec_alias *mem)
{
    const struct code_segment *s = &code->segments.v[i];
    const struct jit *jit = code->jit[LANES / 256];
    if (jit)
        jit->segment[i]((uint64_t *)mem);
    else
        run(code->ops.v + s->begin, code->ops.v + s->end, mem);
}

/* A loop is swept until its cuts stay as they are: then a further sweep would compute the same again. The
 * cuts' values before each sweep are kept behind the last slot. */
FN void run_loop(const struct code *code, uint32_t segment, vec_alias *mem)
{
    const struct code_segment *s = &code->segments.v[segment];
    const uint32_t *cuts = code->cuts.v + s->cut_first;
    vec_alias *before = mem + code->nslots;
    for (uint32_t i = 0; i < s->cut_n; i++)
        before[i] = mem[cuts[i] >> 1] = mem[cuts[i] & 1 ? SLOT_ONES : SLOT_ZEROS];
    for (;;) {
        run_segment(code, segment, mem);
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
    for (uint32_t i = first; i < last; i++)
        (code->segments.v[i].cut_n ? run_loop : run_segment)(code, i, (vec_alias *)memory);
}

#include "circuit/choose_kernel.h"
#include "circuit/turn_kernel.h"

/* --- Sums of moves ---------------------------------------------------------------------------------------
 */

FN void clear_sums(const struct code_sums *sums, uint64_t *memory)
{
    vec_alias *mem = (vec_alias *)memory;
    for (uint32_t i = 0; i < sums->slots.n; i++) mem[sums->slots.v[i]] = mem[SLOT_ZEROS];
}

FN void add_sums(const struct code_sums *sums, uint32_t first_move, const struct code_role *role,
                 const uint32_t *blocks, uint32_t n, uint64_t *memory)
{
    enum { AT_ONCE = 64 }; /* moves: memory is asked for what they need before it is needed */
    vec_alias *mem = (vec_alias *)memory;
    uint32_t made[AT_ONCE + CHOICE_BLOCK], nmade = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t m = blocks[i] * CHOICE_BLOCK; m < (blocks[i] + 1) * CHOICE_BLOCK; m++) {
            made[nmade] = m;
            nmade += any(mem[role->does + m]); /* without a branch: the row is filled up with zeros */
        }
        if (nmade < AT_ONCE && i + 1 < n) continue;
        const uint32_t *first = sums->first + first_move;
        for (uint32_t k = 0; k < nmade; k++) __builtin_prefetch(&first[made[k]]);
        for (uint32_t k = 0; k < nmade; k++) __builtin_prefetch(&sums->of.v[first[made[k]]]);
        for (uint32_t k = 0; k < nmade; k++)
            for (uint32_t j = first[made[k]]; j < first[made[k] + 1]; j++)
                mem[sums->of.v[j]] |= mem[role->does + made[k]];
        nmade = 0;
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
    .clear_sums = clear_sums,
    .add_sums = add_sums,
    .toss = toss,
    .park = park,
    .restart = restart,
    .encode = encode,
    .get_rows = get_rows,
    .put_rows = put_rows,
};
