/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The player's end: allies (player/allies.h) that are reached through the carrier of this machine.
 *
 *     player ── call, start, think, rest ──> carrier ══ MPI ══> carriers of the other ranks ──> ally ...
 *            <── RANK tally, RANK lost, RANK back ──
 *
 * What is said is text, a verb and its arguments in the first line:
 *
 *     call RANKS                                           how many there shall be, the player among them
 *     start SEED MEGABYTES 0 PLAYER \n ROLE \n RULES       to each ally, as to any worker (net/worker.h)
 *     think ORDER SERIAL PLIES PARTS SECONDS SIMS STEPS EXPANSIONS \n FACT \n FACT ...
 *     rest
 *
 * Every order has all that it takes to carry it out, so that one that is lost is no harm, and an ally that
 * died and was started again goes on with the next. */
#ifndef CLUSTER_ALLIANCE_H
#define CLUSTER_ALLIANCE_H

#include "player/allies.h"

/* A name of no file, by which players find their carrier; in the environment of all processes of rank 0:
 * "NUMBER SIZE LOCAL NAME". */
#define ALLIANCE_VARIABLE "LUDENS_CLUSTER"

/* Players of this process have allies from now on, if its environment tells where. */
void alliance_announce(void);

#endif
