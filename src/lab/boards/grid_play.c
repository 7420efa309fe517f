// SPDX-License-Identifier: GPL-3.0-or-later
/* A chunk of games side by side: the searches of all games think in the same sweeps (match/together.h). */
#include "lab/boards/grid.h"

#include "base/hash.h"
#include "game/engine.h"
#include "lab/play/seat.h"
#include "match/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const grid_parameter_names[GRID_PARAMETERS + 1] = {"lanes", "length", "active", "factor",
                                                               "pawns", "steps",  "sims",   NULL};

static void set_parameter(struct grid_point *p, enum grid_parameter which, int64_t value)
{
    switch (which) {
    case GRID_LANES: p->board.lanes = value; break;
    case GRID_LENGTH: p->board.length = value; break;
    case GRID_ACTIVE: p->board.active = value; break;
    case GRID_FACTOR: p->board.factor = value; break;
    case GRID_PAWNS: p->board.pawns = value; break;
    case GRID_STEPS: p->steps = (uint64_t)value; break;
    case GRID_SIMS: p->sims = (uint64_t)value; break;
    case GRID_PARAMETERS: break;
    }
}

struct grid_point grid_point(const struct grid *g, uint32_t across, uint32_t along)
{
    struct grid_point p = {.across = g->across.values[across],
                           .along = g->along.values[along],
                           .board = g->board,
                           .steps = g->steps,
                           .sims = g->sims};
    set_parameter(&p, g->across.parameter, p.across);
    set_parameter(&p, g->along.parameter, p.along);
    return p;
}

struct chunk {
    const struct grid *grid;
    const struct grid_point *point;
    struct heap *heap;
    const char *opponent; /* patterns, with everything filled in */
    struct game *game;
    struct engine *engine;
    struct reasoner *reasoner;
    struct driver *driver;
    struct together *together;
    const atomic_bool *stop;
    uint32_t n;
    struct board_game *games;
    struct grid_game *out;
};

/* One of the games. */
struct board_game {
    const struct chunk *chunk;
    struct lab_seat *search; /* the player that is measured */
    struct seat *seats[2];
    struct match *match;
    atomic_bool enough; /* nobody wants to see how it goes on */
};

/* "{columns}" replaced. */
static const char *fill_in(struct heap *heap, const char *patterns, uint32_t columns)
{
    struct text t;
    text_init(&t, heap);
    for (const char *at = patterns; *at;) {
        const char *hole = strstr(at, "{columns}");
        text_add(&t, at, hole ? (size_t)(hole - at) : strlen(at));
        if (!hole) break;
        text_printf(&t, "%u", columns);
        at = hole + strlen("{columns}");
    }
    return heap_strdup(heap, text_str(&t), t.n);
}

static bool make_game(struct chunk *c, struct error *error)
{
    struct diagram diagram;
    struct text sheet;
    text_init(&sheet, c->heap);
    if (!diagram_open(c->heap, &c->point->board, &diagram, error)) return false;
    diagram_rules(c->heap, &diagram, &sheet);
    c->opponent = fill_in(c->heap, c->grid->opponent, diagram.columns);
    c->game =
        game_from_text(diagram.name ? diagram.name : "board", text_str(&sheet), sheet.n, 0, NULL, error);
    return c->game != NULL;
}

/* Seeded by what the game is, not by when or with whom it is played. */
static uint64_t game_seed(const struct chunk *c, uint32_t number)
{
    char what[200];
    int n = snprintf(what, sizeof what, "%llu/%lld/%lld/%u", (unsigned long long)c->grid->seed,
                     (long long)c->point->across, (long long)c->point->along, number);
    return hash_bytes(what, (size_t)n);
}

static bool make_engine(struct chunk *c, struct error *error)
{
    if (!make_game(c, error)) return false;
    if (!(c->engine = engine_start(c->game, NULL, error))) return false;
    return engine_wait(c->engine, -1) == ENGINE_READY || (*error = *engine_error(c->engine), false);
}

static void look(void *data, struct match *m)
{
    struct board_game *g = data;
    const struct chunk *c = g->chunk;
    if (c->grid->measure == GRID_MOVES || (c->stop && atomic_load(c->stop))) atomic_store(&g->enough, true);
    (void)m;
}

/* The player that is measured has the first seat, its opponent follows patterns. */
static bool begin(struct chunk *c, uint32_t i, uint32_t number, struct error *error)
{
    struct board_game *g = &c->games[i];
    struct player_config opponent = {.kind = PLAYER_SCRIPT};
    struct match_budget budget = {.simulations = c->point->sims, .steps = c->point->steps}, none = {0};
    uint64_t seed = game_seed(c, number);
    if (strlen(c->opponent) >= sizeof opponent.prefer)
        return error_set(error, ERROR_INPUT, "the opponent's patterns have more than %zu characters",
                         sizeof opponent.prefer - 1);
    strcpy(opponent.prefer, c->opponent);
    g->chunk = c;
    struct seat *player = seat_pooled(&c->grid->player, c->game, c->engine, 0, seed, c->driver, error);
    if (!player) return false;
    g->search = lab_seat_new(player, &budget);
    if (!g->search) return error_set(error, ERROR_MEMORY, "out of memory");
    g->seats[0] = &g->search->seat;
    g->seats[1] = seat_player(&opponent, c->game, c->engine, 1, seed, error);
    if (!g->seats[1] || !(g->match = match_new(c->game, c->engine, g->seats, &none, seed, error)))
        return false;
    g->match->stop = &g->enough;
    g->match->made = look;
    g->match->watch_data = g;
    return together_add(c->together, g->match) || error_set(error, ERROR_MEMORY, "out of memory");
}

static bool set_up(struct chunk *c, uint32_t from, struct error *error)
{
    if (!make_engine(c, error)) return false;
    if (!(c->reasoner = reasoner_circuit(c->game, engine_code(c->engine), error))) return false;
    if (c->game->nroles != 2) return error_set(error, ERROR_INPUT, "the board is not for two");
    c->driver = driver_new(c->reasoner, engine_code(c->engine), c->n, error);
    c->together = c->driver ? together_new(c->driver) : NULL;
    if (!c->together) return false;
    c->games = heap_zalloc(c->heap, c->n * sizeof *c->games);
    for (uint32_t i = 0; i < c->n; i++)
        if (!begin(c, i, from + i, error)) return false;
    return true;
}

static void tear_down(struct chunk *c)
{
    together_free(c->together);
    for (uint32_t i = 0; i < c->n && c->games; i++) {
        match_free(c->games[i].match);
        for (int k = 0; k < 2; k++)
            if (c->games[i].seats[k]) c->games[i].seats[k]->ops->free(c->games[i].seats[k]);
    }
    driver_free(c->driver);
    reasoner_free(c->reasoner);
    engine_free(c->engine);
    game_free(c->game);
}

static void write_down(struct chunk *c, const struct board_game *g)
{
    struct grid_game *out = &c->out[g - c->games];
    const struct match *m = g->match;
    struct text first;
    text_init(&first, c->heap);
    if (m->nsteps) reasoner_print_move(m->reasoner, 0, m->steps[0].joint[0], true, &first);
    snprintf(out->first, sizeof out->first, "%s", text_str(&first));
    out->moves = m->nsteps;
    if (m->terminal) out->points = stats_points(m->goals, 2, 0);
    out->simulations = g->search->simulations;
    out->steps = g->search->steps;
    out->decided = g->search->decided;
}

static bool play(struct chunk *c, struct error *error)
{
    struct match *m;
    while ((m = together_next(c->together, error))) {
        struct board_game *g = m->watch_data;
        if (c->stop && atomic_load(c->stop)) return error_set(error, ERROR_CANCELLED, "stopped");
        if (error->code && !atomic_load(&g->enough)) return false;
        write_down(c, g);
    }
    return true;
}

bool grid_play(const struct grid *g, const struct grid_point *point, uint32_t from, uint32_t n,
               const atomic_bool *stop, struct grid_game *out, struct error *error)
{
    struct heap_guard guard;
    double began = clock_now();
    struct chunk chunk = {.grid = g, .point = point, .n = n, .stop = stop, .out = out, .heap = heap_new(0)};
    volatile bool good = false;
    memset(out, 0, n * sizeof *out);
    if (!chunk.heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (HEAP_ENTER(chunk.heap, &guard, error)) {
        good = set_up(&chunk, from, error) && play(&chunk, error);
        heap_leave(chunk.heap);
    }
    for (uint32_t i = 0; i < n && good; i++) out[i].seconds = (clock_now() - began) / n;
    tear_down(&chunk);
    heap_free(chunk.heap);
    return good;
}

/* Random games from the beginning, counted by White's goal: what is not 50 was decided. */
static bool count_decided(struct chunk *c, uint64_t games, double *share, struct error *error)
{
    const struct code *code = engine_code(c->engine);
    struct batch *batch = batch_new(code, 0, 1, error);
    if (!batch) return false;
    struct batch_tally tally = {.goal_count = heap_zalloc(c->heap, code->goals.n * sizeof *tally.goal_count)};
    uint64_t drawn = 0;
    batch_play(batch, NULL, (games + batch->lanes - 1) / batch->lanes, 0, NULL, &tally);
    batch_free(batch);
    for (uint32_t i = 0; i < code->goals.n; i++)
        if (code->goals.v[i].role == 0 && code->goals.v[i].value == 50) drawn += tally.goal_count[i];
    *share = tally.games ? 1 - (double)drawn / (double)tally.games : 0;
    return true;
}

bool grid_natural(const struct grid *g, const struct grid_point *point, uint64_t games, double *share,
                  struct error *error)
{
    struct heap_guard guard;
    struct chunk chunk = {.grid = g, .point = point, .heap = heap_new(0)};
    volatile bool good = false;
    if (!chunk.heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (HEAP_ENTER(chunk.heap, &guard, error)) {
        good = make_engine(&chunk, error) && count_decided(&chunk, games, share, error);
        heap_leave(chunk.heap);
    }
    tear_down(&chunk);
    heap_free(chunk.heap);
    return good;
}
