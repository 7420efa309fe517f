/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as text, to be kept with the source: a file for each experiment, a line (JSON) for each cell.
 *
 *     {"game": "Connect5", "pairing": "MAST", "digest": "…", "settings": "rules …, seed 1, …",
 *      "goals": [[100, 0], [0, 100]], "games": "0110-1", "steps": 131, "seconds": 2.5, "version": "0.1.0",
 *      "players": [{"simulations": 81000, "thoughts": 66, "thinking": 1.2, "errors": 0}, …]}
 *
 * Character i of `games` says how game number i ended: which of the `goals`, counted in 0-9 a-z A-Z (in two
 * characters each where there are more than 62), or - where it was not played. Who sat where and the seed
 * follow from the number. What is added up over the cell is given back in equal shares; moves are not kept.
 *
 * A cell is known by its digest alone, so that whatever experiment has a cell of these settings has its
 * games, and one whose settings have changed has none. */
#ifndef LAB_KEPT_H
#define LAB_KEPT_H

#include "lab/database/db.h"

struct kept;

/* Everything below a folder (files NAME.jsonl); a folder that is not there has nothing. NULL and an error
 * with file and line if something is no result. */
struct kept *kept_read(const char *folder, struct error *error);
void kept_free(struct kept *kept);

/* Put the games into every cell of the database that has their digest, where it does not have them; how many.
 */
bool kept_fill(const struct kept *kept, struct db *db, uint64_t *games, struct error *error);

/* Write what a database has of an experiment to `path`; lines of cells that it does not have are taken over
 * from what was read before (`old`, from `path`; may be NULL), unless they are of the same game and pairing.
 */
bool kept_write(struct db *db, const char *experiment, const struct kept *old, const char *path,
                struct error *error);

#endif
