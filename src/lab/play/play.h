/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One game of an experiment, from the schedule to the record. */
#ifndef LAB_PLAY_H
#define LAB_PLAY_H

#include "circuit/circuit.h"
#include "lab/database/db.h"

#include <pthread.h>

/* A game and its engine, shared by all workers; made when it is first needed. */
struct play_table {
    const struct game *game;
    pthread_mutex_t lock;
    struct engine *engine; /* NULL: not yet, or the rules are too large: the lifted engine plays */
    bool tried;
};
/* NULL: there is none. Everybody waits for it: what is played must not depend on when it is ready. */
struct engine *play_table_engine(struct play_table *t, const atomic_bool *stop);
void play_table_init(struct play_table *t, const struct game *game);
void play_table_done(struct play_table *t);

struct play_outcome {
    struct db_game record; /* its arrays are below */
    uint32_t *seats, *errors, *thoughts;
    int *goals;
    uint64_t *simulations;
    double *thinking;
    char *moves;
};
void play_outcome_done(struct play_outcome *o);

/* --- A game of a cell, from its seats to its record */

struct play;
/* `driver` not NULL: the searches think there (match/together.h); only where play_pools says so. */
struct play *play_open(const struct schedule *schedule, const struct schedule_cell *c, uint32_t number,
                       struct engine *engine, struct driver *driver, const atomic_bool *stop,
                       struct error *error);
struct match *play_match(struct play *g);
bool play_record(struct play *g, struct play_outcome *o, struct error *error);
void play_close(struct play *g);

/* Whether games of this cell can be played side by side: everybody is here, budgets are counts, and searches
 * have one lane and one thread. */
bool play_pools(const struct schedule *schedule, const struct schedule_cell *c);

/* How many of them should be: enough to fill the sweeps, few enough that their trees and tables are not all
 * out of the caches. */
uint32_t play_together(const struct schedule *schedule, const struct schedule_cell *c,
                       const struct circuit *circuit);

/* Play that game by itself. False and an error if it came to no end; ERROR_CANCELLED when `stop` (may be
 * NULL) was set. The outcome is to be taken apart in either case. */
bool play_game(const struct schedule *schedule, const struct schedule_cell *c, uint32_t number,
               struct play_table *table, const atomic_bool *stop, struct play_outcome *out,
               struct error *error);

#endif
