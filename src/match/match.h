/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The referee: one match between seats, whoever sits there.
 *
 *     seats ── ask all ──> answers ── replace what is missing or illegal ──> joint move ──> state ──> tell
 * all ^                                                                                            │
 *        └────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * A seat is asked for its move and answers later, so that remote players can think at the same time. The
 * rules of the standard: a late or illegal move is replaced by a random legal one and counted against the
 * seat.
 */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include "player/player.h"

struct match;

struct seat {
    const struct seat_ops *ops;
    const char *name; /* of who sits there, for records; the seat's own */
};

struct seat_ops {
    /* The match begins; the seat may prepare until the budget is spent. False and an error: it cannot play at
     * all. NULL: nothing to do. */
    bool (*start)(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                  struct error *error);
    /* Begin to think (NULL: the thinking is done in answer). */
    void (*ask)(struct seat *s, struct match *m, uint32_t role, const struct budget *budget);
    /* The move, a number of m->reasoner. False: none in time, or not a move; the error says what came
     * instead. */
    bool (*answer)(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                   uint32_t *move, struct error *error);
    /* The joint move that was made (numbers of m->reasoner, which is still in the state before). NULL:
     * nothing to do. */
    void (*advance)(struct seat *s, struct match *m, uint32_t role, const uint32_t *joint);
    /* Moves were taken back: m->reasoner and m->state are where the match goes on. NULL: nothing to do. */
    void (*rewind)(struct seat *s, struct match *m, uint32_t role);
    /* It is over: the goals, or aborted. NULL: nothing to do. */
    void (*stop)(struct seat *s, struct match *m, uint32_t role, bool aborted);
    void (*free)(struct seat *s);
};

/* A player of ours, thinking in this process. Takes over nothing. NULL and an error if it cannot be set up.
 */
struct seat *seat_player(const struct player_config *config, const struct game *game, struct engine *engine,
                         uint32_t role, uint64_t seed, struct error *error);
struct player *seat_get_player(struct seat *s); /* of a seat made by seat_player, else NULL */

enum match_error { MATCH_FINE, MATCH_LATE, MATCH_ILLEGAL };

struct match_step {
    uint32_t *joint; /* by role */
    uint8_t *error;  /* by role: enum match_error; the move is then a random one */
    float *seconds;  /* by role: how long the seat took */
};

struct match_budget {              /* per move, and for the beginning */
    double seconds, start_seconds; /* 0: none */
    uint64_t simulations, start_simulations;
    uint64_t expansions;
};

struct match {
    const struct game *game;
    struct reasoner *reasoner; /* the referee's */
    struct seat **seats;       /* by role; the caller's */
    struct match_budget budget;
    const atomic_bool *stop; /* aborts the match; may be NULL */
    bool interrupted; /* a seat may set this while answering: the step is given up, nothing is replaced */
    /* Called when a seat has answered, before its move is made; NULL: nobody watches. */
    void (*watch)(void *data, struct match *m, uint32_t role);
    void *watch_data;
    struct rng rng;     /* for replacements */
    struct state state; /* now */
    bool terminal, aborted;
    struct match_step *steps;
    uint32_t nsteps, cap;
    int *goals;       /* by role, at the end; GOAL_UNDEFINED where there is not exactly one */
    uint32_t *errors; /* by role: moves replaced */
};

/* The referee works on the engine's circuit when it is ready, on the lifted engine otherwise. Seats and game
 * stay the caller's. */
struct match *match_new(const struct game *game, struct engine *engine, struct seat **seats,
                        const struct match_budget *budget, uint64_t seed, struct error *error);
void match_free(struct match *m);

bool match_start(struct match *m, struct error *error); /* gives the seats their start clock */
/* One joint move. False and an error if the rules themselves fail (a role without a legal move). */
bool match_step(struct match *m, struct error *error);
/* Take back so many steps (all there are, if fewer). */
bool match_take_back(struct match *m, uint32_t steps, struct error *error);
/* Tell everybody that it is over; fills in the goals if the game has ended. */
bool match_finish(struct match *m, struct error *error);
/* All of that. */
bool match_play(struct match *m, struct error *error);

#endif
