// SPDX-License-Identifier: GPL-3.0-or-later
/* A chunk of games side by side: the searches of all games think at the same time, then everybody moves. */
#include "lab/grid.h"

#include "base/hash.h"
#include "game/engine.h"
#include "player/script.h"
#include "search/flock.h"

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
    struct flock *flock;
    uint32_t n;
    struct state *states; /* by game */
    bool *over, *searches;
    struct list legal;
    struct grid_game *out;
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

/* Seeded by what the chunk is, not by when it is played. */
static uint64_t chunk_seed(const struct chunk *c, uint32_t from)
{
    char what[200];
    int n = snprintf(what, sizeof what, "%llu/%lld/%lld/%u", (unsigned long long)c->grid->seed,
                     (long long)c->point->across, (long long)c->point->along, from);
    return hash_bytes(what, (size_t)n);
}

static bool make_engine(struct chunk *c, struct error *error)
{
    if (!make_game(c, error)) return false;
    if (!(c->engine = engine_start(c->game, NULL, error))) return false;
    return engine_wait(c->engine, -1) == ENGINE_READY || (*error = *engine_error(c->engine), false);
}

static bool set_up(struct chunk *c, uint32_t from, struct error *error)
{
    if (!make_engine(c, error)) return false;
    if (!(c->reasoner = reasoner_circuit(c->game, engine_code(c->engine), error))) return false;
    struct flock_options o = {.c = (float)c->grid->player.c,
                              .by_visits = c->grid->player.final == FINAL_VISITS,
                              .memory = (size_t)(c->grid->player.memory ? c->grid->player.memory : 4096)
                                        << 20,
                              .seed = chunk_seed(c, from)};
    c->flock = flock_new(c->reasoner, engine_code(c->engine), c->n, &o, error);
    c->states = heap_zalloc(c->heap, c->n * sizeof *c->states);
    c->over = heap_zalloc(c->heap, c->n);
    c->searches = heap_zalloc(c->heap, c->n);
    for (uint32_t i = 0; i < c->n && c->flock; i++)
        if (!c->reasoner->ops->initial(c->reasoner, &c->states[i])) return *error = c->reasoner->error, false;
    return c->flock != NULL;
}

static void tear_down(struct chunk *c)
{
    for (uint32_t i = 0; i < c->n && c->states; i++) state_done(&c->states[i]);
    list_done(&c->legal);
    flock_free(c->flock);
    reasoner_free(c->reasoner);
    engine_free(c->engine);
    game_free(c->game);
}

static bool legal(struct chunk *c, uint32_t i, uint32_t role, struct error *error)
{
    c->legal.n = 0;
    if (!c->reasoner->ops->legal(c->reasoner, &c->states[i], role, &c->legal))
        return *error = c->reasoner->error, false;
    return c->legal.n || error_set(error, ERROR_INPUT, "%s has no legal move", c->game->role_names[role]);
}

/* All games in which White has a choice are searched; false: failed. */
static bool think(struct chunk *c, const struct flock_budget *budget, struct error *error)
{
    for (uint32_t i = 0; i < c->n; i++) {
        c->searches[i] = false;
        if (!c->over[i]) {
            if (!legal(c, i, 0, error)) return false;
            c->searches[i] = c->legal.n > 1;
        }
        if (!flock_root(c->flock, i, c->searches[i] ? &c->states[i] : NULL, error)) return false;
    }
    return flock_run(c->flock, budget, error);
}

static bool advance(struct chunk *c, uint32_t i, struct error *error)
{
    struct reasoner *r = c->reasoner;
    struct grid_game *g = &c->out[i];
    uint32_t joint[2];
    struct state next = {0};
    if (!legal(c, i, 0, error)) return false;
    joint[0] = c->legal.v[0];
    if (c->searches[i]) flock_best(c->flock, i, 0, &joint[0]);
    if (g->moves == 0) {
        struct text first;
        text_init(&first, c->heap);
        reasoner_print_move(r, 0, joint[0], true, &first);
        snprintf(g->first, sizeof g->first, "%s", text_str(&first));
    }
    if (!legal(c, i, 1, error)) return false;
    joint[1] = c->legal.v[script_choose(c->opponent, c->heap, r, 1, &c->legal)];
    if (!r->ops->next(r, &c->states[i], joint, &next)) return *error = r->error, false;
    state_done(&c->states[i]);
    c->states[i] = next;
    g->moves++;
    int goals[2];
    if (!r->ops->terminal(r, &next, &c->over[i])) return *error = r->error, false;
    if (!c->over[i]) return true;
    if (!reasoner_goal(r, &next, 0, &goals[0]) || !reasoner_goal(r, &next, 1, &goals[1]))
        return *error = r->error, false;
    g->points = stats_points(goals, 2, 0);
    return true;
}

static bool play(struct chunk *c, const atomic_bool *stop, struct error *error)
{
    struct flock_budget budget = {.simulations = c->point->sims, .steps = c->point->steps, .stop = stop};
    for (;;) {
        bool going = false;
        if (!think(c, &budget, error)) return false;
        for (uint32_t i = 0; i < c->n; i++) {
            if (c->over[i]) continue;
            if (!advance(c, i, error)) return false;
            if (c->grid->measure == GRID_MOVES) c->over[i] = true; /* the first move is all we want */
            going |= !c->over[i];
        }
        if (!going) return true;
    }
}

bool grid_play(const struct grid *g, const struct grid_point *point, uint32_t from, uint32_t n,
               const atomic_bool *stop, struct grid_game *out, struct error *error)
{
    struct heap_guard guard;
    double began = clock_now();
    struct chunk chunk = {.grid = g, .point = point, .n = n, .out = out, .heap = heap_new(0)};
    volatile bool good = false;
    memset(out, 0, n * sizeof *out);
    if (!chunk.heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (HEAP_ENTER(chunk.heap, &guard, error)) {
        good = set_up(&chunk, from, error) && play(&chunk, stop, error);
        heap_leave(chunk.heap);
    }
    for (uint32_t i = 0; i < n && good; i++) {
        const struct flock_stats *s = flock_stats(chunk.flock, i);
        out[i].simulations = s->simulations;
        out[i].steps = s->steps;
        out[i].decided = s->decided;
        out[i].seconds = (clock_now() - began) / n;
    }
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
