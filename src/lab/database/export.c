// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/database/export.h"

#include "lab/database/db_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { RULES, GAME, DIGEST, ROLES, PLAYERS, SEED, SEATS, GOALS, MOVES, FINISHED, EXPERIMENT };

static const char *column(struct record *r, struct db_rows *q, int i)
{
    const char *s = db_text(q, i);
    return heap_strdup(r->heap, s, strlen(s));
}

static const char *word(struct record *r, const json_t *json)
{
    const char *s = json_string_value(json);
    return heap_strdup(r->heap, s ? s : "", s ? strlen(s) : 0);
}

static json_t *parse(struct db_rows *q, int i)
{
    return json_loads(db_text(q, i), 0, NULL);
}

/* A list of whole numbers, one for each role. */
static int *integers(struct record *r, struct db_rows *q, int i)
{
    int *out = heap_zalloc(r->heap, (r->nroles + 1) * sizeof *out);
    json_t *json = parse(q, i);
    for (uint32_t k = 0; k < r->nroles; k++) out[k] = (int)json_integer_value(json_array_get(json, k));
    json_decref(json);
    return out;
}

static void fill_people(struct record *r, struct db_rows *q)
{
    json_t *roles = parse(q, ROLES);
    r->nroles = (uint32_t)json_array_size(roles);
    r->roles = heap_zalloc(r->heap, (r->nroles + 1) * sizeof *r->roles);
    for (uint32_t k = 0; k < r->nroles; k++) r->roles[k] = word(r, json_array_get(roles, k));
    json_decref(roles);
    r->rewards = integers(r, q, GOALS);
    int *seats = integers(r, q, SEATS);
    json_t *players = parse(q, PLAYERS);
    r->players = heap_zalloc(r->heap, (r->nroles + 1) * sizeof *r->players);
    for (uint32_t k = 0; k < r->nroles; k++)
        r->players[k] = word(r, json_object_get(json_array_get(players, (size_t)seats[k]), "player"));
    json_decref(players);
}

static void fill_moves(struct record *r, struct db_rows *q)
{
    json_t *moves = parse(q, MOVES), *joint;
    size_t i;
    r->nsteps = (uint32_t)json_array_size(moves);
    r->steps = heap_zalloc(r->heap, (r->nsteps + 1) * sizeof *r->steps);
    json_array_foreach(moves, i, joint)
    {
        r->steps[i].at = -1;
        r->steps[i].moves = heap_zalloc(r->heap, (r->nroles + 1) * sizeof *r->steps[i].moves);
        for (uint32_t k = 0; k < r->nroles; k++) r->steps[i].moves[k] = word(r, json_array_get(joint, k));
    }
    json_decref(moves);
}

static struct record *read_row(struct heap *heap, struct db_rows *q, uint32_t number)
{
    struct record *r = heap_zalloc(heap, sizeof *r);
    struct text id, date;
    r->heap = heap;
    fill_people(r, q);
    fill_moves(r, q);
    r->rules = column(r, q, RULES);
    r->game = column(r, q, GAME);
    r->digest = column(r, q, DIGEST);
    r->seed = strtoull(column(r, q, SEED), NULL, 10);
    text_init(&id, heap);
    text_printf(&id, "%s.%u", column(r, q, EXPERIMENT), number);
    r->match = text_str(&id);
    text_init(&date, heap);
    const char *finished = column(r, q, FINISHED); /* 2026-11-15 12:45:01 */
    text_printf(&date, "%.10sT%sZ", finished, strlen(finished) > 11 ? finished + 11 : "00:00:00");
    r->date = text_str(&date);
    r->ending = RECORD_COMPLETED;
    return r;
}

struct record *export_game(struct db *db, const char *experiment, const char *game, const char *pairing,
                           uint32_t number, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct record *volatile record = NULL;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    pthread_mutex_lock(&db->lock);
    struct db_rows *q =
        db_ask(db,
               "SELECT rules.text, rules.name, rules.digest, roles, players, game.seed, seats, goals, moves,"
               " finished, experiment.name FROM game JOIN cell ON cell.id = game.cell"
               " JOIN experiment ON experiment.id = cell.experiment JOIN rules ON rules.digest = cell.rules"
               " WHERE experiment.name = ?1 AND (?2 IS NULL OR cell.game = ?2 OR rules.name = ?2)"
               " AND (?3 IS NULL OR pairing = ?3) AND number = ?4 ORDER BY row, col LIMIT 1",
               error, "ttti", experiment, game, pairing, (int64_t)number);
    bool there = db_next(q);
    if (there && HEAP_ENTER(heap, &guard, error)) {
        record = read_row(heap, q, number);
        heap_leave(heap);
    }
    if (db_leave(q, error) && !there)
        error_set(error, ERROR_INPUT, "%.200s has no game %u of %.100s%s%.60s%s%.60s", db->name, number,
                  experiment, game ? ", " : "", game ? game : "", pairing ? ", " : "",
                  pairing ? pairing : "");
    pthread_mutex_unlock(&db->lock);
    if (!record) heap_free(heap);
    return record;
}
