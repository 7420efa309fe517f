/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that speak SQL share. They speak what SQLite and PostgreSQL both understand; what differs is
 * behind struct db_backend, one file for each.
 *
 *     struct db_rows *rows = db_ask(db, "SELECT name FROM experiment WHERE id = ?", error, "i", id);
 *     while (db_next(rows)) use(db_text(rows, 0));
 *     return db_leave(rows, error);
 */
#ifndef LAB_DB_INTERNAL_H
#define LAB_DB_INTERNAL_H

#include "lab/database/db.h"

#include <pthread.h>
#include <stdatomic.h>

/* A value for a ? of a statement. */
struct db_value {
    char kind; /* i int64_t, d double, t text (NULL is NULL) */
    bool null;
    int64_t i;
    double d;
    const char *t;
};

enum { DB_VALUES = 16 }; /* most that a statement has */

/* What was asked for, row by row. Backends put their own behind it. */
struct db_rows {
    struct db *db;
};

struct db_backend {
    /* Connect, and make the tables where there are none and it is not only read. */
    bool (*open)(struct db *db, struct error *error);
    void (*close)(struct db *db); /* also what was opened half */
    bool (*begin)(struct db *db, struct error *error);
    bool (*commit)(struct db *db, struct error *error);
    void (*rollback)(struct db *db);
    struct db_rows *(*ask)(struct db *db, const char *text, const struct db_value *values, int n,
                           struct error *error);
    bool (*next)(struct db_rows *rows);
    bool (*leave)(struct db_rows *rows, struct error *error); /* false: they ended too early */
    bool (*null)(struct db_rows *rows, int column);
    int64_t (*integer)(struct db_rows *rows, int column);
    double (*real)(struct db_rows *rows, int column);
    const char *(*text)(struct db_rows *rows, int column); /* NULL is NULL */
    /* The tables of experiments with boards, which not every database has: are they there? */
    bool (*boards)(struct db *db, bool make, bool *there, struct error *error);
    /* Games 0 to n-1 of a cell may be claimed from now on. NULL: they may anyway. */
    bool (*plan)(struct db *db, int64_t cell, uint32_t n, struct error *error);
    /* Claims, within a transaction: take one if nobody living has it; give it back; tell that we live. */
    bool (*hold)(struct db *db, int64_t cell, uint32_t number, bool *held, struct error *error);
    bool (*drop)(struct db *db, int64_t cell, uint32_t number, struct error *error);
    bool (*beat)(struct db *db, struct error *error);
    /* After a failure: it is mended, do the transaction again. NULL: that never helps. */
    bool (*again)(struct db *db, struct error *error);
};

extern const struct db_backend db_sqlite, db_postgres;

struct db {
    const struct db_backend *backend;
    void *link;           /* the backend's */
    char *path;           /* of a file, or a URL */
    char *name;           /* the same for messages: without a password */
    pthread_mutex_t lock; /* held by whoever speaks to it */
    bool reads;           /* it is only read */
    int64_t runner;       /* our row; 0: not yet */
    struct db_patience patience;
};

extern const char db_schema[], db_schema_boards[]; /* the tables; those of experiments with boards */

/* Run a statement with values bound to its ?s by a format: i int64_t, d double, t text. NULL and an error if
 * it fails. Texts of statements are constants, known by their address. */
struct db_rows *db_ask(struct db *db, const char *text, struct error *error, const char *format, ...);
bool db_next(struct db_rows *rows); /* go to the next row; NULL has none */
/* Give the rows back. False and an error if reading failed; NULL: the error is there already. */
bool db_leave(struct db_rows *rows, struct error *error);
bool db_null(struct db_rows *rows, int column);
int64_t db_integer(struct db_rows *rows, int column);
double db_real(struct db_rows *rows, int column);
/* A column's text, "" where there is none: a damaged file has NULL where the schema forbids it. */
const char *db_text(struct db_rows *rows, int column);

/* A statement without rows, or whose rows nobody wants. */
bool db_do(struct db *db, const char *text, struct error *error, const char *format, ...);
/* One number: the first column of the first row; `otherwise` if there is no row. */
bool db_number(struct db *db, const char *text, int64_t otherwise, int64_t *out, struct error *error,
               const char *format, ...);

/* Run `insert` for each row, with its columns as the values (kinds by the format), and `key` in front of them
 * unless it is 0. Rows that come back are counted. Leaves the rows; without them it fails. */
bool db_copy(struct db_rows *from, const char *format, struct db *to, const char *insert, int64_t key,
             uint64_t *count, struct error *error);

/* The lock and a transaction; db_end commits if all was good and takes back everything if not. */
bool db_begin(struct db *db, struct error *error);
bool db_end(struct db *db, bool good, struct error *error);
/* The transaction failed: is it worth trying once more? Waits until the database can be reached again. */
bool db_again(struct db *db, struct error *error);

void db_now(char out[24]); /* 2026-11-15 12:45:01, in UTC */
/* The machine, and the space its process numbers belong to. */
void db_this_host(char out[320]);

/* runner.c: claims in a database that does not know who is alive. */
bool runner_hold(struct db *db, int64_t cell, uint32_t number, bool *held, struct error *error);
bool runner_drop(struct db *db, int64_t cell, uint32_t number, struct error *error);
bool runner_beat(struct db *db, struct error *error);

#endif
