/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Players: somebody who thinks about the moves of one role.
 *
 *     ludens_player_new ── think ── advance ── think ── ... ── ludens_player_free
 *
 * A player keeps its own idea of the state. It starts on the lifted engine and moves to the circuit when that
 * is ready; a budget in counts waits for it first, so that the same seed gives the same moves every time.
 * Moves come in and go out as numbers of the engine that is passed along.
 */
#ifndef LUDENS_PLAYER_H
#define LUDENS_PLAYER_H

#include "game.h"

LUDENS_BEGIN

struct ludens_player;

/* How long to think: whichever ends first; 0: no limit of that kind. */
struct ludens_budget {
    double seconds; /* less than 0 is an error */
    uint64_t simulations;
    uint64_t steps;      /* positions entered, in the tree and in playouts */
    uint64_t expansions; /* nodes added to the tree */
    const struct ludens_stop *stop;
};

/* `who` as `ludens players` lists it, with options: "champion", "nst,epsilon=0.1". The circuit is begun if
 * nobody has. */
LUDENS_API struct ludens_player *ludens_player_new(struct ludens_game *game, uint32_t role, const char *who,
                                                   uint64_t seed, struct ludens_error *error);
LUDENS_API void ludens_player_free(struct ludens_player *player); /* NULL is fine */

/* Think about the state and say what to play. The answer is there before the time is over, whatever the rules
 * are like, and is a legal move if one could be found. */
LUDENS_API bool ludens_player_think(struct ludens_player *player, struct ludens_engine *engine,
                                    const struct ludens_budget *budget, uint32_t *move,
                                    struct ludens_error *error);
/* Think on others' time, until the budget is spent: for a thread of its own, with a stop flag. End it and
 * join the thread before anything else is asked of the player. */
LUDENS_API bool ludens_player_ponder(struct ludens_player *player, const struct ludens_budget *budget,
                                     struct ludens_error *error);
/* This joint move was made. */
LUDENS_API bool ludens_player_advance(struct ludens_player *player, struct ludens_engine *engine,
                                      const uint32_t *joint, struct ludens_error *error);
/* Go on from this state, for analysis and take-backs. What is known of it is kept. */
LUDENS_API bool ludens_player_goto(struct ludens_player *player, const struct ludens_state *state,
                                   struct ludens_error *error);

/* What the last think was about. */
struct ludens_thought {
    uint32_t move, visits;
    double value;     /* mean reward, 0 to 100 */
    double low, high; /* what is proved of it */
};
struct ludens_thoughts {
    uint64_t simulations, expansions, steps;
    double seconds;
    uint32_t nodes, depth;    /* of the tree */
    double value;             /* the reward it expects */
    bool circuit;             /* else it was on the lifted engine */
    enum ludens_code trouble; /* LUDENS_OK, or what kept it from thinking as it should */
    char trouble_text[512];
    const struct ludens_thought *moves; /* its own at the root, most visited first */
    uint32_t count;
};
/* `out->moves` are numbers of `engine`, belong to the player and last until this is called again. */
LUDENS_API bool ludens_player_thoughts(struct ludens_player *player, struct ludens_engine *engine,
                                       struct ludens_thoughts *out, struct ludens_error *error);
/* The same, with the line it expects, as `ludens think --json` prints it. */
LUDENS_API size_t ludens_player_json(struct ludens_player *player, char *buffer, size_t size);

LUDENS_END

#endif
