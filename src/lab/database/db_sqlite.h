/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two files that know SQLite share. */
#ifndef LAB_DB_SQLITE_H
#define LAB_DB_SQLITE_H

#include "lab/database/db_internal.h"

#include <sqlite3.h>

/* db_trust.c. Tell SQLite to run nothing the file brings along; whether its schema is ours. */
bool sqlite_distrust(sqlite3 *sql);
bool sqlite_check_schema(sqlite3 *sql, const char *name, struct error *error);

#endif
