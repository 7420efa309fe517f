/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One game of the database as a match record, to be replayed or read elsewhere. */
#ifndef LAB_EXPORT_H
#define LAB_EXPORT_H

#include "lab/database/db.h"
#include "match/record.h"

/* NULL for game and pairing: the first. The record is the caller's. NULL and an error if there is no such
 * game. */
struct record *export_game(struct db *db, const char *experiment, const char *game, const char *pairing,
                           uint32_t number, struct error *error);

#endif
