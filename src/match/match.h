/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The referee: one match between seats, whoever sits there.
 *
 *     ask all seats ──> answers, replaced where missing or illegal ──> joint move ──> state ──> tell all
 *          ^                                                                                       │
 *          └───────────────────────────────────────────────────────────────────────────────────────┘
 *
 * The rules of the standard: a late or illegal move is replaced by a random legal one and counted against the
 * seat; the match goes on.
 *
 * Everybody's clock runs at the same time where that is possible. Seats that think elsewhere (they have `ask`
 * and `settle`) are asked first and work while those that think in this process are asked one after the
 * other, each with a clock of its own and the whole machine to itself.
 *
 * A whole match, for whoever wants to run many (no state is shared between matches but the game and its
 * engine, so threads may run one each):
 *
 *     for (uint32_t r = 0; r < game->nroles; r++)
 *         seats[r] = seat_player(&config[r], game, engine, r, seed + r, &error);
 *     struct match *m = match_new(game, engine, seats, &budget, seed, &error);
 *     m->stop = &stop;                                   // from another thread or a signal: aborts
 *     bool good = match_play(m, &error);                 // false: aborted, or the rules failed
 *     use(m->goals, m->errors, m->steps, m->nsteps);     // record_of_match() writes it down
 *     match_free(m);                                     // seats are the caller's: ops->free each
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
    /* The match begins; the seat may prepare until the budget is spent (with `settle`: begin to, and return
     * at once). False and an error: it cannot play at all. NULL: nothing to do. */
    bool (*start)(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                  struct error *error);
    /* Begin to think (NULL: the thinking is done in answer). */
    void (*ask)(struct seat *s, struct match *m, uint32_t role, const struct budget *budget);
    /* The move, a number of m->reasoner; a seat that knows better how long it took puts that into the step
     * under way. False: none. The error says what came instead; its code why:
     * ERROR_TIME none in time, ERROR_INPUT what came is no legal move, others the seat cannot be reached. */
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
    /* Wait until what start or stop began is done, or its time over. NULL: they do it themselves. */
    void (*settle)(struct seat *s, struct match *m, uint32_t role);
    /* After start or ask: what somebody must drive before the seat can settle or answer (seat_pooled); false:
     * nothing. NULL: never anything. */
    bool (*task)(struct seat *s, struct hand **hand, struct budget *budget);
    bool patient; /* no clock runs for it: a person */
};

/* A player of ours, thinking in this process. Takes over nothing. NULL and an error if it cannot be set up.
 */
struct seat *seat_player(const struct player_config *config, const struct game *game, struct engine *engine,
                         uint32_t role, uint64_t seed, struct error *error);
/* The same by a name of `ludens players`. Seats of one match have one seed: what each draws hangs on its
 * role.
 */
struct seat *seat_by_name(const char *who, const struct game *game, struct engine *engine, uint32_t role,
                          uint64_t seed, struct error *error);
/* The same for one of many players on a driver (player_join): it asks to be driven rather than thinking
 * itself. together.h does that. */
struct seat *seat_pooled(const struct player_config *config, const struct game *game, struct engine *engine,
                         uint32_t role, uint64_t seed, struct driver *driver, struct error *error);
struct player *seat_get_player(struct seat *s); /* of a seat made by these two, else NULL */

enum match_error { MATCH_FINE, MATCH_LATE, MATCH_ILLEGAL, MATCH_FAILED /* no answer at all */ };
extern const char *const match_error_names[]; /* "", "late", "illegal", "failed" */

/* How a player of ours came to its move; no simulations: it did not search. */
struct match_search {
    uint64_t simulations;
    uint32_t nodes; /* of its tree */
    float value;    /* the reward it expects */
};

struct match_step {
    uint32_t *joint;             /* by role */
    uint8_t *error;              /* by role: enum match_error; the move is then a random one */
    float *seconds;              /* by role: how long the seat took */
    struct match_search *search; /* by role */
    double at;                   /* when the move was made: seconds since the match began */
};

/* What a seat did wrong. Step 0 is the start, the first move is made in step 1. */
struct match_remark {
    uint32_t step, role;
    enum match_error kind;
    char *text; /* what was said or happened instead */
};

struct match_budget {              /* per move, and for the beginning */
    double seconds, start_seconds; /* 0: none */
    uint64_t simulations, start_simulations;
    uint64_t steps, start_steps; /* positions entered */
    uint64_t expansions;         /* nodes added to the tree */
    /* Beyond the clock before a seat is late (the network's share). Negative: players in this process are
     * never late, they are trusted with their budget. */
    double grace;
};

/* One move's worth of it, or the start's, from now on. */
struct budget match_budget_now(const struct match_budget *b, bool start, const atomic_bool *stop);

struct match {
    const struct game *game;
    struct reasoner *reasoner; /* the referee's */
    struct seat **seats;       /* by role; the caller's */
    struct match_budget budget;
    const atomic_bool *stop; /* aborts the match; may be NULL */
    bool interrupted; /* a seat may set this while answering: the step is given up, nothing is replaced */
    /* Called when a seat has answered, before its move is made; NULL: nobody watches. */
    void (*watch)(void *data, struct match *m, uint32_t role);
    void (*made)(void *data, struct match *m); /* called after each joint move; may be NULL */
    void *watch_data;
    struct rng rng;     /* for replacements */
    struct state state; /* now */
    bool starting, terminal, aborted;
    double asked;         /* when the seats of the step under way were asked */
    double began;         /* clock_now() of match_start */
    struct timespec date; /* the same, as people tell the time */
    struct match_step *steps;
    uint32_t nsteps, cap; /* while seats are asked, steps[nsteps] is the step under way */
    struct match_remark *remarks;
    uint32_t nremarks, remarks_cap;
    int *goals;             /* by role, at the end; GOAL_UNDEFINED where there is not exactly one */
    uint32_t *errors;       /* by role: moves replaced, and 1 for a failed start */
    uint32_t forfeit_rules; /* of match/forfeit.h; 0: none */
    uint64_t forfeits;      /* bit by role: has lost by a forfeit, and the match ends */
};

/* The referee works on the engine's circuit when it is ready, on the lifted engine otherwise. Seats and game
 * stay the caller's. */
struct match *match_new(const struct game *game, struct engine *engine, struct seat **seats,
                        const struct match_budget *budget, uint64_t seed, struct error *error);
void match_free(struct match *m);

bool match_start(struct match *m, struct error *error); /* gives the seats their start clock */
/* The same in two halves: seats that think elsewhere work in between. */
bool match_begin(struct match *m, struct error *error);
void match_begun(struct match *m);
/* A seat did something wrong in the step under way (the start, before the first); for seats themselves. */
void match_remark(struct match *m, uint32_t role, enum match_error kind, const char *text);
/* One joint move. False and an error if the rules themselves fail (a role without a legal move). */
bool match_step(struct match *m, struct error *error);
/* The same in two halves. */
bool match_ask(struct match *m, struct error *error);
bool match_answer(struct match *m, struct error *error);
/* Take back so many steps (all there are, if fewer). */
bool match_take_back(struct match *m, uint32_t steps, struct error *error);
/* Tell everybody that it is over; fills in the goals if the game has ended, or somebody forfeited. */
bool match_finish(struct match *m, struct error *error);
/* All of that. */
bool match_play(struct match *m, struct error *error);

#endif
