/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A seat that plays by a budget of its own, and counts. In the papers' experiments one player is often slower
 * than the other: each gets the simulations it would have had. */
#ifndef LAB_SEAT_H
#define LAB_SEAT_H

#include "match/match.h"

struct lab_seat {
    struct seat seat;
    struct seat *inner; /* owned */
    struct match_budget budget;
    struct budget asked; /* the last it was asked with */
    uint64_t simulations, steps, decided;
    uint32_t thoughts; /* moves it searched for */
    uint32_t troubles; /* searches that failed: the move was any */
    double thinking;   /* seconds */
};

/* Takes over the inner seat; NULL if there is no memory (or no inner seat). */
struct lab_seat *lab_seat_new(struct seat *inner, const struct match_budget *budget);

#endif
