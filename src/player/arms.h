/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways of searching among which a player may choose, and what is expected of each before it has played. */
#ifndef PLAYER_ARMS_H
#define PLAYER_ARMS_H

#include "player/config.h"

/* What can be seen of a way of searching without a match. */
struct arm_signs {
    double speed; /* simulations to one of the player's own way; 1 where they are counted */
    /* of those who judge positions: */
    double explains; /* of what makes random games end differently, by its evaluation; 0..1 */
    bool travels;    /* pieces go from cell to cell */
    bool turns;      /* pieces that stay where they are put are made into others there */
    bool at_once;    /* both choose at once, as a rule */
    bool shaped;     /* made for games of this shape: race, stacks, fitted */
    double decided;  /* of the player's own simulations, those that ended better for one than for another */
    bool foreseen;   /* the player's own playouts see wins coming (decisive.h) */
};

/* A name, the options in which it differs from the player as it is, and the points it is expected to have
 * against that, as a share. */
struct arm {
    const char *name, *options;
    uint32_t few, many; /* roles it is for */
    double (*expected)(const struct arm_signs *signs);
    double swing; /* how much better it may well be than that: who is worth a match */
};

/* The first one is the player as it is. Names are the choices of the option `arm`, behind "off" and "auto".
 */
enum { ARM_OFF, ARM_AUTO, ARM_FIRST };
enum { ARMS_MOST = 16 };
extern const struct arm player_arms[];
uint32_t player_arms_count(void);

/* The player's options with those of an arm. */
bool player_arm_apply(struct player_config *config, uint32_t arm, struct error *error);

#endif
