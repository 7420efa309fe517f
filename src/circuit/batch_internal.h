/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of batch*.c: what a batch is made of.
 *
 *     batch.c         memory, seeds, sweeping the view
 *     batch_states.c  states in and out
 *     batch_moves.c   legal moves, choosing, moves given, the step
 *     batch_goals.c   parking and goals
 *     batch_play.c    random games with all lanes
 */
#ifndef CIRCUIT_BATCH_INTERNAL_H
#define CIRCUIT_BATCH_INTERNAL_H

#include "circuit/batch.h"
#include "circuit/sweep.h"

struct given_move {
    uint32_t slot, lane;
};

/* What one code needs: that of all turns, or that of one. */
struct side {
    const struct code *code;
    struct choices choices;
    bool clean; /* the slots of moves are all zero */
};

struct batch_inside {
    uint64_t *mem;      /* slots, then the loops' cuts */
    struct side *sides; /* the first is that of all turns; turn t is t + 1 */
    uint32_t nsides;
    struct side *now;  /* which the last view was swept by */
    bool listed;       /* all legal moves of that view are in their slots */
    bool *dirty;       /* of the choices */
    uint32_t *hot;     /* of the choices */
    uint64_t *initial; /* state words */
    bool written;
    struct given_move *given;
    uint32_t ngiven, given_cap;
    uint64_t *block; /* one allocation for all that is aligned */
};

#if defined(__x86_64__)
static inline uint64_t ticks_now(void)
{
    return __builtin_ia32_rdtsc();
}
#else
#include "base/clock.h"
static inline uint64_t ticks_now(void)
{
    return (uint64_t)(clock_now() * 1e9);
}
#endif

#define TICKS_BEGIN(b) uint64_t ticks_begin = (b)->ticks ? ticks_now() : 0
#define TICKS_END(b, part) \
    if ((b)->ticks) (b)->ticks[part] += ticks_now() - ticks_begin

static inline uint64_t *slot(const struct batch *b, uint32_t slot)
{
    return b->inside->mem + (size_t)slot * b->words;
}

/* The role as the code has it that the last view was swept by. */
static inline const struct code_role *role_now(const struct batch *b, uint32_t role)
{
    return &b->inside->now->code->roles[role];
}

/* Of goals or the step. */
static inline void sweep_phase(struct batch *b, const struct code *code, enum circuit_phase phase)
{
    b->sweeper->sweep(code, code->phase_end[phase - 1], code->phase_end[phase], b->inside->mem);
}

/* For all who read legal moves, but for choosing where they have parts. */
static inline void list_legal(const struct batch *b)
{
    const struct code *code = b->inside->now->code;
    if (!b->inside->listed)
        b->sweeper->sweep(code, code->list_begin, code->phase_end[PHASE_VIEW], b->inside->mem);
    b->inside->listed = true;
}

static inline uint32_t at_most_64(uint32_t n)
{
    return n < 64 ? n : 64;
}

#endif
