// SPDX-License-Identifier: GPL-3.0-or-later
/* Opening, statements, transactions. */
#include "lab/database/db_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION 0x4c75646e /* "Ludn" */
#define SCHEMA 1

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

bool db_trouble(struct db *db, struct error *error)
{
    int code = sqlite3_errcode(db->sql);
    if (code == SQLITE_FULL || code == SQLITE_IOERR)
        return error_set(error, ERROR_SYSTEM, "%.200s: %s", db->path, sqlite3_errmsg(db->sql));
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return error_set(error, ERROR_INPUT, "%.200s is not a database of the laboratory, or is damaged: %s",
                         db->path, sqlite3_errmsg(db->sql));
    return error_set(error, ERROR_SYSTEM, "%.200s: %s", db->path, sqlite3_errmsg(db->sql));
}

static sqlite3_stmt *vprepare(struct db *db, const char *text, struct error *error, const char *format,
                              va_list args)
{
    sqlite3_stmt *s = NULL;
    size_t i = 0, room = sizeof db->cache / sizeof *db->cache;
    while (i < room && db->cache[i].text && db->cache[i].text != text) i++;
    if (i < room && db->cache[i].text == text) {
        s = db->cache[i].statement;
    } else {
        if (i == room) { /* more statements than places: the first goes */
            sqlite3_finalize(db->cache[0].statement);
            i = 0;
        }
        db->cache[i].text = NULL;
        if (sqlite3_prepare_v3(db->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL) != SQLITE_OK) {
            db->cache[i].statement = NULL;
            db_trouble(db, error);
            return NULL;
        }
        db->cache[i].text = text;
        db->cache[i].statement = s;
    }
    for (int k = 1; *format; format++, k++) {
        switch (*format) {
        case 'i': sqlite3_bind_int64(s, k, va_arg(args, int64_t)); break;
        case 'd': sqlite3_bind_double(s, k, va_arg(args, double)); break;
        case 't': sqlite3_bind_text(s, k, va_arg(args, const char *), -1, SQLITE_TRANSIENT); break;
        default: abort(); /* our own mistake */
        }
    }
    return s;
}

sqlite3_stmt *db_prepare(struct db *db, const char *text, struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sqlite3_stmt *s = vprepare(db, text, error, format, args);
    va_end(args);
    return s;
}

void db_reset(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

const char *db_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

bool db_do(struct db *db, const char *text, struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sqlite3_stmt *s = vprepare(db, text, error, format, args);
    va_end(args);
    if (!s) return false;
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW)
        ;
    bool good = code == SQLITE_DONE || db_trouble(db, error);
    db_reset(s);
    return good;
}

bool db_number(struct db *db, const char *text, int64_t otherwise, int64_t *out, struct error *error,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sqlite3_stmt *s = vprepare(db, text, error, format, args);
    va_end(args);
    if (!s) return false;
    int code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : otherwise;
    bool good = code == SQLITE_ROW || code == SQLITE_DONE || db_trouble(db, error);
    db_reset(s);
    return good;
}

bool db_begin(struct db *db, struct error *error)
{
    pthread_mutex_lock(&db->lock);
    /* immediate: who reads in order to write later must not be overtaken */
    if (sqlite3_exec(db->sql, db->reads ? "BEGIN" : "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    db_trouble(db, error);
    pthread_mutex_unlock(&db->lock);
    return false;
}

bool db_end(struct db *db, bool good, struct error *error)
{
    if (good && sqlite3_exec(db->sql, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) good = db_trouble(db, error);
    if (!good) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    pthread_mutex_unlock(&db->lock);
    return good;
}

/* What kind of file it is: ours, a new one (no tables), or something else. */
static bool identify(struct db *db, bool *new, struct error *error)
{
    int64_t application, version, tables;
    if (!db_number(db, "PRAGMA application_id", 0, &application, error, "") ||
        !db_number(db, "PRAGMA user_version", 0, &version, error, "") ||
        !db_number(db, "SELECT count(*) FROM sqlite_master", 0, &tables, error, ""))
        return false;
    *new = tables == 0;
    if (!*new &&application != APPLICATION)
        return error_set(error, ERROR_INPUT, "%.200s is a database of something else", db->path);
    if (!*new &&version != SCHEMA)
        return error_set(error, ERROR_INPUT, "%.200s was made by another version of the laboratory",
                         db->path);
    return true;
}

/* Make the tables in a new file. Nothing is locked where they are there: readers do not wait for writers. */
static bool set_up(struct db *db, struct error *error)
{
    char pragma[80];
    bool new;
    if (!identify(db, &new, error)) return false;
    if (!new) return db_check_schema(db, error);
    if (db->reads) return error_set(error, ERROR_INPUT, "%.200s is empty", db->path);
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             SCHEMA);
    if (!db_begin(db, error)) return false;
    bool good = identify(db, &new, error); /* another may have been faster */
    if (good && new)
        good = (sqlite3_exec(db->sql, db_schema, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(db->sql, pragma, NULL, NULL, NULL) == SQLITE_OK) ||
               db_trouble(db, error);
    return db_end(db, good, error);
}

/* As in RFC 3986: what is not plain is written %XX, so that no path is taken for options. */
char *db_uri(const char *path, bool immutable)
{
    char *out = malloc(3 * strlen(path) + 40), *to = out;
    if (!out) return NULL;
    to += sprintf(to, "file:");
    for (const char *c = path; *c; c++) {
        bool plain = (*c >= '0' && *c <= '9') || ((*c | 32) >= 'a' && (*c | 32) <= 'z') || strchr("/._-", *c);
        to += sprintf(to, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    sprintf(to, "%s", immutable ? "?immutable=1" : "");
    return out;
}

static bool open_file(struct db *db, bool create, struct error *error)
{
    char *uri = db_uri(db->path, db->immutable);
    int flags = SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_URI |
                (db->immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                (create ? SQLITE_OPEN_CREATE : 0);
    if (!uri) return error_set(error, ERROR_MEMORY, "out of memory");
    int code = sqlite3_open_v2(uri, &db->sql, flags, NULL);
    free(uri);
    if (code != SQLITE_OK || !db_distrust(db->sql)) return db_trouble(db, error);
    sqlite3_busy_timeout(db->sql, 60000);
    const char *settings = db->reads ? "PRAGMA query_only = ON"
                                     : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                                       " PRAGMA foreign_keys = ON";
    if (sqlite3_exec(db->sql, settings, NULL, NULL, NULL) != SQLITE_OK) return db_trouble(db, error);
    return set_up(db, error);
}

static void close_file(struct db *db)
{
    for (size_t i = 0; i < sizeof db->cache / sizeof *db->cache; i++) {
        sqlite3_finalize(db->cache[i].statement);
        db->cache[i].statement = NULL;
        db->cache[i].text = NULL;
    }
    sqlite3_close(db->sql);
    db->sql = NULL;
}

/* On media that cannot be written SQLite cannot have the file it shares with others, and need not. But a log
 * beside the file holds what is not in it yet. */
static bool needs_nobody(const struct db *db)
{
    struct stat log;
    char *path = NULL;
    int code = sqlite3_errcode(db->sql);
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) return false;
    if (!db->reads || access(db->path, R_OK) != 0 || asprintf(&path, "%s-wal", db->path) < 0) return false;
    bool clean = stat(path, &log) != 0 || log.st_size == 0;
    free(path);
    return clean;
}

struct db *db_open(const char *path, bool create, struct error *error)
{
    struct db *db = calloc(1, sizeof *db);
    if (!db || !(db->path = strdup(path))) {
        free(db);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    db->reads = !create;
    pthread_mutex_init(&db->lock, NULL);
    if (!create && access(path, F_OK) != 0) {
        error_set(error, ERROR_INPUT, "there is no %.200s", path);
    } else {
        if (open_file(db, create, error)) return db;
        if (db->sql && needs_nobody(db)) {
            close_file(db);
            db->immutable = true;
            if (open_file(db, create, error)) return db;
        }
    }
    db_close(db);
    return NULL;
}

void db_close(struct db *db)
{
    struct error ignored;
    if (!db) return;
    if (db->runner) db_do(db, "DELETE FROM runner WHERE id = ?", &ignored, "i", db->runner);
    close_file(db);
    pthread_mutex_destroy(&db->lock);
    free((char *)db->path);
    free(db);
}
