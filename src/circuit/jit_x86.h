/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few instructions the sweep needs, encoded for x86-64: AVX-512 on 32 registers of 512 bits, or AVX2 on
 * 16 of 256. Operands are a register, another one, and a third that is a register or a slot of memory. */
#ifndef CIRCUIT_JIT_X86_H
#define CIRCUIT_JIT_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_set { X86_64, X86_AVX2, X86_AVX512 };

struct assembler {
    uint8_t *code;
    size_t n, room; /* bytes beyond the room are counted but not written */
    enum x86_set set;
    uint32_t slots; /* of the memory */
};

/* A register (0 ..) or, with SLOT_OPERAND added, a slot. */
#define SLOT_OPERAND 0x80000000u

uint32_t x86_registers(enum x86_set set);

void x86_begin(struct assembler *a); /* a function of one argument: where the slots are */
void x86_end(struct assembler *a);

void x86_load(struct assembler *a, uint32_t to, uint32_t from);             /* from: register or slot */
void x86_store(struct assembler *a, uint32_t slot, uint32_t from);          /* from: register */
void x86_and(struct assembler *a, uint32_t to, uint32_t x, uint32_t y);     /* x & y */
void x86_and_not(struct assembler *a, uint32_t to, uint32_t x, uint32_t y); /* ~x & y */
void x86_or(struct assembler *a, uint32_t to, uint32_t x, uint32_t y);
void x86_xor(struct assembler *a, uint32_t to, uint32_t x, uint32_t y);
/* AVX-512: any function of three, `to` being the first; the table is read for to = 0xf0, x = 0xcc, y = 0xaa.
 */
void x86_ternary(struct assembler *a, uint32_t to, uint32_t x, uint32_t y, uint8_t table);

#endif
