// SPDX-License-Identifier: GPL-3.0-or-later
/* Experiments entered, games claimed and written down. */
#include "lab/database/db_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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
    struct db_rows *q = db_ask(db, "SELECT digest, settings FROM cell WHERE id = ?", error, "i", c->id);
    bool there = db_next(q), same = there && strcmp(db_text(q, 0), c->digest) == 0;
    char before[200];
    snprintf(before, sizeof before, "%s", there ? db_text(q, 1) : "");
    if (!db_leave(q, error) || same) return same;
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

/* Games of another cell with the same settings are games of this one: what two tables share is played once.
 */
static bool share_games(struct db *db, int64_t cell, struct error *error)
{
    return db_do(
        db,
        "INSERT INTO game (cell, number, seed, seats, goals, errors, simulations, thoughts, thinking,"
        " steps, seconds, moves, version, host, finished)"
        " SELECT mine.id, g.number, g.seed, g.seats, g.goals, g.errors, g.simulations, g.thoughts,"
        " g.thinking, g.steps, g.seconds, g.moves, g.version, g.host, g.finished"
        " FROM cell mine, cell other, game g WHERE mine.id = ? AND other.digest = mine.digest"
        " AND other.id <> mine.id AND g.cell = other.id ON CONFLICT DO NOTHING",
        error, "i", cell);
}

static bool enrol_cell(struct db *db, const struct schedule *schedule, struct schedule_cell *c,
                       int64_t experiment, bool force, struct error *error)
{
    const struct spec *s = schedule->spec;
    const struct game *g = schedule->games[c->game];
    const char *game = s->games[c->game].label, *pairing = s->pairings[c->pairing].label;
    const struct spec_figure *f = &s->published[c->game * s->npairings + c->pairing];
    if (!db_do(db, "INSERT INTO rules (digest, name, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", error,
               "ttt", g->digest, g->name, g->source->text) ||
        !db_number(db, "SELECT id FROM cell WHERE experiment = ? AND game = ? AND pairing = ?", 0, &c->id,
                   error, "itt", experiment, game, pairing))
        return false;
    if (c->id && !same_settings(db, schedule, c, force, error)) return false;
    char *players = describe_players(schedule, c), *roles = describe_roles(g);
    bool good = (players && roles) || error_set(error, ERROR_MEMORY, "out of memory");
    if (good && !c->id)
        good = db_number(
            db,
            "INSERT INTO cell (experiment, game, pairing, target, digest, settings, rules, roles, players)"
            " VALUES (?, ?, ?, 0, '', '', ?, '', '') RETURNING id",
            0, &c->id, error, "ittt", experiment, game, pairing, g->digest);
    good = good &&
           db_do(db,
                 "UPDATE cell SET row = ?, col = ?, target = CASE WHEN ? = 1 AND target > 0 THEN target ELSE "
                 "? END,"
                 " digest = ?, settings = ?, rules = ?, roles = ?, players = ?, published = NULL, half = NULL"
                 " WHERE id = ?",
                 error,
                 "iiiitttt"
                 "ti",
                 (int64_t)c->game, (int64_t)c->pairing, (int64_t)c->later, (int64_t)c->number, c->digest,
                 c->settings, g->digest, roles, players, c->id);
    if (good && f->there)
        good = db_do(db, "UPDATE cell SET published = ? WHERE id = ?", error, "di", f->value, c->id);
    if (good && f->there && f->half >= 0)
        /* what is not counted has its sign turned: nobody's interval is negative */
        good = db_do(db, "UPDATE cell SET half = ? WHERE id = ?", error, "di", f->apart ? -f->half : f->half,
                     c->id);
    good = good && share_games(db, c->id, error);
    if (good && db->backend->plan) good = db->backend->plan(db, c->id, c->number, error);
    free(players);
    free(roles);
    return good;
}

static bool enrol(struct db *db, struct schedule *schedule, const char *name, const char *spec_text,
                  bool force, struct error *error)
{
    const struct spec *s = schedule->spec;
    int64_t id = 0;
    char seed[24], now[24];
    snprintf(seed, sizeof seed, "%" PRIu64, s->seed);
    db_now(now);
    if (!db_begin(db, error)) return false;
    bool good =
        db_do(db,
              "INSERT INTO experiment (name, title, description, source, measure, seed, spec, created)"
              " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET title = excluded.title,"
              " description = excluded.description, source = excluded.source, measure = excluded.measure,"
              " seed = excluded.seed, spec = excluded.spec",
              error, "tttttttt", name, s->title, s->description, s->source,
              s->measure == MEASURE_GOAL ? "goal" : "wins", seed, spec_text, now) &&
        db_number(db, "SELECT id FROM experiment WHERE name = ?", 0, &id, error, "t", name) &&
        db_do(db, "UPDATE cell SET row = NULL, col = NULL WHERE experiment = ?", error, "i", id);
    for (uint32_t i = 0; i < schedule->ncells && good; i++)
        good = enrol_cell(db, schedule, &schedule->cells[i], id, force, error);
    return db_end(db, good, error);
}

bool db_enrol(struct db *db, struct schedule *schedule, const char *name, const char *spec_text, bool force,
              struct error *error)
{
    bool good;
    while (!(good = enrol(db, schedule, name, spec_text, force, error)) && db_again(db, error))
        ;
    return good;
}

static bool read_done(struct db *db, int64_t cell, bool *done, uint32_t n, double *seconds,
                      struct error *error)
{
    pthread_mutex_lock(&db->lock);
    struct db_rows *q = db_ask(db, "SELECT number, seconds FROM game WHERE cell = ?", error, "i", cell);
    *seconds = 0;
    while (db_next(q)) {
        int64_t number = db_integer(q, 0);
        if (number >= 0 && number < n) {
            done[number] = true;
            *seconds += db_real(q, 1);
        }
    }
    bool good = db_leave(q, error);
    pthread_mutex_unlock(&db->lock);
    return good;
}

bool db_done(struct db *db, int64_t cell, bool *done, uint32_t n, double *seconds, struct error *error)
{
    bool good;
    while (!(good = read_done(db, cell, done, n, seconds, error)) && db_again(db, error))
        ;
    return good;
}

/* ---- games ---- */

bool db_heartbeat(struct db *db, struct error *error)
{
    bool good;
    do {
        good = db_begin(db, error) && db_end(db, db->backend->beat(db, error), error);
    } while (!good && db_again(db, error));
    return good;
}

static bool claim(struct db *db, int64_t cell, uint32_t number, enum db_claim *out, struct error *error)
{
    int64_t played = 0;
    bool held = false;
    if (!db_begin(db, error)) return false;
    /* in this order: who has written a game down gives up its claim afterwards */
    bool good = db->backend->hold(db, cell, number, &held, error) &&
                db_number(db, "SELECT 1 FROM game WHERE cell = ? AND number = ?", 0, &played, error, "ii",
                          cell, (int64_t)number) &&
                (!held || !played || db->backend->drop(db, cell, number, error));
    *out = played ? DB_PLAYED : held ? DB_CLAIMED : DB_BUSY;
    return db_end(db, good, error);
}

bool db_claim(struct db *db, int64_t cell, uint32_t number, enum db_claim *out, struct error *error)
{
    bool good;
    while (!(good = claim(db, cell, number, out, error)) && db_again(db, error))
        ;
    return good;
}

bool db_release(struct db *db, int64_t cell, uint32_t number, struct error *error)
{
    bool good;
    do {
        good = db_begin(db, error) && db_end(db, db->backend->drop(db, cell, number, error), error);
    } while (!good && db_again(db, error));
    return good;
}

static bool write_game(struct db *db, const struct db_game *r, char *const *texts, struct error *error)
{
    char seed[24], host[320], now[24];
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    db_this_host(host);
    host[strcspn(host, " ")] = '\0';
    db_now(now);
    if (!db_begin(db, error)) return false;
    /* or nothing: when we were taken for dead, somebody else has played it meanwhile */
    bool good = db_do(db,
                      "INSERT INTO game (cell, number, seed, seats, goals, errors, simulations, thoughts,"
                      " thinking, steps, seconds, moves, version, host, finished)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                      error, "iitttttttidtttt", r->cell, (int64_t)r->number, seed, texts[0], texts[1],
                      texts[2], texts[3], texts[4], texts[5], (int64_t)r->steps, r->seconds, r->moves,
                      LUDENS_VERSION, host, now) &&
                db->backend->drop(db, r->cell, r->number, error);
    return db_end(db, good, error);
}

bool db_finish(struct db *db, const struct db_game *r, struct error *error)
{
    json_t *lists[6];
    char *texts[6];
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
    if (good)
        while (!(good = write_game(db, r, texts, error)) && db_again(db, error))
            ;
    for (int i = 0; i < 6; i++) free(texts[i]);
    return good;
}
