/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device code as text: a kernel in PTX that plays rounds of random games (plan.h).
 *
 * A thread has one word of lanes. Memory of the device, all words of 32 bits unless said otherwise:
 *
 *     state[bit * words + word]     the games, between launches
 *     waiting[word], young[word]    see plan.h
 *     start[bit * words + word]     where lanes begin, if the plan is set up so
 *     sums[root * counters + i]     64 bits: what was counted (enum gpu_counter), added to; root = word %
 * roots
 *
 * `ludens_play(state, waiting, young, start, sums, roots, words, rounds, step, last, give_up, keys...)`: step
 * is the number of the first step, for the random numbers; with last, lanes whose game ends wait for ever;
 * with give_up, those that are not young begin anew, or wait for ever. All threads of the grid have a word:
 * their number is a multiple of 32.
 *
 * A plan of rows (plan.h) is another kernel, `ludens_rows(in, more, out, sums, words, step, keys...)`: row i
 * of what it reads is in[i * words], from the first of `more` on more[(i - first) * words]; what it writes is
 * out[i * words].
 *
 * Wires that are not in registers lie in shared memory, those that are used least in the thread's own (local)
 * memory where that is too small.
 */
#ifndef GPU_PTX_H
#define GPU_PTX_H

#include "base/text.h"
#include "gpu/philox.h"
#include "gpu/plan.h"

#define PTX_BLOCK 128 /* threads, unless somebody wants more */
#define PTX_ENTRY "ludens_play"
#define PTX_ROWS_ENTRY "ludens_rows"

struct ptx_options {
    uint32_t registers;    /* for wires */
    uint32_t shared_slots; /* of 4 bytes for each thread of a block */
    uint32_t sync; /* the threads of a block wait for each other after so many instructions, so that they read
                      the same code; 0: never */
    uint32_t blocks;  /* that a multiprocessor shall run at once; 0: as may be */
    uint32_t threads; /* of a block; 0: PTX_BLOCK */
};

/* Shared memory of a device, in bytes: what a multiprocessor has, what one block may have of it, and what
 * each block costs beside. */
struct ptx_memory {
    int multiprocessor, block, reserved;
};
#define PTX_MEMORY_H200 ((struct ptx_memory){228 << 10, 227 << 10, 1 << 10})

/* Options for so many blocks at once, of so many threads. */
struct ptx_options ptx_options_for(uint32_t blocks, uint32_t threads, const struct ptx_memory *memory);

/* What the kernel takes, in this order. */
struct ptx_arguments {
    uint64_t state, waiting, young, start, sums;
    uint32_t roots, words, rounds;
    uint64_t step;
    uint32_t last, give_up; /* 0 or 1 */
    uint32_t keys[2 * PHILOX_ROUNDS];
};
#define PTX_ARGUMENTS (11 + 2 * PHILOX_ROUNDS)

struct ptx_row_arguments {
    uint64_t in, more, out, sums;
    uint32_t words;
    uint64_t step;
    uint32_t keys[2 * PHILOX_ROUNDS];
};
#define PTX_ROW_ARGUMENTS (6 + 2 * PHILOX_ROUNDS)

/* As launches take them. */
void ptx_list_row_arguments(struct ptx_row_arguments *a, void *list[PTX_ROW_ARGUMENTS]);
void ptx_list_arguments(struct ptx_arguments *a, void *list[PTX_ARGUMENTS]);

struct ptx {
    char *text; /* belongs to the plan's heap */
    size_t length;
    const char *entry;
    uint32_t shared_slots, local_slots; /* that it uses */
    uint32_t gates, loads, stores;      /* of a round, turns together; loads and stores of slots */
    uint32_t most;                      /* wires in registers at once */
    uint32_t turns, blocks, threads;
};

/* For a device with such memory; of the wishes, blocks 0 are as many as suit the code, registers 0 what these
 * leave. */
struct ptx ptx_write_for(const struct gpu_plan *plan, const struct ptx_memory *memory,
                         const struct ptx_options *wishes);
struct ptx ptx_write(const struct gpu_plan *plan, const struct ptx_options *options);

#endif
