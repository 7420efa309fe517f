/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who sits on which role: `--seat ROLE=PLAYER`. A player is one row of the table in seat.c. */
#ifndef CLI_SEAT_H
#define CLI_SEAT_H

#include "cli/options.h"
#include "game/playout.h"

struct seat;

struct seat_player {
    const char *name;
    const char *help;
    /* Choose a move for the role in the state the playout is in, where it has several. False: see `error`;
     * ERROR_CANCELLED means that the person wants to stop. */
    bool (*choose)(struct seat *seat, struct playout *p, uint32_t *move, struct error *error);
};

struct seat {
    const struct seat_player *player;
    const char *text; /* as given: PLAYER may be followed by `:` and options of its own */
    uint32_t role;
};

/* Fill one seat per role; those that are not named get the player `others`. False and an error that tells the
 * roles or players there are. */
bool seats_assign(struct seat *seats, const struct game *game, const struct option_list *given,
                  const char *others, struct error *error);
bool seats_have(const struct seat *seats, uint32_t n, const char *player);

#endif
