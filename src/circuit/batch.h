/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many games at once: a batch is a row of lanes, each a game in its own state; one sweep moves them all on.
 *
 *     lane           0    1    2   ...  511            masks: one bit per lane, `words` 64-bit words,
 *     ┌────────────┬────┬────┬────┬───┬────┐                  lane i is bit i%64 of word i/64
 *     │ state bits │    │    │    │   │    │
 *     │ legal      │    │    │    │   │    │   batch_view fills, batch_step makes stale
 *     │ terminal   │    │    │    │   │    │
 *     │ moves made │    │    │    │   │    │   batch_choose*, batch_set_move; batch_step uses them up
 *     │ parked     │    │    │    │   │    │   batch_park fills, batch_collect_goals empties
 *     └────────────┴────┴────┴────┴───┴────┘
 *
 * The usual round:
 *
 *     batch_view(b);                                   // legal moves and ends of all lanes
 *     ended = b->terminal & lanes in use
 *     if (ended & b->parked) batch_collect_goals(b, goals) and deal with them
 *     batch_park(b, ended);                            // their goals come later, the lanes are free now
 *     batch_choose(b, lanes that move at random);      // or batch_choose_first, batch_set_move
 *     batch_step(b);
 *     batch_set_state(b, lane, ...) or batch_restart(b, ended)
 *
 * A lane that made no move (or not one for every role) has no meaningful state after batch_step until it is
 * given one. Nothing here allocates after batch_new. A batch belongs to one thread at a time; the code may be
 * shared by any number of batches.
 *
 * States are `state_words` words: bit i of the circuit's state is bit i%64 of word i/64, unused bits are 0.
 * Moves are the circuit's, counted from 0 per role.
 */
#ifndef CIRCUIT_BATCH_H
#define CIRCUIT_BATCH_H

#include "circuit/code.h"

#define BATCH_MAX_LANES 512
#define BATCH_MAX_WORDS (BATCH_MAX_LANES / 64)
#define BATCH_GOAL_UNDEFINED (-1) /* none or several values at once: the sheet is faulty there */

struct sweeper;

/* Where the time goes, in ticks of whatever counter the processor has. */
enum batch_part {
    BATCH_VIEW,
    BATCH_CHOOSE,
    BATCH_STEP,
    BATCH_GOAL, /* parking and goals */
    BATCH_REST, /* states in and out, restarts, lists */
    BATCH_PARTS
};

struct batch {
    const struct code *code;
    const struct sweeper *sweeper;
    uint32_t lanes, words; /* words = lanes / 64 */
    uint32_t nroles, state_words;
    const uint64_t *terminal;         /* mask: lanes that have ended; valid from batch_view to batch_step */
    uint64_t parked[BATCH_MAX_WORDS]; /* mask: lanes with goals to be collected */
    uint64_t *ticks;                  /* by enum batch_part, when not NULL: counted up */
    struct batch_inside *inside;
};

/* The numbers of lanes this processor can sweep at once, ascending: 64 always, 256 with AVX2, 512 with
 * AVX-512. */
uint32_t batch_widths(uint32_t widths[4]);

/* `lanes` is one of batch_widths, or 0 for the widest. All lanes begin in the initial state. NULL and an
 * error without memory. */
struct batch *batch_new(const struct code *code, uint32_t lanes, uint64_t seed, struct error *error);
/* The same on the interpreter, even if there is machine code. */
struct batch *batch_new_interpreted(const struct code *code, uint32_t lanes, uint64_t seed,
                                    struct error *error);
void batch_free(struct batch *b);
void batch_seed(struct batch *b, uint64_t seed);
/* The same for a batch that is a part of a larger one: its lane 0 is lane 64 * word of the whole. */
void batch_seed_part(struct batch *b, uint64_t seed, uint32_t word);

/* --- States ------------------------------------------------------------------------------------------- */

void batch_set_state(struct batch *b, uint32_t lane, const uint64_t *state);
void batch_get_state(struct batch *b, uint32_t lane, uint64_t *state);
/* The states of the first `lanes` lanes, one after the other (state_words each); `out` has room for lanes
 * rounded up to a multiple of 64. Costs a few cycles per bit and 64 lanes. */
void batch_get_states(struct batch *b, uint32_t lanes, uint64_t *out);
/* The other way round: lanes 0 .. lanes - 1 get these states; lanes after them up to a multiple of 64 become
 * meaningless. */
void batch_put_states(struct batch *b, uint32_t lanes, const uint64_t *states);
/* Back to the initial state, or to the given one, for all lanes of the mask at once. */
void batch_restart(struct batch *b, const uint64_t *mask);
void batch_restart_from(struct batch *b, const uint64_t *mask, const uint64_t *state);

/* The wires themselves, `words` words each: bit i of the state is at i * words; so is move i of a role's
 * legal moves (after batch_view). The state's take batch_state_bytes; batches of as many lanes whose circuits
 * have the same bits can take each other's. batch_set_lanes sets those of the mask alone. */
static inline size_t batch_state_bytes(const struct batch *b)
{
    return (size_t)b->code->nbits * b->words * sizeof(uint64_t);
}
const uint64_t *batch_state_wires(const struct batch *b);
const uint64_t *batch_legal_wires(const struct batch *b, uint32_t role);
void batch_set_all(struct batch *b, const uint64_t *states);
void batch_set_lanes(struct batch *b, const uint64_t *states, const uint64_t *mask);

/* Some bits of many lanes at once, packed: row i is for lane i, bit k of a row is bit bits[k] of the
 * circuit's state, a row is (nbits + 63) / 64 words with unused bits 0. Far cheaper than lane by lane: blocks
 * of 64 x 64 bits are turned. With an `order`, what is put into lane i is row order[i]. */
void batch_put_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, const uint64_t *rows,
                    const uint32_t *order, uint32_t lanes);
void batch_get_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, uint64_t *rows, uint32_t lanes);
/* These bits in all lanes alike, from one such row. */
void batch_fill_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, const uint64_t *row);

/* --- Looking ------------------------------------------------------------------------------------------ */

void batch_view(struct batch *b);
/* The same, and faster where all lanes, also those nobody cares for, are in the same turn (batch_turns): then
 * only what can be in that turn is swept, by code of its own, up to and with batch_step. What the functions
 * below tell is the same; moves must be given after it, and where a role has no choice, its move is taken as
 * made. */
void batch_view_turn(struct batch *b);
/* The same where the first `lanes` lanes alone matter: others may be in any turn, and mean nothing after it.
 */
void batch_view_first(struct batch *b, uint32_t lanes);
/* The same where the lanes of the mask alone matter. */
void batch_view_lanes(struct batch *b, const uint64_t *mask);
/* Which turn that was; BATCH_ANY_TURN where lanes were in different ones, after batch_view as well. */
#define BATCH_ANY_TURN UINT32_MAX
uint32_t batch_turn(const struct batch *b);
/* Is a state in that turn? */
bool batch_in_turn(const struct batch *b, const uint64_t *state, uint32_t turn);
/* Are turns worth it that a lane waits with its next game until all others are in the same? */
bool batch_turns_pay(const struct batch *b);
/* Where a lane waits for its goals before it begins again: the share of the lanes that should wait when they
 * are swept. Lanes that wait cost their share of the rounds. */
double batch_goal_share(const struct batch *b);
/* Has a role no choice in any lane of the last view? Then *move is what it makes. */
bool batch_forced(const struct batch *b, uint32_t role, uint32_t *move);
/* Turns repeat after so many steps, whatever is done: lanes that begin together, or so many steps apart, are
 * in the same turn. 1: there is only one, or no code for them. */
uint32_t batch_turns(const struct batch *b);
/* The legal moves of one lane, ascending; returns how many. `out` has room for all moves of the role. */
uint32_t batch_legal(struct batch *b, uint32_t lane, uint32_t role, uint32_t *out);
/* The legal moves of all lanes: for each lane a set of batch_set_words(b, role) words, one lane after the
 * other. Bit i of a set is move i; count[lane] is how many it has. This is what guided playouts use: it costs
 * a few cycles per move and 64 lanes. */
void batch_legal_sets(struct batch *b, uint32_t role, uint64_t *out, uint32_t *count);
/* The same for the first so many lanes alone. */
void batch_legal_sets_of(struct batch *b, uint32_t role, uint32_t lanes, uint64_t *out, uint32_t *count);
static inline uint32_t batch_set_words(const struct batch *b, uint32_t role)
{
    return (b->code->roles[role].n + 63) / 64;
}

/* --- Moving ------------------------------------------------------------------------------------------- */

/* A uniformly random legal move for every role in the lanes of the mask. The choice never leaves the wires,
 * so this costs the same for one lane as for all.
 *
 * Each legal move has probability 1/n up to 2^-24. Roles choose independently. What a lane draws depends on
 * the seed, the lane's number, how often batch_choose was called since the seed was set, and that lane's
 * legal moves: not on other lanes and not on the number of lanes of the batch. So lane i plays the same games
 * in a batch of 64 as in one of 512. */
void batch_choose(struct batch *b, const uint64_t *mask);
/* The same by numbers given from outside, one for each lane of the mask: what a lane draws depends on its
 * number and its legal moves, and on nothing else. This is how a simulation keeps to the random numbers of
 * its own search, whichever lane it flies in and whoever flies beside it. */
void batch_choose_drawn(struct batch *b, const uint64_t *mask, const uint64_t *draws);
/* What becomes of such a number: the k-th role of a lane that has a choice, counted from 0, takes the move
 * floor(n * u / 2^24) of its n. */
static inline uint64_t batch_mix(uint64_t draw, uint32_t again)
{
    for (; again; again--) draw = (draw ^ draw >> 29) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
    return draw;
}
static inline uint32_t batch_drawn(uint64_t draw, uint32_t k, uint32_t n)
{
    uint64_t u = batch_mix(draw, k / 2) >> k % 2 * 24 & 0xffffff;
    return (uint32_t)(u * n >> 24);
}
/* For one role, the first legal move in `order` (n different moves of the role); lanes with none of them
 * legal are left without a move. With moves sorted by what they are worth this is a greedy playout for all
 * lanes at once. */
void batch_choose_first(struct batch *b, uint32_t role, const uint32_t *order, uint32_t n,
                        const uint64_t *mask);
/* For those who choose by themselves: the wires of the moves a role makes, as those of its legal moves lie.
 * What is chosen is ORed into them, after batch_choose where that is used, too. NULL for a role that has but
 * one move, which it makes without being asked. */
uint64_t *batch_move_wires(struct batch *b, uint32_t role);
/* The same to look at, for such a role, too. */
const uint64_t *batch_made_wires(const struct batch *b, uint32_t role);
/* A mask whose bits are set with probability p (to 2^-24) each: which lanes explore. */
void batch_toss(struct batch *b, double p, uint64_t *mask);
/* A move given from outside. A lane must not get two moves for one role. */
void batch_set_move(struct batch *b, uint32_t lane, uint32_t role, uint32_t move);
/* The same for the first so many lanes, one move each. */
void batch_set_moves(struct batch *b, uint32_t role, const uint32_t *moves, uint32_t lanes);
/* What the lanes have chosen for a role so far, by lane; undefined for lanes without a move. Moves set by
 * batch_set_move are included. */
void batch_moves(struct batch *b, uint32_t role, uint32_t *out);
void batch_step(struct batch *b);

/* --- Goals -------------------------------------------------------------------------------------------- */

/* Keep what the goals of these lanes need; the lanes are then free. None of them may be parked already. */
void batch_park(struct batch *b, const uint64_t *mask);
/* The goals of all parked lanes: goals[lane * nroles + role], BATCH_GOAL_UNDEFINED unless there is exactly
 * one. Other lanes' entries are left alone. Empties b->parked; `mask` (may be NULL) gets what it was. */
void batch_collect_goals(struct batch *b, int16_t *goals, uint64_t *mask);
/* All goal values of a role in one lane as the last batch_view saw it, in the order of code->goals; returns
 * how many. The lane must not be parked. `out` has room for code->goals.n. */
uint32_t batch_lane_goals(struct batch *b, uint32_t lane, uint32_t role, uint32_t *out);

/* --- Random games ------------------------------------------------------------------------------------- */

struct batch_tally {
    uint64_t games, transitions, undefined_goals;
    uint64_t *goal_count; /* by goal of code->goals: how many games ended with it; may be NULL */
    double *goal_sum;     /* by role; may be NULL */
};

/* Add the goals of all parked lanes to the tally, by popcount; empties b->parked. */
void batch_tally_goals(struct batch *b, struct batch_tally *tally);
/* Random games from the initial state (or `from`, when not NULL) with all lanes: each lane plays `games`
 * games one after the other, or goes on until `*stop` when games is 0 (looked at once a sweep). A game still
 * going on after `max_steps` moves (0: no limit) is given up and not counted. Counts are added to the tally.
 */
void batch_play(struct batch *b, const uint64_t *from, uint64_t games, uint32_t max_steps,
                const atomic_bool *stop, struct batch_tally *tally);

/* Mask helpers. */
static inline bool batch_any(const struct batch *b, const uint64_t *mask)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < b->words; w++) any |= mask[w];
    return any != 0;
}

#endif
