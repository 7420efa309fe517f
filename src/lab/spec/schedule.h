/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What will be played: an experiment with its games loaded, as a list of cells. The schedule is a function of
 * the spec alone: game number i of a cell has the same players in the same seats with the same seed in every
 * run.
 *
 *     spec ──> schedule: cells[0..n)  ──>  game (cell, i): seats = assignments[i mod C], seed = hash(cell, i)
 */
#ifndef LAB_SCHEDULE_H
#define LAB_SCHEDULE_H

#include "lab/spec/spec.h"

struct schedule_cell {
    uint32_t game, pairing; /* of the spec */
    uint32_t nplayers;
    uint32_t number;            /* games wanted: whole rotations */
    uint32_t nassignments;      /* C */
    const uint8_t *assignments; /* C rows of nroles: which player of the pairing sits there */
    struct match_budget budget[SPEC_MAX_PLAYERS]; /* by player of the pairing */
    uint64_t key;         /* what seeds come from: the experiment's seed, the rules, the players */
    char digest[41];      /* of everything that decides what is played */
    const char *settings; /* the same for people */
    bool later;           /* it is not played now, and the number of games wanted stays what it was */
    int64_t id;           /* in the database */
};

struct schedule {
    const struct spec *spec; /* the caller's */
    struct heap *heap;
    struct game **games; /* by row of the spec */
    struct schedule_cell *cells;
    uint32_t ncells;
    uint64_t total; /* games wanted */
};

struct schedule *schedule_new(const struct spec *spec, struct error *error);
void schedule_free(struct schedule *p);

/* Who sits where in that game of the cell: seats[role] = player of the pairing. */
void schedule_seats(const struct schedule *p, const struct schedule_cell *c, uint32_t number,
                    uint32_t *seats);
uint64_t schedule_seed(const struct schedule_cell *c, uint32_t number);

/* All ways to give `nplayers` players to `nroles` seats such that each has at least one, row after row, on
 * the heap; what is at 2j + 1 is what is at 2j with the first and the last player exchanged, the second and
 * the last but one, and so on. Gives up through the guard if there are too many. */
const uint8_t *schedule_assignments(struct heap *heap, uint32_t nplayers, uint32_t nroles, uint32_t *count);

#define SCHEDULE_BUDGET_TEXT 120
/* "100 simulations and 10 s per move" */
void schedule_print_budget(const struct match_budget *b, char out[SCHEDULE_BUDGET_TEXT]);

#endif
