// SPDX-License-Identifier: GPL-3.0-or-later
/* Reading results that were kept as text, and putting them into a database. */
#include "lab/database/kept_internal.h"

#include "base/hash.h"
#include "lab/database/db_internal.h"
#include "lab/spec/library.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 3, MAX_CELLS = 1000000 };

const char kept_digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* ---- reading ---- */

static int digit(char c)
{
    const char *at = c ? strchr(kept_digits, c) : NULL;
    return at ? (int)(at - kept_digits) : -1;
}

int kept_result(const struct kept_cell *c, uint32_t number)
{
    const char *at = c->games + (size_t)number * c->width;
    if (c->width == 1) return digit(at[0]);
    int high = digit(at[0]), low = digit(at[1]);
    return high < 0 || low < 0 ? -1 : 62 * high + low;
}

/* What is wrong with it, or NULL. */
static const char *check(struct kept_cell *c)
{
    const json_t *goals = json_object_get(c->json, "goals"), *players = json_object_get(c->json, "players");
    const json_t *games = json_object_get(c->json, "games");
    c->digest = json_string_value(json_object_get(c->json, "digest"));
    c->settings = json_string_value(json_object_get(c->json, "settings"));
    if (!c->digest || strlen(c->digest) != 40 || !c->settings) return "digest and settings";
    if (!json_is_array(goals) || !json_is_array(players) || !json_is_string(games))
        return "goals, games and players";
    c->ngoals = (uint32_t)json_array_size(goals);
    c->nplayers = (uint32_t)json_array_size(players);
    c->nroles = (uint32_t)json_array_size(json_array_get(goals, 0));
    c->games = json_string_value(games);
    c->width = c->ngoals > 62 ? 2 : 1;
    c->n = (uint32_t)(json_string_length(games) / c->width);
    if (c->nplayers < 1 || c->nplayers > SPEC_MAX_PLAYERS) return "players";
    if (c->nroles < 1 || c->nroles > MCTS_MAX_ROLES || c->ngoals > 62 * 62) return "goals";
    for (uint32_t i = 0; i < c->ngoals; i++)
        if (json_array_size(json_array_get(goals, i)) != c->nroles) return "goals of every role";
    for (uint32_t i = 0; i < c->n; i++)
        if (kept_result(c, i) >= (int)c->ngoals) return "games that ended with one of the goals";
    return NULL;
}

static bool read_line(struct kept *kept, const char *path, const char *line, size_t size, uint32_t number,
                      struct error *error)
{
    json_error_t fault;
    struct kept_cell c = {.json = json_loadb(line, size, 0, &fault)};
    const char *wanted = json_is_object(c.json) ? check(&c) : "a JSON object";
    if (wanted || kept->n == MAX_CELLS) {
        json_decref(c.json);
        return error_set(error, ERROR_INPUT, "%.300s:%u: a line of results needs %s", path, number,
                         wanted ? wanted : "an end");
    }
    if (kept->n == kept->cap) {
        uint32_t cap = kept->cap ? 2 * kept->cap : 64;
        struct kept_cell *grown = realloc(kept->cells, cap * sizeof *grown);
        if (!grown) return json_decref(c.json), error_set(error, ERROR_MEMORY, "out of memory");
        kept->cells = grown;
        kept->cap = cap;
    }
    kept->cells[kept->n++] = c;
    return true;
}

static bool read_file(struct kept *kept, const char *path, struct error *error)
{
    char *text;
    size_t size;
    uint32_t number = 0;
    if (!lab_read_file(path, &text, &size, error)) return false;
    bool good = true;
    for (char *at = text, *end = text + size; at < end && good;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop ? stop : end) - at);
        number++;
        if (n) good = read_line(kept, path, at, n, number, error);
        at += n + 1;
    }
    free(text);
    return good;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static bool read_folder(struct kept *kept, const char *folder, int depth, struct error *error)
{
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort);
    if (n < 0) return errno == ENOENT || error_set(error, ERROR_INPUT, "%.300s: %s", folder, strerror(errno));
    bool good = true;
    for (int i = 0; i < n; i++) {
        char path[4400];
        struct stat st;
        snprintf(path, sizeof path, "%.4000s/%.300s", folder, names[i]->d_name);
        if (good && names[i]->d_name[0] != '.' && stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
                good = read_folder(kept, path, depth + 1, error);
            else if (S_ISREG(st.st_mode) && ends_with(path, ".jsonl"))
                good = read_file(kept, path, error);
        }
        free(names[i]);
    }
    free(names);
    return good;
}

struct kept *kept_read(const char *path, struct error *error)
{
    struct kept *kept = calloc(1, sizeof *kept);
    struct stat st;
    if (!kept) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    bool file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    if (file ? read_file(kept, path, error) : read_folder(kept, path, 0, error)) return kept;
    kept_free(kept);
    return NULL;
}

void kept_free(struct kept *kept)
{
    if (!kept) return;
    for (uint32_t i = 0; i < kept->n; i++) json_decref(kept->cells[i].json);
    free(kept->cells);
    free(kept);
}

/* ---- into a database ---- */

enum { SIMULATIONS, THOUGHTS, ERRORS, COUNTS };
static const char *const counts[COUNTS] = {"simulations", "thoughts", "errors"};

/* A list of one number per role. */
struct list_text {
    char s[24 * MCTS_MAX_ROLES + 4];
    size_t n;
};

static void list_add(struct list_text *t, const char *format, double x)
{
    t->n += (size_t)snprintf(t->s + t->n, sizeof t->s - t->n, "%s", t->n ? "," : "[");
    t->n += (size_t)snprintf(t->s + t->n, sizeof t->s - t->n, format, x);
}

static const char *list_end(struct list_text *t)
{
    snprintf(t->s + t->n, sizeof t->s - t->n, "]");
    return t->s;
}

struct filling {
    const struct kept_cell *c;
    const uint8_t *assignments;
    uint32_t nassignments;
    uint64_t key, played;
    /* by player: seats it had; what each of them gets, and what did not divide, for the first */
    uint64_t seats[SPEC_MAX_PLAYERS];
    int64_t share[COUNTS][SPEC_MAX_PLAYERS], rest[COUNTS][SPEC_MAX_PLAYERS];
    double thinking[SPEC_MAX_PLAYERS];
};

static uint32_t seat(const struct filling *f, uint32_t number, uint32_t role)
{
    return f->assignments[(size_t)(number % f->nassignments) * f->c->nroles + role];
}

static void prepare(struct filling *f)
{
    const struct kept_cell *c = f->c;
    const json_t *players = json_object_get(c->json, "players");
    for (uint32_t i = 0; i < c->n; i++) {
        if (kept_result(c, i) < 0) continue;
        f->played++;
        for (uint32_t r = 0; r < c->nroles; r++) f->seats[seat(f, i, r)]++;
    }
    for (uint32_t p = 0; p < c->nplayers; p++) {
        const json_t *player = json_array_get(players, p);
        int64_t seats = (int64_t)f->seats[p];
        if (!seats) continue;
        f->thinking[p] = json_number_value(json_object_get(player, "thinking")) / (double)seats;
        for (int k = 0; k < COUNTS; k++) {
            int64_t sum = json_integer_value(json_object_get(player, counts[k]));
            f->share[k][p] = sum / seats;
            f->rest[k][p] = sum % seats;
        }
    }
}

static bool insert(struct filling *f, struct db *db, int64_t cell, uint32_t number, uint64_t *games,
                   struct error *error)
{
    const struct kept_cell *c = f->c;
    struct list_text seats = {0}, goals = {0}, thinking = {0}, lists[COUNTS] = {0};
    const json_t *ended = json_array_get(json_object_get(c->json, "goals"), (size_t)kept_result(c, number));
    const char *version = json_string_value(json_object_get(c->json, "version"));
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)hash_mix(f->key, number));
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t p = seat(f, number, r);
        list_add(&seats, "%.0f", p);
        list_add(&goals, "%.0f", (double)json_integer_value(json_array_get(ended, r)));
        list_add(&thinking, "%.6g", f->thinking[p]);
        for (int k = 0; k < COUNTS; k++) {
            list_add(&lists[k], "%.0f", (double)(f->share[k][p] + f->rest[k][p]));
            f->rest[k][p] = 0;
        }
    }
    double each = 1 / (double)f->played;
    int64_t there = 0;
    bool good = db_number(
        db,
        "INSERT INTO game (cell, number, seed, seats, goals, errors, simulations, thoughts,"
        " thinking, steps, seconds, moves, version, host, finished)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, 'kept', '') ON CONFLICT DO NOTHING"
        " RETURNING 1",
        0, &there, error, "iitttttttidt", cell, (int64_t)number, seed, list_end(&seats), list_end(&goals),
        list_end(&lists[ERRORS]), list_end(&lists[SIMULATIONS]), list_end(&lists[THOUGHTS]),
        list_end(&thinking), (int64_t)(json_number_value(json_object_get(c->json, "steps")) * each + 0.5),
        json_number_value(json_object_get(c->json, "seconds")) * each, version ? version : "");
    *games += there;
    return good;
}

static bool fill_cell(struct db *db, int64_t cell, const struct kept_cell *c, uint64_t *games,
                      struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct filling f = {.c = c, .key = hash_bytes(c->settings, strcspn(c->settings, ";"))};
    volatile bool good = false;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (HEAP_ENTER(heap, &guard, error)) {
        f.assignments = schedule_assignments(heap, c->nplayers, c->nroles, &f.nassignments);
        prepare(&f);
        good = true;
        for (uint32_t i = 0; i < c->n && good; i++)
            if (kept_result(c, i) >= 0) good = insert(&f, db, cell, i, games, error);
        heap_leave(heap);
    }
    heap_free(heap);
    return good;
}

bool kept_fill(const struct kept *kept, struct db *db, uint64_t *games, struct error *error)
{
    *games = 0;
    if (!db_begin(db, error)) return false;
    bool good = true;
    for (uint32_t i = 0; i < kept->n && good; i++) {
        int64_t cell = 0;
        do {
            good = db_number(db, "SELECT id FROM cell WHERE digest = ? AND id > ? ORDER BY id LIMIT 1", 0,
                             &cell, error, "ti", kept->cells[i].digest, cell) &&
                   (!cell || fill_cell(db, cell, &kept->cells[i], games, error));
        } while (good && cell);
    }
    return db_end(db, good, error);
}
