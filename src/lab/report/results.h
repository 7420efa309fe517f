/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an experiment has brought so far: a table of rates with the published figures beside them. This is
 * what reports are made of; where the games came from does not matter any more. */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H

#include "lab/database/db.h"
#include "lab/stats/stats.h"

struct result_player { /* one player of a cell */
    const char *name, *text, *budget;
    struct rate rate;
    uint64_t seats, thoughts, errors; /* seats taken, searches made, moves replaced or made without search */
    double simulations, seconds;      /* of thinking */
};

struct result_cell {
    bool empty;                   /* not part of the experiment */
    struct rate rate;             /* of the first player: 0..1 for wins, 0..100 for goals */
    double parity;                /* what equal players would have: 1/2, 1/3 for three; NAN for goals */
    int side;                     /* rate_side: significantly better (1), worse (-1), or neither */
    struct spec_figure published; /* in percent, or goals */
    uint32_t target;              /* games wanted */
    uint32_t nplayers, nroles;
    struct result_player *players; /* as in the pairing */
    struct rate *by_seat;          /* by role: the first player's, over the games in which it had that seat */
    const char **roles;
    const char *rules;     /* digest */
    double steps, seconds; /* added up over games */
};

struct results {
    struct heap *heap;
    const char *name, *title, *description, *source; /* source: of the published figures; NULL: none */
    const char **games, **pairings;                  /* labels: rows and columns */
    uint32_t ngames, npairings;
    enum spec_measure measure;
    const char *seed, *version; /* of the program that played, the last one */
    struct result_cell *cells;  /* by game * npairings + pairing */
    uint64_t played, wanted, errors;
    double seconds; /* spent in games, added up over jobs */
};

/* What the database has of the experiment of that name. NULL and an error if it has none. */
struct results *results_read(struct db *db, const char *name, struct error *error);
void results_free(struct results *r);

/* Call `each` with the names of all experiments of the database, in order of entry. */
bool results_each(struct db *db, void (*each)(void *data, const char *name), void *data, struct error *error);

/* Call `each` with number and score of every game of a cell: the points of the first player, by wins. */
bool results_scores(struct db *db, int64_t cell, void (*each)(void *data, uint32_t number, double score),
                    void *data, struct error *error);

/* Rates as people read them: percent for wins, goals as they are. */
static inline double results_percent(const struct results *r)
{
    return r->measure == MEASURE_WINS ? 100 : 1;
}

#endif
