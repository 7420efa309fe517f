/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which way of searching suits this game? On the start clock the candidates play short matches against the
 * player as it is, many side by side on the lanes of every thread:
 *
 *     trial bouts ── how long is a match, how fast are we? ── simulations a move, so that there is time for
 *          │                                                  some matches with every candidate
 *          └── too few: stay as we are
 *     bouts ── the next one for whom it may still be worth it (UCB) ── the best candidate, if it is better
 *
 * A candidate plays one role, the others are played by the player as it is. Points are shares: half is even.
 */
#ifndef PLAYER_AUDITION_H
#define PLAYER_AUDITION_H

#include "game/engine.h"
#include "player/config.h"

/* A way of searching: a name, and the options in which it differs from the player as it is. */
struct arm {
    const char *name, *options;
};
/* The first one is the player as it is. Names are the choices of the option `arm`, behind "off" and "auto".
 */
enum { ARM_OFF, ARM_AUTO, ARM_FIRST };
extern const struct arm player_arms[];
enum { AUDITION_ARMS = 16 };
uint32_t player_arms_count(void);

struct audition_report {
    bool held;
    uint32_t arms;        /* 0: there was no time to find anything out, or the game is too large */
    uint32_t simulations; /* a move */
    uint32_t chosen;
    double seconds;
    struct {
        double points, speed; /* simulations to one of the first's */
        uint32_t games;
    } arm[AUDITION_ARMS];
};

/* Held until a share of the budget's time, or of its counts, is spent; leaves the rest to the search. `out`
 * says who was chosen and why. The engine must be ready. False and an error if it could not be held. */
bool audition_hold(const struct player_config *config, const struct game *game, struct engine *engine,
                   uint32_t threads, uint64_t seed, const struct budget *budget, struct audition_report *out,
                   struct error *error);
/* Of a budget in counts, what it leaves to the search. */
void audition_leave(struct budget *budget);
/* The player's options with those of an arm. */
bool audition_apply(struct player_config *config, uint32_t arm, struct error *error);

#endif
