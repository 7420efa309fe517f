/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many random games side by side in the lanes of a batch: the very games that playout.h plays one after the
 * other for the same seed, whatever the number of lanes. */
#ifndef GAME_PLAYOUTS_H
#define GAME_PLAYOUTS_H

#include "circuit/batch.h"
#include "game/reasoner.h"

struct playouts_options {
    uint64_t seed, games;
    uint64_t steps; /* a game is given up after so many; 0: never */
    uint32_t lanes; /* one of batch_widths; 0: the widest */
};

/* A game has ended after `ply` steps, in no particular order. `goals` by role, GOAL_UNDEFINED where there is
 * not exactly one; NULL: it was given up. */
typedef void playouts_end(void *data, uint64_t ply, const int *goals);

/* Play on the circuit of the reasoner (reasoner_code). False and an error if a game is faulty (of several,
 * the one that comes first is named), if there is no memory, or with ERROR_CANCELLED when *stop was set: then
 * those that had ended were told. */
bool playouts_run(struct reasoner *reasoner, const struct playouts_options *options, const atomic_bool *stop,
                  playouts_end *end, void *data, struct error *error);

#endif
