/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The half of `ludens info` that looks at the circuit of a game. */
#ifndef CLI_INFO_CIRCUIT_H
#define CLI_INFO_CIRCUIT_H

#include "game/game.h"

/* Ground the game and print sizes before and after each reduction, depth, loops, time and memory of each
 * stage. Returns the exit status. */
int info_circuit(const char *command, const struct game *game, bool json);

#endif
