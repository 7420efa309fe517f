// SPDX-License-Identifier: GPL-3.0-or-later
/* Experiments with boards in the laboratory's database: two tables beside those of the tournaments. */
#include "lab/boards/grid.h"
#include "lab/database/db_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool grid_each(struct db *db, void (*each)(void *data, const char *name), void *data, struct error *error)
{
    bool has;
    if (!db->backend->boards(db, false, &has, error)) return false;
    if (!has) return true;
    struct db_rows *s = db_ask(db, "SELECT name FROM grid ORDER BY id", error, "");
    while (db_next(s)) each(data, db_text(s, 0));
    bool good = db_leave(s, error);
    return good;
}

/* Everything the games depend on but the point, the number of the game and the program. */
static void settings(const struct grid *g, char *out, size_t size)
{
    const struct diagram_request *q = &g->board;
    int64_t fixed[GRID_PARAMETERS] = {q->lanes, q->length,         q->active,       q->factor,
                                      q->pawns, (int64_t)g->steps, (int64_t)g->sims};
    fixed[g->across.parameter] = fixed[g->along.parameter] = -1; /* these vary */
    int n =
        snprintf(out, size,
                 "board %.60s %.400s goal %.40s score %.20s limit %" PRId64 " trail %d; across %s along %s; "
                 "player %.200s; opponent %.200s; seed %" PRIu64 "; measure %d; together %u;",
                 q->like ? q->like : "", q->text ? q->text : "", q->goal ? q->goal : "-",
                 q->score ? q->score : "-", q->limit, q->trail, grid_parameter_names[g->across.parameter],
                 grid_parameter_names[g->along.parameter], g->player_text, g->opponent, g->seed,
                 (int)g->measure, g->together);
    for (int i = 0; i < GRID_PARAMETERS; i++)
        n += snprintf(out + n, size - (size_t)n, " %s %" PRId64, grid_parameter_names[i], fixed[i]);
}

static const char find_grid[] = "SELECT id, settings FROM grid WHERE name = ?";

/* *id is 0 if there is no such experiment. */
static bool look_up(struct db *db, const struct grid *g, int64_t *id, bool *same, struct error *error)
{
    char now[2000];
    settings(g, now, sizeof now);
    *id = 0;
    struct db_rows *s = db_ask(db, find_grid, error, "t", g->name);
    if (db_next(s)) {
        *id = db_integer(s, 0);
        *same = strcmp(db_text(s, 1), now) == 0;
    }
    return db_leave(s, error);
}

bool grid_enrol(struct db *db, const struct grid *g, bool force, int64_t *id, struct error *error)
{
    static const char insert[] = "INSERT INTO grid (name, settings) VALUES (?, ?)";
    static const char forget[] = "DELETE FROM grid_game WHERE grid = ?";
    static const char update[] = "UPDATE grid SET settings = ? WHERE id = ?";
    char now[2000];
    bool same = true, there;
    settings(g, now, sizeof now);
    if (!db_begin(db, error)) return false;
    bool good = db->backend->boards(db, true, &there, error) && look_up(db, g, id, &same, error);
    if (good && *id == 0)
        good = db_do(db, insert, error, "tt", g->name, now) && look_up(db, g, id, &same, error);
    else if (good && !same && !force)
        good = error_set(error, ERROR_INPUT,
                         "%.200s was changed since its games were played (board, player, opponent, budget or "
                         "seed); --force throws them away",
                         g->name);
    else if (good && !same)
        good = db_do(db, forget, error, "i", *id) && db_do(db, update, error, "ti", now, *id);
    return db_end(db, good, error);
}

bool grid_there(struct db *db, int64_t id, const struct grid_point *p, uint32_t from, uint32_t n,
                uint32_t *count, struct error *error)
{
    static const char query[] = "SELECT count(*) FROM grid_game WHERE grid = ? AND across = ? AND along = ?"
                                " AND number >= ? AND number < ?";
    int64_t found = 0;
    if (!db_begin(db, error)) return false;
    bool good = db_number(db, query, 0, &found, error, "iiiii", id, p->across, p->along, (int64_t)from,
                          (int64_t)from + n);
    *count = (uint32_t)found;
    return db_end(db, good, error);
}

bool grid_write(struct db *db, int64_t id, const struct grid_point *p, uint32_t from, uint32_t n,
                const struct grid_game *games, struct error *error)
{
    static const char insert[] =
        "INSERT INTO grid_game (grid, across, along, number, points, moves, simulations, steps,"
        " decided, seconds, first) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    bool good = true;
    if (!db_begin(db, error)) return false;
    for (uint32_t i = 0; i < n && good; i++) {
        const struct grid_game *g = &games[i];
        good = db_do(db, insert, error, "iiiidiiiidt", id, p->across, p->along, (int64_t)from + i, g->points,
                     (int64_t)g->moves, (int64_t)g->simulations, (int64_t)g->steps, (int64_t)g->decided,
                     g->seconds, g->first);
    }
    return db_end(db, good, error);
}

/* --- Joining databases */

bool grid_merge(struct db *db, struct db *other, uint64_t *games, struct error *error)
{
    static const char mine[] = "SELECT id, settings FROM grid WHERE name = ?";
    static const char insert[] = "INSERT INTO grid (name, settings) VALUES (?, ?) RETURNING id";
    bool there;
    if (!other->backend->boards(other, false, &there, error)) return false;
    if (!there) return true;
    struct db_rows *all = db_ask(other, "SELECT id, name, settings FROM grid ORDER BY id", error, "");
    bool good = all && db->backend->boards(db, true, &there, error);
    while (good && db_next(all)) {
        const char *name = db_text(all, 1), *how = db_text(all, 2);
        int64_t id = 0;
        bool same = true;
        struct db_rows *ours = db_ask(db, mine, error, "t", name);
        if (db_next(ours)) id = db_integer(ours, 0), same = strcmp(db_text(ours, 1), how) == 0;
        good = db_leave(ours, error);
        if (good && !same)
            good = error_set(error, ERROR_INPUT,
                             "%.200s has experiments with boards played with other settings", other->name);
        if (good && !id) good = db_number(db, insert, 0, &id, error, "tt", name, how);
        good =
            good && db_copy(db_ask(other,
                                   "SELECT across, along, number, points, moves, simulations, steps, decided,"
                                   " seconds, first FROM grid_game WHERE grid = ?",
                                   error, "i", db_integer(all, 0)),
                            "iiidiiiidt", db,
                            "INSERT INTO grid_game (grid, across, along, number, points, moves, simulations,"
                            " steps, decided, seconds, first) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                            " ON CONFLICT DO NOTHING RETURNING 1",
                            id, games, error);
    }
    struct error none;
    return db_leave(all, good ? error : &none) && good;
}

/* --- Reading */

static int index_of(const struct grid_axis *a, int64_t value)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->values[i] == value) return (int)i;
    return -1;
}

/* Sums of every point, in one sweep over the games that count. */
static bool read_sums(struct db *db, struct grid_results *r, int64_t id, struct error *error)
{
    static const char query[] =
        "SELECT across, along, count(*), sum(points), sum(points * points), sum(moves), sum(simulations),"
        " sum(steps), sum(decided), sum(seconds) FROM grid_game WHERE grid = ? AND number < ?"
        " GROUP BY across, along";
    const struct grid *g = r->grid;
    struct db_rows *s = db_ask(db, query, error, "ii", id, (int64_t)g->number);
    while (db_next(s)) {
        int i = index_of(&g->across, db_integer(s, 0));
        int j = index_of(&g->along, db_integer(s, 1));
        if (i < 0 || j < 0) continue; /* of a larger experiment */
        struct grid_cell *c = &r->cells[(uint32_t)j * g->across.n + (uint32_t)i];
        struct scores scores = {(uint64_t)db_integer(s, 2), db_real(s, 3), db_real(s, 4)};
        c->rate = scores_rate(&scores, 1);
        c->games = scores.n;
        c->moves = (uint64_t)db_integer(s, 5);
        c->simulations = (uint64_t)db_integer(s, 6);
        c->steps = (uint64_t)db_integer(s, 7);
        c->decided = (uint64_t)db_integer(s, 8);
        c->seconds = db_real(s, 9);
        r->games += c->games;
    }
    bool good = db_leave(s, error);
    return good;
}

/* The first moves of one point, most frequent first. */
static bool read_first(struct db *db, struct grid_results *r, int64_t id, struct grid_cell *c, int64_t across,
                       int64_t along, struct error *error)
{
    static const char query[] = "SELECT first, count(*) AS n FROM grid_game WHERE grid = ? AND across = ? AND"
                                " along = ? AND number < ? GROUP BY first ORDER BY n DESC, first";
    VEC(struct grid_move) moves = {0};
    struct db_rows *s = db_ask(db, query, error, "iiii", id, across, along, (int64_t)r->grid->number);
    while (db_next(s)) {
        const char *text = db_text(s, 0);
        struct grid_move m = {heap_strdup(r->heap, text, strlen(text)), (uint32_t)db_integer(s, 1)};
        vec_push(r->heap, &moves, m);
    }
    bool good = db_leave(s, error);
    c->first = moves.v;
    c->nfirst = moves.n;
    return good;
}

struct grid_results *grid_results_read(struct db *db, const struct grid *g, struct error *error)
{
    struct heap_guard guard;
    struct heap *heap = heap_new(0);
    volatile bool good = false, begun = false;
    struct grid_results *volatile out = NULL;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct grid_results *r = heap_zalloc(heap, sizeof *r);
        int64_t id = 0;
        bool same = true;
        out = r;
        r->heap = heap;
        r->grid = g;
        r->cells = heap_zalloc(heap, (size_t)g->across.n * g->along.n * sizeof *r->cells);
        begun = db_begin(db, error);
        bool has = false;
        good = begun && db->backend->boards(db, false, &has, error);
        if (good && has) good = look_up(db, g, &id, &same, error) && read_sums(db, r, id, error);
        for (uint32_t j = 0; j < g->along.n && good && has && g->measure == GRID_MOVES; j++)
            for (uint32_t i = 0; i < g->across.n && good; i++)
                good = read_first(db, r, id, &r->cells[j * g->across.n + i], g->across.values[i],
                                  g->along.values[j], error);
        heap_leave(heap);
    }
    if (begun) good = db_end(db, good, error);
    if (good) return out;
    heap_free(heap);
    return NULL;
}

void grid_results_free(struct grid_results *r)
{
    if (r) heap_free(r->heap);
}
