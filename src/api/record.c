// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/record.h"

#include "match/follow.h"

#include <stdlib.h>

struct ludens_record {
    struct record *record;
};

struct ludens_record *record_wrap(struct record *record, const struct error *why, struct ludens_error *error)
{
    if (!record) return tell(error, why), NULL;
    struct ludens_record *r = calloc(1, sizeof *r);
    if (!r) {
        record_free(record);
        return no_memory(error), NULL;
    }
    r->record = record;
    return r;
}

struct ludens_record *ludens_record_read(const char *path, struct ludens_error *error)
{
    struct error inside = {0};
    return record_wrap(record_read(path, &inside), &inside, error);
}

struct ludens_record *ludens_record_parse(const char *name, const char *data, size_t size,
                                          struct ludens_error *error)
{
    struct error inside = {0};
    return record_wrap(record_parse(name, data, size, &inside), &inside, error);
}

void ludens_record_free(struct ludens_record *record)
{
    if (!record) return;
    record_free(record->record);
    free(record);
}

bool ludens_record_write(const struct ludens_record *record, const char *path, struct ludens_error *error)
{
    struct error inside = {0};
    return record_write(record->record, path, &inside) || tell(error, &inside);
}

size_t ludens_record_print(const struct ludens_record *record, bool pgn, char *buffer, size_t size)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error inside;
    size_t n = put_text("", 0, buffer, size);
    if (heap && HEAP_ENTER(heap, &guard, &inside)) {
        struct text t;
        text_init(&t, heap);
        record_print(record->record, pgn ? RECORD_PGN : RECORD_JSON, &t);
        n = put_text(text_str(&t), t.n, buffer, size);
        heap_leave(heap);
    }
    heap_free(heap);
    return n;
}

void ludens_record_about(const struct ludens_record *record, struct ludens_record_about *out)
{
    const struct record *r = record->record;
    *out = (struct ludens_record_about){
        .match = r->match,
        .game = r->game,
        .date = r->date,
        .ending = r->ending == RECORD_UNFINISHED ? "" : record_ending_names[r->ending],
        .roles = r->nroles,
        .steps = r->nsteps,
        .start_clock = r->start_clock,
        .play_clock = r->play_clock,
        .seed = r->seed};
}

const char *ludens_record_role(const struct ludens_record *record, uint32_t role)
{
    return role < record->record->nroles ? record->record->roles[role] : NULL;
}

const char *ludens_record_player(const struct ludens_record *record, uint32_t role)
{
    return role < record->record->nroles ? record->record->players[role] : NULL;
}

int ludens_record_reward(const struct ludens_record *record, uint32_t role)
{
    const struct record *r = record->record;
    return role < r->nroles && r->rewards[role] != GOAL_UNDEFINED ? r->rewards[role] : LUDENS_NO_GOAL;
}

const char *ludens_record_move(const struct ludens_record *record, uint32_t step, uint32_t role)
{
    const struct record *r = record->record;
    return step < r->nsteps && role < r->nroles ? r->steps[step].moves[role] : NULL;
}

struct ludens_game *ludens_record_game(const struct ludens_record *record, struct ludens_error *error)
{
    struct error inside = {0};
    bool same;
    struct game *game = record_game(record->record, NULL, &same, &inside);
    if (!game) return tell(error, &inside), NULL;
    return game_wrap(game, error);
}

static bool same_roles(const struct ludens_record *record, const struct ludens_engine *engine,
                       struct ludens_error *error)
{
    uint32_t n = record->record->nroles, has = engine->reasoner->game->nroles;
    return n == has || refuse(error, ERROR_INPUT, "the record has %u roles, but %s %u", n,
                              engine->reasoner->game->name, has);
}

struct ludens_state *ludens_record_state(const struct ludens_record *record, struct ludens_engine *engine,
                                         uint32_t steps, struct ludens_error *error)
{
    const struct record *r = record->record;
    struct error inside = {0};
    uint32_t joint[RECORD_MAX_ROLES];
    if (!same_roles(record, engine, error)) return NULL;
    if (steps > r->nsteps)
        return refuse(error, ERROR_INPUT, "the record has %u steps, not %u", r->nsteps, steps), NULL;
    struct ludens_state *s = ludens_state_new(engine, error);
    bool good = s != NULL;
    for (uint32_t i = 0; i < steps && good; i++) {
        good = record_joint(r, i, engine_ask(engine), &s->state, joint, &inside) || tell(error, &inside);
        for (uint32_t role = 0; role < r->nroles && good; role++) engine_learn(engine, role, joint[role]);
        good = good && ludens_state_play(s, joint, error);
    }
    if (good) return s;
    ludens_state_free(s);
    return NULL;
}

struct listener {
    void (*differs)(void *data, const char *text);
    void *data;
};

static void pass_on(void *data, const char *text)
{
    const struct listener *l = data;
    if (l->differs) l->differs(l->data, text);
}

bool ludens_record_check(const struct ludens_record *record, struct ludens_engine *engine,
                         void (*differs)(void *data, const char *text), void *data,
                         struct ludens_error *error)
{
    const struct record *r = record->record;
    struct error inside = {0};
    struct listener listener = {differs, data};
    if (!same_roles(record, engine, error)) return false;
    struct state *states = calloc(r->nsteps + 1, sizeof *states);
    if (!states) return no_memory(error);
    bool good =
        record_follow(r, engine_ask(engine), states, pass_on, &listener, &inside) || tell(error, &inside);
    for (uint32_t i = 0; i <= r->nsteps; i++) state_done(&states[i]);
    free(states);
    return good;
}
