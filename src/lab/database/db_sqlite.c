// SPDX-License-Identifier: GPL-3.0-or-later
/* SQLite: a file. Only what differs from other databases is here. */
#include "lab/database/db_sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION 0x4c75646e /* "Ludn" */
#define SCHEMA 1

struct rows {
    struct db_rows rows;
    sqlite3_stmt *statement;
    int code; /* of the last step */
};

enum { STATEMENTS = 32 };

struct file {
    sqlite3 *sql;
    bool immutable; /* it lies where nobody can write */
    struct {
        const char *text;
        struct rows rows;
    } cache[STATEMENTS]; /* prepared once: texts are constants, known by address */
};

static struct file *file_of(struct db *db)
{
    return db->link;
}

static bool trouble(struct db *db, struct error *error)
{
    sqlite3 *sql = file_of(db)->sql;
    int code = sqlite3_errcode(sql);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return error_set(error, ERROR_INPUT, "%.200s is not a database of the laboratory, or is damaged: %s",
                         db->name, sqlite3_errmsg(sql));
    return error_set(error, ERROR_SYSTEM, "%.200s: %s", db->name, sqlite3_errmsg(sql));
}

/* ---- statements ---- */

static bool run(struct db *db, const char *text, struct error *error)
{
    return sqlite3_exec(file_of(db)->sql, text, NULL, NULL, NULL) == SQLITE_OK || trouble(db, error);
}

static struct db_rows *ask(struct db *db, const char *text, const struct db_value *values, int n,
                           struct error *error)
{
    struct file *f = file_of(db);
    size_t i = 0;
    while (i < STATEMENTS && f->cache[i].text && f->cache[i].text != text) i++;
    if (i == STATEMENTS) { /* more statements than places: the first goes */
        i = 0;
        sqlite3_finalize(f->cache[0].rows.statement);
        f->cache[0].text = NULL;
    }
    struct rows *r = &f->cache[i].rows;
    if (!f->cache[i].text) {
        *r = (struct rows){.rows = {db}};
        if (sqlite3_prepare_v3(f->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &r->statement, NULL) != SQLITE_OK)
            return trouble(db, error), NULL;
        f->cache[i].text = text;
    }
    for (int k = 0; k < n; k++) {
        const struct db_value *v = &values[k];
        if (v->null)
            sqlite3_bind_null(r->statement, k + 1);
        else if (v->kind == 'i')
            sqlite3_bind_int64(r->statement, k + 1, v->i);
        else if (v->kind == 'd')
            sqlite3_bind_double(r->statement, k + 1, v->d);
        else
            sqlite3_bind_text(r->statement, k + 1, v->t, -1, SQLITE_TRANSIENT);
    }
    r->code = SQLITE_ROW;
    return &r->rows;
}

static bool next(struct db_rows *rows)
{
    struct rows *r = (struct rows *)rows;
    if (r->code == SQLITE_ROW) r->code = sqlite3_step(r->statement);
    return r->code == SQLITE_ROW;
}

static bool leave(struct db_rows *rows, struct error *error)
{
    struct rows *r = (struct rows *)rows;
    bool good = r->code == SQLITE_ROW || r->code == SQLITE_DONE || trouble(rows->db, error);
    sqlite3_reset(r->statement);
    sqlite3_clear_bindings(r->statement);
    return good;
}

static bool null(struct db_rows *rows, int column)
{
    return sqlite3_column_type(((struct rows *)rows)->statement, column) == SQLITE_NULL;
}

static int64_t integer(struct db_rows *rows, int column)
{
    return sqlite3_column_int64(((struct rows *)rows)->statement, column);
}

static double real(struct db_rows *rows, int column)
{
    return sqlite3_column_double(((struct rows *)rows)->statement, column);
}

static const char *text(struct db_rows *rows, int column)
{
    return (const char *)sqlite3_column_text(((struct rows *)rows)->statement, column);
}

/* ---- transactions ---- */

static bool begin(struct db *db, struct error *error)
{
    /* immediate: who reads in order to write later must not be overtaken */
    return run(db, db->reads ? "BEGIN" : "BEGIN IMMEDIATE", error);
}

static bool commit(struct db *db, struct error *error)
{
    return run(db, "COMMIT", error);
}

static void rollback(struct db *db)
{
    sqlite3_exec(file_of(db)->sql, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- opening ---- */

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
        return error_set(error, ERROR_INPUT, "%.200s is a database of something else", db->name);
    if (!*new &&version != SCHEMA)
        return error_set(error, ERROR_INPUT, "%.200s was made by another version of the laboratory",
                         db->name);
    return true;
}

/* Make the tables in a new file. Nothing is locked where they are there: readers do not wait for writers. */
static bool set_up(struct db *db, struct error *error)
{
    char pragma[80];
    bool new;
    if (!identify(db, &new, error)) return false;
    if (!new) return sqlite_check_schema(file_of(db)->sql, db->name, error);
    if (db->reads) return error_set(error, ERROR_INPUT, "%.200s is empty", db->name);
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             SCHEMA);
    if (!db_begin(db, error)) return false;
    bool good = identify(db, &new, error); /* another may have been faster */
    if (good && new) good = run(db, db_schema, error) && run(db, pragma, error);
    return db_end(db, good, error);
}

/* As in RFC 3986: what is not plain is written %XX, so that no path is taken for options. */
static char *uri_of(const char *path, bool immutable)
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

static bool open_file(struct db *db, struct error *error)
{
    struct file *f = file_of(db);
    char *uri = uri_of(db->path, f->immutable);
    int flags = SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_URI |
                (f->immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                (db->reads ? 0 : SQLITE_OPEN_CREATE);
    if (!uri) return error_set(error, ERROR_MEMORY, "out of memory");
    int code = sqlite3_open_v2(uri, &f->sql, flags, NULL);
    free(uri);
    if (code != SQLITE_OK || !sqlite_distrust(f->sql)) return trouble(db, error);
    sqlite3_busy_timeout(f->sql, 60000);
    return run(db,
               db->reads ? "PRAGMA query_only = ON"
                         : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
               error) &&
           set_up(db, error);
}

static void close_file(struct file *f)
{
    for (size_t i = 0; i < STATEMENTS; i++) {
        if (f->cache[i].text) sqlite3_finalize(f->cache[i].rows.statement);
        f->cache[i].text = NULL;
    }
    sqlite3_close(f->sql);
    f->sql = NULL;
}

/* On media that cannot be written SQLite cannot have the file it shares with others, and need not. But a log
 * beside the file holds what is not in it yet. */
static bool needs_nobody(struct db *db)
{
    struct stat log;
    char *path = NULL;
    int code = sqlite3_errcode(file_of(db)->sql);
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) return false;
    if (!db->reads || access(db->path, R_OK) != 0 || asprintf(&path, "%s-wal", db->path) < 0) return false;
    bool clean = stat(path, &log) != 0 || log.st_size == 0;
    free(path);
    return clean;
}

static bool open_db(struct db *db, struct error *error)
{
    struct file *f = db->link = calloc(1, sizeof *f);
    if (!f) return error_set(error, ERROR_MEMORY, "out of memory");
    if (db->reads && access(db->path, F_OK) != 0)
        return error_set(error, ERROR_INPUT, "there is no %.200s", db->name);
    if (open_file(db, error)) return true;
    if (!f->sql || !needs_nobody(db)) return false;
    close_file(f);
    f->immutable = true;
    return open_file(db, error);
}

static void close_db(struct db *db)
{
    struct error ignored;
    if (!db->link) return;
    if (db->runner) db_do(db, "DELETE FROM runner WHERE id = ?", &ignored, "i", db->runner);
    close_file(db->link);
    free(db->link);
}

static bool boards(struct db *db, bool make, bool *there, struct error *error)
{
    int64_t n = 0;
    if (make && !run(db, db_schema_boards, error)) return false;
    bool good = db_number(db, "SELECT count(*) FROM sqlite_master WHERE name IN ('grid', 'grid_game')", 0, &n,
                          error, "");
    *there = n == 2;
    return good;
}

const struct db_backend db_sqlite = {.open = open_db,
                                     .close = close_db,
                                     .begin = begin,
                                     .commit = commit,
                                     .rollback = rollback,
                                     .ask = ask,
                                     .next = next,
                                     .leave = leave,
                                     .null = null,
                                     .integer = integer,
                                     .real = real,
                                     .text = text,
                                     .boards = boards,
                                     .hold = runner_hold,
                                     .drop = runner_drop,
                                     .beat = runner_beat};
