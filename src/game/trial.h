/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random games played to find faults that no look at the rules reveals: a role without a move, a game that
 * does not end, ends without a goal or with several. */
#ifndef GAME_TRIAL_H
#define GAME_TRIAL_H

#include "game/reasoner.h"

struct trial_options {
    uint32_t games, steps; /* how many games, and how long one may last */
    uint64_t seed;
    double seconds; /* for all of them; 0: as long as it takes */
    bool strict;    /* also demand that goals are always defined and never fall */
};

struct trial {
    uint32_t begun;             /* games begun; the last may have been given up for want of time */
    uint32_t games, ended;      /* games played, and of these ended within the steps allowed */
    uint32_t shortest, longest; /* steps of those that ended */
};

/* Play and report to `diags`; each kind of fault once per role, with its number of games and the first place:
 * engine, `seed` and number of the game decide all its moves. Call inside a guard of diags->heap. */
void trial_run(struct reasoner *reasoner, const struct trial_options *options, struct diags *diags,
               struct trial *result);

#endif
