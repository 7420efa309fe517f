/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an experiment has brought so far: a table of rates with the published figures beside them. This is
 * what reports are made of; where the games came from does not matter any more. */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H

#include "lab/spec.h"
#include "lab/stats.h"

struct result_player { /* one player of a cell */
    const char *name, *text;
    struct rate rate;
    uint64_t seats, moves, errors; /* seats taken, moves made, moves replaced */
    double simulations, seconds;   /* of thinking */
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
    double steps, seconds; /* added up over games */
    char budget[80];       /* of the first player, for people */
};

struct results {
    struct heap *heap;
    const char *name, *title, *description, *source; /* source: of the published figures; NULL: none */
    const char **games, **pairings;                  /* labels: rows and columns */
    uint32_t ngames, npairings;
    enum spec_measure measure;
    uint64_t seed;
    const char *version;       /* of the program that played, the last one */
    struct result_cell *cells; /* by game * npairings + pairing */
    uint64_t played, wanted;
    double seconds; /* spent in games, added up over jobs */
};

void results_free(struct results *r);

#endif
