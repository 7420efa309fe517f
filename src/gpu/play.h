/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random games on a GPU until there are enough. All that were begun are played to their end: were those left
 * out that are not over by then, long games would be missing. */
#ifndef GPU_PLAY_H
#define GPU_PLAY_H

#include "gpu/device.h"

struct gpu_enough {
    uint64_t games; /* so many, all roots together, given up ones included; 0: as many as there is time for */
    double deadline; /* clock_now() time; 0: none */
    uint64_t steps;  /* a game is given up when it is between once and twice as long; 0: never */
    const atomic_bool *stop;
    void (*tell)(void *data, uint64_t games); /* now and then; may be NULL */
    void *data;
};

/* `sums` as gpu_games_sums gives them. False and an error, ERROR_CANCELLED when *stop was set; the sums are
 * then those of the games that have ended. How many games there are does not depend on time, unless there is
 * a deadline. */
bool gpu_play(struct gpu_games *g, const struct circuit *c, const struct gpu_enough *enough, uint64_t *sums,
              struct error *error);

#endif
