/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database of the laboratory: every game that was played, with everything needed to play it again.
 *
 *     experiment 1 ──── n cell 1 ──── n game     one row per finished game, written in one transaction
 *                           └──────── n claim    games somebody is playing now ──── runner: who, alive when
 *     rules                                      the sheets, by digest
 *
 * A game is claimed before it is played and written when it is over, together with the end of the claim;
 * (cell, number) is a key, so none is counted twice.
 *
 * The database is a file (SQLite) or a server (PostgreSQL, postgresql://...). In a file whoever is killed
 * leaves claims behind: they are void once their runner is dead (its process is gone, or, from another
 * machine, its heart has not beaten for two minutes). A server knows who is there: a claim is the lock of a
 * row, and ends with the connection. What a server cannot do while it is away is done when it is back.
 *
 * All functions may be called by several threads. */
#ifndef LAB_DB_H
#define LAB_DB_H

#include "lab/spec/schedule.h"

struct db;

/* A path, or a URL: that of a server. */
bool db_is_remote(const char *path);

/* NULL and an error if it cannot be opened, or is something else. Without `create` it must exist. */
struct db *db_open(const char *path, bool create, struct error *error);
const char *db_name(const struct db *db); /* for messages: a URL without its password */
void db_close(struct db *db);             /* gives up what is claimed; NULL is fine */

/* How long to wait for a server that is away, and who is told. */
struct db_patience {
    double seconds;          /* 0: fail at once */
    const atomic_bool *stop; /* wait no longer; may be NULL */
    void (*say)(void *data, const char *text);
    void *data;
};
void db_be_patient(struct db *db, const struct db_patience *patience);

/* Enter the experiment under this name, or find it there, and fill in the cells' ids. An experiment that was
 * changed since: false and an error that says how; with `force` the games of changed cells are thrown away.
 */
bool db_enrol(struct db *db, struct schedule *schedule, const char *name, const char *spec_text, bool force,
              struct error *error);

/* Which games of a cell are there already: done[number] for number < n. *seconds is what they took
 * together. */
bool db_done(struct db *db, int64_t cell, bool *done, uint32_t n, double *seconds, struct error *error);

bool db_heartbeat(struct db *db,
                  struct error *error); /* to be called every few seconds while games are played */

enum db_claim { DB_CLAIMED, DB_PLAYED, DB_BUSY };
/* May I play this game? Busy: somebody else is at it. */
bool db_claim(struct db *db, int64_t cell, uint32_t number, enum db_claim *out, struct error *error);
bool db_release(struct db *db, int64_t cell, uint32_t number,
                struct error *error); /* it will not be played after all */

struct db_game { /* arrays by role */
    int64_t cell;
    uint32_t number, nroles, steps;
    uint64_t seed;
    const uint32_t *seats; /* which player of the pairing */
    const int *goals;
    const uint32_t *errors;
    const uint64_t *simulations;
    const uint32_t *thoughts; /* moves with a choice, for which it thought */
    const double *thinking;   /* seconds */
    double seconds;
    const char *moves; /* JSON: a list of joint moves */
};
bool db_finish(struct db *db, const struct db_game *r, struct error *error);

/* Take over the games of another database, made elsewhere by the same experiments; how many were new. False
 * and an error if an experiment of the same name was played there by other settings: then nothing is taken.
 */
bool db_merge(struct db *db, const char *other, uint64_t *games, struct error *error);

#endif
