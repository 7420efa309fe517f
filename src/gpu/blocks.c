// SPDX-License-Identifier: GPL-3.0-or-later
/* How many blocks of how many threads share a multiprocessor, and what that leaves to each thread. */
#include "gpu/ptx.h"

#define REGISTERS 65536 /* of a multiprocessor */
#define MOST_A_THREAD 255
#define FEWEST 16        /* for wires */
#define NOT_FOR_WIRES 40 /* addresses, random numbers under way, and what the driver's scheduler wants */

struct ptx_options ptx_options_for(uint32_t blocks, uint32_t threads, const struct ptx_memory *memory)
{
    uint32_t most = REGISTERS / (threads * blocks);
    int bytes = memory->multiprocessor / (int)blocks - memory->reserved;
    if (most > MOST_A_THREAD) most = MOST_A_THREAD;
    if (bytes > memory->block) bytes = memory->block;
    return (struct ptx_options){.blocks = blocks,
                                .threads = threads,
                                .registers = most > NOT_FOR_WIRES + FEWEST ? most - NOT_FOR_WIRES : FEWEST,
                                .shared_slots = bytes > 0 ? (uint32_t)bytes / (4 * threads) : 0};
}

static struct ptx write_with(const struct gpu_plan *plan, const struct ptx_memory *memory,
                             const struct ptx_options *wishes, uint32_t blocks, uint32_t threads,
                             uint32_t sync)
{
    struct ptx_options options = ptx_options_for(blocks, threads, memory);
    if (wishes->registers) options.registers = wishes->registers;
    options.sync = sync;
    return ptx_write(plan, &options);
}

/* The better of two; the other's text is given back. */
static struct ptx take(const struct gpu_plan *plan, struct ptx better, struct ptx other)
{
    heap_release(plan->heap, other.text);
    return better;
}

/* Two blocks are the least that hide anything. What else is done with them was found out on an H200: long
 * code without local memory is read by eight warps together (a fifth faster in Breakthrough), and where one
 * block alone has much less in local memory it is better off alone (two fifths faster in Checkers, half in
 * Quarto). */
static struct ptx improve(const struct gpu_plan *plan, const struct ptx_memory *memory,
                          const struct ptx_options *wishes, struct ptx two)
{
    const uint32_t LONG = 64 << 10, BYTES = 16, SYNC = 250;
    const double OFTEN = 0.25, MUCH_LESS = 0.7;
    uint32_t aside = two.loads + two.stores;
    if (wishes->blocks || wishes->sync) return two;
    if (two.local_slots == 0 && (two.gates + aside) * BYTES > LONG && !wishes->threads)
        return take(plan, write_with(plan, memory, wishes, 1, 2 * PTX_BLOCK, SYNC), two);
    if (two.local_slots == 0 || aside < OFTEN * two.gates) return two;
    struct ptx one = write_with(plan, memory, wishes, 1, PTX_BLOCK, 0);
    return one.local_slots <= MUCH_LESS * two.local_slots ? take(plan, one, two) : take(plan, two, one);
}

/* More blocks hide more of what instructions wait for; but not where wires then have to be put aside too
 * often. */
struct ptx ptx_write_for(const struct gpu_plan *plan, const struct ptx_memory *memory,
                         const struct ptx_options *wishes)
{
    const double TOO_OFTEN = 0.3; /* for each gate */
    uint32_t threads = wishes->threads ? wishes->threads : PTX_BLOCK, most = 4 * PTX_BLOCK / threads,
             least = 2 * PTX_BLOCK / threads;
    for (uint32_t n = wishes->blocks ? wishes->blocks : most;; n--) {
        struct ptx ptx = write_with(plan, memory, wishes, n, threads, wishes->sync);
        bool fits = ptx.local_slots == 0 && ptx.loads + ptx.stores <= TOO_OFTEN * ptx.gates;
        if (n <= least && threads == PTX_BLOCK) return improve(plan, memory, wishes, ptx);
        if (fits || wishes->blocks || n <= least) return ptx;
        heap_release(plan->heap, ptx.text);
    }
}
