/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What search, referee and tools may ask about a game, whatever engine answers (002 table 3.3).
 *
 *                      struct reasoner
 *   state, move ids  ->  initial legal next terminal goals  ->  states, move ids
 *   terms            <-  facts, move                        <-  at the doors only
 *
 * A state is a row of 64-bit words that only the reasoner that made it understands; equal states of one
 * reasoner have equal words. A move is a small number per role, counted from 0 in the order the engine met
 * them; it stays valid as long as the reasoner. Terms are numbers of the reasoner's own store. To carry a
 * state or move to another reasoner, import its terms (reasoner_carry_state, reasoner_carry_move).
 *
 * A call returns false when the engine gave up (memory limit, runaway recursion, `deadline`, `cancel`):
 * `error` says why, and the reasoner stays usable. A reasoner belongs to one thread at a time; only what
 * `cancel` points to may be set by another.
 */
#ifndef GAME_REASONER_H
#define GAME_REASONER_H

#include "game/game.h"

struct state {
    uint64_t *w; /* plain malloc; state_done frees */
    uint32_t words, cap;
};

void state_done(struct state *s);
bool state_reserve(struct state *s, uint32_t words); /* false: no memory */
bool state_copy(struct state *to, const struct state *from);
bool state_equal(const struct state *a, const struct state *b);
uint64_t state_hash(const struct state *s);

/* A list of move or fact numbers, or of goal values, on plain malloc. */
struct list {
    uint32_t *v;
    uint32_t n, cap;
};

void list_done(struct list *l);
bool list_push(struct list *l, uint32_t x);

struct reasoner;

struct reasoner_ops {
    const char *name; /* "lifted", "circuit" */
    bool (*initial)(struct reasoner *r, struct state *out);
    bool (*terminal)(struct reasoner *r, const struct state *s, bool *out);
    /* Moves of a role, without duplicates, in an order that depends on the state only. When it fails for
     * time, `out` has those found until then: they are legal. */
    bool (*legal)(struct reasoner *r, const struct state *s, uint32_t role, struct list *out);
    /* joint[role] = move number; they need not be legal. */
    bool (*next)(struct reasoner *r, const struct state *s, const uint32_t *joint, struct state *out);
    /* All goal values of a role, ascending: a sound game has exactly one in each ended state. */
    bool (*goals)(struct reasoner *r, const struct state *s, uint32_t role, struct list *out);
    /* The facts of a state as terms of r->terms, in any order. */
    bool (*facts)(struct reasoner *r, const struct state *s, struct list *out);
    /* The state that has exactly these facts (go to any state). */
    bool (*assemble)(struct reasoner *r, const term *facts, uint32_t n, struct state *out);
    /* Move number <-> term of r->terms. move_number gives false with an ERROR_INPUT if no such move can
     * exist. */
    term (*move_term)(struct reasoner *r, uint32_t role, uint32_t move);
    bool (*move_number)(struct reasoner *r, uint32_t role, term move, uint32_t *out);
    void (*free)(struct reasoner *r);
};

struct reasoner {
    const struct reasoner_ops *ops;
    const struct game *game;
    struct terms *terms; /* the reasoner's own copy: only it may add to it */
    struct error error;  /* why the last call failed */
    /* Whoever asks may set these: a long question then fails soon after the deadline (clock_now() time, 0:
     * none) with ERROR_TIME, or after *cancel became true with ERROR_CANCELLED. Short ones are answered. */
    double deadline;
    const atomic_bool *cancel;
};

/* Why did it fail: for want of time? */
static inline bool reasoner_timed_out(const struct reasoner *r)
{
    return r->error.code == ERROR_TIME || r->error.code == ERROR_CANCELLED;
}

/* The lifted engine. NULL and an error if even that cannot be set up. */
struct reasoner *reasoner_lifted(const struct game *game, size_t memory, struct error *error);
/* The same with a limit of its own for the seconds one question may take. */
struct reasoner *reasoner_lifted_within(const struct game *game, size_t memory, double seconds,
                                        struct error *error);
void reasoner_free(struct reasoner *r);

/* Conveniences on top of the operations, the same for all engines. */
#define GOAL_UNDEFINED (-1)
bool reasoner_goal(struct reasoner *r, const struct state *s, uint32_t role,
                   int *out); /* GOAL_UNDEFINED unless exactly one */
bool reasoner_add_fact(struct reasoner *r, struct state *s, term fact); /* already there: nothing happens */
bool reasoner_remove_fact(struct reasoner *r, struct state *s, term fact); /* not there: nothing happens */
bool reasoner_carry_state(struct reasoner *to, struct reasoner *from, const struct state *s,
                          struct state *out);
bool reasoner_carry_move(struct reasoner *to, struct reasoner *from, uint32_t role, uint32_t move,
                         uint32_t *out);
/* A move from text, for people and protocols; false with an error that names the text if it is no move at
 * all. */
bool reasoner_read_move(struct reasoner *r, uint32_t role, const char *text, uint32_t *out);
/* The state in which the facts of a text hold: "(cell 1 1 x) (control o)". */
bool reasoner_read_state(struct reasoner *r, const char *text, struct state *out);
void reasoner_print_move(struct reasoner *r, uint32_t role, uint32_t move, bool lower, struct text *out);

#endif
