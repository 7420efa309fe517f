// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/budget.h"
#include "api/record.h"

#include "match/forfeit.h"

#include <stdlib.h>
#include <string.h>

struct ludens_match {
    struct ludens_game *game;
    struct match *match;
    struct seat **seats;
    struct ludens_match_options options;
    struct ludens_engine *engine; /* on the referee's reasoner */
    struct ludens_state *state;   /* the current one, when somebody asks */
    bool begun, over;
};

/* Somebody else's callbacks in a seat. */
struct callback_seat {
    struct seat seat;
    struct ludens_match *match;
    struct ludens_seat ludens;
    char *name;
};

static bool callback_answer(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                            uint32_t *move, struct error *error)
{
    (void)m, (void)budget;
    struct callback_seat *c = (struct callback_seat *)s;
    if (!c->ludens.choose(c->ludens.data, c->match, role, move))
        return error_set(error, ERROR_SYSTEM, "there was no move");
    if (engine_knows(c->match->engine, role, *move)) return true;
    return error_set(error, ERROR_INPUT, "there is no move %u", *move);
}

static void callback_stop(struct seat *s, struct match *m, uint32_t role, bool aborted)
{
    (void)m, (void)aborted;
    struct callback_seat *c = (struct callback_seat *)s;
    if (c->ludens.over) c->ludens.over(c->ludens.data, c->match, role);
}

static void callback_free(struct seat *s)
{
    free(((struct callback_seat *)s)->name);
    free(s);
}

static const struct seat_ops callback_ops = {
    .answer = callback_answer, .stop = callback_stop, .free = callback_free};

static void made(void *data, struct match *m)
{
    (void)m;
    struct ludens_match *match = data;
    if (match->options.made) match->options.made(match->options.data, match);
}

static void answered(void *data, struct match *m, uint32_t role)
{
    (void)m;
    struct ludens_match *match = data;
    if (match->options.answered) match->options.answered(match->options.data, match, role);
}

static struct match_budget match_budget_from(const struct ludens_match_options *o)
{
    return (struct match_budget){.seconds = o->budget.seconds,
                                 .start_seconds = o->start.seconds,
                                 .simulations = o->budget.simulations,
                                 .start_simulations = o->start.simulations,
                                 .steps = o->budget.steps,
                                 .start_steps = o->start.steps,
                                 .expansions = o->budget.expansions,
                                 .grace = o->grace};
}

static bool set_up(struct ludens_match *m, struct ludens_error *error)
{
    struct error inside = {0};
    const struct ludens_match_options *o = &m->options;
    struct match_budget budget = match_budget_from(o);
    uint32_t rules = 0;
    if (!budget_is_sound(&o->budget, error) || !budget_is_sound(&o->start, error)) return false;
    if (!forfeit_parse(o->forfeit, &rules, &inside)) return tell(error, &inside);
    struct engine *engine = game_engine(m->game, &inside);
    if (!engine) return tell(error, &inside);
    engine_wait(engine, 2); /* as `ludens match` does: the referee takes what is there then */
    m->seats = calloc(m->game->game->nroles, sizeof *m->seats);
    if (!m->seats) return no_memory(error);
    m->match = match_new(m->game->game, engine, m->seats, &budget, o->seed, &inside);
    if (!m->match) return tell(error, &inside);
    m->match->stop = stop_flag(o->budget.stop);
    m->match->made = made;
    m->match->watch = answered;
    m->match->watch_data = m;
    m->match->forfeit_rules = rules;
    m->engine = engine_wrap(m->match->reasoner, error);
    m->state = m->engine ? state_wrap(m->engine, error) : NULL;
    return m->state != NULL;
}

struct ludens_match *ludens_match_new(struct ludens_game *game, const struct ludens_match_options *options,
                                      struct ludens_error *error)
{
    struct ludens_match *m = calloc(1, sizeof *m);
    if (!m) return no_memory(error), NULL;
    m->game = game;
    m->options = *options;
    if (set_up(m, error)) return m;
    ludens_match_free(m);
    return NULL;
}

void ludens_match_free(struct ludens_match *match)
{
    if (!match) return;
    for (uint32_t r = 0; match->seats && r < match->game->game->nroles; r++)
        if (match->seats[r]) match->seats[r]->ops->free(match->seats[r]);
    ludens_state_free(match->state);
    ludens_engine_free(match->engine);
    match_free(match->match);
    free(match->seats);
    free(match);
}

static bool may_sit(const struct ludens_match *m, uint32_t role, struct ludens_error *error)
{
    if (!engine_has_role(m->engine, role, error)) return false;
    if (m->begun) return refuse(error, ERROR_INPUT, "the match has begun");
    return !m->seats[role] ||
           refuse(error, ERROR_INPUT, "the seat of %s is taken", m->game->game->role_names[role]);
}

bool ludens_match_sit(struct ludens_match *match, uint32_t role, const char *who, struct ludens_error *error)
{
    struct error inside = {0};
    if (!may_sit(match, role, error)) return false;
    struct engine *engine = game_engine(match->game, &inside);
    if (engine)
        match->seats[role] = seat_by_name(who, match->game->game, engine, role, match->options.seed, &inside);
    return match->seats[role] || tell(error, &inside);
}

bool ludens_match_sit_callback(struct ludens_match *match, uint32_t role, const struct ludens_seat *seat,
                               struct ludens_error *error)
{
    if (!may_sit(match, role, error)) return false;
    struct callback_seat *c = calloc(1, sizeof *c);
    if (c) *c = (struct callback_seat){.match = match, .ludens = *seat};
    if (c) c->name = strdup(seat->name ? seat->name : "");
    if (!c || !c->name) return free(c), no_memory(error);
    c->seat = (struct seat){&callback_ops, c->name};
    match->seats[role] = &c->seat;
    return true;
}

static bool begin(struct ludens_match *m, struct ludens_error *error)
{
    struct error inside = {0};
    if (m->begun) return true;
    for (uint32_t r = 0; r < m->game->game->nroles; r++)
        if (!m->seats[r] && !ludens_match_sit(m, r, "random", error)) return false;
    m->begun = true;
    return match_start(m->match, &inside) || tell(error, &inside);
}

/* Everybody is told. */
static bool finish(struct ludens_match *m, struct ludens_error *error)
{
    struct error inside = {0};
    m->over = true;
    return match_finish(m->match, &inside) || tell(error, &inside);
}

bool ludens_match_step(struct ludens_match *match, bool *over, struct ludens_error *error)
{
    struct match *m = match->match;
    struct error inside = {0};
    *over = match->over;
    if (*over) return true;
    bool good = begin(match, error);
    if (good && !m->terminal && !forfeit_check(m)) {
        if (m->stop && atomic_load(m->stop))
            good = refuse(error, ERROR_CANCELLED, "aborted");
        else
            good = match_step(m, &inside) || tell(error, &inside);
    }
    if (!good || m->terminal || forfeit_check(m)) *over = true;
    return (!*over || finish(match, good ? error : NULL)) && good;
}

bool ludens_match_play(struct ludens_match *match, struct ludens_error *error)
{
    bool over = false;
    while (!over)
        if (!ludens_match_step(match, &over, error)) return false;
    return true;
}

struct ludens_engine *ludens_match_engine(struct ludens_match *match)
{
    return match->engine;
}

const struct ludens_state *ludens_match_state(struct ludens_match *match)
{
    return state_copy(&match->state->state, &match->match->state) ? match->state : NULL;
}

uint32_t ludens_match_steps(const struct ludens_match *match)
{
    return match->match->nsteps;
}

const uint32_t *ludens_match_joint(const struct ludens_match *match, uint32_t step)
{
    if (step >= match->match->nsteps) return NULL;
    const uint32_t *joint = match->match->steps[step].joint;
    for (uint32_t r = 0; r < match->game->game->nroles; r++) engine_learn(match->engine, r, joint[r]);
    return joint;
}

int ludens_match_goal(const struct ludens_match *match, uint32_t role)
{
    if (role >= match->game->game->nroles || match->match->goals[role] == GOAL_UNDEFINED)
        return LUDENS_NO_GOAL;
    return match->match->goals[role];
}

uint32_t ludens_match_errors(const struct ludens_match *match, uint32_t role)
{
    return role < match->game->game->nroles ? match->match->errors[role] : 0;
}

struct ludens_record *ludens_match_record(struct ludens_match *match, bool states, struct ludens_error *error)
{
    struct error inside = {0};
    struct record_about about = {.seed = match->options.seed, .states = states};
    if (!match->begun) return refuse(error, ERROR_INPUT, "the match has not begun"), NULL;
    return record_wrap(record_of_match(match->match, &about, &inside), &inside, error);
}
