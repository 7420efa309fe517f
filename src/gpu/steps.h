/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step of games in lanes, or a look at them, as networks that read and write rows of the device's memory.
 * A row is one bit of all lanes, 32 to a word:
 *
 *     kept        from step to step: state, over, ended, ..., and after them what was wrong with the moves
 *     asked       what is to be done: for each role, or once for the players, the bits of the move's number
 *     seen        what a look finds: legal moves, players, ends
 *
 *     kept ──look──> seen                kept, asked ──step──> kept (elsewhere: a step that must not be can
 * be forgotten)
 */
#ifndef GPU_STEPS_H
#define GPU_STEPS_H

#include "gpu/plan.h"

struct gpu_rows {
    /* kept; the state is first */
    uint32_t over, ended, given_up; /* as ludens/batch.h has them: ended includes given_up */
    uint32_t goals;                 /* by goal of the circuit, where a game has ended with it */
    uint32_t age, nages;            /* bits of the number of steps since the game began */
    uint32_t zero;                  /* nothing, always */
    uint32_t nkept;
    uint32_t stuck, crowded, illegal; /* a role has no move; several choose; by role: it may not */
    uint32_t nall;
    /* asked: a group for each role, or one */
    uint32_t nplanes; /* bits of a move, then these: */
    uint32_t chance, wait, none, ngroup;
    /* seen; by move of the circuit first: legal */
    uint32_t of_players, players, terminal, nseen;
    uint32_t nactions; /* the most moves of a role */
};
struct gpu_rows gpu_rows_of(const struct circuit *c, uint32_t max_steps);

enum gpu_step_kind {
    GPU_LOOK,
    GPU_STEP_RANDOM,  /* all moves are drawn (by the rule of plan.h, one turn to a round) */
    GPU_STEP_PLAYERS, /* the lane's player makes what is asked, the others their only move */
    GPU_STEP_JOINT,
    GPU_STEP_KINDS
};

struct gpu_step {
    const struct circuit *circuit;
    enum gpu_step_kind kind;
    bool keep;          /* what has ended stays */
    uint32_t max_steps; /* 0: games may be as long as they like */
    bool *const *idle;  /* by role and move: what it does while others choose */
};

/* Counters as those of rounds, and one more: lanes in which something was wrong. Rows from nkept on are read
 * from what is asked. */
struct gpu_plan *gpu_plan_step(struct heap *heap, const struct gpu_step *step);

#endif
