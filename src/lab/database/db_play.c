// SPDX-License-Identifier: GPL-3.0-or-later
/* Experiments entered, games claimed and written down. */
#include "lab/database/db_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SILENCE 120 /* seconds after which a runner on another machine counts as dead */

/* ---- experiments ---- */

static char *describe_players(const struct schedule *schedule, const struct schedule_cell *c)
{
    const struct spec *s = schedule->spec;
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->nplayers; i++) {
        const struct spec_player *p = &s->players[s->pairings[c->pairing].players[i]];
        char budget[SCHEDULE_BUDGET_TEXT];
        schedule_print_budget(&c->budget[i], budget);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "name", p->name, "player", p->text, "budget", budget));
    }
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

static char *describe_roles(const struct game *g)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < g->nroles; i++) json_array_append_new(list, json_string(g->role_names[i]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

/* A cell that is there already must have been played by the same settings. */
static bool same_settings(struct db *db, const struct schedule *schedule, struct schedule_cell *c, bool force,
                          struct error *error)
{
    int64_t games = 0;
    const struct spec *s = schedule->spec;
    sqlite3_stmt *q = db_prepare(db, "SELECT digest, settings FROM cell WHERE id = ?", error, "i", c->id);
    if (!q) return false;
    if (sqlite3_step(q) != SQLITE_ROW) return db_trouble(db, error);
    bool same = strcmp(db_text(q, 0), c->digest) == 0;
    char before[200];
    snprintf(before, sizeof before, "%s", db_text(q, 1));
    db_reset(q);
    if (same) return true;
    if (!db_number(db, "SELECT count(*) FROM game WHERE cell = ?", 0, &games, error, "i", c->id))
        return false;
    if (games > 0 && !force)
        return error_set(error, ERROR_INPUT,
                         "the experiment has changed: %.60s, %.60s has %" PRId64
                         " games played with\n  %.150s\nand would go on with\n  %.150s\n"
                         "Take another --db or another name, or throw these games away with --force.",
                         s->games[c->game].label, s->pairings[c->pairing].label, games, before, c->settings);
    return db_do(db, "DELETE FROM game WHERE cell = ?", error, "i", c->id) &&
           db_do(db, "DELETE FROM claim WHERE cell = ?", error, "i", c->id);
}

static bool enrol_cell(struct db *db, const struct schedule *schedule, struct schedule_cell *c,
                       int64_t experiment, bool force, struct error *error)
{
    const struct spec *s = schedule->spec;
    const struct game *g = schedule->games[c->game];
    const char *game = s->games[c->game].label, *pairing = s->pairings[c->pairing].label;
    const struct spec_figure *f = &s->published[c->game * s->npairings + c->pairing];
    if (!db_do(db, "INSERT OR IGNORE INTO rules (digest, name, text) VALUES (?, ?, ?)", error, "ttt",
               g->digest, g->name, g->source->text) ||
        !db_number(db, "SELECT id FROM cell WHERE experiment = ? AND game = ? AND pairing = ?", 0, &c->id,
                   error, "itt", experiment, game, pairing))
        return false;
    if (c->id && !same_settings(db, schedule, c, force, error)) return false;
    char *players = describe_players(schedule, c), *roles = describe_roles(g);
    bool good = (players && roles) || error_set(error, ERROR_MEMORY, "out of memory");
    if (good && !c->id) {
        good = db_do(
            db,
            "INSERT INTO cell (experiment, game, pairing, target, digest, settings, rules, roles, players)"
            " VALUES (?, ?, ?, 0, '', '', ?, '', '')",
            error, "ittt", experiment, game, pairing, g->digest);
        c->id = sqlite3_last_insert_rowid(db->sql);
    }
    good =
        good &&
        db_do(db,
              "UPDATE cell SET row = ?, col = ?, target = ?, digest = ?, settings = ?, rules = ?, roles = ?, "
              "players = ?, published = NULL, half = NULL WHERE id = ?",
              error,
              "iiitttt"
              "ti",
              (int64_t)c->game, (int64_t)c->pairing, (int64_t)c->number, c->digest, c->settings, g->digest,
              roles, players, c->id);
    if (good && f->there)
        good = db_do(db, "UPDATE cell SET published = ? WHERE id = ?", error, "di", f->value, c->id);
    if (good && f->there && f->half >= 0)
        good = db_do(db, "UPDATE cell SET half = ? WHERE id = ?", error, "di", f->half, c->id);
    free(players);
    free(roles);
    return good;
}

bool db_enrol(struct db *db, struct schedule *schedule, const char *name, const char *spec_text, bool force,
              struct error *error)
{
    const struct spec *s = schedule->spec;
    int64_t id = 0;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, s->seed);
    if (!db_begin(db, error)) return false;
    bool good =
        db_do(db,
              "INSERT INTO experiment (name, title, description, source, measure, seed, spec, created)"
              " VALUES (?, ?, ?, ?, ?, ?, ?, datetime('now')) ON CONFLICT (name) DO UPDATE SET title = "
              "excluded.title,"
              " description = excluded.description, source = excluded.source, measure = excluded.measure,"
              " seed = excluded.seed, spec = excluded.spec",
              error, "ttttttt", name, s->title, s->description, s->source,
              s->measure == MEASURE_GOAL ? "goal" : "wins", seed, spec_text) &&
        db_number(db, "SELECT id FROM experiment WHERE name = ?", 0, &id, error, "t", name) &&
        db_do(db, "UPDATE cell SET row = NULL, col = NULL WHERE experiment = ?", error, "i", id);
    for (uint32_t i = 0; i < schedule->ncells && good; i++)
        good = enrol_cell(db, schedule, &schedule->cells[i], id, force, error);
    return db_end(db, good, error);
}

bool db_done(struct db *db, int64_t cell, bool *done, uint32_t n, double *seconds, struct error *error)
{
    pthread_mutex_lock(&db->lock);
    sqlite3_stmt *q = db_prepare(db, "SELECT number, seconds FROM game WHERE cell = ?", error, "i", cell);
    int code = SQLITE_ERROR;
    while (q && (code = sqlite3_step(q)) == SQLITE_ROW) {
        int64_t number = sqlite3_column_int64(q, 0);
        if (number >= 0 && number < n) {
            done[number] = true;
            *seconds += sqlite3_column_double(q, 1);
        }
    }
    bool good = q && (code == SQLITE_DONE || db_trouble(db, error));
    if (q) db_reset(q);
    pthread_mutex_unlock(&db->lock);
    return good;
}

/* ---- who is alive ---- */

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

/* The machine, and the space its process numbers belong to. */
static void this_host(char out[320])
{
    char name[128] = "", space[128] = "";
    gethostname(name, sizeof name - 1);
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    snprintf(out, 320, "%s %s", name, space);
}

static bool enter_runner(struct db *db, struct error *error)
{
    char host[320], born[32];
    int64_t there = 0;
    /* who was taken for dead comes back under a new number */
    if (db->runner && !db_number(db, "SELECT 1 FROM runner WHERE id = ?", 0, &there, error, "i", db->runner))
        return false;
    if (there) return true;
    this_host(host);
    process_birth(getpid(), born);
    if (!db_do(db, "INSERT INTO runner (host, pid, born, beat) VALUES (?, ?, ?, ?)", error, "titi", host,
               (int64_t)getpid(), born, (int64_t)time(NULL)))
        return false;
    db->runner = sqlite3_last_insert_rowid(db->sql);
    return true;
}

static bool is_alive(const char *host, int64_t pid, const char *born, int64_t beat)
{
    char here[320], now[32];
    this_host(here);
    if (strcmp(here, host) != 0) return time(NULL) - beat < SILENCE;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) return false;
    process_birth(pid, now);
    return strcmp(now, born) == 0;
}

bool db_heartbeat(struct db *db, struct error *error)
{
    if (!db_begin(db, error)) return false;
    bool good = enter_runner(db, error) && db_do(db, "UPDATE runner SET beat = ? WHERE id = ?", error, "ii",
                                                 (int64_t)time(NULL), db->runner);
    return db_end(db, good, error);
}

/* ---- games ---- */

/* Whether the claim of another still holds; if its runner is dead, all its claims go. */
static bool claim_holds(struct db *db, int64_t runner, bool *holds, struct error *error)
{
    sqlite3_stmt *q =
        db_prepare(db, "SELECT host, pid, born, beat FROM runner WHERE id = ?", error, "i", runner);
    if (!q) return false;
    *holds = sqlite3_step(q) == SQLITE_ROW &&
             is_alive(db_text(q, 0), sqlite3_column_int64(q, 1), db_text(q, 2), sqlite3_column_int64(q, 3));
    db_reset(q);
    return *holds || db_do(db, "DELETE FROM runner WHERE id = ?", error, "i", runner);
}

bool db_claim(struct db *db, int64_t cell, uint32_t number, enum db_claim *out, struct error *error)
{
    int64_t played, holder;
    bool holds = false;
    if (!db_begin(db, error)) return false;
    bool good = enter_runner(db, error) &&
                db_number(db, "SELECT 1 FROM game WHERE cell = ? AND number = ?", 0, &played, error, "ii",
                          cell, (int64_t)number) &&
                db_number(db, "SELECT runner FROM claim WHERE cell = ? AND number = ?", 0, &holder, error,
                          "ii", cell, (int64_t)number) &&
                (!holder || claim_holds(db, holder, &holds, error));
    *out = played ? DB_PLAYED : holds ? DB_BUSY : DB_CLAIMED;
    if (good && *out == DB_CLAIMED)
        good = db_do(db, "INSERT INTO claim (cell, number, runner) VALUES (?, ?, ?)", error, "iii", cell,
                     (int64_t)number, db->runner);
    return db_end(db, good, error);
}

bool db_release(struct db *db, int64_t cell, uint32_t number, struct error *error)
{
    if (!db_begin(db, error)) return false;
    bool good = db_do(db, "DELETE FROM claim WHERE cell = ? AND number = ? AND runner = ?", error, "iii",
                      cell, (int64_t)number, db->runner);
    return db_end(db, good, error);
}

bool db_finish(struct db *db, const struct db_game *r, struct error *error)
{
    json_t *lists[6];
    char *texts[6], seed[24], host[320];
    bool good = true;
    for (int i = 0; i < 6; i++) lists[i] = json_array();
    for (uint32_t k = 0; k < r->nroles; k++) {
        json_array_append_new(lists[0], json_integer(r->seats[k]));
        json_array_append_new(lists[1], json_integer(r->goals[k]));
        json_array_append_new(lists[2], json_integer(r->errors[k]));
        json_array_append_new(lists[3], json_integer((json_int_t)r->simulations[k]));
        json_array_append_new(lists[4], json_integer(r->thoughts[k]));
        json_array_append_new(lists[5], json_real(r->thinking[k]));
    }
    for (int i = 0; i < 6; i++) {
        texts[i] = json_dumps(lists[i], JSON_COMPACT | JSON_REAL_PRECISION(6));
        good &= texts[i] != NULL;
        json_decref(lists[i]);
    }
    if (!good) error_set(error, ERROR_MEMORY, "out of memory");
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    this_host(host);
    host[strcspn(host, " ")] = '\0';
    if (good && (good = db_begin(db, error))) {
        /* or ignore: when we were taken for dead, somebody else has played it meanwhile */
        good =
            db_do(
                db,
                "INSERT OR IGNORE INTO game (cell, number, seed, seats, goals, errors, simulations, thoughts,"
                " thinking, steps, seconds, moves, version, host, finished)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, datetime('now'))",
                error, "iitttttttidttt", r->cell, (int64_t)r->number, seed, texts[0], texts[1], texts[2],
                texts[3], texts[4], texts[5], (int64_t)r->steps, r->seconds, r->moves, LUDENS_VERSION,
                host) &&
            db_do(db, "DELETE FROM claim WHERE cell = ? AND number = ? AND runner = ?", error, "iii", r->cell,
                  (int64_t)r->number, db->runner);
        good = db_end(db, good, error);
    }
    for (int i = 0; i < 6; i++) free(texts[i]);
    return good;
}
