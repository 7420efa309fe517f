// SPDX-License-Identifier: GPL-3.0-or-later
/* Databases of several machines joined. Ids differ between them; names and digests do not. */
#include "lab/boards/grid.h"
#include "lab/database/db_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#define CELLS                                                                                           \
    " other.cell theirs JOIN other.experiment e ON e.id = theirs.experiment JOIN main.experiment x ON " \
    "x.name = e.name"
#define BOTH                                                                                               \
    CELLS " JOIN main.cell mine ON mine.experiment = x.id AND mine.game = theirs.game AND mine.pairing = " \
          "theirs.pairing"

/* What is there under the same name must have been played the same way. */
static bool agree(struct db *db, const char *other, struct error *error)
{
    sqlite3_stmt *q = db_prepare(
        db, "SELECT x.name, mine.game, mine.pairing FROM" BOTH " WHERE mine.digest <> theirs.digest LIMIT 1",
        error, "");
    if (!q) return false;
    int code = sqlite3_step(q);
    bool good = code == SQLITE_DONE;
    if (code == SQLITE_ROW)
        error_set(error, ERROR_INPUT, "%.100s has %.60s: %.60s, %.60s played with other settings than %.100s",
                  other, db_text(q, 0), db_text(q, 1), db_text(q, 2), db->path);
    else if (!good)
        db_trouble(db, error);
    db_reset(q);
    return good;
}

static bool take_over(struct db *db, const char *other, uint64_t *games, struct error *error)
{
    if (!agree(db, other, error) ||
        !db_do(db,
               "INSERT OR IGNORE INTO main.experiment (name, title, description, source, measure, seed, "
               "spec, created)"
               " SELECT name, title, description, source, measure, seed, spec, created FROM other.experiment",
               error, "") ||
        !db_do(db, "INSERT OR IGNORE INTO main.rules SELECT digest, name, text FROM other.rules", error,
               "") ||
        !db_do(db,
               "INSERT OR IGNORE INTO main.cell (experiment, game, pairing, row, col, target, digest, "
               "settings, rules, roles,"
               " players, published, half) SELECT x.id, theirs.game, theirs.pairing, theirs.row, theirs.col, "
               "theirs.target,"
               " theirs.digest, theirs.settings, theirs.rules, theirs.roles, theirs.players, "
               "theirs.published, theirs.half"
               " FROM" CELLS,
               error, "") ||
        !db_do(db,
               "INSERT OR IGNORE INTO main.game SELECT mine.id, g.number, g.seed, g.seats, g.goals, "
               "g.errors, g.simulations,"
               " g.thoughts, g.thinking, g.steps, g.seconds, g.moves, g.version, g.host, g.finished FROM" BOTH
               " JOIN other.game g ON g.cell = theirs.id",
               error, ""))
        return false;
    *games = (uint64_t)sqlite3_changes64(db->sql);
    uint64_t of_boards;
    bool good = grid_merge(db, other, &of_boards, error);
    *games += of_boards;
    return good;
}

bool db_merge(struct db *db, const char *other, uint64_t *games, struct error *error)
{
    struct stat here, there;
    if (stat(db->path, &here) == 0 && stat(other, &there) == 0 && here.st_dev == there.st_dev &&
        here.st_ino == there.st_ino)
        return error_set(error, ERROR_INPUT, "%.200s cannot be merged into itself", other);
    struct db *checked = db_open(other, false, error); /* is it one of ours at all? */
    if (!checked) return false;
    char *uri = db_uri(other, checked->immutable);
    db_close(checked);
    bool attached = uri ? db_do(db, "ATTACH ? AS other", error, "t", uri)
                        : error_set(error, ERROR_MEMORY, "out of memory");
    free(uri);
    if (!attached) return false;
    bool good = db_begin(db, error) && db_end(db, take_over(db, other, games, error), error);
    struct error ignored;
    db_do(db, "DETACH other", &ignored, "");
    return good;
}
