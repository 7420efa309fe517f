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
    /* what makes choices independent of the engine: a hash of each move's text, by role and move; 0: not yet
     */
    struct playout_keys {
        uint64_t *v;
        uint32_t n;
    } * keys;
    struct heap *heap; /* for that text */
};

bool playout_init(struct playout *p, struct reasoner *reasoner);
void playout_done(struct playout *p);

/* Start a new game. What is chosen depends on `seed`, `game` and the rules alone: not on the games played
 * before, nor on the engine and the order in which it happens to list moves. */
bool playout_begin(struct playout *p, uint64_t seed, uint64_t game);
uint32_t playout_pick(struct playout *p, uint32_t role); /* any of the role's moves, each as likely */
void playout_choose(struct playout *p);                  /* fill `joint` with such moves */
bool playout_move(struct playout *p);                    /* make `joint` */

#endif
