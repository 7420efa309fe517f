// SPDX-License-Identifier: GPL-3.0-or-later
/* Encodings: Intel SDM volume 2, sections 2.2 (REX), 2.3 (VEX) and 2.7 (EVEX).
 *
 * With EVEX a displacement of one byte counts in vectors, so a base register reaches 256 slots with short
 * instructions. Nine registers need not be saved for the caller: they point to the middles of the first nine
 * such windows; slots beyond are reached with displacements of four bytes. VEX has a prefix of two bytes for
 * operands among the first eight registers: large circuits are fetched more than they are computed.
 */
#include "circuit/jit_x86.h"

enum { WINDOW = 256, MIDDLE = 128 };
static const uint8_t bases[] = {7, 0, 1, 2, 6, 8, 9, 10, 11}; /* rdi, rax, rcx, rdx, rsi, r8 .. r11 */
enum { BASES = sizeof bases };

enum { MAP_0F = 1, MAP_0F3A = 3 };
enum {
    OP_LOAD = 0x6f,
    OP_STORE = 0x7f,
    OP_AND = 0xdb,
    OP_AND_NOT = 0xdf,
    OP_OR = 0xeb,
    OP_XOR = 0xef,
    OP_TERNARY = 0x25
};

static void byte(struct assembler *a, uint32_t x)
{
    if (a->n < a->room) a->code[a->n] = (uint8_t)x;
    a->n++;
}

static void four_bytes(struct assembler *a, uint32_t x)
{
    for (int i = 0; i < 4; i++) byte(a, x >> 8 * i);
}

static uint32_t slot_bytes(const struct assembler *a)
{
    return a->set == X86_AVX512 ? 64 : a->set == X86_AVX2 ? 32 : 8;
}

/* The general registers in the order we number them: rdi points to the slots and rsp to the stack; the last
 * six belong to the caller. */
static const uint8_t general[] = {0, 1, 2, 6, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15};
enum { CALLERS = 8 };

uint32_t x86_registers(enum x86_set set)
{
    return set == X86_AVX512 ? 32 : set == X86_AVX2 ? 16 : sizeof general;
}

static uint32_t windows(const struct assembler *a)
{
    uint32_t n = a->set == X86_AVX512 ? (a->slots + WINDOW - 1) / WINDOW : 1;
    return n < 1 ? 1 : n > BASES ? BASES : n;
}

/* The prefix, opcode and operands of a vector instruction: reg, vvvv, and rm, which may be a slot. */
static void vector(struct assembler *a, int map, uint8_t opcode, uint32_t reg, uint32_t vvvv, uint32_t rm)
{
    bool memory = rm & SLOT_OPERAND;
    uint32_t slot = rm & ~SLOT_OPERAND, window = slot / WINDOW, base = bases[0];
    int32_t displacement = 0;
    bool is_short = false;
    if (memory) {
        if (a->set == X86_AVX512 && window < windows(a)) {
            base = bases[window];
            displacement = (int32_t)(slot % WINDOW) - MIDDLE;
            is_short = true;
        } else { /* the first base points to the middle of its window */
            displacement = ((int32_t)slot - (a->set == X86_AVX512 ? MIDDLE : 0)) * (int32_t)slot_bytes(a);
            is_short = a->set == X86_AVX2 && displacement <= INT8_MAX;
        }
    }
    uint32_t b = memory ? base : rm;
    if (a->set == X86_AVX512) {
        uint32_t x = memory ? 0 : rm >> 4 & 1; /* bit 4 of a register; there is no index register */
        byte(a, 0x62);
        byte(a, (~reg >> 3 & 1) << 7 | (~x & 1) << 6 | (~b >> 3 & 1) << 5 | (~reg >> 4 & 1) << 4 |
                    (uint32_t)map);
        byte(a, 1u << 7 | (~vvvv & 15) << 3 | 1u << 2 | 1);
        byte(a, 2u << 5 | (~vvvv >> 4 & 1) << 3);
    } else if (map == MAP_0F && b < 8) {
        byte(a, 0xc5);
        byte(a, (~reg >> 3 & 1) << 7 | (~vvvv & 15) << 3 | 1u << 2 | 1);
    } else {
        byte(a, 0xc4);
        byte(a, (~reg >> 3 & 1) << 7 | 1u << 6 | (~b >> 3 & 1) << 5 | (uint32_t)map);
        byte(a, (~vvvv & 15) << 3 | 1u << 2 | 1);
    }
    byte(a, opcode);
    byte(a, (memory ? is_short ? 1u : 2u : 3u) << 6 | (reg & 7) << 3 | (b & 7));
    if (memory) {
        if (is_short)
            byte(a, (uint32_t)displacement);
        else
            four_bytes(a, (uint32_t)displacement);
    }
}

/* The operands of an instruction on general registers: REX with 64 bits, opcode, ModRM. */
static void scalar(struct assembler *a, uint8_t opcode, uint32_t reg, uint32_t rm)
{
    uint32_t r = general[reg], b = rm & SLOT_OPERAND ? bases[0] : general[rm];
    byte(a, 0x48 | (r >> 3) << 2 | b >> 3);
    byte(a, opcode);
    if (rm & SLOT_OPERAND) {
        byte(a, 2u << 6 | (r & 7) << 3 | (b & 7));
        four_bytes(a, (rm & ~SLOT_OPERAND) * 8);
    } else {
        byte(a, 3u << 6 | (r & 7) << 3 | (b & 7));
    }
}

enum { SCALAR_LOAD = 0x8b, SCALAR_STORE = 0x89, SCALAR_AND = 0x23, SCALAR_OR = 0x0b, SCALAR_XOR = 0x33 };

/* to = x op y, where `to` is not y unless it is x, too. */
static void scalar_two(struct assembler *a, uint8_t opcode, uint32_t to, uint32_t x, uint32_t y)
{
    if (to == y) {
        y = x; /* all these commute */
        x = to;
    }
    if (to != x) scalar(a, SCALAR_LOAD, to, x);
    scalar(a, opcode, to, y);
}

/* andn to, x, y: VEX.LZ.0F38.W1 F2 */
static void scalar_and_not(struct assembler *a, uint32_t to, uint32_t x, uint32_t y)
{
    uint32_t r = general[to], v = general[x], b = y & SLOT_OPERAND ? bases[0] : general[y];
    byte(a, 0xc4);
    byte(a, (~r >> 3 & 1) << 7 | 1u << 6 | (~b >> 3 & 1) << 5 | 2);
    byte(a, 1u << 7 | (~v & 15) << 3);
    byte(a, 0xf2);
    if (y & SLOT_OPERAND) {
        byte(a, 2u << 6 | (r & 7) << 3 | (b & 7));
        four_bytes(a, (y & ~SLOT_OPERAND) * 8);
    } else {
        byte(a, 3u << 6 | (r & 7) << 3 | (b & 7));
    }
}

/* push or pop of the caller's registers */
static void callers(struct assembler *a, uint8_t opcode, bool backwards)
{
    uint32_t n = sizeof general - CALLERS;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = general[CALLERS + (backwards ? n - 1 - i : i)];
        if (r >= 8) byte(a, 0x41);
        byte(a, opcode | (r & 7));
    }
}

/* lea base, [rdi + bytes] */
static void point(struct assembler *a, uint32_t base, uint32_t bytes)
{
    byte(a, 0x48 | (base >> 3 & 1) << 2);
    byte(a, 0x8d);
    byte(a, 2u << 6 | (base & 7) << 3 | 7);
    four_bytes(a, bytes);
}

void x86_begin(struct assembler *a)
{
    if (a->set == X86_64) callers(a, 0x50, false);
    if (a->set != X86_AVX512) return;
    for (uint32_t i = 1; i < windows(a); i++) point(a, bases[i], (i * WINDOW + MIDDLE) * slot_bytes(a));
    point(a, bases[0], MIDDLE * slot_bytes(a));
}

void x86_end(struct assembler *a)
{
    if (a->set == X86_64) {
        callers(a, 0x58, true);
    } else {
        byte(a, 0xc5); /* vzeroupper */
        byte(a, 0xf8);
        byte(a, 0x77);
    }
    byte(a, 0xc3); /* ret */
}

void x86_load(struct assembler *a, uint32_t to, uint32_t from)
{
    if (a->set == X86_64)
        scalar(a, SCALAR_LOAD, to, from);
    else
        vector(a, MAP_0F, OP_LOAD, to, 0, from);
}

void x86_store(struct assembler *a, uint32_t slot, uint32_t from)
{
    if (a->set == X86_64)
        scalar(a, SCALAR_STORE, from, slot | SLOT_OPERAND);
    else
        vector(a, MAP_0F, OP_STORE, from, 0, slot | SLOT_OPERAND);
}

void x86_and(struct assembler *a, uint32_t to, uint32_t x, uint32_t y)
{
    if (a->set == X86_64)
        scalar_two(a, SCALAR_AND, to, x, y);
    else
        vector(a, MAP_0F, OP_AND, to, x, y);
}

void x86_and_not(struct assembler *a, uint32_t to, uint32_t x, uint32_t y)
{
    if (a->set == X86_64)
        scalar_and_not(a, to, x, y);
    else
        vector(a, MAP_0F, OP_AND_NOT, to, x, y);
}

void x86_or(struct assembler *a, uint32_t to, uint32_t x, uint32_t y)
{
    if (a->set == X86_64)
        scalar_two(a, SCALAR_OR, to, x, y);
    else
        vector(a, MAP_0F, OP_OR, to, x, y);
}

void x86_xor(struct assembler *a, uint32_t to, uint32_t x, uint32_t y)
{
    if (a->set == X86_64)
        scalar_two(a, SCALAR_XOR, to, x, y);
    else
        vector(a, MAP_0F, OP_XOR, to, x, y);
}

void x86_ternary(struct assembler *a, uint32_t to, uint32_t x, uint32_t y, uint8_t table)
{
    vector(a, MAP_0F3A, OP_TERNARY, to, x, y);
    byte(a, table);
}
