// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

struct ludens_state *state_wrap(struct ludens_engine *engine, struct ludens_error *error)
{
    struct ludens_state *s = calloc(1, sizeof *s);
    if (!s) return no_memory(error), NULL;
    s->engine = engine;
    s->reasoner = engine->reasoner;
    return s;
}

/* The state is that of its engine's reasoner: it is carried over when the engine has changed to the circuit.
 * To the caller it is the same state, const or not. */
static bool bring(const struct ludens_state *state, struct ludens_error *error)
{
    struct ludens_state *s = (struct ludens_state *)state;
    struct reasoner *now = s->engine->reasoner;
    if (s->reasoner == now) return true;
    if (!reasoner_carry_state(now, s->reasoner, &s->state, &s->next))
        return tell(error, now->error.code ? &now->error : &s->reasoner->error);
    struct state old = s->state;
    s->state = s->next;
    s->next = old;
    s->reasoner = now;
    return true;
}

const struct state *state_words(const struct ludens_state *state, struct ludens_error *error)
{
    return bring(state, error) ? &state->state : NULL;
}

static struct ludens_state *finish(struct ludens_state *s, bool good, struct ludens_error *error)
{
    if (!s || good) return s;
    tell(error, &s->reasoner->error);
    ludens_state_free(s);
    return NULL;
}

struct ludens_state *ludens_state_new(struct ludens_engine *engine, struct ludens_error *error)
{
    struct ludens_state *s = state_wrap(engine, error);
    struct reasoner *r = engine_ask(engine);
    return finish(s, s && r->ops->initial(r, &s->state), error);
}

struct ludens_state *ludens_state_copy(const struct ludens_state *state, struct ludens_error *error)
{
    struct ludens_state *s = bring(state, error) ? state_wrap(state->engine, error) : NULL;
    if (!s || state_copy(&s->state, &state->state)) return s;
    ludens_state_free(s);
    no_memory(error);
    return NULL;
}

struct ludens_state *ludens_state_read(struct ludens_engine *engine, const char *facts,
                                       struct ludens_error *error)
{
    struct ludens_state *s = state_wrap(engine, error);
    return finish(s, s && reasoner_read_state(engine_ask(engine), facts, &s->state), error);
}

struct ludens_state *ludens_state_from_facts(struct ludens_engine *engine, const uint32_t *facts,
                                             uint32_t count, struct ludens_error *error)
{
    struct reasoner *r = engine_ask(engine);
    struct ludens_state *s = state_wrap(engine, error);
    struct list terms = {0};
    bool good = s != NULL;
    for (uint32_t i = 0; i < count && good; i++) {
        if (facts[i] >= engine->facts.n)
            good = error_set(&r->error, ERROR_INPUT, "there is no fact %u", facts[i]);
        else
            good = list_push(&terms, engine->facts.v[facts[i]]) ||
                   error_set(&r->error, ERROR_MEMORY, "there is no memory left");
    }
    good = good && r->ops->assemble(r, terms.v, terms.n, &s->state);
    list_done(&terms);
    return finish(s, good, error);
}

struct ludens_state *ludens_state_carry(const struct ludens_state *state, struct ludens_engine *to,
                                        struct ludens_error *error)
{
    struct ludens_state *s = bring(state, error) ? state_wrap(to, error) : NULL;
    return finish(s, s && reasoner_carry_state(engine_ask(to), state->reasoner, &state->state, &s->state),
                  error);
}

void ludens_state_free(struct ludens_state *state)
{
    if (!state) return;
    state_done(&state->state);
    state_done(&state->next);
    list_done(&state->moves);
    list_done(&state->facts);
    free(state);
}

bool ludens_state_equal(const struct ludens_state *a, const struct ludens_state *b)
{
    return bring(a, NULL) && bring(b, NULL) && state_equal(&a->state, &b->state);
}

uint64_t ludens_state_hash(const struct ludens_state *state)
{
    bring(state, NULL);
    return state_hash(&state->state);
}

size_t ludens_state_print(const struct ludens_state *state, char *buffer, size_t size)
{
    struct ludens_engine *e = state->engine;
    struct heap_guard guard;
    struct error inside;
    text_clear(&e->text);
    if (bring(state, NULL) && HEAP_ENTER(e->heap, &guard, &inside)) {
        if (trace_facts(engine_ask(e), &state->state, &e->lines))
            for (uint32_t i = 0; i < e->lines.v.n; i++) text_printf(&e->text, "%s\n", e->lines.v.v[i]);
        trace_lines_clear(&e->lines);
        heap_leave(e->heap);
    } else {
        text_clear(&e->text);
    }
    return put_text(text_str(&e->text), e->text.n, buffer, size);
}

bool ludens_state_facts(struct ludens_state *state, const uint32_t **facts, uint32_t *count,
                        struct ludens_error *error)
{
    struct reasoner *r = engine_ask(state->engine);
    if (!bring(state, error)) return false;
    if (!r->ops->facts(r, &state->state, &state->facts)) return tell(error, &r->error);
    for (uint32_t i = 0; i < state->facts.n; i++)
        if (!engine_fact_number(state->engine, state->facts.v[i], &state->facts.v[i]))
            return no_memory(error);
    *facts = state->facts.v;
    *count = state->facts.n;
    return true;
}

size_t ludens_state_bits(struct ludens_state *state, uint64_t *bits, size_t words)
{
    const uint32_t *facts;
    uint32_t count;
    bool good = ludens_state_facts(state, &facts, &count, NULL);
    if (words) memset(bits, 0, words * sizeof *bits);
    for (uint32_t i = 0; good && i < count; i++)
        if (facts[i] / 64 < words) bits[facts[i] / 64] |= 1ull << facts[i] % 64;
    return (state->engine->facts.n + 63) / 64;
}

bool ludens_state_terminal(const struct ludens_state *state, bool *terminal, struct ludens_error *error)
{
    struct reasoner *r = engine_ask(state->engine);
    if (!bring(state, error)) return false;
    return r->ops->terminal(r, &state->state, terminal) || tell(error, &r->error);
}

bool ludens_state_goal(const struct ludens_state *state, uint32_t role, int *goal, struct ludens_error *error)
{
    struct reasoner *r = engine_ask(state->engine);
    if (!engine_has_role(state->engine, role, error) || !bring(state, error)) return false;
    if (!reasoner_goal(r, &state->state, role, goal)) return tell(error, &r->error);
    if (*goal == GOAL_UNDEFINED) *goal = LUDENS_NO_GOAL;
    return true;
}

static bool find_moves(struct ludens_state *state, uint32_t role, struct ludens_error *error)
{
    struct reasoner *r = engine_ask(state->engine);
    if (!bring(state, error)) return false;
    if (!r->ops->legal(r, &state->state, role, &state->moves)) return tell(error, &r->error);
    for (uint32_t i = 0; i < state->moves.n; i++) engine_learn(state->engine, role, state->moves.v[i]);
    return true;
}

bool ludens_state_moves(struct ludens_state *state, uint32_t role, const uint32_t **moves, uint32_t *count,
                        struct ludens_error *error)
{
    if (!engine_has_role(state->engine, role, error) || !find_moves(state, role, error)) return false;
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
    if (!e->reasoner->ops->next(engine_ask(e), &state->state, joint, &state->next))
        return tell(error, &e->reasoner->error);
    struct state old = state->state;
    state->state = state->next;
    state->next = old;
    return true;
}
