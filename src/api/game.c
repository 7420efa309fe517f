// SPDX-License-Identifier: GPL-3.0-or-later
/* Games, and the one circuit that all who use a game share. */
#include "api/api.h"

#include <stdlib.h>

#define DEFAULT_SECONDS 20.0
#define DEFAULT_BYTES ((size_t)2 << 30)

static void write_warnings(struct ludens_game *g)
{
    const struct diags *d = &g->game->diags;
    g->warnings = heap_zalloc(g->heap, d->list.n * sizeof *g->warnings);
    for (uint32_t i = 0; i < d->list.n; i++) {
        const struct diag *remark = &d->list.v[i];
        struct text text;
        text_init(&text, g->heap);
        text_puts(&text, g->game->source->name);
        if (remark->offset != DIAG_NOWHERE) {
            struct source_place at = source_place(g->game->source, remark->offset);
            text_printf(&text, ":%u:%u", at.line, at.column);
        }
        text_printf(&text, ": %s", remark->text);
        g->warnings[i] = text.s;
    }
}

struct ludens_game *game_wrap(struct game *game, struct ludens_error *error)
{
    struct ludens_game *g = calloc(1, sizeof *g);
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error inside;
    if (g && heap) {
        *g = (struct ludens_game){.game = game, .heap = heap, .lock = PTHREAD_MUTEX_INITIALIZER};
        if (HEAP_ENTER(heap, &guard, &inside)) {
            write_warnings(g);
            heap_leave(heap);
            return g;
        }
    }
    free(g);
    heap_free(heap);
    game_free(game);
    no_memory(error);
    return NULL;
}

/* Why a sheet was refused, and where. */
static void tell_place(struct ludens_error *error, const struct game *refused)
{
    const struct diags *d = &refused->diags;
    for (uint32_t i = 0; error && i < d->list.n; i++) {
        if (!d->list.v[i].error) continue;
        if (d->list.v[i].offset == DIAG_NOWHERE) return;
        struct source_place at = source_place(refused->source, d->list.v[i].offset);
        error->line = at.line;
        error->column = at.column;
        return;
    }
}

static struct ludens_game *open_game(struct game *game, struct game *refused, const struct error *why,
                                     struct ludens_error *error)
{
    if (game) return game_wrap(game, error);
    tell(error, why);
    if (refused) tell_place(error, refused);
    game_free(refused);
    return NULL;
}

struct ludens_game *ludens_game_load(const char *path_or_name, struct ludens_error *error)
{
    struct error inside = {0};
    struct game *refused = NULL, *game = game_load(path_or_name, 0, &refused, &inside);
    return open_game(game, refused, &inside, error);
}

struct ludens_game *ludens_game_parse(const char *name, const char *text, size_t size,
                                      struct ludens_error *error)
{
    struct error inside = {0};
    struct game *refused = NULL, *game = game_from_text(name, text, size, 0, &refused, &inside);
    return open_game(game, refused, &inside, error);
}

void ludens_game_free(struct ludens_game *game)
{
    if (!game) return;
    engine_free(game->engine);
    for (uint32_t i = 0; i < game->failed.n; i++) engine_free(game->failed.v[i]);
    pthread_mutex_destroy(&game->lock);
    game_free(game->game);
    heap_free(game->heap);
    free(game);
}

const char *ludens_game_name(const struct ludens_game *game)
{
    return game->game->name;
}

uint32_t ludens_game_roles(const struct ludens_game *game)
{
    return game->game->nroles;
}

const char *ludens_game_role(const struct ludens_game *game, uint32_t role)
{
    return role < game->game->nroles ? game->game->role_names[role] : NULL;
}

int ludens_game_chance(const struct ludens_game *game)
{
    return game->game->chance;
}

const char *ludens_game_warning(const struct ludens_game *game, uint32_t number)
{
    return number < game->game->diags.list.n ? game->warnings[number] : NULL;
}

const char *ludens_game_rules(const struct ludens_game *game)
{
    return game->game->source->text;
}

/* The circuit. */

/* Put a failed attempt aside. False without memory. */
static bool put_aside(struct ludens_game *g, struct error *error)
{
    struct heap_guard guard;
    if (!HEAP_ENTER(g->heap, &guard, error)) return false;
    vec_push(g->heap, &g->failed, g->engine);
    heap_leave(g->heap);
    g->engine = NULL;
    return true;
}

static bool begin(struct ludens_game *g, const struct ludens_limits *limits, bool again, struct error *error)
{
    struct ground_limits inside = {.seconds = DEFAULT_SECONDS, .bytes = DEFAULT_BYTES};
    if (limits && limits->seconds > 0) inside.seconds = limits->seconds;
    if (limits && limits->bytes > 0) inside.bytes = limits->bytes;
    bool good = true;
    pthread_mutex_lock(&g->lock);
    if (again && g->engine && engine_poll(g->engine) == ENGINE_FAILED) good = put_aside(g, error);
    if (good && !g->engine) g->engine = engine_start(g->game, &inside, error);
    good = good && g->engine != NULL;
    pthread_mutex_unlock(&g->lock);
    return good;
}

struct engine *game_engine(struct ludens_game *game, struct error *error)
{
    return begin(game, NULL, false, error) ? game->engine : NULL;
}

bool ludens_game_prepare(struct ludens_game *game, const struct ludens_limits *limits,
                         struct ludens_error *error)
{
    struct error inside = {0};
    return begin(game, limits, true, &inside) || tell(error, &inside);
}

static struct engine *current(struct ludens_game *game)
{
    pthread_mutex_lock(&game->lock);
    struct engine *e = game->engine;
    pthread_mutex_unlock(&game->lock);
    return e;
}

enum ludens_status ludens_game_wait(struct ludens_game *game, double seconds, struct ludens_error *error)
{
    struct engine *e = current(game);
    if (!e) return LUDENS_NOT_BEGUN;
    switch (engine_wait(e, seconds)) {
    case ENGINE_READY: return LUDENS_READY;
    case ENGINE_FAILED: tell(error, engine_error(e)); return LUDENS_FAILED;
    default: return LUDENS_WORKING;
    }
}

void ludens_game_cancel(struct ludens_game *game)
{
    struct engine *e = current(game);
    if (e) engine_cancel(e);
}

const struct code *game_code(struct ludens_game *game, struct ludens_error *error)
{
    struct error inside = {0};
    struct engine *e = game_engine(game, &inside);
    if (e && engine_wait(e, -1) == ENGINE_READY) return engine_code(e);
    tell(error, e ? engine_error(e) : &inside);
    return NULL;
}
