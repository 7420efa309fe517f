// SPDX-License-Identifier: GPL-3.0-or-later
/* From the operations of a segment to instructions: which value is in which register, and when it must go.
 *
 * Slots are used for many values one after the other, so the operations are first read once to tell values
 * apart. A value is what a slot holds at the beginning, or the result of an operation. Invariant: a value
 * that will be read again is in its register or in its slot (`in_memory`), and its slot is its own until
 * then, because slots were assigned for this very order.
 */
#include "circuit/jit.h"

#include "base/vec.h"
#include "circuit/jit_x86.h"

#if defined(__x86_64__)

#include <stdlib.h>
#include <sys/mman.h>

#define NONE UINT32_MAX
#define MAX_REGISTERS 32

struct value {
    uint32_t slot;
    uint32_t use, use_end; /* uses.v[use ..]: the operations that will read it, ascending */
    uint32_t read_by;      /* operation that read it last, plus 1 */
    uint32_t reg;          /* or NONE */
    bool in_memory;
    bool twice; /* that operation reads it more than once */
};

struct operation {
    uint32_t first, n; /* operands.v: value << 1 | inverted */
    uint32_t result;   /* value */
    bool invert, keep;
};

/* Where an operand is: a register, or SLOT_OPERAND and a slot. */
struct place {
    uint32_t at;
    bool inverted, dies; /* dies: a register whose value nobody reads again */
};

struct compiler {
    struct heap *heap;
    const struct code *code;
    struct assembler a;
    struct jit *jit;
    uint32_t nregs;
    VEC(struct value) values;
    VEC(struct operation) ops;
    VEC(uint32_t) operands, uses;
    VEC(struct place) places; /* of the present operation's operands */
    uint32_t *current;        /* by slot: the value it holds */
    uint32_t holds[MAX_REGISTERS];
    uint64_t pinned; /* registers the present operation reads */
};

/* --- Reading the operations ------------------------------------------------------------------------------
 */

static uint32_t new_value(struct compiler *c, uint32_t slot, bool in_memory)
{
    vec_push(c->heap, &c->values, (struct value){.slot = slot, .reg = NONE, .in_memory = in_memory});
    return c->values.n - 1;
}

static uint32_t value_in(struct compiler *c, uint32_t slot)
{
    if (c->current[slot] == NONE) c->current[slot] = new_value(c, slot, true);
    return c->current[slot];
}

static const uint32_t *read_operation(struct compiler *c, const uint32_t *op, uint32_t kind, bool keep)
{
    uint32_t dst = *op++, plain, inverted, shape = kind / 2;
    if (shape == CODE_WIDE) {
        plain = *op++;
        inverted = *op++;
    } else {
        uint32_t n = 1;
        while (code_shape(0, n) < shape) n++;
        inverted = shape - code_shape(n, 0);
        plain = n - inverted;
    }
    struct operation o = {.first = c->operands.n, .n = plain + inverted, .invert = kind & 1, .keep = keep};
    for (uint32_t i = 0; i < o.n; i++)
        vec_push(c->heap, &c->operands, value_in(c, op[i]) << 1 | (i >= plain));
    o.result = c->current[dst] = new_value(c, dst, false);
    vec_push(c->heap, &c->ops, o);
    return op + o.n;
}

/* `keep` is the flag of the segment's first operation; returns that of the first behind it. */
static const bool *read_segment(struct compiler *c, const struct code_segment *s, const bool *keep)
{
    memset(c->current, 0xff, c->code->nslots * sizeof *c->current);
    vec_clear(&c->values);
    vec_clear(&c->ops);
    vec_clear(&c->operands);
    const uint32_t *op = c->code->ops.v + s->begin, *end = c->code->ops.v + s->end;
    while (op < end) {
        uint32_t kind = *op & 255, count = *op >> 8;
        op++;
        for (; count > 0; count--) op = read_operation(c, op, kind, *keep++);
    }
    /* who reads what, when */
    for (uint32_t i = 0; i < c->operands.n; i++) c->values.v[c->operands.v[i] >> 1].use_end++;
    uint32_t n = 0;
    for (uint32_t v = 0; v < c->values.n; v++) {
        struct value *value = &c->values.v[v];
        value->use = n;
        n += value->use_end;
        value->use_end = value->use;
    }
    vec_resize_zero(c->heap, &c->uses, n);
    for (uint32_t o = 0; o < c->ops.n; o++)
        for (uint32_t i = 0; i < c->ops.v[o].n; i++) {
            struct value *value = &c->values.v[c->operands.v[c->ops.v[o].first + i] >> 1];
            c->uses.v[value->use_end++] = o;
        }
    return keep;
}

/* --- Registers -------------------------------------------------------------------------------------------
 */

static uint32_t next_use(const struct compiler *c, uint32_t v)
{
    const struct value *value = &c->values.v[v];
    return value->use < value->use_end ? c->uses.v[value->use] : NONE;
}

static void give_register(struct compiler *c, uint32_t v)
{
    struct value *value = &c->values.v[v];
    c->holds[value->reg] = NONE;
    value->reg = NONE;
}

/* The register whose value is needed last; writing one back that memory does not have costs something, so
 * such a value must be needed much later to be the one. */
static uint32_t find_victim(const struct compiler *c, uint32_t now)
{
    uint32_t best = NONE, best_score = 0;
    for (uint32_t r = 0; r < c->nregs; r++) {
        if (c->pinned >> r & 1) continue;
        if (c->holds[r] == NONE) return r;
        uint32_t score = next_use(c, c->holds[r]) - now;
        if (!c->values.v[c->holds[r]].in_memory) score /= 2;
        if (score >= best_score) best = r, best_score = score;
    }
    return best;
}

/* Leave the register, not without a copy in memory. */
static void evict(struct compiler *c, uint32_t v)
{
    struct value *value = &c->values.v[v];
    if (!value->in_memory) {
        x86_store(&c->a, value->slot, value->reg);
        c->jit->stores++;
        value->in_memory = true;
    }
    give_register(c, v);
}

static uint32_t take_register(struct compiler *c, uint32_t v, uint32_t now)
{
    uint32_t r = find_victim(c, now), old = c->holds[r];
    if (old != NONE) evict(c, old);
    c->holds[r] = v;
    c->values.v[v].reg = r;
    c->pinned |= 1ull << r;
    return r;
}

/* Is it worth a register to have this value at hand when it is read next? */
static bool worth_loading(const struct compiler *c, uint32_t v, uint32_t now)
{
    uint32_t next = next_use(c, v), r;
    if (next == NONE || __builtin_popcountll(c->pinned) + 2 > (int)c->nregs) return false;
    r = find_victim(c, now);
    if (c->holds[r] == NONE) return true;
    return c->values.v[c->holds[r]].in_memory && next_use(c, c->holds[r]) > next;
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */

static bool in_register(const struct place *p)
{
    return !(p->at & SLOT_OPERAND);
}

static uint8_t table_of(bool not_a, bool not_b, bool not_c, bool invert)
{
    unsigned a = 0xf0 ^ (not_a ? 0xff : 0), b = 0xcc ^ (not_b ? 0xff : 0), c = 0xaa ^ (not_c ? 0xff : 0);
    return (uint8_t)((a & b & c) ^ (invert ? 0xff : 0));
}

static uint8_t table_of_two(bool not_a, bool not_c, bool invert)
{
    unsigned a = 0xf0 ^ (not_a ? 0xff : 0), c = 0xaa ^ (not_c ? 0xff : 0);
    return (uint8_t)((a & c) ^ (invert ? 0xff : 0));
}

static void swap_places(struct place *a, struct place *b)
{
    struct place t = *a;
    *a = *b;
    *b = t;
}

/* Where the operands are, those worth it loaded first. */
static void find_places(struct compiler *c, const struct operation *o, uint32_t now)
{
    const uint32_t *operand = c->operands.v + o->first;
    vec_clear(&c->places);
    c->pinned = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        struct value *v = &c->values.v[operand[i] >> 1];
        v->use++;
        v->twice = v->read_by == now + 1;
        v->read_by = now + 1;
        if (v->reg != NONE) c->pinned |= 1ull << v->reg;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t v = operand[i] >> 1;
        if (c->values.v[v].reg == NONE && worth_loading(c, v, now)) {
            uint32_t r = take_register(c, v, now);
            x86_load(&c->a, r, c->values.v[v].slot | SLOT_OPERAND);
            c->jit->loads++;
        }
        const struct value *value = &c->values.v[v];
        vec_push(c->heap, &c->places,
                 (struct place){.at = value->reg != NONE ? value->reg : value->slot | SLOT_OPERAND,
                                .inverted = operand[i] & 1,
                                .dies = value->reg != NONE && next_use(c, v) == NONE && !value->twice});
    }
}

/* All registers are read by a gate that wide: let it read one of them from memory. */
static void unpin_one(struct compiler *c)
{
    uint32_t r = 0, v = c->holds[r], slot = c->values.v[v].slot;
    evict(c, v);
    c->pinned &= ~(1ull << r);
    for (uint32_t i = 0; i < c->places.n; i++)
        if (c->places.v[i].at == r) c->places.v[i].at = slot | SLOT_OPERAND;
}

/* The accumulator: a register that dies anyway, else a new one. Its operand is moved to the front of places.
 */
static uint32_t begin_result(struct compiler *c, const struct operation *o, uint32_t now, bool *fresh)
{
    struct place *p = c->places.v;
    for (uint32_t i = 0; i < c->places.n; i++)
        if (p[i].dies) {
            swap_places(&p[0], &p[i]);
            uint32_t r = p[0].at;
            give_register(c, c->holds[r]);
            c->holds[r] = o->result;
            c->values.v[o->result].reg = r;
            *fresh = false;
            return r;
        }
    if (__builtin_popcountll(c->pinned) == (int)c->nregs) unpin_one(c);
    for (uint32_t i = 0; i < c->places.n; i++) /* something that must be loaded anyway */
        if (!in_register(&p[i])) {
            swap_places(&p[0], &p[i]);
            break;
        }
    *fresh = true;
    return take_register(c, o->result, now);
}

/* The conjunction of the places into register `to`, with three-operand logic. When `fresh`, the first place
 * is not in it yet. */
static void conjoin_wide(struct compiler *c, uint32_t to, bool fresh, bool invert)
{
    struct assembler *a = &c->a;
    struct place *p = c->places.v;
    uint32_t n = c->places.n, i = 1;
    bool inverted = p[0].inverted; /* `to` holds the inverse of the conjunction so far */
    if (n == 1) {
        if (p[0].inverted != invert)
            x86_ternary(a, to, to, p[0].at, 0x55);
        else if (fresh)
            x86_load(a, to, p[0].at);
        return;
    }
    if (fresh && !in_register(&p[0])) {
        x86_load(a, to, p[0].at);
    } else if (fresh) { /* all operands are in registers that live on */
        if (p[0].inverted && p[1].inverted)
            x86_or(a, to, p[0].at, p[1].at);
        else if (p[0].inverted)
            x86_and_not(a, to, p[0].at, p[1].at);
        else if (p[1].inverted)
            x86_and_not(a, to, p[1].at, p[0].at);
        else
            x86_and(a, to, p[0].at, p[1].at);
        inverted = p[0].inverted && p[1].inverted;
        i = 2;
    }
    for (; i < n; i++) { /* two at a time where one of them is in a register */
        bool last = i + 1 >= n;
        if (!last) {
            for (uint32_t k = i; k < n && !in_register(&p[i]); k++)
                if (in_register(&p[k])) swap_places(&p[i], &p[k]);
            for (uint32_t k = i + 1; k < n && in_register(&p[i + 1]); k++)
                if (!in_register(&p[k])) swap_places(&p[i + 1], &p[k]);
        }
        if (!last && in_register(&p[i])) {
            last = i + 2 >= n;
            x86_ternary(a, to, p[i].at, p[i + 1].at,
                        table_of(inverted, p[i].inverted, p[i + 1].inverted, last && invert));
            i++;
        } else if (!inverted && !p[i].inverted && !(last && invert)) {
            x86_and(a, to, to, p[i].at);
        } else {
            x86_ternary(a, to, to, p[i].at, table_of_two(inverted, p[i].inverted, last && invert));
        }
        inverted = last && invert;
    }
    if (inverted != invert) x86_ternary(a, to, to, to, 0x55);
}

/* The same without three-operand logic. Inverted operands first: an OR of them is the inverse of what is
 * wanted and AND-NOT takes the inverse of its first operand for free, so no operand need be inverted by
 * itself. */
static void conjoin_narrow(struct compiler *c, uint32_t to, bool fresh, bool invert)
{
    struct assembler *a = &c->a;
    struct place *p = c->places.v;
    uint32_t n = c->places.n, i = 1, first = fresh ? 0 : 1, front = first;
    bool inverted;
    for (uint32_t k = first; k < n; k++)
        if (p[k].inverted) swap_places(&p[front++], &p[k]);
    inverted = p[0].inverted;
    if (fresh && n > 1 && in_register(&p[0])) {
        if (inverted && p[1].inverted)
            x86_or(a, to, p[0].at, p[1].at);
        else if (inverted)
            x86_and_not(a, to, p[0].at, p[1].at), inverted = false;
        else
            x86_and(a, to, p[0].at, p[1].at);
        i = 2;
    } else if (fresh) {
        x86_load(a, to, p[0].at);
    }
    for (; i < n; i++) {
        if (inverted && p[i].inverted) {
            x86_or(a, to, to, p[i].at);
        } else if (inverted) {
            x86_and_not(a, to, to, p[i].at);
            inverted = false;
        } else if (p[i].inverted) { /* only if the first operand was plain and in place: turn it round */
            x86_xor(a, to, to, SLOT_ONES | SLOT_OPERAND);
            x86_or(a, to, to, p[i].at);
            inverted = true;
        } else {
            x86_and(a, to, to, p[i].at);
        }
    }
    if (inverted != invert) x86_xor(a, to, to, SLOT_ONES | SLOT_OPERAND);
}

static void compile_operation(struct compiler *c, const struct operation *o, uint32_t now)
{
    bool fresh;
    find_places(c, o, now);
    uint32_t to = begin_result(c, o, now, &fresh);
    (c->a.set == X86_AVX512 ? conjoin_wide : conjoin_narrow)(c, to, fresh, o->invert);
    struct value *result = &c->values.v[o->result];
    if (o->keep) {
        x86_store(&c->a, result->slot, to);
        c->jit->stores++;
        result->in_memory = true;
    }
    for (uint32_t i = 0; i < o->n; i++) { /* what is not needed any more leaves its register */
        uint32_t v = c->operands.v[o->first + i] >> 1;
        if (c->values.v[v].reg != NONE && next_use(c, v) == NONE) give_register(c, v);
    }
    if (next_use(c, o->result) == NONE) give_register(c, o->result);
}

static const bool *compile_segment(struct compiler *c, const struct code_segment *s, const bool *keep)
{
    const bool *behind = read_segment(c, s, keep);
    memset(c->holds, 0xff, sizeof c->holds);
    x86_begin(&c->a);
    for (uint32_t i = 0; i < c->ops.n; i++) compile_operation(c, &c->ops.v[i], i);
    x86_end(&c->a);
    return behind;
}

/* --- Pages -----------------------------------------------------------------------------------------------
 */

bool jit_available(uint32_t lanes)
{
    switch (lanes) {
    case 64: return __builtin_cpu_supports("bmi");
    case 256: return __builtin_cpu_supports("avx2");
    case 512: return __builtin_cpu_supports("avx512f");
    default: return false;
    }
}

static void compile(struct compiler *c)
{
    const struct code *code = c->code;
    struct jit *jit = c->jit;
    c->current = heap_alloc(c->heap, code->nslots * sizeof *c->current);
    size_t *begin = heap_alloc(c->heap, (code->segments.n + 1) * sizeof *begin);
    const bool *keep = code->keep.v;
    for (uint32_t s = 0; s < code->segments.n; s++) {
        begin[s] = c->a.n;
        keep = compile_segment(c, &code->segments.v[s], keep);
        while (c->a.n % 64) c->a.n++;
    }
    if (c->a.n > c->a.room)
        heap_fail(c->heap, ERROR_INTERNAL, "machine code is larger than thought possible");
    for (uint32_t s = 0; s < code->segments.n; s++)
        jit->segment[s] = (void (*)(uint64_t *))(uintptr_t)(c->a.code + begin[s]);
}

struct jit *jit_compile(const struct code *code, uint32_t lanes, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct jit *jit = calloc(1, sizeof *jit + (code->segments.n + 1) * sizeof *jit->segment);
    bool volatile done = false;
    /* an operand costs at most a load, a register written back, and an instruction */
    size_t size = ((size_t)code->ops.n * 36 + (size_t)code->segments.n * 256 + 4095) & ~(size_t)4095;
    if (!heap || !jit) {
        heap_free(heap);
        free(jit);
        return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    }
    void *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        error_set(error, ERROR_MEMORY, "no pages for machine code");
    } else if (HEAP_ENTER(heap, &guard, error)) {
        struct compiler c = {.heap = heap, .code = code, .jit = jit};
        jit->memory = pages;
        jit->size = size;
        c.a = (struct assembler){.code = pages, .room = size, .slots = code->nslots};
        c.a.set = lanes == 512 ? X86_AVX512 : lanes == 256 ? X86_AVX2 : X86_64;
        c.nregs = x86_registers(c.a.set);
        compile(&c);
        jit->bytes = c.a.n;
        if (mprotect(pages, size, PROT_READ | PROT_EXEC) == 0)
            done = true;
        else
            error_set(error, ERROR_SYSTEM, "the system does not let programs make code");
        heap_leave(heap);
    }
    if (!done && pages != MAP_FAILED) munmap(pages, size);
    heap_free(heap);
    if (!done) free(jit);
    return done ? jit : NULL;
}

void jit_free(struct jit *jit)
{
    if (jit) munmap(jit->memory, jit->size);
    free(jit);
}

#else

bool jit_available(uint32_t lanes)
{
    return false;
}

struct jit *jit_compile(const struct code *code, uint32_t lanes, struct error *error)
{
    error_set(error, ERROR_SYSTEM, "no machine code for this processor");
    return NULL;
}

void jit_free(struct jit *jit) {}

#endif
