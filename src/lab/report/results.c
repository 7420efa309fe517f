// SPDX-License-Identifier: GPL-3.0-or-later
/* From rows to rates. */
#include "lab/report/results.h"

#include "base/vec.h"
#include "lab/database/db_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static const char *column(struct heap *heap, struct db_rows *q, int i)
{
    const char *s = db_text(q, i);
    return db_null(q, i) ? NULL : heap_strdup(heap, s, strlen(s));
}

/* "[1,2.5,3]" to numbers; how many there are. */
static uint32_t numbers(const char *list, double *out, uint32_t max)
{
    uint32_t n = 0;
    while (list && *list && n < max) {
        char *end;
        double x = strtod(list, &end);
        if (end != list) out[n++] = x;
        list = end != list ? end : list + 1;
    }
    return n;
}

/* Texts of a JSON list, or of one key of its objects. */
static uint32_t texts(struct heap *heap, const char *list, const char *key, const char **out, uint32_t max)
{
    json_error_t fault;
    json_t *json = json_loads(list ? list : "", 0, &fault), *item;
    uint32_t n = 0;
    size_t i;
    json_array_foreach(json, i, item)
    {
        const char *s = json_string_value(key ? json_object_get(item, key) : item);
        if (n < max) out[n++] = heap_strdup(heap, s ? s : "", s ? strlen(s) : 0);
    }
    json_decref(json);
    return n;
}

/* ---- cells ---- */

struct sums { /* of one cell */
    struct scores player[SPEC_MAX_PLAYERS], seat[MCTS_MAX_ROLES];
};

static void add_game(const struct results *r, struct result_cell *c, struct sums *sums, struct db_rows *q)
{
    enum { SEATS, GOALS, ERRORS, SIMULATIONS, THOUGHTS, THINKING, LISTS };
    double x[LISTS][MCTS_MAX_ROLES];
    uint32_t seats[MCTS_MAX_ROLES];
    int goals[MCTS_MAX_ROLES];
    for (int i = 0; i < LISTS; i++)
        if (numbers(db_text(q, i), x[i], MCTS_MAX_ROLES) != c->nroles) return;
    double score[SPEC_MAX_PLAYERS] = {0}, mine[SPEC_MAX_PLAYERS] = {0};
    for (uint32_t k = 0; k < c->nroles; k++) {
        seats[k] = (uint32_t)x[SEATS][k];
        goals[k] = (int)x[GOALS][k];
        if (seats[k] >= c->nplayers) return;
    }
    for (uint32_t k = 0; k < c->nroles; k++) {
        struct result_player *p = &c->players[seats[k]];
        double points = r->measure == MEASURE_WINS ? stats_points(goals, c->nroles, k) : fmax(goals[k], 0);
        score[seats[k]] += points;
        mine[seats[k]]++;
        if (seats[k] == 0) scores_add(&sums->seat[k], points);
        p->seats++;
        p->errors += (uint64_t)x[ERRORS][k];
        p->simulations += x[SIMULATIONS][k];
        p->thoughts += (uint64_t)x[THOUGHTS][k];
        p->seconds += x[THINKING][k];
    }
    for (uint32_t i = 0; i < c->nplayers; i++)
        if (mine[i] > 0)
            scores_add(&sums->player[i], r->measure == MEASURE_WINS ? score[i] : score[i] / mine[i]);
    c->steps += db_real(q, LISTS);
    c->seconds += db_real(q, LISTS + 1);
}

static bool read_games(struct db *db, const struct results *r, struct result_cell *c, int64_t id,
                       struct error *error)
{
    struct sums sums = {0};
    double top = r->measure == MEASURE_WINS ? 1 : 100;
    struct db_rows *q = db_ask(db,
                               "SELECT seats, goals, errors, simulations, thoughts, thinking, steps, seconds"
                               " FROM game WHERE cell = ? ORDER BY number",
                               error, "i", id);
    while (db_next(q)) add_game(r, c, &sums, q);
    bool good = db_leave(q, error);
    for (uint32_t i = 0; i < c->nplayers; i++) c->players[i].rate = scores_rate(&sums.player[i], top);
    for (uint32_t k = 0; k < c->nroles; k++) c->by_seat[k] = scores_rate(&sums.seat[k], top);
    c->rate = c->players[0].rate;
    c->parity = r->measure == MEASURE_WINS ? 1.0 / c->nplayers : NAN;
    c->side = r->measure == MEASURE_WINS && c->nplayers > 1 ? rate_side(&c->rate, c->parity) : 0;
    return good;
}

static void describe_cell(struct results *r, struct result_cell *c, struct db_rows *q)
{
    const char *names[SPEC_MAX_PLAYERS], *players[SPEC_MAX_PLAYERS], *budgets[SPEC_MAX_PLAYERS],
        *roles[MCTS_MAX_ROLES], *list = db_text(q, 6);
    *c = (struct result_cell){.target = (uint32_t)db_integer(q, 5), .published = {.half = -1}};
    c->nplayers = texts(r->heap, list, "name", names, SPEC_MAX_PLAYERS);
    texts(r->heap, list, "player", players, SPEC_MAX_PLAYERS);
    texts(r->heap, list, "budget", budgets, SPEC_MAX_PLAYERS);
    c->nroles = texts(r->heap, db_text(q, 7), NULL, roles, MCTS_MAX_ROLES);
    if (c->nplayers == 0 || c->nroles == 0)
        heap_fail(r->heap, ERROR_INPUT, "the database is damaged: a cell without players");
    c->players = heap_zalloc(r->heap, c->nplayers * sizeof *c->players);
    for (uint32_t i = 0; i < c->nplayers; i++)
        c->players[i] = (struct result_player){.name = names[i], .text = players[i], .budget = budgets[i]};
    c->roles = heap_zalloc(r->heap, c->nroles * sizeof *c->roles);
    memcpy(c->roles, roles, c->nroles * sizeof *c->roles);
    c->by_seat = heap_zalloc(r->heap, c->nroles * sizeof *c->by_seat);
    c->rules = column(r->heap, q, 8);
    if (!db_null(q, 9)) {
        double half = db_null(q, 10) ? -1 : db_real(q, 10);
        bool apart = !db_null(q, 10) && half < 0;
        c->published = (struct spec_figure){true, db_real(q, 9), apart ? -half : half, apart};
    }
}

/* ---- the table ---- */

static bool read_experiment(struct db *db, struct results *r, const char *name, int64_t *id,
                            struct error *error)
{
    struct db_rows *q = db_ask(
        db, "SELECT id, name, title, description, source, measure, seed FROM experiment WHERE name = ?",
        error, "t", name);
    bool there = db_next(q);
    if (there) {
        *id = db_integer(q, 0);
        r->name = column(r->heap, q, 1);
        r->title = column(r->heap, q, 2);
        r->description = column(r->heap, q, 3);
        r->source = column(r->heap, q, 4);
        r->measure = strcmp(db_text(q, 5), "goal") == 0 ? MEASURE_GOAL : MEASURE_WINS;
        r->seed = column(r->heap, q, 6);
    }
    if (!db_leave(q, error)) return false;
    return there || error_set(error, ERROR_INPUT, "%.200s has no experiment '%.100s'", db->name, name);
}

static void add_label(struct heap *heap, const char ***list, uint32_t *n, int64_t at, const char *label)
{
    if (at < 0 || at > 100000) heap_fail(heap, ERROR_INPUT, "the database is damaged: a cell nowhere");
    if (at >= *n) {
        *list = heap_realloc(heap, *list, ((size_t)at + 1) * sizeof **list);
        while (*n <= at) (*list)[(*n)++] = "";
    }
    (*list)[at] = label;
}

static bool read_cells(struct db *db, struct results *r, int64_t experiment, struct error *error)
{
    VEC(struct result_cell) cells = {0};
    VEC(int64_t) ids = {0};
    struct vec_u32 rows = {0}, cols = {0};
    struct db_rows *q =
        db_ask(db,
               "SELECT id, game, pairing, row, col, target, players, roles, rules, published, half"
               " FROM cell WHERE experiment = ? AND row IS NOT NULL ORDER BY row, col",
               error, "i", experiment);
    while (db_next(q)) {
        struct result_cell c;
        describe_cell(r, &c, q);
        vec_push(r->heap, &cells, c);
        vec_push(r->heap, &ids, db_integer(q, 0));
        add_label(r->heap, &r->games, &r->ngames, db_integer(q, 3), column(r->heap, q, 1));
        add_label(r->heap, &r->pairings, &r->npairings, db_integer(q, 4), column(r->heap, q, 2));
        vec_push(r->heap, &rows, (uint32_t)db_integer(q, 3));
        vec_push(r->heap, &cols, (uint32_t)db_integer(q, 4));
    }
    bool good = db_leave(q, error);
    size_t all = (size_t)r->ngames * r->npairings;
    r->cells = heap_zalloc(r->heap, (all + 1) * sizeof *r->cells);
    for (size_t i = 0; i < all; i++) r->cells[i].empty = true;
    for (uint32_t i = 0; i < cells.n && good; i++) {
        struct result_cell *c = &r->cells[rows.v[i] * r->npairings + cols.v[i]];
        *c = cells.v[i];
        good = read_games(db, r, c, ids.v[i], error);
        r->played += c->rate.n;
        r->wanted += c->target;
        r->seconds += c->seconds;
        for (uint32_t k = 0; k < c->nplayers; k++) r->errors += c->players[k].errors;
    }
    q = good ? db_ask(db,
                      "SELECT version FROM game WHERE cell IN (SELECT id FROM cell WHERE experiment = ?)"
                      " ORDER BY finished DESC LIMIT 1",
                      error, "i", experiment)
             : NULL;
    r->version = db_next(q) ? column(r->heap, q, 0) : LUDENS_VERSION;
    return good && db_leave(q, error);
}

struct results *results_read(struct db *db, const char *name, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct results *volatile out = NULL;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    /* one picture of it all, while others go on writing */
    if (!db_begin(db, error)) return heap_free(heap), NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct results *r = heap_zalloc(heap, sizeof *r);
        int64_t id;
        r->heap = heap;
        if (read_experiment(db, r, name, &id, error) && read_cells(db, r, id, error)) out = r;
        heap_leave(heap);
    }
    if (!db_end(db, out != NULL, error)) out = NULL;
    if (!out) heap_free(heap);
    return out;
}

void results_free(struct results *r)
{
    if (r) heap_free(r->heap);
}

bool results_each(struct db *db, void (*each)(void *data, const char *name), void *data, struct error *error)
{
    pthread_mutex_lock(&db->lock);
    struct db_rows *q = db_ask(db, "SELECT name FROM experiment ORDER BY id", error, "");
    while (db_next(q)) each(data, db_text(q, 0));
    bool good = db_leave(q, error);
    pthread_mutex_unlock(&db->lock);
    return good;
}

bool results_scores(struct db *db, int64_t cell, void (*each)(void *data, uint32_t number, double score),
                    void *data, struct error *error)
{
    pthread_mutex_lock(&db->lock);
    struct db_rows *q =
        db_ask(db, "SELECT number, seats, goals FROM game WHERE cell = ? ORDER BY number", error, "i", cell);
    while (db_next(q)) {
        double x[2][MCTS_MAX_ROLES];
        uint32_t seats[MCTS_MAX_ROLES], n = numbers(db_text(q, 1), x[0], MCTS_MAX_ROLES);
        int goals[MCTS_MAX_ROLES];
        if (n == 0 || numbers(db_text(q, 2), x[1], MCTS_MAX_ROLES) != n) continue;
        for (uint32_t k = 0; k < n; k++) seats[k] = (uint32_t)x[0][k], goals[k] = (int)x[1][k];
        each(data, (uint32_t)db_integer(q, 0), stats_score(goals, seats, n, 0));
    }
    bool good = db_leave(q, error);
    pthread_mutex_unlock(&db->lock);
    return good;
}
