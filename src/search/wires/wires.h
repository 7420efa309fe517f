/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playouts that never leave the wires: a batch of lanes of its own, in which groups of playouts begin where
 * they are asked for and moves are chosen for all lanes at once.
 *
 *     wires_put: group ──queue──> lanes: choose ─ step ─ view ──ended──> parked ──goals──> wires_over: group
 *                (state, first move,     │
 *                 how many)              └─> history: what every lane played, the last so many rounds
 *
 * Nothing is done lane by lane but where a playout begins or ends. */
#ifndef SEARCH_WIRES_WIRES_H
#define SEARCH_WIRES_WIRES_H

#include "circuit/batch.h"
#include "search/policy.h"

struct wires;

/* Playouts from one state; the caller's, until the last one is over. */
struct wires_group {
    const uint64_t *state; /* not ended */
    const uint32_t *moves; /* by role: the first joint move of all of them; NULL: they choose */
    uint32_t wanted;
    uint32_t begun, over; /* of these; wires_put sets both to 0 */
    uint32_t turn;        /* the state's, if it matters; wires_put finds it */
    uint32_t lane;        /* where the first one began */
    struct wires_group *next;
};

/* A playout that is over. */
struct wires_playout {
    struct wires_group *group;
    const float *reward;         /* by role */
    uint32_t steps;              /* after the first joint move, where that was given */
    bool cut;                    /* broken off before the game's end */
    uint32_t lane, began, ended; /* for wires_moves */
};

struct wires_limits {
    uint32_t steps;   /* playouts longer than this are broken off as draws */
    uint32_t cut;     /* after so many they are broken off; 0: never */
    bool cut_by_goal; /* with the goals of the state they are in, else as draws */
};

/* What happens with a playout that is over; called from wires_round. */
typedef void wires_over(void *data, const struct wires_playout *p);

/* Whether playouts by this policy can be had on the wires of this game. */
bool wires_fit(const struct policy *p, const struct code *code);
/* The policy must outlive it; its tables may change between rounds. `records`: wires_moves will be asked.
 * NULL and an error without memory. */
struct wires *wires_new(const struct code *code, const struct policy *policy, bool records, uint64_t seed,
                        wires_over *over, void *data, struct error *error);
void wires_free(struct wires *w);
void wires_limit(struct wires *w, const struct wires_limits *limits);
void wires_put(struct wires *w, struct wires_group *g);
/* One step of all lanes. Playouts that are over are told of some rounds later. */
void wires_round(struct wires *w);
/* How many playouts there are lanes for; have not begun; have begun and are not over. */
uint32_t wires_lanes(const struct wires *w);
uint32_t wires_waiting(const struct wires *w);
uint32_t wires_playing(const struct wires *w);
void wires_clear(struct wires *w); /* forget all of them */
/* The policy has learned from these moves, steps * nroles. */
void wires_learned(struct wires *w, const uint32_t *moves, const uint8_t *forced, uint32_t steps);
/* What was played, steps * nroles, and whether it was the only legal move. False: it was too long ago, or
 * there is no memory for it. Within wires_over only. */
bool wires_moves(struct wires *w, const struct wires_playout *p, const uint32_t **moves,
                 const uint8_t **forced);

#endif
