/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One game played step by step, at random or by somebody's choice: what simulations, samples, walks for
 * checks and matches in the terminal share.
 *
 *     playout_begin ──> state, terminal, legal ──> playout_choose ──> joint ──> playout_move ──┐
 *                              ^                   (or set joint)                              │
 *                              └───────────────────────────────────────────────────────────────┘
 *
 * False always means: see `reasoner->error`. That is also how a faulty game shows: a role without a move in a
 * state that is not the end.
 */
#ifndef GAME_PLAYOUT_H
#define GAME_PLAYOUT_H

#include "base/rng.h"
#include "game/reasoner.h"

struct playout {
    struct reasoner *reasoner;
    struct rng rng;
    struct state state;
    struct state after; /* scratch */
    uint32_t ply;       /* moves made since the beginning */
    bool terminal;
    struct list *legal; /* by role; all empty when terminal */
    uint32_t *joint;    /* by role: the move to make next */
};

bool playout_init(struct playout *p, struct reasoner *reasoner);
void playout_done(struct playout *p);

/* Start a new game; the random numbers of the game depend on `seed` and `game` alone, so that games can be
 * played in any order. */
bool playout_begin(struct playout *p, uint64_t seed, uint64_t game);
void playout_choose(struct playout *p); /* fill `joint`, uniformly over each role's moves */
bool playout_move(struct playout *p);   /* make `joint` */

#endif
