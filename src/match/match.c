// SPDX-License-Identifier: GPL-3.0-or-later
#include "match/match.h"

#include <stdlib.h>
#include <string.h>

struct match *match_new(const struct game *game, struct engine *engine, struct seat **seats,
                        const struct match_budget *budget, uint64_t seed, struct error *error)
{
    struct match *m = calloc(1, sizeof *m);
    if (!m) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    m->game = game;
    m->seats = seats;
    m->budget = *budget;
    rng_init(&m->rng, seed);
    m->goals = calloc(game->nroles, sizeof *m->goals);
    m->errors = calloc(game->nroles, sizeof *m->errors);
    if (engine && engine_poll(engine) == ENGINE_READY)
        m->reasoner = reasoner_circuit(game, engine_code(engine), error);
    if (!m->reasoner) m->reasoner = reasoner_lifted(game, 0, error);
    if (!m->goals || !m->errors || !m->reasoner) {
        match_free(m);
        return NULL;
    }
    for (uint32_t r = 0; r < game->nroles; r++) m->goals[r] = GOAL_UNDEFINED;
    if (!m->reasoner->ops->initial(m->reasoner, &m->state) ||
        !m->reasoner->ops->terminal(m->reasoner, &m->state, &m->terminal)) {
        *error = m->reasoner->error;
        match_free(m);
        return NULL;
    }
    return m;
}

void match_free(struct match *m)
{
    if (!m) return;
    for (uint32_t i = 0; i < m->nsteps; i++) {
        free(m->steps[i].joint);
        free(m->steps[i].error);
        free(m->steps[i].seconds);
    }
    free(m->steps);
    free(m->goals);
    free(m->errors);
    state_done(&m->state);
    reasoner_free(m->reasoner);
    free(m);
}

static bool aborted(const struct match *m)
{
    return m->stop && atomic_load_explicit(m->stop, memory_order_relaxed);
}

static struct budget budget_now(const struct match *m, double seconds, uint64_t simulations)
{
    return (struct budget){.deadline = seconds > 0 ? clock_now() + seconds : 0,
                           .simulations = simulations,
                           .expansions = m->budget.expansions,
                           .stop = m->stop};
}

bool match_start(struct match *m, struct error *error)
{
    struct budget b = budget_now(m, m->budget.start_seconds, m->budget.start_simulations);
    for (uint32_t r = 0; r < m->game->nroles; r++)
        if (m->seats[r]->ops->start && !m->seats[r]->ops->start(m->seats[r], m, r, &b, error))
            return error_prefix(error, "%s as %s", m->seats[r]->name, m->game->role_names[r]);
    return true;
}

static bool new_step(struct match *m, struct match_step **out)
{
    if (m->nsteps == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : 64;
        struct match_step *grown = realloc(m->steps, cap * sizeof *grown);
        if (!grown) return false;
        m->steps = grown;
        m->cap = cap;
    }
    struct match_step *s = &m->steps[m->nsteps];
    uint32_t n = m->game->nroles;
    *s = (struct match_step){calloc(n, sizeof *s->joint), calloc(n, sizeof *s->error),
                             calloc(n, sizeof *s->seconds)};
    if (!s->joint || !s->error || !s->seconds) {
        free(s->joint);
        free(s->error);
        free(s->seconds);
        return false;
    }
    *out = s;
    return true;
}

static bool contains(const struct list *l, uint32_t x)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->v[i] == x) return true;
    return false;
}

bool match_step(struct match *m, struct error *error)
{
    struct reasoner *r = m->reasoner;
    uint32_t nroles = m->game->nroles;
    struct match_step *s;
    if (!new_step(m, &s)) return error_set(error, ERROR_MEMORY, "out of memory");
    struct list legal = {0};
    struct state next = {0};
    struct error why = {0};
    bool good = true;
    struct budget b = budget_now(m, m->budget.seconds, m->budget.simulations);
    double asked = clock_now();
    for (uint32_t i = 0; i < nroles; i++)
        if (m->seats[i]->ops->ask) m->seats[i]->ops->ask(m->seats[i], m, i, &b);
    for (uint32_t i = 0; i < nroles && good && !aborted(m); i++) {
        /* Seats that think in this process do so one after the other: each has its own clock. */
        bool here = !m->seats[i]->ops->ask;
        double from = here ? clock_now() : asked;
        struct budget own = here ? budget_now(m, m->budget.seconds, m->budget.simulations) : b;
        bool answered = m->seats[i]->ops->answer(m->seats[i], m, i, &own, &s->joint[i], &why);
        s->seconds[i] = (float)(clock_now() - from);
        if (m->interrupted) {
            m->interrupted = false;
            good = error_set(error, ERROR_CANCELLED, "interrupted");
            break;
        }
        if (m->watch) m->watch(m->watch_data, m, i);
        legal.n = 0;
        good = r->ops->legal(r, &m->state, i, &legal);
        if (!good) {
            *error = r->error;
        } else if (legal.n == 0) {
            good = error_set(error, ERROR_INPUT, "%s has no legal move after %u moves",
                             m->game->role_names[i], m->nsteps);
        } else if (!answered || !contains(&legal, s->joint[i])) {
            s->error[i] = answered ? MATCH_ILLEGAL : MATCH_LATE;
            s->joint[i] = legal.v[rng_below(&m->rng, legal.n)];
            m->errors[i]++;
        }
    }
    if (good && aborted(m)) good = error_set(error, ERROR_CANCELLED, "aborted");
    if (good && !r->ops->next(r, &m->state, s->joint, &next)) good = (*error = r->error, false);
    if (good) {
        m->nsteps++;
        for (uint32_t i = 0; i < nroles; i++)
            if (m->seats[i]->ops->advance) m->seats[i]->ops->advance(m->seats[i], m, i, s->joint);
        state_done(&m->state);
        m->state = next;
        if (!r->ops->terminal(r, &m->state, &m->terminal)) good = (*error = r->error, false);
    } else {
        free(s->joint);
        free(s->error);
        free(s->seconds);
        state_done(&next);
    }
    list_done(&legal);
    return good;
}

bool match_take_back(struct match *m, uint32_t steps, struct error *error)
{
    struct reasoner *r = m->reasoner;
    struct state next = {0};
    if (steps > m->nsteps) steps = m->nsteps;
    for (; steps; steps--) {
        struct match_step *s = &m->steps[--m->nsteps];
        free(s->joint);
        free(s->error);
        free(s->seconds);
    }
    bool good = r->ops->initial(r, &m->state);
    for (uint32_t i = 0; i < m->nsteps && good; i++) {
        good = r->ops->next(r, &m->state, m->steps[i].joint, &next);
        struct state swap = m->state;
        m->state = next;
        next = swap;
    }
    state_done(&next);
    good = good && r->ops->terminal(r, &m->state, &m->terminal);
    if (!good) return *error = r->error, false;
    for (uint32_t i = 0; i < m->game->nroles; i++)
        if (m->seats[i]->ops->rewind) m->seats[i]->ops->rewind(m->seats[i], m, i);
    return true;
}

bool match_finish(struct match *m, struct error *error)
{
    bool good = true;
    m->aborted = !m->terminal;
    for (uint32_t i = 0; i < m->game->nroles && m->terminal && good; i++)
        if (!reasoner_goal(m->reasoner, &m->state, i, &m->goals[i]))
            good = (*error = m->reasoner->error, false);
    for (uint32_t i = 0; i < m->game->nroles; i++)
        if (m->seats[i]->ops->stop) m->seats[i]->ops->stop(m->seats[i], m, i, m->aborted);
    return good;
}

bool match_play(struct match *m, struct error *error)
{
    struct error ignored;
    bool good = match_start(m, error);
    while (good && !m->terminal) good = match_step(m, error);
    return match_finish(m, good ? error : &ignored) && good;
}
