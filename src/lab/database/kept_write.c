// SPDX-License-Identifier: GPL-3.0-or-later
/* Results of a database written down to be kept. */
#include "base/file.h"
#include "lab/database/db_internal.h"
#include "lab/database/kept_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 1000000, MAX_GOALS = 62 * 62 };

struct writing { /* one cell */
    json_t *goals;
    int *ended; /* by number: which of the goals; -1: not played */
    uint32_t n, cap;
    json_int_t simulations[SPEC_MAX_PLAYERS], thoughts[SPEC_MAX_PLAYERS], errors[SPEC_MAX_PLAYERS];
    double thinking[SPEC_MAX_PLAYERS], steps, seconds;
    char version[60];
};

static json_int_t nth(const json_t *list, size_t i)
{
    return (json_int_t)json_number_value(json_array_get(list, i));
}

static int goals_number(struct writing *w, json_t *goals)
{
    size_t i, n = json_array_size(w->goals);
    for (i = 0; i < n; i++)
        if (json_equal(json_array_get(w->goals, i), goals)) return (int)i;
    if (n == MAX_GOALS) return -1;
    json_array_append(w->goals, goals);
    return (int)n;
}

static bool reserve(struct writing *w, uint32_t number)
{
    if (number >= w->cap) {
        uint32_t cap = w->cap ? w->cap : 64;
        while (cap <= number) cap *= 2;
        int *grown = realloc(w->ended, cap * sizeof *grown);
        if (!grown) return false;
        w->ended = grown;
        w->cap = cap;
    }
    while (w->n <= number) w->ended[w->n++] = -1;
    return true;
}

static bool add_game(struct writing *w, struct db_rows *q, uint32_t nplayers, struct error *error)
{
    enum { NUMBER, SEATS, GOALS, ERRORS, SIMULATIONS, THOUGHTS, THINKING, STEPS, SECONDS, VERSION };
    json_t *list[VERSION] = {0};
    int64_t number = db_integer(q, NUMBER);
    for (int i = SEATS; i <= THINKING; i++) list[i] = json_loads(db_text(q, i), 0, NULL);
    bool good = number >= 0 && number < MAX_NUMBER && json_is_array(list[GOALS]) &&
                json_array_size(list[SEATS]) == json_array_size(list[GOALS]);
    if (!good)
        error_set(error, ERROR_INPUT, "the database is damaged: a game without seats");
    else if (!(good = reserve(w, (uint32_t)number)))
        error_set(error, ERROR_MEMORY, "out of memory");
    if (good && (w->ended[number] = goals_number(w, list[GOALS])) < 0)
        good = error_set(error, ERROR_INPUT, "more than %d different results in one cell", MAX_GOALS);
    for (size_t r = 0; r < json_array_size(list[SEATS]) && good; r++) {
        json_int_t p = nth(list[SEATS], r);
        if (p < 0 || p >= nplayers) continue;
        w->simulations[p] += nth(list[SIMULATIONS], r);
        w->thoughts[p] += nth(list[THOUGHTS], r);
        w->errors[p] += nth(list[ERRORS], r);
        w->thinking[p] += json_number_value(json_array_get(list[THINKING], r));
    }
    w->steps += db_real(q, STEPS);
    w->seconds += db_real(q, SECONDS);
    snprintf(w->version, sizeof w->version, "%s", db_text(q, VERSION));
    for (int i = SEATS; i <= THINKING; i++) json_decref(list[i]);
    return good;
}

static json_t *games_text(const struct writing *w)
{
    uint32_t width = json_array_size(w->goals) > 62 ? 2 : 1;
    char *s = malloc((size_t)w->n * width + 1), *to = s;
    if (!s) return NULL;
    for (uint32_t i = 0; i < w->n; i++) {
        int x = w->ended[i];
        if (width == 2) *to++ = x < 0 ? '-' : kept_digits[x / 62];
        *to++ = x < 0 ? '-' : kept_digits[x % 62];
    }
    json_t *text = json_stringn(s, (size_t)(to - s));
    free(s);
    return text;
}

static double tenth(double x)
{
    return round(10 * x) / 10;
}

static json_t *cell_json(const struct writing *w, struct db_rows *cell, uint32_t nplayers)
{
    json_t *players = json_array();
    for (uint32_t i = 0; i < nplayers; i++)
        json_array_append_new(players, json_pack("{s:I, s:I, s:f, s:I}", "simulations", w->simulations[i],
                                                 "thoughts", w->thoughts[i], "thinking",
                                                 tenth(w->thinking[i]), "errors", w->errors[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:O, s:o, s:I, s:f, s:s, s:o}", "game", db_text(cell, 1),
                     "pairing", db_text(cell, 2), "digest", db_text(cell, 3), "settings", db_text(cell, 4),
                     "goals", w->goals, "games", games_text(w), "steps", (json_int_t)w->steps, "seconds",
                     tenth(w->seconds), "version", w->version, "players", players);
}

static bool write_cell(struct db *db, struct db_rows *cell, json_t *lines, struct error *error)
{
    struct writing w = {.goals = json_array()};
    json_t *players = json_loads(db_text(cell, 5), 0, NULL);
    uint32_t nplayers = (uint32_t)json_array_size(players);
    json_decref(players);
    if (nplayers > SPEC_MAX_PLAYERS) nplayers = SPEC_MAX_PLAYERS;
    struct db_rows *q = db_ask(db,
                               "SELECT number, seats, goals, errors, simulations, thoughts, thinking, steps,"
                               " seconds, version FROM game WHERE cell = ? ORDER BY number",
                               error, "i", db_integer(cell, 0));
    bool good = q != NULL;
    while (good && db_next(q)) good = add_game(&w, q, nplayers, error);
    struct error ignored;
    if (q) good = db_leave(q, good ? error : &ignored) && good;
    if (good && w.n) {
        json_t *line = cell_json(&w, cell, nplayers);
        good =
            line ? json_array_append_new(lines, line) == 0 : error_set(error, ERROR_MEMORY, "out of memory");
    }
    json_decref(w.goals);
    free(w.ended);
    return good;
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* Cells that only the file has. */
static void take_over(const struct kept *old, json_t *lines)
{
    size_t mine = json_array_size(lines);
    for (uint32_t i = 0; old && i < old->n; i++) {
        bool there = false;
        for (size_t k = 0; k < mine && !there; k++) {
            const json_t *line = json_array_get(lines, k);
            there = same(line, old->cells[i].json, "game") && same(line, old->cells[i].json, "pairing");
        }
        if (!there) json_array_append(lines, old->cells[i].json);
    }
}

static bool print(const json_t *lines, const char *path, struct error *error)
{
    char *data = NULL;
    size_t size = 0, i;
    json_t *line;
    FILE *out = open_memstream(&data, &size);
    if (!out) return error_set(error, ERROR_MEMORY, "out of memory");
    json_array_foreach(lines, i, line)
    {
        json_dumpf(line, out, JSON_REAL_PRECISION(10));
        fputc('\n', out);
    }
    bool good = fclose(out) == 0 || error_set(error, ERROR_MEMORY, "out of memory");
    good = good && file_replace(path, data, size, error);
    free(data);
    return good;
}

bool kept_write(struct db *db, const char *experiment, const struct kept *old, const char *path,
                struct error *error)
{
    json_t *lines = json_array();
    if (!db_begin(db, error)) return json_decref(lines), false;
    struct db_rows *q = db_ask(db,
                               "SELECT cell.id, game, pairing, digest, settings, players FROM cell"
                               " JOIN experiment ON experiment.id = cell.experiment"
                               " WHERE experiment.name = ? ORDER BY row IS NULL, row, col, cell.id",
                               error, "t", experiment);
    bool good = q != NULL;
    while (good && db_next(q)) good = write_cell(db, q, lines, error);
    struct error ignored;
    if (q) good = db_leave(q, good ? error : &ignored) && good;
    good = db_end(db, good, error);
    if (good) take_over(old, lines);
    good = good && (json_array_size(lines) == 0 || print(lines, path, error));
    json_decref(lines);
    return good;
}
