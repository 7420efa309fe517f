// SPDX-License-Identifier: GPL-3.0-or-later
#include "match/match.h"

#include "match/forfeit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const match_error_names[] = {"", "late", "illegal", "failed"};

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
    /* Who waits for a move need not wait longer for the referee. */
    if (!m->reasoner && budget->seconds > 0)
        m->reasoner = reasoner_lifted_within(game, 0, fmax(budget->seconds, 3), error);
    else if (!m->reasoner)
        m->reasoner = reasoner_lifted(game, 0, error);
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

static void step_done(struct match_step *s)
{
    free(s->joint);
    free(s->error);
    free(s->seconds);
    free(s->search);
}

void match_free(struct match *m)
{
    if (!m) return;
    for (uint32_t i = 0; i < m->nsteps; i++) step_done(&m->steps[i]);
    for (uint32_t i = 0; i < m->nremarks; i++) free(m->remarks[i].text);
    free(m->steps);
    free(m->remarks);
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

struct budget match_budget_now(const struct match_budget *b, bool start, const atomic_bool *stop)
{
    double seconds = start ? b->start_seconds : b->seconds;
    return (struct budget){.deadline = seconds > 0 ? clock_now() + seconds : 0,
                           .simulations = start ? b->start_simulations : b->simulations,
                           .steps = start ? b->start_steps : b->steps,
                           .expansions = start ? 0 : b->expansions,
                           .move = start ? b->seconds : 0,
                           .stop = stop};
}

static struct budget budget_now(const struct match *m)
{
    return match_budget_now(&m->budget, m->starting, m->stop);
}

void match_remark(struct match *m, uint32_t role, enum match_error kind, const char *text)
{
    m->errors[role]++;
    if (m->nremarks == m->remarks_cap) {
        uint32_t cap = m->remarks_cap ? m->remarks_cap * 2 : 16;
        struct match_remark *grown = realloc(m->remarks, cap * sizeof *grown);
        if (!grown) return; /* it is counted, if not described */
        m->remarks = grown;
        m->remarks_cap = cap;
    }
    uint32_t step = m->starting ? 0 : m->nsteps + 1;
    m->remarks[m->nremarks++] = (struct match_remark){step, role, kind, strdup(text)};
}

/* Those about steps that were not made after all. */
static void forget_remarks(struct match *m)
{
    while (m->nremarks && m->remarks[m->nremarks - 1].step > m->nsteps) {
        struct match_remark *last = &m->remarks[--m->nremarks];
        m->errors[last->role]--;
        free(last->text);
    }
}

/* Of a seat in this process, whose clock nobody else looks at. */
static bool is_late(const struct match *m, const struct seat *s, const struct budget *b, double from,
                    struct error *why)
{
    double now = clock_now();
    if (s->ops->patient || b->deadline <= 0 || m->budget.grace < 0 || now <= b->deadline + m->budget.grace)
        return false;
    error_set(why, ERROR_TIME, "after %.2f s", now - from);
    return true;
}

bool match_begin(struct match *m, struct error *error)
{
    uint32_t n = m->game->nroles;
    bool good = true;
    clock_gettime(CLOCK_REALTIME, &m->date);
    m->began = clock_now();
    m->starting = true;
    for (int here = 0; here < 2; here++) /* those who think elsewhere first */
        for (uint32_t r = 0; r < n && good && !aborted(m); r++) {
            const struct seat_ops *ops = m->seats[r]->ops;
            struct budget b = budget_now(m);
            struct error why;
            double from = clock_now();
            if (!ops->start || here == (ops->settle != NULL)) continue;
            good = ops->start(m->seats[r], m, r, &b, error) ||
                   error_prefix(error, "%s as %s", m->seats[r]->name, m->game->role_names[r]);
            if (good && here && is_late(m, m->seats[r], &b, from, &why))
                match_remark(m, r, MATCH_LATE, why.text);
        }
    if (!good) m->starting = false;
    return good;
}

void match_begun(struct match *m)
{
    for (uint32_t r = 0; r < m->game->nroles; r++)
        if (m->seats[r]->ops->settle) m->seats[r]->ops->settle(m->seats[r], m, r);
    m->starting = false;
}

bool match_start(struct match *m, struct error *error)
{
    if (!match_begin(m, error)) return false;
    match_begun(m);
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
                             calloc(n, sizeof *s->seconds), calloc(n, sizeof *s->search), 0};
    if (!s->joint || !s->error || !s->seconds || !s->search) {
        step_done(s);
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

/* What a seat answered, made legal. False and an error if the rules fail: no legal move. */
static bool accept_answer(struct match *m, struct match_step *s, uint32_t role, enum match_error kind,
                          const char *why, struct error *error)
{
    struct reasoner *r = m->reasoner;
    struct list legal = {0};
    bool good = r->ops->legal(r, &m->state, role, &legal);
    if (!good) {
        *error = r->error;
    } else if (legal.n == 0) {
        good = error_set(error, ERROR_INPUT, "%s has no legal move after %u moves", m->game->role_names[role],
                         m->nsteps);
    } else {
        if (kind == MATCH_FINE && !contains(&legal, s->joint[role])) kind = MATCH_ILLEGAL, why = "not legal";
        if (kind != MATCH_FINE) {
            s->error[role] = (uint8_t)kind;
            s->joint[role] = legal.v[rng_below(&m->rng, legal.n)];
            match_remark(m, role, kind, why);
        }
    }
    list_done(&legal);
    return good;
}

static enum match_error kind_of(const struct error *why)
{
    switch (why->code) {
    case ERROR_TIME: return MATCH_LATE;
    case ERROR_INPUT: return MATCH_ILLEGAL;
    default: return MATCH_FAILED;
    }
}

/* The answer of one seat. */
static bool collect(struct match *m, struct match_step *s, uint32_t role, struct error *error)
{
    struct seat *seat = m->seats[role];
    bool here = !seat->ops->ask;
    struct error why = {0};
    double from = here ? clock_now() : m->asked;
    struct budget b = budget_now(m);
    if (!here && b.deadline > 0) b.deadline = m->asked + m->budget.seconds;
    s->seconds[role] = -1; /* a seat that knows better says so */
    enum match_error kind = MATCH_FINE;
    if (!seat->ops->answer(seat, m, role, &b, &s->joint[role], &why)) kind = kind_of(&why);
    if (s->seconds[role] < 0) s->seconds[role] = (float)(clock_now() - from);
    if (m->interrupted) {
        m->interrupted = false;
        return error_set(error, ERROR_CANCELLED, "interrupted");
    }
    if (aborted(m)) return error_set(error, ERROR_CANCELLED, "aborted");
    if (here && is_late(m, seat, &b, from, &why)) kind = MATCH_LATE;
    if (m->watch) m->watch(m->watch_data, m, role);
    return accept_answer(m, s, role, kind, why.text, error);
}

bool match_ask(struct match *m, struct error *error)
{
    struct match_step *s;
    if (!new_step(m, &s)) return error_set(error, ERROR_MEMORY, "out of memory");
    struct budget b = budget_now(m);
    m->asked = clock_now();
    for (uint32_t i = 0; i < m->game->nroles; i++)
        if (m->seats[i]->ops->ask) m->seats[i]->ops->ask(m->seats[i], m, i, &b);
    return true;
}

/* The joint move is made, everybody hears of it. */
static bool make(struct match *m, const struct match_step *s, struct state *next, struct error *error)
{
    struct reasoner *r = m->reasoner;
    for (uint32_t i = 0; i < m->game->nroles; i++)
        if (m->seats[i]->ops->advance) m->seats[i]->ops->advance(m->seats[i], m, i, s->joint);
    state_done(&m->state);
    m->state = *next;
    if (!r->ops->terminal(r, &m->state, &m->terminal)) return *error = r->error, false;
    if (m->made) m->made(m->watch_data, m);
    return true;
}

bool match_answer(struct match *m, struct error *error)
{
    struct reasoner *r = m->reasoner;
    struct match_step *s = &m->steps[m->nsteps];
    struct state next = {0};
    bool good = true;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) /* while others think, ours do */
        for (uint32_t i = 0; i < m->game->nroles && good; i++)
            if ((m->seats[i]->ops->ask != NULL) == elsewhere) good = collect(m, s, i, error);
    if (good && !r->ops->next(r, &m->state, s->joint, &next)) good = (*error = r->error, false);
    if (good) {
        s->at = clock_now() - m->began;
        m->nsteps++;
        return make(m, s, &next, error);
    }
    step_done(s);
    forget_remarks(m);
    state_done(&next);
    return false;
}

bool match_step(struct match *m, struct error *error)
{
    return match_ask(m, error) && match_answer(m, error);
}

bool match_take_back(struct match *m, uint32_t steps, struct error *error)
{
    struct reasoner *r = m->reasoner;
    struct state next = {0};
    if (steps > m->nsteps) steps = m->nsteps;
    for (; steps; steps--) step_done(&m->steps[--m->nsteps]);
    forget_remarks(m);
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
    forfeit_goals(m);
    for (uint32_t i = 0; i < m->game->nroles; i++)
        if (m->seats[i]->ops->stop) m->seats[i]->ops->stop(m->seats[i], m, i, m->aborted);
    for (uint32_t i = 0; i < m->game->nroles; i++)
        if (m->seats[i]->ops->settle) m->seats[i]->ops->settle(m->seats[i], m, i);
    return good;
}

bool match_play(struct match *m, struct error *error)
{
    struct error ignored;
    bool good = match_start(m, error);
    while (good && !m->terminal && !forfeit_check(m))
        good = aborted(m) ? error_set(error, ERROR_CANCELLED, "aborted") : match_step(m, error);
    return match_finish(m, good ? error : &ignored) && good;
}
