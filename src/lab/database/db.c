// SPDX-License-Identifier: GPL-3.0-or-later
/* What is the same in all databases: the tables, statements, transactions. */
#include "lab/database/db_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char db_schema[] =
    "CREATE TABLE experiment (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL,"
    " description TEXT NOT NULL, source TEXT, measure TEXT NOT NULL, seed TEXT NOT NULL, spec TEXT NOT NULL,"
    " created TEXT NOT NULL);"
    "CREATE TABLE rules (digest TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;"
    /* place: order of the table; NULL when the experiment has it no more */
    "CREATE TABLE cell (id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL REFERENCES experiment ON DELETE "
    "CASCADE,"
    " game TEXT NOT NULL, pairing TEXT NOT NULL, row INTEGER, col INTEGER, target INTEGER NOT NULL,"
    " digest TEXT NOT NULL, settings TEXT NOT NULL, rules TEXT NOT NULL REFERENCES rules, roles TEXT NOT "
    "NULL,"
    " players TEXT NOT NULL, published REAL, half REAL, UNIQUE (experiment, game, pairing));"
    "CREATE TABLE game (cell INTEGER NOT NULL REFERENCES cell ON DELETE CASCADE, number INTEGER NOT NULL,"
    " seed TEXT NOT NULL, seats TEXT NOT NULL, goals TEXT NOT NULL, errors TEXT NOT NULL, simulations TEXT "
    "NOT NULL,"
    " thoughts TEXT NOT NULL, thinking TEXT NOT NULL, steps INTEGER NOT NULL, seconds REAL NOT NULL,"
    " moves TEXT NOT NULL, version TEXT NOT NULL, host TEXT NOT NULL, finished TEXT NOT NULL,"
    " PRIMARY KEY (cell, number)) WITHOUT ROWID;"
    "CREATE TABLE runner (id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, pid INTEGER NOT NULL, "
    "born TEXT NOT NULL,"
    " beat INTEGER NOT NULL);"
    "CREATE TABLE claim (cell INTEGER NOT NULL REFERENCES cell ON DELETE CASCADE, number INTEGER NOT NULL,"
    " runner INTEGER NOT NULL REFERENCES runner ON DELETE CASCADE, PRIMARY KEY (cell, number)) WITHOUT "
    "ROWID;";

const char db_schema_boards[] =
    "CREATE TABLE IF NOT EXISTS grid (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " settings TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS grid_game (grid INTEGER NOT NULL REFERENCES grid ON DELETE CASCADE,"
    " across INTEGER NOT NULL, along INTEGER NOT NULL, number INTEGER NOT NULL, points REAL NOT NULL,"
    " moves INTEGER NOT NULL, simulations INTEGER NOT NULL, steps INTEGER NOT NULL,"
    " decided INTEGER NOT NULL, seconds REAL NOT NULL, first TEXT NOT NULL,"
    " PRIMARY KEY (grid, across, along, number)) WITHOUT ROWID;";

static const struct db_backend *backend_of(const char *path, struct error *error)
{
    if (!db_is_remote(path)) return &db_sqlite;
#ifdef LUDENS_POSTGRESQL
    return &db_postgres;
#else
    error_set(error, ERROR_INPUT,
              "this ludens was built without PostgreSQL; install libpq-dev and build it again");
    return NULL;
#endif
}

bool db_is_remote(const char *path)
{
    return strncmp(path, "postgresql://", 13) == 0 || strncmp(path, "postgres://", 11) == 0;
}

/* postgresql://user:secret@host/name is called postgresql://user@host/name. */
static char *name_of(const char *path)
{
    char *name = strdup(path), *host = name ? strstr(name, "://") : NULL, *at, *colon;
    if (!host || !db_is_remote(path)) return name;
    host += 3;
    at = strpbrk(host, "@/?");
    colon = at && *at == '@' ? memchr(host, ':', (size_t)(at - host)) : NULL;
    if (colon) memmove(colon, at, strlen(at) + 1);
    char *options = strchr(host, '?'); /* password=... may be among them */
    if (options) *options = '\0';
    return name;
}

struct db *db_open(const char *path, bool create, struct error *error)
{
    const struct db_backend *backend = backend_of(path, error);
    struct db *db = backend ? calloc(1, sizeof *db) : NULL;
    if (!backend) return NULL;
    if (!db || !(db->path = strdup(path)) || !(db->name = name_of(path))) {
        if (db) free(db->path);
        free(db);
        return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    }
    db->backend = backend;
    db->reads = !create;
    pthread_mutex_init(&db->lock, NULL);
    if (backend->open(db, error)) return db;
    db_close(db);
    return NULL;
}

void db_close(struct db *db)
{
    if (!db) return;
    db->backend->close(db);
    pthread_mutex_destroy(&db->lock);
    free(db->path);
    free(db->name);
    free(db);
}

const char *db_name(const struct db *db)
{
    return db->name;
}

void db_be_patient(struct db *db, const struct db_patience *patience)
{
    db->patience = *patience;
}

/* ---- statements ---- */

static struct db_rows *ask(struct db *db, const char *text, struct error *error, const char *format,
                           va_list args)
{
    struct db_value values[DB_VALUES];
    int n = 0;
    for (; format[n]; n++) {
        if (n == DB_VALUES) abort(); /* our own mistake, as is the default below */
        values[n] = (struct db_value){.kind = format[n]};
        switch (format[n]) {
        case 'i': values[n].i = va_arg(args, int64_t); break;
        case 'd': values[n].d = va_arg(args, double); break;
        case 't': values[n].t = va_arg(args, const char *); break;
        default: abort();
        }
    }
    return db->backend->ask(db, text, values, n, error);
}

struct db_rows *db_ask(struct db *db, const char *text, struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct db_rows *rows = ask(db, text, error, format, args);
    va_end(args);
    return rows;
}

bool db_next(struct db_rows *rows)
{
    return rows && rows->db->backend->next(rows);
}

bool db_leave(struct db_rows *rows, struct error *error)
{
    return rows && rows->db->backend->leave(rows, error);
}

bool db_null(struct db_rows *rows, int column)
{
    return rows->db->backend->null(rows, column);
}

int64_t db_integer(struct db_rows *rows, int column)
{
    return rows->db->backend->integer(rows, column);
}

double db_real(struct db_rows *rows, int column)
{
    return rows->db->backend->real(rows, column);
}

const char *db_text(struct db_rows *rows, int column)
{
    const char *text = rows->db->backend->text(rows, column);
    return text ? text : "";
}

bool db_do(struct db *db, const char *text, struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct db_rows *rows = ask(db, text, error, format, args);
    va_end(args);
    while (db_next(rows))
        ;
    return db_leave(rows, error);
}

bool db_number(struct db *db, const char *text, int64_t otherwise, int64_t *out, struct error *error,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct db_rows *rows = ask(db, text, error, format, args);
    va_end(args);
    *out = db_next(rows) ? db_integer(rows, 0) : otherwise;
    return db_leave(rows, error);
}

/* ---- transactions ---- */

bool db_begin(struct db *db, struct error *error)
{
    pthread_mutex_lock(&db->lock);
    if (db->backend->begin(db, error)) return true;
    pthread_mutex_unlock(&db->lock);
    return false;
}

bool db_end(struct db *db, bool good, struct error *error)
{
    good = good && db->backend->commit(db, error);
    if (!good) db->backend->rollback(db);
    pthread_mutex_unlock(&db->lock);
    return good;
}

bool db_again(struct db *db, struct error *error)
{
    if (!db->backend->again) return false;
    pthread_mutex_lock(&db->lock);
    bool mended = db->backend->again(db, error);
    pthread_mutex_unlock(&db->lock);
    return mended;
}

/* ---- when and where ---- */

void db_now(char out[24])
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(out, 24, "%Y-%m-%d %H:%M:%S", &parts);
}

void db_this_host(char out[320])
{
    char name[128] = "", space[128] = "";
    gethostname(name, sizeof name - 1);
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    snprintf(out, 320, "%s %s", name, space);
}
