/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that speak SQL share. */
#ifndef LAB_DB_INTERNAL_H
#define LAB_DB_INTERNAL_H

#include "lab/database/db.h"

#include <pthread.h>
#include <sqlite3.h>

struct db {
    sqlite3 *sql;
    const char *path;
    pthread_mutex_t lock; /* held by whoever speaks to it */
    int64_t runner;       /* our row; 0: not yet */
    bool reads;           /* it is only read */
    bool immutable;       /* and lies where nobody can write */
    struct {
        const char *text;
        sqlite3_stmt *statement;
    } cache[24]; /* prepared once: texts are constants, known by address */
};

extern const char db_schema[], db_schema_boards[]; /* the tables; those of experiments with boards */

/* db_trust.c. Tell SQLite to run nothing the file brings along; whether its schema is ours. */
bool db_distrust(sqlite3 *sql);
bool db_check_schema(struct db *db, struct error *error);
/* The path as a URI, for read-only media if `immutable`; the caller frees it. */
char *db_uri(const char *path, bool immutable);

/* The error of the database, in words. Returns false. */
bool db_trouble(struct db *db, struct error *error);

/* A statement, with values bound to its ?s by a format: i int64_t, d double, t text (NULL is
 * NULL). NULL and an error if it is wrong. It is the cache's, to be reset by db_reset. */
sqlite3_stmt *db_prepare(struct db *db, const char *text, struct error *error, const char *format, ...);
void db_reset(sqlite3_stmt *statement);
/* A column's text, "" where there is none: a damaged file has NULL where the schema forbids it. */
const char *db_text(sqlite3_stmt *statement, int column);
/* The same, run to its end. */
bool db_do(struct db *db, const char *text, struct error *error, const char *format, ...);
/* One number: the first column of the first row; `otherwise` if there is no row. */
bool db_number(struct db *db, const char *text, int64_t otherwise, int64_t *out, struct error *error,
               const char *format, ...);

/* The lock and a transaction; db_end commits if all was good and takes back everything if not. */
bool db_begin(struct db *db, struct error *error);
bool db_end(struct db *db, bool good, struct error *error);

#endif
