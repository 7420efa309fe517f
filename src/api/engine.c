// SPDX-License-Identifier: GPL-3.0-or-later
/* Engines, and the numbers of moves and facts. */
#include "api/api.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define AUTO_SECONDS 2.0 /* what a person would wait */

/* --- Numbers -------------------------------------------------------------------------------------------- */

void engine_learn(struct ludens_engine *e, uint32_t role, uint32_t move)
{
    if (move >= e->known[role]) e->known[role] = move + 1;
}

bool engine_knows(const struct ludens_engine *e, uint32_t role, uint32_t move)
{
    return role < e->reasoner->game->nroles && move < e->known[role];
}

bool engine_has_role(const struct ludens_engine *e, uint32_t role, struct ludens_error *error)
{
    uint32_t n = e->reasoner->game->nroles;
    if (role < n) return true;
    return refuse(error, ERROR_INPUT, "there is no role %u: this game has %u, counted from 0", role, n);
}

bool engine_fact_number(struct ludens_engine *e, term fact, uint32_t *number)
{
    while (e->numbers.n <= fact)
        if (!list_push(&e->numbers, 0)) return false;
    if (e->numbers.v[fact] == 0) {
        if (!list_push(&e->facts, fact)) return false;
        e->numbers.v[fact] = e->facts.n;
    }
    *number = e->numbers.v[fact] - 1;
    return true;
}

/* The reasoner is now this one: what it knows from the beginning is numbered. */
static bool adopt(struct ludens_engine *e, struct reasoner *r)
{
    const struct code *code = reasoner_code(r);
    e->reasoner = r;
    e->facts.n = e->numbers.n = 0;
    memset(e->known, 0, r->game->nroles * sizeof *e->known);
    for (uint32_t role = 0; code && role < r->game->nroles; role++) e->known[role] = code->roles[role].n;
    uint32_t number;
    for (uint32_t i = 0; code && i < code->circuit->nfacts; i++)
        if (!engine_fact_number(e, code->circuit->fact[i], &number)) return false;
    return true;
}

/* --- Life ----------------------------------------------------------------------------------------------- */

/* Takes the reasoner over, unless it is borrowed. */
static struct ludens_engine *engine_on(struct ludens_game *game, struct reasoner *r, bool borrowed,
                                       struct ludens_error *error)
{
    struct ludens_engine *e = calloc(1, sizeof *e);
    if (e) {
        *e = (struct ludens_engine){.game = game, .borrowed = borrowed, .reasoner = r};
        e->known = calloc(r->game->nroles, sizeof *e->known);
        e->heap = heap_new(0);
        if (e->known && e->heap && adopt(e, r)) {
            text_init(&e->text, e->heap);
            trace_lines_init(&e->lines, e->heap);
            return e;
        }
        ludens_engine_free(e);
    } else if (!borrowed) {
        reasoner_free(r);
    }
    no_memory(error);
    return NULL;
}

struct ludens_engine *engine_wrap(struct reasoner *reasoner, struct ludens_error *error)
{
    return engine_on(NULL, reasoner, true, error);
}

static struct reasoner *open_reasoner(struct ludens_game *game, enum ludens_kind kind, struct error *error)
{
    if (kind != LUDENS_LIFTED) {
        struct engine *engine = game_engine(game, error);
        double wait = kind == LUDENS_CIRCUIT ? -1 : kind == LUDENS_AUTO ? AUTO_SECONDS : 0;
        enum engine_status status = engine ? engine_wait(engine, wait) : ENGINE_FAILED;
        if (status == ENGINE_READY) return reasoner_circuit(game->game, engine_code(engine), error);
        if (kind == LUDENS_CIRCUIT && engine) *error = *engine_error(engine);
        if (kind == LUDENS_CIRCUIT) return NULL;
    }
    return reasoner_lifted(game->game, 0, error);
}

struct ludens_engine *ludens_engine_open(struct ludens_game *game, enum ludens_kind kind,
                                         struct ludens_error *error)
{
    struct error inside = {0};
    if (kind < LUDENS_AUTO || kind > LUDENS_BACKGROUND)
        return refuse(error, ERROR_INPUT, "there is no engine of kind %d", (int)kind), NULL;
    struct reasoner *r = open_reasoner(game, kind, &inside);
    if (!r) return tell(error, &inside), NULL;
    return engine_on(game, r, false, error);
}

struct ludens_engine *ludens_engine_new(struct ludens_game *game, struct ludens_error *error)
{
    return ludens_engine_open(game, LUDENS_AUTO, error);
}

void ludens_engine_free(struct ludens_engine *engine)
{
    if (!engine) return;
    if (engine->before) reasoner_free(engine->before);
    if (!engine->borrowed) reasoner_free(engine->reasoner);
    heap_free(engine->heap);
    list_done(&engine->facts);
    list_done(&engine->numbers);
    free(engine->known);
    free(engine);
}

enum ludens_kind ludens_engine_kind(const struct ludens_engine *engine)
{
    return reasoner_code(engine->reasoner) ? LUDENS_CIRCUIT : LUDENS_LIFTED;
}

bool ludens_engine_take(struct ludens_engine *engine, double seconds, bool *taken, struct ludens_error *error)
{
    struct error inside = {0};
    *taken = reasoner_code(engine->reasoner) != NULL;
    if (*taken || !engine->game) return true;
    struct engine *ground = game_engine(engine->game, &inside);
    if (!ground) return tell(error, &inside);
    if (engine_wait(ground, seconds) != ENGINE_READY) return true;
    struct reasoner *r = reasoner_circuit(engine->game->game, engine_code(ground), &inside), *old;
    if (!r) return tell(error, &inside);
    old = engine->reasoner;
    if (!adopt(engine, r)) {
        adopt(engine, old);
        reasoner_free(r);
        return no_memory(error);
    }
    engine->before = old;
    *taken = true;
    return true;
}

void ludens_engine_limit(struct ludens_engine *engine, double seconds, const struct ludens_stop *stop)
{
    engine->seconds = seconds > 0 ? seconds : 0;
    engine->stop = stop_flag(stop);
}

struct reasoner *engine_ask(struct ludens_engine *e)
{
    e->reasoner->deadline = e->seconds > 0 ? clock_now() + e->seconds : 0;
    e->reasoner->cancel = e->stop;
    return e->reasoner;
}

/* --- Moves and facts as text ---------------------------------------------------------------------------- */

uint32_t ludens_engine_moves(const struct ludens_engine *engine, uint32_t role)
{
    return role < engine->reasoner->game->nroles ? engine->known[role] : 0;
}

size_t ludens_move_print(struct ludens_engine *engine, uint32_t role, uint32_t move, char *buffer,
                         size_t size)
{
    struct heap_guard guard;
    struct error inside;
    text_clear(&engine->text);
    if (engine_knows(engine, role, move)) {
        if (HEAP_ENTER(engine->heap, &guard, &inside)) {
            reasoner_print_move(engine->reasoner, role, move, false, &engine->text);
            heap_leave(engine->heap);
        } else {
            text_clear(&engine->text);
        }
    }
    return put_text(text_str(&engine->text), engine->text.n, buffer, size);
}

bool ludens_move_read(struct ludens_engine *engine, uint32_t role, const char *text, uint32_t *move,
                      struct ludens_error *error)
{
    if (!engine_has_role(engine, role, error)) return false;
    if (!reasoner_read_move(engine_ask(engine), role, text, move))
        return tell(error, &engine->reasoner->error);
    engine_learn(engine, role, *move);
    return true;
}

uint32_t ludens_engine_facts(const struct ludens_engine *engine)
{
    return engine->facts.n;
}

size_t ludens_fact_print(struct ludens_engine *engine, uint32_t fact, char *buffer, size_t size)
{
    struct heap_guard guard;
    struct error inside;
    text_clear(&engine->text);
    if (fact < engine->facts.n) {
        if (HEAP_ENTER(engine->heap, &guard, &inside)) {
            term_print(engine->reasoner->terms, engine->facts.v[fact], true, NULL, &engine->text);
            heap_leave(engine->heap);
        } else {
            text_clear(&engine->text);
        }
    }
    return put_text(text_str(&engine->text), engine->text.n, buffer, size);
}

bool ludens_fact_read(struct ludens_engine *engine, const char *text, uint32_t *fact,
                      struct ludens_error *error)
{
    struct reasoner *r = engine_ask(engine);
    term t = term_read(r->terms, text, strlen(text), &r->error);
    if (!t) return refuse(error, ERROR_INPUT, "'%.60s' is no fact", text);
    if (reasoner_code(r) && (t >= engine->numbers.n || engine->numbers.v[t] == 0))
        return refuse(error, ERROR_INPUT, "%.300s is true in no state that can be reached", text);
    return engine_fact_number(engine, t, fact) || no_memory(error);
}
