/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where simulations happen: lanes with a state each, on the circuit (hundreds, swept together) or on any
 * reasoner (a few, one after the other).
 *
 *     round:   set moves or choose ── step ── put states of newcomers ── view ── look: terminal, legal, state
 *
 * A state may be put into a lane between step and view only; moves are made between view and step only. A
 * lane without moves has no meaningful state after a step.
 */
#ifndef SEARCH_WORLD_H
#define SEARCH_WORLD_H

#include "circuit/batch.h"
#include "game/reasoner.h"

struct world {
    struct reasoner *reasoner;     /* the same states and moves, for one state at a time; not owned */
    uint32_t nroles, lanes, words; /* words of a mask */
    uint32_t asked;                /* lanes that are used: the first so many */
    struct batch *batch;           /* NULL: on the reasoner */
    /* circuit: the legal moves of all lanes, by role, filled in on first use after a view */
    uint64_t **sets;
    uint32_t **counts; /* how many, by lane */
    bool *sets_ready;
    bool bulk; /* most lanes will ask for their moves */
    /* reasoner */
    struct state *state;
    uint32_t *moves;    /* lane * nroles + role */
    uint64_t *terminal; /* mask */
    uint64_t used[BATCH_MAX_WORDS], moved[BATCH_MAX_WORDS], parked[BATCH_MAX_WORDS];
    int16_t *goals; /* lane * nroles + role */
    struct list scratch;
    bool failed; /* the reasoner gave up somewhere: its error says why; the lane counts as ended */
};

/* `code` NULL: work on the reasoner with so many lanes (at least 1). NULL and an error without memory. */
struct world *world_new(struct reasoner *reasoner, const struct code *code, uint32_t lanes,
                        struct error *error);
void world_free(struct world *w);

void world_put(struct world *w, uint32_t lane, const uint64_t *state, uint32_t words);
void world_view(struct world *w);
/* The same where the lanes of the mask alone matter: faster when they are in the same turn (batch_view_turn).
 */
void world_view_lanes(struct world *w, const uint64_t *mask);
/* Has a role no choice in any of these lanes? Then *move is what it makes. */
bool world_forced(const struct world *w, uint32_t role, uint32_t *move);
static inline bool world_terminal(const struct world *w, uint32_t lane)
{
    const uint64_t *mask = w->batch ? w->batch->terminal : w->terminal;
    return mask[lane / 64] >> (lane % 64) & 1;
}
/* The same as a mask. */
static inline const uint64_t *world_ends(const struct world *w)
{
    return w->batch ? w->batch->terminal : w->terminal;
}
void world_state(struct world *w, uint32_t lane, struct state *out);
void world_legal(struct world *w, uint32_t lane, uint32_t role, struct list *out);
/* On the circuit the same for all lanes at once, as sets, unless world_forced: those of a lane begin at lane
 * * *words, bit i = move i, and have (*count)[lane] elements. Valid until the next view, for lanes that were
 * asked for. */
const uint64_t *world_legal_sets(struct world *w, uint32_t role, uint32_t *words, const uint32_t **count);
void world_move(struct world *w, uint32_t lane, uint32_t role, uint32_t move);
/* Uniformly, for all roles, by a random number for each lane of the mask (batch_choose_drawn): both kinds of
 * world choose the same. */
void world_choose(struct world *w, const uint64_t *mask, const uint64_t *draws);
/* What world_choose chose, by lane, for all lanes; undefined where nothing was chosen. `out` has w->lanes
 * entries. */
void world_moves(struct world *w, uint32_t role, uint32_t *out);
void world_step(struct world *w);
/* Goals of ended (or cut) lanes: park right after the view, collect any time later; a lane can be parked
 * once. goals[lane * nroles + role], BATCH_GOAL_UNDEFINED where there is not exactly one. */
void world_park(struct world *w, const uint64_t *mask);
void world_collect(struct world *w, int16_t *goals, uint64_t *mask);
void world_unpark(struct world *w, uint32_t lane); /* nobody wants its goals any more */

#endif
