// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/play.h"

#include "base/hash.h"
#include "lab/seat.h"
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

/* A game being played. */
struct sitting {
    const struct schedule *schedule;
    const struct schedule_cell *cell;
    struct engine *engine;
    uint64_t seed;
    struct match_budget budget; /* the referee's: clocks of players elsewhere */
    struct post *post;          /* NULL: everybody is here */
    struct table_talk *talk;
    struct lab_seat *seats[MCTS_MAX_ROLES];
    struct seat *doors[MCTS_MAX_ROLES];
    uint32_t n;
};

static const struct spec_player *player_of(const struct sitting *g, uint32_t player)
{
    const struct spec *s = g->schedule->spec;
    return &s->players[s->pairings[g->cell->pairing].players[player]];
}

/* What it takes to play with somebody elsewhere. */
static bool open_post(struct sitting *g, uint32_t number, struct error *error)
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

static bool sit_down(struct sitting *g, const uint32_t *seats, struct error *error)
{
    const struct game *game = g->schedule->games[g->cell->game];
    for (; g->n < game->nroles; g->n++) {
        const struct spec_player *p = player_of(g, seats[g->n]);
        struct player_config config;
        struct seat *inner = NULL;
        if (p->remote)
            inner = seat_remote(g->talk, p->text, p->name, error);
        else if (player_config_parse(p->text, &config, error))
            inner = seat_player(&config, game, g->engine, g->n, hash_mix(g->seed, g->n + 1), error);
        if (!inner) return false;
        if (!(g->seats[g->n] = lab_seat_new(inner, &g->cell->budget[seats[g->n]])))
            return error_set(error, ERROR_MEMORY, "out of memory");
        g->doors[g->n] = &g->seats[g->n]->seat;
    }
    return true;
}

static void get_up(struct sitting *g)
{
    for (uint32_t r = 0; r < g->n; r++) g->doors[r]->ops->free(g->doors[r]);
    table_talk_free(g->talk);
    post_free(g->post);
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

static bool play_match(struct match *m, struct error *error)
{
    struct error ignored;
    bool good = match_start(m, error) && all_there(m, error);
    while (good && !m->terminal) good = match_step(m, error);
    return match_finish(m, good ? error : &ignored) && good;
}

bool play_game(const struct schedule *schedule, const struct schedule_cell *c, uint32_t number,
               struct play_table *table, const atomic_bool *stop, struct play_outcome *o, struct error *error)
{
    const struct game *game = schedule->games[c->game];
    struct sitting g = {.schedule = schedule, .cell = c, .seed = schedule_seed(c, number)};
    if (!make_room(o, game->nroles, error)) return false;
    schedule_seats(schedule, c, number, o->seats);
    g.engine = table_engine(table, stop);
    double began = clock_now();
    struct match *m = NULL;
    bool good = open_post(&g, number, error) && sit_down(&g, o->seats, error) &&
                (m = match_new(game, g.engine, g.doors, &g.budget, g.seed, error));
    if (good) m->stop = stop;
    good = good && play_match(m, error) && write_down(m, g.seats, o, error);
    o->record = (struct db_game){.cell = c->id,
                                 .number = number,
                                 .nroles = game->nroles,
                                 .steps = m ? m->nsteps : 0,
                                 .seed = g.seed,
                                 .seats = o->seats,
                                 .goals = o->goals,
                                 .errors = o->errors,
                                 .simulations = o->simulations,
                                 .thoughts = o->thoughts,
                                 .thinking = o->thinking,
                                 .seconds = clock_now() - began,
                                 .moves = o->moves};
    match_free(m);
    get_up(&g);
    return good;
}
