/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which way of searching suits this game? On the start clock the candidates (arms.h) play short matches
 * against the player as it is, many side by side on the lanes of every thread:
 *
 *     a glance at each ── how fast is it, what is to be expected of it?
 *     trial bouts ── how long is a match? ── simulations a move, so that there is time for some matches with
 *          │                                 every candidate, or with those of whom most is expected
 *          └── no time: what is expected decides
 *     bouts ── the next one for whom it may still be worth it (UCB) ── the best candidate, if it is better
 *
 * A candidate plays one role, the others are played by the player as it is. Points are shares: half is even.
 * What is expected counts as some matches.
 */
#ifndef PLAYER_AUDITION_H
#define PLAYER_AUDITION_H

#include "game/engine.h"
#include "player/arms.h"

struct audition_report {
    bool held;
    uint32_t arms;        /* of whom something is known; 0: the game is too large, or the clock too short */
    uint32_t simulations; /* a move; 0: there was no time for matches */
    uint32_t chosen;
    double seconds;
    struct judgement
        *judgement; /* that the one chosen is to play by, the caller's; NULL: it has to find out */
    struct minimax_lessons *lessons; /* the same for minimax */
    struct {
        bool heard; /* or at least looked at */
        double points, expected;
        struct arm_signs signs;
        uint32_t games;
    } arm[ARMS_MOST];
};

/* Held until a share of the budget's time, or of its counts, is spent; leaves the rest to the search. `out`
 * says who was chosen and why. The engine must be ready. False and an error if it could not be held. */
bool audition_hold(const struct player_config *config, const struct game *game, struct engine *engine,
                   uint32_t threads, uint64_t seed, const struct budget *budget, struct audition_report *out,
                   struct error *error);
/* Of a budget in counts, what it leaves to the search. */
void audition_leave(struct budget *budget);

#endif
