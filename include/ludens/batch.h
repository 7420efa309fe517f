/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches: many games at once, each in a lane, on the circuit. One step moves them all on; hundreds of
 * millions of steps a second on one core where moves are chosen inside.
 *
 *     reset ──> look: legal, counts, player, states ──> step ──> ended, goals, and look again
 *                    ^                                                            │
 *                    └────────────────────────────────────────────────────────────┘
 *
 * Arrays belong to the batch, lie where they lie as long as it lives, and are filled in by the call that
 * returns them; the next step or reset makes them stale. Those by lane and something have a row of
 * ludens_batch_stride() entries for each something (lanes, rounded up), so that what is done for all lanes at
 * once is done on what lies together: legal[move * stride + lane].
 *
 * Who is to move: in most games one role chooses at a time and the others have a single move (noop). That
 * role is the lane's player; the others' single moves are made for them. Where several choose at once, give
 * joint moves.
 *
 * Numbers of moves and facts are those of any engine of the game that is on the circuit (LUDENS_CIRCUIT).
 *
 * With LUDENS_GPU everything stays in a GPU's memory: the functions below return addresses there, for other
 * libraries to work on (or ludens_batch_copy), and nothing of ours is under way there when they return. What
 * a function is given (moves, packed states, which lanes) may lie there or in the processor's memory. Random
 * games are others than the processor's, but the same on every GPU. When it has no more memory, or fails,
 * functions return NULL or false, and ludens_batch_failure says why; one that has failed is lost.
 */
#ifndef LUDENS_BATCH_H
#define LUDENS_BATCH_H

#include "game.h"

LUDENS_BEGIN

struct ludens_batch;

enum ludens_device { LUDENS_PROCESSOR, LUDENS_GPU };

struct ludens_batch_options {
    uint32_t lanes;     /* 1 to LUDENS_MAX_LANES */
    uint32_t threads;   /* that share the work; 0: one for every core */
    uint64_t seed;      /* lane i plays the same games whatever the number of threads is */
    bool keep;          /* ended games stay as they are until ludens_batch_reset; else another one begins in
                           the lane at once */
    uint32_t max_steps; /* a game that is not over after so many steps ends without goals; 0: none does */
    enum ludens_device device; /* where it is; an error if there is none. A GPU has no threads. */
};
#define LUDENS_MAX_LANES (1u << 20)

/* Waits for the circuit; an error if there is none. All games are at the beginning. */
LUDENS_API struct ludens_batch *ludens_batch_new(struct ludens_game *game,
                                                 const struct ludens_batch_options *options,
                                                 struct ludens_error *error);
LUDENS_API void ludens_batch_free(struct ludens_batch *batch); /* NULL is fine */

LUDENS_API enum ludens_device ludens_batch_device(const struct ludens_batch *batch);
/* True, and what the GPU said, when the last call failed there. */
LUDENS_API bool ludens_batch_failure(const struct ludens_batch *batch, struct ludens_error *error);
/* From one of the arrays below, or from within it, to the processor's memory. */
LUDENS_API bool ludens_batch_copy(struct ludens_batch *batch, const void *array, size_t bytes, void *to,
                                  struct ludens_error *error);

LUDENS_API uint32_t ludens_batch_lanes(const struct ludens_batch *batch);
LUDENS_API uint32_t ludens_batch_stride(const struct ludens_batch *batch);
LUDENS_API uint32_t ludens_batch_threads(const struct ludens_batch *batch);
LUDENS_API uint32_t ludens_batch_moves(const struct ludens_batch *batch, uint32_t role);
LUDENS_API uint32_t ludens_batch_actions(const struct ludens_batch *batch); /* the most of any role */

/* Begin anew: all lanes, or those that are not 0 in `which` (by lane). */
LUDENS_API void ludens_batch_reset(struct ludens_batch *batch, const uint8_t *which);
/* The random numbers from now on. */
LUDENS_API void ludens_batch_seed(struct ludens_batch *batch, uint64_t seed);

/* Looking. */

/* For `role`: the player of each lane, whoever that is. */
#define LUDENS_PLAYER UINT32_MAX
/* By lane: the role that is to move. */
LUDENS_API const uint8_t *ludens_batch_player(struct ludens_batch *batch);
/* By move and lane: 1 where it is legal. With LUDENS_PLAYER there are ludens_batch_actions() rows, else
 * ludens_batch_moves(). Lanes that are over have no legal moves. */
LUDENS_API const uint8_t *ludens_batch_legal(struct ludens_batch *batch, uint32_t role,
                                             struct ludens_error *error);
/* By lane: how many. */
LUDENS_API const uint32_t *ludens_batch_counts(struct ludens_batch *batch, uint32_t role,
                                               struct ludens_error *error);

/* States as bits. Plane i is a fact of the game or its opposite: facts that always hold or always agree with
 * another have no plane of their own. */
LUDENS_API uint32_t ludens_batch_planes(const struct ludens_batch *batch);
LUDENS_API uint32_t ludens_batch_plane_fact(const struct ludens_batch *batch, uint32_t plane, bool *opposite);
/* By plane and lane: one byte, 0 or 1. */
LUDENS_API const uint8_t *ludens_batch_states(struct ludens_batch *batch);
/* By lane: (planes + 63) / 64 words, plane i is bit i % 64 of word i / 64. */
LUDENS_API const uint64_t *ludens_batch_packed(struct ludens_batch *batch);
/* By plane: stride / 64 words, lane i is bit i % 64 of word i / 64. */
LUDENS_API const uint64_t *ludens_batch_bit_planes(struct ludens_batch *batch);
/* All lanes get states as ludens_batch_packed has them: those of another batch of the game, or kept from
 * before. A lane is over where the game is. */
LUDENS_API void ludens_batch_load(struct ludens_batch *batch, const uint64_t *packed);
/* Put a state of an engine that is on the circuit into a lane. */
LUDENS_API bool ludens_batch_put(struct ludens_batch *batch, uint32_t lane, const struct ludens_state *state,
                                 struct ludens_error *error);
/* The state of a lane, for such an engine. */
LUDENS_API struct ludens_state *ludens_batch_get(struct ludens_batch *batch, uint32_t lane,
                                                 struct ludens_engine *engine, struct ludens_error *error);

/* Moving. */

#define LUDENS_RANDOM (-1) /* for a move: any legal one, each as likely */
#define LUDENS_WAIT (-2)   /* for a move: the lane stands still */
/* Every lane's player makes actions[lane]. NULL: all at random. False and an error, and nothing is moved, if
 * one is not legal. Lanes that are over stand still. */
LUDENS_API bool ludens_batch_step(struct ludens_batch *batch, const int32_t *actions,
                                  struct ludens_error *error);
/* Every role makes joint[lane * roles + role]; LUDENS_RANDOM or LUDENS_WAIT for the first is for all. */
LUDENS_API bool ludens_batch_step_joint(struct ludens_batch *batch, const int32_t *joint,
                                        struct ludens_error *error);

/* By lane: 0 the game goes on, 1 it ended with the last step, 2 it was given up (max_steps); with `keep` also
 * later. */
LUDENS_API const uint8_t *ludens_batch_ended(struct ludens_batch *batch);
/* By role and lane: what the game brought that ended with the last step (with `keep` also later);
 * LUDENS_NO_GOAL elsewhere, and where the rules define none. */
LUDENS_API const int16_t *ludens_batch_goals(struct ludens_batch *batch);
/* The same as learning programs like it: a hundredth of the goal, 0 elsewhere. */
LUDENS_API const float *ludens_batch_rewards(struct ludens_batch *batch);

/* Random games, chosen and counted inside: so many sweeps of all lanes, from where they are. Ended games
 * begin anew, with `keep` too; the sweep after an end does nothing in the lane, but on a GPU they begin at
 * once. */
struct ludens_batch_tally {
    uint64_t games, steps;
    uint64_t undefined; /* games that ended without exactly one goal for every role; in no sum */
    double goals[64];   /* by role: the sum over games */
};
LUDENS_API bool ludens_batch_play(struct ludens_batch *batch, uint64_t sweeps, const struct ludens_stop *stop,
                                  struct ludens_batch_tally *tally, struct ludens_error *error);

LUDENS_END

#endif
