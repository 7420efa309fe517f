// SPDX-License-Identifier: GPL-3.0-or-later
/* Databases of several machines joined, of whatever kind each is. Ids differ between them; names and digests
 * do not. */
#include "lab/boards/grid.h"
#include "lab/database/db_internal.h"

#include <string.h>
#include <sys/stat.h>

bool db_copy(struct db_rows *from, const char *format, struct db *to, const char *insert, int64_t key,
             uint64_t *count, struct error *error)
{
    struct db_value values[DB_VALUES] = {{.kind = 'i', .i = key}};
    int first = key ? 1 : 0, n = (int)strlen(format);
    bool good = true;
    while (good && db_next(from)) {
        for (int i = 0; i < n; i++) {
            struct db_value *v = &values[first + i];
            *v = (struct db_value){.kind = format[i], .null = db_null(from, i)};
            if (v->null) continue;
            if (v->kind == 'i') v->i = db_integer(from, i);
            if (v->kind == 'd') v->d = db_real(from, i);
            if (v->kind == 't') v->t = db_text(from, i);
        }
        struct db_rows *rows = to->backend->ask(to, insert, values, first + n, error);
        while (db_next(rows)) ++*count;
        good = db_leave(rows, error);
    }
    struct error ignored;
    return db_leave(from, good ? error : &ignored) && good;
}

/* What is there under the same name must have been played the same way. */
static bool agree(struct db *db, struct db *other, int64_t cell, const char *name, struct db_rows *theirs,
                  struct error *error)
{
    struct db_rows *mine = db_ask(db, "SELECT digest FROM cell WHERE id = ?", error, "i", cell);
    bool same = db_next(mine) && strcmp(db_text(mine, 0), db_text(theirs, 3)) == 0;
    if (!db_leave(mine, error)) return false;
    return same || error_set(error, ERROR_INPUT,
                             "%.100s has %.60s: %.60s, %.60s played with other settings than %.100s",
                             other->name, name, db_text(theirs, 1), db_text(theirs, 2), db->name);
}

/* Our cell for each of theirs, and then its games. */
static bool take_cells(struct db *db, struct db *other, int64_t experiment, int64_t theirs_id,
                       const char *name, uint64_t *games, struct error *error)
{
    struct db_rows *cells =
        db_ask(other, "SELECT id, game, pairing, digest FROM cell WHERE experiment = ? ORDER BY id", error,
               "i", theirs_id);
    bool good = cells != NULL;
    while (good && db_next(cells)) {
        static const char find[] = "SELECT id FROM cell WHERE experiment = ? AND game = ? AND pairing = ?";
        const char *game = db_text(cells, 1), *pairing = db_text(cells, 2);
        int64_t theirs = db_integer(cells, 0), mine = 0;
        uint64_t ignored = 0;
        good = db_number(db, find, 0, &mine, error, "itt", experiment, game, pairing) &&
               (!mine || agree(db, other, mine, name, cells, error));
        if (good && !mine)
            good = db_copy(db_ask(other,
                                  "SELECT game, pairing, row, col, target, digest, settings, rules, roles,"
                                  " players, published, half FROM cell WHERE id = ?",
                                  error, "i", theirs),
                           "ttiiitttttdd", db,
                           "INSERT INTO cell (experiment, game, pairing, row, col, target, digest, settings,"
                           " rules, roles, players, published, half)"
                           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           experiment, &ignored, error) &&
                   db_number(db, find, 0, &mine, error, "itt", experiment, game, pairing);
        good = good &&
               db_copy(db_ask(other,
                              "SELECT number, seed, seats, goals, errors, simulations, thoughts, thinking,"
                              " steps, seconds, moves, version, host, finished FROM game WHERE cell = ?"
                              " ORDER BY number",
                              error, "i", theirs),
                       "itttttttidtttt", db,
                       "INSERT INTO game (cell, number, seed, seats, goals, errors, simulations, thoughts,"
                       " thinking, steps, seconds, moves, version, host, finished)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                       " ON CONFLICT DO NOTHING RETURNING 1",
                       mine, games, error);
    }
    struct error none;
    return db_leave(cells, good ? error : &none) && good;
}

static bool take_over(struct db *db, struct db *other, uint64_t *games, struct error *error)
{
    uint64_t ignored = 0;
    bool good =
        db_copy(db_ask(other, "SELECT digest, name, text FROM rules", error, ""), "ttt", db,
                "INSERT INTO rules (digest, name, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1",
                0, &ignored, error) &&
        db_copy(db_ask(other,
                       "SELECT name, title, description, source, measure, seed, spec, created FROM experiment"
                       " ORDER BY id",
                       error, ""),
                "tttttttt", db,
                "INSERT INTO experiment (name, title, description, source, measure, seed, spec, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1",
                0, &ignored, error);
    struct db_rows *all =
        good ? db_ask(other, "SELECT id, name FROM experiment ORDER BY id", error, "") : NULL;
    while (good && db_next(all)) {
        const char *name = db_text(all, 1);
        int64_t mine = 0;
        good = db_number(db, "SELECT id FROM experiment WHERE name = ?", 0, &mine, error, "t", name) &&
               take_cells(db, other, mine, db_integer(all, 0), name, games, error);
    }
    struct error none;
    if (all) good = db_leave(all, good ? error : &none) && good;
    return good && grid_merge(db, other, games, error);
}

static bool same_place(const char *a, const char *b)
{
    struct stat here, there;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &here) == 0 && stat(b, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

bool db_merge(struct db *db, const char *path, uint64_t *games, struct error *error)
{
    *games = 0;
    if (same_place(db->path, path))
        return error_set(error, ERROR_INPUT, "%.200s cannot be merged into itself", db->name);
    struct db *other = db_open(path, false, error);
    if (!other) return false;
    bool good = db_begin(other, error);
    if (good) {
        struct error ignored;
        good = db_begin(db, error) && db_end(db, take_over(db, other, games, error), error);
        db_end(other, good, &ignored);
    }
    db_close(other);
    return good;
}
