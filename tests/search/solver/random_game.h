/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random small games: positions in layers, moves that lead to the next layers, ends with random goals.
 * Several ways lead to many positions. Nothing about them is regular, so a bound that is wrong somewhere
 * shows soon. */
#ifndef TESTS_SOLVER_RANDOM_GAME_H
#define TESTS_SOLVER_RANDOM_GAME_H

#include "game/game.h"

#include <stdbool.h>
#include <stdint.h>

struct random_game {
    uint32_t roles;
    bool at_once;                  /* several may choose in one position */
    bool constant_sum;             /* two roles: goals add up to 100 */
    uint32_t values;               /* how many goal values there are: 2, 3, 5, 11 */
    uint32_t layers, width, moves; /* at most */
};

/* The kind of game number i of a series: all kinds come up. */
struct random_game random_game_kind(uint32_t i);
/* That game. */
struct game *random_game_load(uint32_t i);

#endif
