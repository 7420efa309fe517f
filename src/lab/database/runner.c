// SPDX-License-Identifier: GPL-3.0-or-later
/* Who is playing what, in a file that does not know who is alive: everybody enters a row about himself, by
 * which others can tell, and claims refer to it. */
#include "lab/database/db_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SILENCE 120 /* seconds after which a runner on another machine counts as dead */

/* When a process began, as /proc counts it: tells it apart from a later one with its number. "" if there is
 * none. */
static void process_birth(int64_t pid, char out[32])
{
    char path[64], line[1024];
    out[0] = '\0';
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f) return;
    char *after = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    fclose(f);
    char *rest = NULL, *word = after ? strtok_r(after, " ", &rest) : NULL; /* ")" is field 2 */
    for (int field = 2; word && field < 22; field++) {
        word = strtok_r(NULL, " ", &rest);
        if (field == 2 && word && (*word == 'Z' || *word == 'X'))
            return; /* dead, only nobody has asked yet */
    }
    if (word) snprintf(out, 32, "%.31s", word);
}

static bool enter_runner(struct db *db, struct error *error)
{
    char host[320], born[32];
    int64_t there = 0;
    /* who was taken for dead comes back under a new number */
    if (db->runner && !db_number(db, "SELECT 1 FROM runner WHERE id = ?", 0, &there, error, "i", db->runner))
        return false;
    if (there) return true;
    db_this_host(host);
    process_birth(getpid(), born);
    return db_number(db, "INSERT INTO runner (host, pid, born, beat) VALUES (?, ?, ?, ?) RETURNING id", 0,
                     &db->runner, error, "titi", host, (int64_t)getpid(), born, (int64_t)time(NULL));
}

static bool is_alive(const char *host, int64_t pid, const char *born, int64_t beat)
{
    char here[320], now[32];
    db_this_host(here);
    if (strcmp(here, host) != 0) return time(NULL) - beat < SILENCE;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) return false;
    process_birth(pid, now);
    return strcmp(now, born) == 0;
}

/* Whether the claim of another still holds; if its runner is dead, all its claims go. */
static bool claim_holds(struct db *db, int64_t runner, bool *holds, struct error *error)
{
    struct db_rows *q =
        db_ask(db, "SELECT host, pid, born, beat FROM runner WHERE id = ?", error, "i", runner);
    *holds = db_next(q) && is_alive(db_text(q, 0), db_integer(q, 1), db_text(q, 2), db_integer(q, 3));
    if (!db_leave(q, error)) return false;
    return *holds || db_do(db, "DELETE FROM runner WHERE id = ?", error, "i", runner);
}

bool runner_hold(struct db *db, int64_t cell, uint32_t number, bool *held, struct error *error)
{
    int64_t holder = 0;
    bool holds = false;
    bool good = enter_runner(db, error) &&
                db_number(db, "SELECT runner FROM claim WHERE cell = ? AND number = ?", 0, &holder, error,
                          "ii", cell, (int64_t)number) &&
                (!holder || claim_holds(db, holder, &holds, error));
    *held = good && !holds;
    if (!*held) return good;
    return db_do(db, "INSERT INTO claim (cell, number, runner) VALUES (?, ?, ?)", error, "iii", cell,
                 (int64_t)number, db->runner);
}

bool runner_drop(struct db *db, int64_t cell, uint32_t number, struct error *error)
{
    return db_do(db, "DELETE FROM claim WHERE cell = ? AND number = ? AND runner = ?", error, "iii", cell,
                 (int64_t)number, db->runner);
}

bool runner_beat(struct db *db, struct error *error)
{
    return enter_runner(db, error) &&
           db_do(db, "UPDATE runner SET beat = ? WHERE id = ?", error, "ii", (int64_t)time(NULL), db->runner);
}
