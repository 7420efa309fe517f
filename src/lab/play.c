// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/play.h"

#include "base/hash.h"
#include "lab/seat.h"

#include <jansson.h>
#include <stdlib.h>

/* ---- engines ---- */

void play_table_init(struct play_table *t, const struct game *game)
{
    *t = (struct play_table){.game = game};
    pthread_mutex_init(&t->lock, NULL);
}

void play_table_done(struct play_table *t)
{
    engine_free(t->engine);
    pthread_mutex_destroy(&t->lock);
}

/* Everybody waits for the circuit: what is played must not depend on when it is ready. */
static struct engine *table_engine(struct play_table *t, const atomic_bool *stop)
{
    struct ground_limits limits = {.seconds = 600, .bytes = (size_t)4 << 30};
    struct error error;
    pthread_mutex_lock(&t->lock);
    if (!t->tried) {
        struct engine *e = engine_start(t->game, &limits, &error);
        while (e && engine_wait(e, 0.1) == ENGINE_WORKING)
            if (stop && atomic_load_explicit(stop, memory_order_relaxed)) engine_cancel(e);
        if (e && engine_poll(e) != ENGINE_READY) engine_free(e), e = NULL;
        t->engine = e;
        t->tried = true;
    }
    pthread_mutex_unlock(&t->lock);
    return t->engine;
}

/* ---- one game ---- */

static struct lab_seat *open_seat(const struct schedule *schedule, const struct schedule_cell *c,
                                  uint32_t player, struct engine *engine, uint32_t role, uint64_t seed,
                                  struct error *error)
{
    const struct spec *s = schedule->spec;
    const struct spec_player *p = &s->players[s->pairings[c->pairing].players[player]];
    struct player_config config;
    if (p->remote) {
        error_set(error, ERROR_INPUT, "%.200s: players elsewhere cannot be reached yet", p->text);
        return NULL;
    }
    if (!player_config_parse(p->text, &config, error)) return NULL;
    struct seat *inner =
        seat_player(&config, schedule->games[c->game], engine, role, hash_mix(seed, role + 1), error);
    struct lab_seat *seat = lab_seat_new(inner, &c->budget[player]);
    if (inner && !seat) error_set(error, ERROR_MEMORY, "out of memory");
    return seat;
}

/* The moves as JSON: a list of joint moves, each a list by role. */
static bool write_moves(struct match *m, char **out, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    json_t *volatile steps = json_array();
    *out = NULL;
    if (heap && HEAP_ENTER(heap, &guard, error)) {
        struct text t;
        text_init(&t, heap);
        for (uint32_t i = 0; i < m->nsteps; i++) {
            json_t *joint = json_array();
            json_array_append_new(steps, joint);
            for (uint32_t r = 0; r < m->game->nroles; r++) {
                text_clear(&t);
                reasoner_print_move(m->reasoner, r, m->steps[i].joint[r], false, &t);
                json_array_append_new(joint, json_string(text_str(&t)));
            }
        }
        heap_leave(heap);
        *out = json_dumps(steps, JSON_COMPACT);
    }
    json_decref(steps);
    heap_free(heap);
    return *out || error_set(error, ERROR_MEMORY, "out of memory");
}

static bool make_room(struct play_outcome *o, uint32_t n, struct error *error)
{
    o->seats = calloc(n, sizeof *o->seats);
    o->errors = calloc(n, sizeof *o->errors);
    o->thoughts = calloc(n, sizeof *o->thoughts);
    o->goals = calloc(n, sizeof *o->goals);
    o->simulations = calloc(n, sizeof *o->simulations);
    o->thinking = calloc(n, sizeof *o->thinking);
    return (o->seats && o->errors && o->thoughts && o->goals && o->simulations && o->thinking) ||
           error_set(error, ERROR_MEMORY, "out of memory");
}

void play_outcome_done(struct play_outcome *o)
{
    free(o->seats);
    free(o->errors);
    free(o->thoughts);
    free(o->goals);
    free(o->simulations);
    free(o->thinking);
    free(o->moves);
}

static bool write_down(struct match *m, struct lab_seat **seats, struct play_outcome *o, struct error *error)
{
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        o->goals[r] = m->goals[r];
        o->errors[r] = m->errors[r] + seats[r]->troubles;
        o->simulations[r] = seats[r]->simulations;
        o->thoughts[r] = seats[r]->thoughts;
        o->thinking[r] = seats[r]->thinking;
    }
    return write_moves(m, &o->moves, error);
}

bool play_game(const struct schedule *schedule, const struct schedule_cell *c, uint32_t number,
               struct play_table *table, const atomic_bool *stop, struct play_outcome *o, struct error *error)
{
    const struct game *game = schedule->games[c->game];
    uint64_t seed = schedule_seed(c, number);
    struct lab_seat *seats[MCTS_MAX_ROLES] = {0};
    struct seat *doors[MCTS_MAX_ROLES];
    uint32_t n = 0;
    if (!make_room(o, game->nroles, error)) return false;
    schedule_seats(schedule, c, number, o->seats);
    struct engine *engine = table_engine(table, stop);
    double began = clock_now();
    bool good = true;
    for (; n < game->nroles && good; n += good) {
        good = (seats[n] = open_seat(schedule, c, o->seats[n], engine, n, seed, error));
        if (good) doors[n] = &seats[n]->seat;
    }
    struct match_budget none = {0};
    struct match *m = good ? match_new(game, engine, doors, &none, seed, error) : NULL;
    if (m) m->stop = stop;
    good = m && match_play(m, error) && write_down(m, seats, o, error);
    o->record = (struct record){.cell = c->id,
                                .number = number,
                                .nroles = game->nroles,
                                .steps = m ? m->nsteps : 0,
                                .seed = seed,
                                .seats = o->seats,
                                .goals = o->goals,
                                .errors = o->errors,
                                .simulations = o->simulations,
                                .thoughts = o->thoughts,
                                .thinking = o->thinking,
                                .seconds = clock_now() - began,
                                .moves = o->moves};
    match_free(m);
    for (uint32_t r = 0; r < n; r++) seats[r]->seat.ops->free(&seats[r]->seat);
    return good;
}
