// SPDX-License-Identifier: GPL-3.0-or-later
/* The public library (include/ludens.h): thin wrappers that keep a caller's mistakes from reaching the
 * inside.
 *
 * Invariant: a move number is passed to the reasoner only if it is below engine->known[role], the count of
 * moves the reasoner has told us about. Numbers count up from 0, so all of those exist. */
#include "ludens.h"

#include "game/reasoner.h"
#include "game/trace.h"

#include <stdlib.h>

struct ludens_game {
    struct game *game;
    struct heap *heap;     /* the warnings */
    const char **warnings; /* game->diags.list.n of them */
};

struct ludens_engine {
    struct reasoner *reasoner;
    struct heap *heap; /* scratch for printing; holds nothing between calls but its own buffers */
    struct text text;
    struct trace_lines lines;
    uint32_t *known;
};

struct ludens_state {
    struct ludens_engine *engine;
    struct state state, next;
    struct list moves;
};

static bool tell(struct ludens_error *out, const struct error *in)
{
    if (out) {
        out->code = (enum ludens_code)in->code;
        snprintf(out->text, sizeof out->text, "%s", in->text);
    }
    return false;
}

static bool refuse(struct ludens_error *out, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct ludens_error *out, enum error_code code, const char *format, ...)
{
    struct error error;
    va_list args;
    va_start(args, format);
    error_vset(&error, code, format, args);
    va_end(args);
    return tell(out, &error);
}

static bool no_memory(struct ludens_error *error)
{
    return refuse(error, ERROR_MEMORY, "there is no memory left");
}

const char *ludens_version(void)
{
    return LUDENS_VERSION;
}

/* Games. */

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

static struct ludens_game *wrap_game(struct game *game, const struct error *why, struct ludens_error *error)
{
    if (!game) {
        tell(error, why);
        return NULL;
    }
    struct ludens_game *g = calloc(1, sizeof *g);
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error inside;
    if (g && heap) {
        *g = (struct ludens_game){.game = game, .heap = heap};
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

struct ludens_game *ludens_game_load(const char *path_or_name, struct ludens_error *error)
{
    struct error inside = {0};
    return wrap_game(game_load(path_or_name, 0, NULL, &inside), &inside, error);
}

struct ludens_game *ludens_game_parse(const char *name, const char *text, size_t size,
                                      struct ludens_error *error)
{
    struct error inside = {0};
    return wrap_game(game_from_text(name, text, size, 0, NULL, &inside), &inside, error);
}

void ludens_game_free(struct ludens_game *game)
{
    if (!game) return;
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

const char *ludens_game_warning(const struct ludens_game *game, uint32_t number)
{
    return number < game->game->diags.list.n ? game->warnings[number] : NULL;
}

/* Engines. */

struct ludens_engine *ludens_engine_new(const struct ludens_game *game, struct ludens_error *error)
{
    struct error inside = {0};
    struct ludens_engine *e = calloc(1, sizeof *e);
    if (e) {
        e->known = calloc(game->game->nroles, sizeof *e->known);
        e->heap = heap_new(0);
    }
    if (!e || !e->known || !e->heap) {
        no_memory(error);
    } else if (!(e->reasoner = reasoner_lifted(game->game, 0, &inside))) {
        tell(error, &inside);
    } else {
        text_init(&e->text, e->heap);
        trace_lines_init(&e->lines, e->heap);
        return e;
    }
    ludens_engine_free(e);
    return NULL;
}

void ludens_engine_free(struct ludens_engine *engine)
{
    if (!engine) return;
    if (engine->reasoner) reasoner_free(engine->reasoner);
    heap_free(engine->heap);
    free(engine->known);
    free(engine);
}

static bool role_exists(const struct ludens_engine *e, uint32_t role, struct ludens_error *error)
{
    uint32_t n = e->reasoner->game->nroles;
    if (role < n) return true;
    return refuse(error, ERROR_INPUT, "there is no role %u: this game has %u, counted from 0", role, n);
}

static void learn(struct ludens_engine *e, uint32_t role, uint32_t move)
{
    if (move >= e->known[role]) e->known[role] = move + 1;
}

static size_t put_text(const struct text *text, char *buffer, size_t size)
{
    if (size > 0) {
        size_t n = text->n < size ? text->n : size - 1;
        memcpy(buffer, text_str(text), n);
        buffer[n] = '\0';
    }
    return text->n;
}

size_t ludens_move_print(struct ludens_engine *engine, uint32_t role, uint32_t move, char *buffer,
                         size_t size)
{
    struct heap_guard guard;
    struct error inside;
    text_clear(&engine->text);
    if (role_exists(engine, role, NULL) && move < engine->known[role]) {
        if (HEAP_ENTER(engine->heap, &guard, &inside)) {
            reasoner_print_move(engine->reasoner, role, move, false, &engine->text);
            heap_leave(engine->heap);
        } else {
            text_clear(&engine->text);
        }
    }
    return put_text(&engine->text, buffer, size);
}

bool ludens_move_read(struct ludens_engine *engine, uint32_t role, const char *text, uint32_t *move,
                      struct ludens_error *error)
{
    if (!role_exists(engine, role, error)) return false;
    if (!reasoner_read_move(engine->reasoner, role, text, move)) return tell(error, &engine->reasoner->error);
    learn(engine, role, *move);
    return true;
}

/* States. */

struct ludens_state *ludens_state_new(struct ludens_engine *engine, struct ludens_error *error)
{
    struct ludens_state *s = calloc(1, sizeof *s);
    if (!s) {
        no_memory(error);
        return NULL;
    }
    s->engine = engine;
    if (engine->reasoner->ops->initial(engine->reasoner, &s->state)) return s;
    tell(error, &engine->reasoner->error);
    ludens_state_free(s);
    return NULL;
}

struct ludens_state *ludens_state_copy(const struct ludens_state *state, struct ludens_error *error)
{
    struct ludens_state *s = calloc(1, sizeof *s);
    if (s) s->engine = state->engine;
    if (s && state_copy(&s->state, &state->state)) return s;
    ludens_state_free(s);
    no_memory(error);
    return NULL;
}

void ludens_state_free(struct ludens_state *state)
{
    if (!state) return;
    state_done(&state->state);
    state_done(&state->next);
    list_done(&state->moves);
    free(state);
}

bool ludens_state_equal(const struct ludens_state *a, const struct ludens_state *b)
{
    return state_equal(&a->state, &b->state);
}

uint64_t ludens_state_hash(const struct ludens_state *state)
{
    return state_hash(&state->state);
}

size_t ludens_state_print(const struct ludens_state *state, char *buffer, size_t size)
{
    struct ludens_engine *e = state->engine;
    struct heap_guard guard;
    struct error inside;
    text_clear(&e->text);
    if (HEAP_ENTER(e->heap, &guard, &inside)) {
        if (trace_facts(e->reasoner, &state->state, &e->lines))
            for (uint32_t i = 0; i < e->lines.v.n; i++) text_printf(&e->text, "%s\n", e->lines.v.v[i]);
        trace_lines_clear(&e->lines);
        heap_leave(e->heap);
    } else {
        text_clear(&e->text);
    }
    return put_text(&e->text, buffer, size);
}

bool ludens_state_terminal(const struct ludens_state *state, bool *terminal, struct ludens_error *error)
{
    struct reasoner *r = state->engine->reasoner;
    return r->ops->terminal(r, &state->state, terminal) || tell(error, &r->error);
}

bool ludens_state_goal(const struct ludens_state *state, uint32_t role, int *goal, struct ludens_error *error)
{
    struct reasoner *r = state->engine->reasoner;
    if (!role_exists(state->engine, role, error)) return false;
    if (!reasoner_goal(r, &state->state, role, goal)) return tell(error, &r->error);
    if (*goal == GOAL_UNDEFINED) *goal = LUDENS_NO_GOAL;
    return true;
}

static bool find_moves(struct ludens_state *state, uint32_t role, struct ludens_error *error)
{
    struct ludens_engine *e = state->engine;
    if (!e->reasoner->ops->legal(e->reasoner, &state->state, role, &state->moves))
        return tell(error, &e->reasoner->error);
    for (uint32_t i = 0; i < state->moves.n; i++) learn(e, role, state->moves.v[i]);
    return true;
}

bool ludens_state_moves(struct ludens_state *state, uint32_t role, const uint32_t **moves, uint32_t *count,
                        struct ludens_error *error)
{
    if (!role_exists(state->engine, role, error) || !find_moves(state, role, error)) return false;
    *moves = state->moves.v;
    *count = state->moves.n;
    return true;
}

static bool is_among(const struct list *list, uint32_t x)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == x) return true;
    return false;
}

bool ludens_state_play(struct ludens_state *state, const uint32_t *joint, struct ludens_error *error)
{
    struct ludens_engine *e = state->engine;
    const struct game *game = e->reasoner->game;
    for (uint32_t role = 0; role < game->nroles; role++) {
        if (!find_moves(state, role, error)) return false;
        if (!is_among(&state->moves, joint[role])) {
            char text[300];
            if (ludens_move_print(e, role, joint[role], text, sizeof text) == 0)
                snprintf(text, sizeof text, "move %u", joint[role]);
            return refuse(error, ERROR_INPUT, "%s is not legal for %s here", text, game->role_names[role]);
        }
    }
    if (!e->reasoner->ops->next(e->reasoner, &state->state, joint, &state->next))
        return tell(error, &e->reasoner->error);
    struct state old = state->state;
    state->state = state->next;
    state->next = old;
    return true;
}
