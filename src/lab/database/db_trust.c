// SPDX-License-Identifier: GPL-3.0-or-later
/* A database may come from anybody. SQL in its schema (a view called `game`, a trigger, a computed column)
 * would run when we read or write, so a file is used only if its schema is word for word one that we make,
 * and SQLite is told to trust nothing in it. */
#include "lab/database/db_sqlite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool configure(sqlite3 *sql, int option, int value)
{
    int now = -1;
    return sqlite3_db_config(sql, option, value, &now) == SQLITE_OK && now == value;
}

bool sqlite_distrust(sqlite3 *sql)
{
    return configure(sql, SQLITE_DBCONFIG_DEFENSIVE, 1) &&
           configure(sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0) &&
           configure(sql, SQLITE_DBCONFIG_ENABLE_VIEW, 0) &&
           configure(sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0) &&
           sqlite3_exec(sql, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL) ==
               SQLITE_OK;
}

static const char *column(sqlite3_stmt *statement, int i)
{
    const unsigned char *text = sqlite3_column_text(statement, i);
    return text ? (const char *)text : "";
}

/* The same statement but for blanks and case? */
static bool same_text(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (isspace((unsigned char)*a)) a++;
        while (isspace((unsigned char)*b)) b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
        if (!*a) return true;
    }
}

/* Is what `row` describes also in our own database, by the same words? */
static bool known(sqlite3 *ours, sqlite3_stmt *row)
{
    sqlite3_stmt *s = NULL;
    bool found = false;
    sqlite3_prepare_v2(ours, "SELECT sql FROM sqlite_master WHERE type = ? AND name = ?", -1, &s, NULL);
    sqlite3_bind_text(s, 1, column(row, 0), -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 2, column(row, 1), -1, SQLITE_TRANSIENT);
    if (sqlite3_step(s) == SQLITE_ROW) found = same_text(column(s, 0), column(row, 2));
    sqlite3_finalize(s);
    return found;
}

/* What SQLite keeps for itself: statistics, counters, the indexes of keys. */
static bool internal(sqlite3_stmt *row)
{
    const char *type = column(row, 0);
    if (strncmp(column(row, 1), "sqlite_", 7) != 0) return false;
    return (strcmp(type, "index") == 0 && !*column(row, 2)) || strcmp(type, "table") == 0;
}

bool sqlite_check_schema(sqlite3 *sql, const char *name, struct error *error)
{
    sqlite3 *ours = NULL;
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;
    bool good = sqlite3_open(":memory:", &ours) == SQLITE_OK &&
                sqlite3_exec(ours, db_schema, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(ours, db_schema_boards, NULL, NULL, NULL) == SQLITE_OK;
    if (!good) error_set(error, ERROR_MEMORY, "out of memory");
    if (good) code = sqlite3_prepare_v2(sql, "SELECT type, name, sql FROM sqlite_master", -1, &row, NULL);
    while (good && row && (code = sqlite3_step(row)) == SQLITE_ROW)
        if (!internal(row) && !known(ours, row))
            good = error_set(error, ERROR_INPUT,
                             "%.200s has a %.20s '%.60s' that the laboratory did not make; it is not opened",
                             name, column(row, 0), column(row, 1));
    if (good && code != SQLITE_DONE)
        good = error_set(error, ERROR_INPUT, "%.200s is damaged: %s", name, sqlite3_errmsg(sql));
    sqlite3_finalize(row);
    sqlite3_close(ours);
    return good;
}
