/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person in a seat: at the keyboard, by number or by typing the move. */
#ifndef CLI_HUMAN_H
#define CLI_HUMAN_H

#include "match/match.h"

enum human_wish { HUMAN_PLAYS, HUMAN_LEAVES, HUMAN_TAKES_BACK, HUMAN_WANTS_HINT, HUMAN_SAVES, HUMAN_RESIGNS };

struct human {
    struct seat seat;
    enum human_wish wish; /* why the step was interrupted */
    bool plain;           /* may only play or leave: others are waiting */
    char file[300];       /* of HUMAN_SAVES */
};

extern const char human_commands[]; /* what can be typed, for people */

struct human *human_new(void);                /* NULL without memory; free through seat.ops->free */
struct human *seat_get_human(struct seat *s); /* NULL if it is somebody else's */

#endif
