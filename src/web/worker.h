/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that work for the page, seen from inside. They are told and answer as those of `serve` are
 * (net/worker.h), begin with the same first frame, and are as expendable: whatever rules, records or players
 * elsewhere do to them, the server only sees a child die.
 *
 *     referee   one per table: follows the game for all roles, draws positions, knows what is legal where
 *     search    one per seat of ours, and one that is asked for advice (net/search.c)
 *     courier   one per seat of a player elsewhere
 *     desk      one per sheet to be looked at: findings, layout, first position
 *     archive   one for the laboratory's database, while somebody reads it
 *
 * In the first frame PLAYER says what the referee and the desk are to do, and ROLE how the sheet is called:
 *
 *     start SEED MEGABYTES SECONDS rules|record \n NAME \n TEXT       referee: play by the rules; follow a
 * record start SEED MEGABYTES SECONDS check|format|picture \n NAME \n TEXT   desk: one answer, then it ends
 *     start SEED MEGABYTES SECONDS URL \n ROLE \n RULES               courier
 *     start SEED MEGABYTES SECONDS - \n DATABASE                      archive
 *
 * Further orders; what is asked for by the page bears its number ID, and so does the answer:
 *
 *     follow FIRST COUNT \n MOVE ...     referee: forget what came after turn FIRST, make these joint moves
 *     show ID TURN                       referee: a position of the game
 *     line ID TURN COUNT \n MOVE ...     referee: the positions these joint moves would lead to
 *     random ID SEED STEPS               referee: play on at random, at most so many steps
 *     report ID \n EXPERIMENT            archive: the table of an experiment; none named: the list of all
 *     record ID NUMBER \n EXPERIMENT \n GAME \n PAIRING    archive: one game
 *
 * follow, think and rest reach the courier as they reach a search.
 */
#ifndef WEB_WORKER_H
#define WEB_WORKER_H

#include "net/worker.h"

void referee_run(struct inbox *b, const struct assignment *a);
void desk_run(struct inbox *b, const struct assignment *a);
void courier_run(struct inbox *b, const struct assignment *a);
void archive_run(struct inbox *b, const struct assignment *a);

#endif
