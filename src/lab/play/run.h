/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playing an experiment: worker threads take games off the schedule until there are none left.
 *
 *     schedule ── row by row, its cells in order of number ──> claim ── worker plays ──> finish: one record
 *
 * Where budgets are counts a worker plays as many games of a row as fill the lanes of the circuit, of
 * whatever pairings, side by side on one driver (match/together.h); each search is the sequential algorithm
 * all the same. By the clock, and with players elsewhere, it plays one after the other. Each game's engine is
 * made once, when the first game needs it, and shared. A game is written down when it is over, so whatever
 * ends the run loses at most the games being played. */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "lab/database/db.h"

struct run_progress {
    uint64_t done, total; /* games of the experiment, or of its cells to be played */
    uint64_t played;      /* in this run */
    uint64_t elsewhere;   /* claimed by others when we came by */
    uint64_t failed;      /* games that could not be played */
    double elapsed;       /* seconds */
    double left;          /* seconds, estimated; negative: unknown */
};

struct run_options {
    uint32_t jobs;           /* worker threads, at least 1 */
    uint32_t together;       /* games side by side on each; 0: as many as pay, play_together */
    uint32_t part, parts;    /* play every parts-th game only, beginning with the part-th; 0 parts: all */
    bool stay;               /* play also what others have claimed and left, until all games are there */
    const atomic_bool *stop; /* games in progress are given up; may be NULL */
    /* Called by the thread that called run_experiment, a few times a second; may be NULL. */
    void (*progress)(void *data, const struct run_progress *p);
    /* Called by workers, one at a time, for every game they finish: the points of the first player (its
     * goals, where that is the measure). False: enough, end the run. May be NULL. */
    bool (*finished)(void *data, const struct schedule_cell *c, uint32_t number, double score);
    void *data;
};

/* The schedule must be enrolled. True when all games were played (by us or somebody else) or claimed by
 * others, and when `stop` or `finished` ended it; *summary says how far it came. False and an error if the
 * database failed or games could not be played. */
bool run_experiment(struct schedule *schedule, struct db *db, const struct run_options *o,
                    struct run_progress *summary, struct error *error);

/* The score of a game as `finished` gets it. */
double run_score(const struct schedule *schedule, const int *goals, const uint32_t *seats, uint32_t nroles);

#endif
