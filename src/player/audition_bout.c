// SPDX-License-Identifier: GPL-3.0-or-later
/* A match between a candidate and the player as it is, a turn at a time: everybody is asked for a move, the
 * driver carries the searches out, and when all have decided the moves are made. */
#include "player/audition_internal.h"

#include "search/prove.h"

#include <math.h>
#include <stdlib.h>

/* A match that both hold for decided is: what is left of it would take most of the time and tell nothing. */
static const double SURE = 90;

void bout_free(struct bout *b, uint32_t nroles)
{
    for (uint32_t i = 0; i < nroles; i++) player_free(b->players[i]);
    state_done(&b->state);
    free(b);
}

/* Everybody is asked for a move. */
bool bout_begin(struct stage *s, struct bout *b, struct error *error)
{
    struct audition *a = s->audition;
    struct budget budget = {.deadline = a->budget.deadline, .stop = a->budget.stop};
    b->waiting = 0;
    for (uint32_t i = 0; i < a->game->nroles; i++) {
        budget.simulations = 1 + (uint64_t)(a->signs[i == b->role ? b->arm : 0].speed * a->sims);
        if (!player_begin(b->players[i], &budget, false, &b->hands[i], error)) return false;
        if (!b->hands[i]) continue;
        b->hands[i]->owner = b;
        b->waiting++;
        driver_add(s->driver, b->hands[i], &budget);
    }
    return true;
}

static const struct player *model_of(const struct stage *s, uint32_t arm, uint32_t role)
{
    return s->models[arm][audition_by_role(s->audition, arm) ? role : 0];
}

struct bout *bout_new(struct stage *s, uint32_t arm, uint32_t role, uint64_t seed, struct error *error)
{
    struct audition *a = s->audition;
    struct bout *b = calloc(1, sizeof *b);
    if (!b) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    b->arm = arm;
    b->role = role;
    b->began = clock_now();
    b->value[0] = b->value[1] = -1;
    for (uint32_t i = 0; i < a->game->nroles; i++) {
        uint32_t way = i == role ? arm : 0;
        b->players[i] = player_new(&a->configs[way], a->game, a->engine, i, seed + i, error);
        if (!b->players[i]) return bout_free(b, a->game->nroles), NULL;
        player_join(b->players[i], s->driver);
        player_borrow(b->players[i], model_of(s, way, i));
        audition_lend(a, way, b->players[i]);
    }
    if (s->reasoner->ops->initial(s->reasoner, &b->state)) return b;
    *error = s->reasoner->error;
    bout_free(b, a->game->nroles);
    return NULL;
}

/* Own goal against the mean of the others', as a share. */
static bool points_of(struct stage *s, const struct bout *b, double *out)
{
    uint32_t nroles = s->audition->game->nroles;
    double own = 0, others = 0;
    for (uint32_t i = 0; i < nroles; i++) {
        int goal;
        if (!reasoner_goal(s->reasoner, &b->state, i, &goal)) return false;
        if (goal == GOAL_UNDEFINED) goal = 0;
        *(i == b->role ? &own : &others) += goal;
    }
    *out = 0.5 + (own - others / (nroles - 1)) / 200;
    return true;
}

static void close_bout(struct audition *a, struct bout *b, double points)
{
    double took = clock_now() - b->began;
    pthread_mutex_lock(&a->lock);
    a->points[b->arm] += points;
    a->games[b->arm]++;
    a->ended++;
    a->lasts += (took - a->lasts) / (a->lasts > 0 ? 4 : 1);
    pthread_mutex_unlock(&a->lock);
    b->over = true;
}

/* For two of whom one gets what the other does not: somebody's search knows that. */
static bool is_duel(const struct bout *b)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct mcts *m = player_search(b->players[i]);
        if (m && prove_is_on(m) && m->constant_sum && m->sum == 100) return true;
    }
    return false;
}

/* What a role expects in a duel, and whether that is certain: as its search has it. Minimax judges nothing
 * but an end to be certain, and positions before it rarely to be far from even: so twice as far. (Its own
 * report is of a search that others use, too, and perhaps of their position.) False: there is nothing to be
 * said. */
static bool expects(const struct bout *b, uint32_t role, double *value, bool *certain)
{
    const struct player_report *r = player_report(b->players[role]);
    const struct mcts *m = player_search(b->players[role]);
    *value = (double)r->value;
    *certain = false;
    if (r->minimax) {
        *certain = *value < 0.5 || *value > 99.5;
        *value = *certain ? round(*value) : 2 * *value - 50;
        return true;
    }
    if (!m || !prove_is_on(m)) return false;
    struct bound bound = prove_root(m, role);
    *certain = bound.low == bound.high;
    if (*certain) *value = (double)bound.low;
    return *certain || r->stats.simulations > 0;
}

/* Somebody has proved how it ends, or both hold it for decided: its points as a share, else -1. */
static double foregone(struct bout *b)
{
    if (!is_duel(b)) return -1;
    for (uint32_t i = 0; i < 2; i++) {
        bool certain;
        double value;
        if (!expects(b, i, &value, &certain)) continue;
        b->value[i] = value;
        if (certain) return (i == b->role ? value : 100 - value) / 100;
    }
    if (b->value[0] < 0 || b->value[1] < 0) return -1;
    double own = b->value[b->role], other = 100 - b->value[1 - b->role];
    return fmin(own, other) > SURE ? 1 : fmax(own, other) < 100 - SURE ? 0 : -1;
}

/* Everybody has decided: make the moves. */
static bool move_on(struct stage *s, struct bout *b, struct error *error)
{
    struct audition *a = s->audition;
    uint32_t joint[MCTS_MAX_ROLES], nroles = a->game->nroles;
    struct state next = {0};
    bool terminal = false;
    uint64_t simulations = 0, steps = 0;
    for (uint32_t i = 0; i < nroles; i++) {
        uint32_t move;
        if (!player_end(b->players[i], &move, error)) return false;
        const struct mcts_stats *stats = &player_report(b->players[i])->stats;
        simulations += stats->simulations;
        steps += stats->steps;
        if (reasoner_carry_move(s->reasoner, player_reasoner(b->players[i]), i, move, &joint[i])) continue;
        return *error = s->reasoner->error, false;
    }
    pthread_mutex_lock(&a->lock);
    a->simulations += simulations;
    a->spent += a->in_steps ? steps : simulations;
    pthread_mutex_unlock(&a->lock);
    double points = nroles == 2 ? foregone(b) : -1;
    if (points >= 0) return close_bout(a, b, points), true;
    if (!s->reasoner->ops->next(s->reasoner, &b->state, joint, &next) ||
        !s->reasoner->ops->terminal(s->reasoner, &next, &terminal)) {
        state_done(&next);
        return *error = s->reasoner->error, false;
    }
    state_done(&b->state);
    b->state = next;
    if (terminal) {
        if (!points_of(s, b, &points)) return *error = s->reasoner->error, false;
        return close_bout(a, b, points), true;
    }
    for (uint32_t i = 0; i < nroles; i++)
        if (!player_advance(b->players[i], s->reasoner, joint, error)) return false;
    return bout_begin(s, b, error);
}

bool bout_go_on(struct stage *s, struct bout *b, struct error *error)
{
    while (!b->over && b->waiting == 0)
        if (budget_over(&s->audition->budget) || !move_on(s, b, error)) return false;
    return true;
}
