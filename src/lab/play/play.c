// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/play/play.h"

#include "base/hash.h"
#include "lab/play/seat.h"
#include "net/remote.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define GRACE 1 /* seconds that the network may take beyond the clock */

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

struct engine *play_table_engine(struct play_table *t, const atomic_bool *stop)
{
    /* long enough for a busy machine: without the circuit counted games would not be the same */
    struct ground_limits limits = {.seconds = 300, .bytes = (size_t)2 << 30};
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

struct play {
    const struct schedule *schedule;
    const struct schedule_cell *cell;
    uint32_t number;
    struct engine *engine;
    struct driver *driver; /* NULL: everybody thinks alone */
    uint64_t seed;
    double began;
    struct match *match;
    struct match_budget budget; /* the referee's: clocks of players elsewhere */
    struct post *post;          /* NULL: everybody is here */
    struct table_talk *talk;
    struct lab_seat *seats[MCTS_MAX_ROLES];
    struct seat *doors[MCTS_MAX_ROLES];
    uint32_t n;
};

static const struct spec_player *player_of(const struct play *g, uint32_t player)
{
    const struct spec *s = g->schedule->spec;
    return &s->players[s->pairings[g->cell->pairing].players[player]];
}

/* What it takes to play with somebody elsewhere. */
static bool open_post(struct play *g, uint32_t number, struct error *error)
{
    char id[80];
    bool wanted = false;
    for (uint32_t i = 0; i < g->cell->nplayers; i++) {
        if (!player_of(g, i)->remote) continue;
        wanted = true;
        g->budget.seconds = fmax(g->budget.seconds, g->cell->budget[i].seconds);
        g->budget.start_seconds = fmax(g->budget.start_seconds, g->cell->budget[i].start_seconds);
        g->budget.grace = GRACE;
    }
    if (!wanted) return true;
    snprintf(id, sizeof id, "lab.%.12s.%u.%" PRIx64, g->cell->digest, number, g->seed);
    struct table_talk_options o = {.id = id};
    return (g->post = post_new(error)) &&
           (g->talk = table_talk_new(g->post, g->schedule->games[g->cell->game], &o, error));
}

static struct seat *open_seat(struct play *g, const struct spec_player *p, uint32_t role, struct error *error)
{
    const struct game *game = g->schedule->games[g->cell->game];
    uint64_t seed = hash_mix(g->seed, role + 1);
    struct player_config config;
    if (p->remote) return seat_remote(g->talk, p->text, p->name, error);
    if (!player_config_parse(p->text, &config, error)) return NULL;
    if (!config.threads) config.threads = 1; /* games are played at the same time, on a core each */
    if (g->driver) return seat_pooled(&config, game, g->engine, role, seed, g->driver, error);
    return seat_player(&config, game, g->engine, role, seed, error);
}

static bool sit_down(struct play *g, const uint32_t *seats, struct error *error)
{
    for (; g->n < g->schedule->games[g->cell->game]->nroles; g->n++) {
        struct seat *inner = open_seat(g, player_of(g, seats[g->n]), g->n, error);
        if (!inner) return false;
        if (!(g->seats[g->n] = lab_seat_new(inner, &g->cell->budget[seats[g->n]])))
            return error_set(error, ERROR_MEMORY, "out of memory");
        g->doors[g->n] = &g->seats[g->n]->seat;
    }
    return true;
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

/* Who does not even answer the start is not there: a tournament of random moves in its place would tell
 * nothing. */
static bool all_there(const struct match *m, struct error *error)
{
    for (uint32_t i = 0; i < m->nremarks; i++) {
        const struct match_remark *remark = &m->remarks[i];
        if (remark->step == 0 && remark->kind == MATCH_FAILED)
            return error_set(error, ERROR_SYSTEM, "%.100s as %.60s: %.200s", m->seats[remark->role]->name,
                             m->game->role_names[remark->role], remark->text);
    }
    return true;
}

/* ---- many at once ---- */

/* Games side by side: as many as keep what they know in the caches, twice as many where a sweep costs so much
 * that it should be full. Tables of N-grams are larger by far than trees and other tables
 * (docs/laboratory.md). */
enum { TOGETHER = 64, TOGETHER_NST = 32, LARGE = 2000 /* gates */ };

/* Searches that are counted and go one simulation after the other need not have a machine to themselves. */
static bool pools(const struct match_budget *b, const char *player)
{
    struct player_config config;
    struct error error;
    if (!player_config_parse(player, &config, &error)) return false;
    if (config.kind == PLAYER_MINIMAX) return false; /* it fills lanes of its own */
    if (config.kind != PLAYER_SEARCH) return true;
    bool counted = b->simulations || b->steps || b->expansions;
    return counted && b->seconds <= 0 && b->start_seconds <= 0 && config.lanes <= 1 && config.threads <= 1;
}

bool play_pools(const struct schedule *schedule, const struct schedule_cell *c)
{
    const struct spec_pairing *pair = &schedule->spec->pairings[c->pairing];
    for (uint32_t i = 0; i < pair->n; i++) {
        const struct spec_player *p = &schedule->spec->players[pair->players[i]];
        if (p->remote || !pools(&c->budget[i], p->text)) return false;
    }
    return true;
}

uint32_t play_together(const struct schedule *schedule, const struct schedule_cell *c,
                       const struct circuit *circuit)
{
    const struct spec_pairing *pair = &schedule->spec->pairings[c->pairing];
    uint32_t together = TOGETHER;
    for (uint32_t i = 0; i < pair->n; i++) {
        struct player_config config;
        struct error error;
        if (player_config_parse(schedule->spec->players[pair->players[i]].text, &config, &error) &&
            config.playout == PLAYOUT_NST)
            together = TOGETHER_NST;
    }
    return circuit->ngates < LARGE ? together : 2 * together;
}

/* ---- from beginning to end ---- */

struct play *play_open(const struct schedule *schedule, const struct schedule_cell *c, uint32_t number,
                       struct engine *engine, struct driver *driver, const atomic_bool *stop,
                       struct error *error)
{
    const struct game *game = schedule->games[c->game];
    struct play *g = calloc(1, sizeof *g);
    if (!g) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    *g = (struct play){.schedule = schedule,
                       .cell = c,
                       .number = number,
                       .engine = engine,
                       .driver = driver,
                       .seed = schedule_seed(c, number),
                       .began = clock_now()};
    uint32_t seats[MCTS_MAX_ROLES];
    schedule_seats(schedule, c, number, seats);
    bool good = open_post(g, number, error) && sit_down(g, seats, error) &&
                (g->match = match_new(game, engine, g->doors, &g->budget, g->seed, error));
    if (!good) return play_close(g), NULL;
    g->match->stop = stop;
    return g;
}

void play_close(struct play *g)
{
    if (!g) return;
    match_free(g->match);
    for (uint32_t r = 0; r < g->n; r++) g->doors[r]->ops->free(g->doors[r]);
    table_talk_free(g->talk);
    post_free(g->post);
    free(g);
}

struct match *play_match(struct play *g)
{
    return g->match;
}

bool play_record(struct play *g, struct play_outcome *o, struct error *error)
{
    const struct game *game = g->match->game;
    if (!make_room(o, game->nroles, error)) return false;
    schedule_seats(g->schedule, g->cell, g->number, o->seats);
    if (!write_down(g->match, g->seats, o, error)) return false;
    o->record = (struct db_game){.cell = g->cell->id,
                                 .number = g->number,
                                 .nroles = game->nroles,
                                 .steps = g->match->nsteps,
                                 .seed = g->seed,
                                 .seats = o->seats,
                                 .goals = o->goals,
                                 .errors = o->errors,
                                 .simulations = o->simulations,
                                 .thoughts = o->thoughts,
                                 .thinking = o->thinking,
                                 .seconds = clock_now() - g->began,
                                 .moves = o->moves};
    return true;
}

static bool play_through(struct match *m, struct error *error)
{
    struct error ignored;
    bool good = match_start(m, error) && all_there(m, error);
    while (good && !m->terminal) good = match_step(m, error);
    return match_finish(m, good ? error : &ignored) && good;
}

bool play_game(const struct schedule *schedule, const struct schedule_cell *c, uint32_t number,
               struct play_table *table, const atomic_bool *stop, struct play_outcome *o, struct error *error)
{
    struct play *g = play_open(schedule, c, number, play_table_engine(table, stop), NULL, stop, error);
    bool good = g && play_through(g->match, error) && play_record(g, o, error);
    play_close(g);
    return good;
}
