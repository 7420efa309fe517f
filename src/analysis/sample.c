// SPDX-License-Identifier: GPL-3.0-or-later
/* Random games, written down as terms of the analysis' own store. */
#include "analysis/analysis_internal.h"

#include "base/clock.h"

#include <math.h>

#define SLOW_QUESTION 2.0 /* seconds that one may take though the games have less */

static void spread_add(struct spread *s, uint64_t x)
{
    if (s->n == 0 || x < s->min) s->min = x;
    if (x > s->max) s->max = x;
    s->n++;
    s->mean += ((double)x - s->mean) / (double)s->n;
}

static uint32_t predicate_of(struct sample *s, term fact)
{
    const struct term_node *node = term_get(s->terms, fact);
    for (uint32_t i = 0; i < s->predicates.n; i++)
        if (s->predicates.v[i].name == node->head && s->predicates.v[i].arity == node->nargs) return i;
    struct predicate p = {.name = node->head, .arity = node->nargs, .flat = true, .least = NOWHERE};
    vec_push(s->heap, &s->predicates, p);
    return s->predicates.n - 1;
}

/* Know the fact: the first time it is met, sort it under its predicate. */
static void meet(struct sample *s, term fact)
{
    while (s->predicate_of.n <= fact) vec_push(s->heap, &s->predicate_of, NOWHERE);
    if (s->predicate_of.v[fact] != NOWHERE) return;
    uint32_t at = predicate_of(s, fact);
    struct predicate *p = &s->predicates.v[at];
    s->predicate_of.v[fact] = at;
    vec_push(s->heap, &p->facts, fact);
    for (uint32_t i = 0; i < p->arity; i++)
        if (term_get(s->terms, term_arg(s->terms, fact, i))->nargs > 0) p->flat = false;
}

static bool take_facts(struct sample *s, struct playout *p, struct list *scratch, struct snapshot *shot)
{
    struct reasoner *r = p->reasoner;
    scratch->n = 0;
    if (!r->ops->facts(r, &p->state, scratch)) return false;
    shot->facts = s->facts.n;
    shot->nfacts = scratch->n;
    for (uint32_t i = 0; i < scratch->n; i++) {
        term fact = term_import(s->terms, r->terms, scratch->v[i]);
        meet(s, fact);
        vec_push(s->heap, &s->facts, fact);
    }
    return true;
}

static void take_choices(struct analysis *a, struct sample *s, const struct playout *p, struct snapshot *shot)
{
    uint64_t joint = 1;
    shot->choices = s->choices.n;
    for (uint32_t role = 0; role < a->game->nroles; role++) {
        uint32_t n = p->legal[role].n;
        vec_push(s->heap, &s->choices, n);
        if (__builtin_mul_overflow(joint, n, &joint)) joint = UINT64_MAX;
        if (n < 2) continue;
        a->roles[role].chose++;
        spread_add(&a->roles[role].branching, n);
    }
    spread_add(&a->joint, joint);
}

enum { OFFERED_MAX = 20000, MOVES_MAX = 1 << 20 };

/* Moves that nobody made tell about the board, too. */
static void take_offers(struct sample *s, const struct playout *p)
{
    uint32_t nroles = s->game->nroles;
    for (uint32_t role = 0; role < nroles; role++)
        for (uint32_t i = 0; i < p->legal[role].n && s->offered.n < OFFERED_MAX; i++) {
            uint32_t move = p->legal[role].v[i];
            if (move >= MOVES_MAX / nroles) continue;
            while (s->offers.n <= move * nroles + role) vec_push(s->heap, &s->offers, 0);
            if (s->offers.v[move * nroles + role]) continue;
            s->offers.v[move * nroles + role] = 1;
            term t = p->reasoner->ops->move_term(p->reasoner, role, move);
            vec_push(s->heap, &s->offered, term_import(s->terms, p->reasoner->terms, t));
        }
}

static void count_goal(struct analysis *a, uint32_t role, int value)
{
    struct role_analysis *r = &a->roles[role];
    uint32_t i = 0;
    while (i < r->goals.n && r->goals.v[i].value < value) i++;
    if (i == r->goals.n || r->goals.v[i].value != value) {
        vec_push(a->heap, &r->goals, (struct goal_count){0});
        memmove(&r->goals.v[i + 1], &r->goals.v[i], (r->goals.n - 1 - i) * sizeof *r->goals.v);
        r->goals.v[i] = (struct goal_count){.value = value};
    }
    r->goals.v[i].count++;
}

static bool take_goals(struct analysis *a, struct playout *p)
{
    int sum = 0, value;
    bool defined = true;
    for (uint32_t role = 0; role < a->game->nroles; role++) {
        if (!reasoner_goal(p->reasoner, &p->state, role, &value)) return false;
        if (value == GOAL_UNDEFINED) {
            defined = false;
            continue;
        }
        sum += value;
        count_goal(a, role, value);
    }
    if (!defined) a->goals_defined = a->constant_sum = false;
    if (a->games == 0)
        a->sum = sum;
    else if (sum != a->sum)
        a->constant_sum = false;
    a->games++;
    spread_add(&a->length, p->ply);
    return true;
}

/* One game. False: the reasoner gave up or the game is faulty. */
static bool play_one(struct analysis *a, struct sample *s, struct playout *p, struct list *scratch,
                     const struct analysis_options *o, uint64_t number, double deadline)
{
    if (!playout_begin(p, o->seed, number)) return false;
    for (;;) {
        struct snapshot shot = {.ply = p->ply, .moves = NOWHERE, .choices = NOWHERE};
        bool stop = p->ply >= o->steps || s->shots.n + 1 >= o->states || clock_now() >= deadline ||
                    (o->cancel && atomic_load(o->cancel));
        if (!take_facts(s, p, scratch, &shot)) return false;
        spread_add(&a->state_size, shot.nfacts);
        a->states++;
        if (!p->terminal) take_choices(a, s, p, &shot);
        if (!p->terminal) take_offers(s, p);
        if (!p->terminal && !stop) {
            playout_choose(p);
            shot.moves = s->moves.n;
            for (uint32_t role = 0; role < a->game->nroles; role++) {
                term move = p->reasoner->ops->move_term(p->reasoner, role, p->joint[role]);
                vec_push(s->heap, &s->moves, term_import(s->terms, p->reasoner->terms, move));
            }
        }
        vec_push(s->heap, &s->shots, shot);
        if (p->terminal) return take_goals(a, p);
        if (stop) {
            a->cut++;
            return true;
        }
        if (!playout_move(p)) return false;
    }
}

static void count_predicates(struct sample *s)
{
    struct vec_u32 now = {0};
    vec_resize_zero(s->heap, &now, s->predicates.n);
    for (uint32_t i = 0; i < s->shots.n; i++) {
        const struct snapshot *shot = &s->shots.v[i];
        if (now.n) memset(now.v, 0, now.n * sizeof *now.v); /* states may be empty */
        for (uint32_t f = 0; f < shot->nfacts; f++) now.v[s->predicate_of.v[s->facts.v[shot->facts + f]]]++;
        for (uint32_t p = 0; p < now.n; p++) {
            struct predicate *q = &s->predicates.v[p];
            if (now.v[p] < q->least) q->least = now.v[p];
            if (now.v[p] > q->most) q->most = now.v[p];
        }
    }
    vec_free(s->heap, &now);
}

void sample_play(struct analysis *a, struct sample *s, struct playout *playout, struct list *scratch,
                 const struct analysis_options *options)
{
    double deadline = clock_now() + options->seconds;
    struct reasoner *r = playout->reasoner;
    double before = r->deadline, patience = clock_now() + fmax(options->seconds, SLOW_QUESTION);
    if (options->deadline > 0) patience = fmin(patience, options->deadline);
    if (before <= 0 || patience < before) r->deadline = patience;
    a->goals_defined = a->constant_sum = true;
    for (uint32_t i = 0; i < options->games && s->shots.n < options->states && clock_now() < deadline; i++)
        if (!play_one(a, s, playout, scratch, options, i, deadline)) {
            a->fault = playout->reasoner->error;
            break;
        }
    r->deadline = before;
    if (a->games == 0) a->constant_sum = a->goals_defined = false;
    for (uint32_t role = 0; role < a->game->nroles; role++) {
        struct role_analysis *ra = &a->roles[role];
        uint64_t n = 0;
        for (uint32_t i = 0; i < ra->goals.n; i++) {
            ra->goal_mean += (double)ra->goals.v[i].count * ra->goals.v[i].value;
            n += ra->goals.v[i].count;
        }
        if (n) ra->goal_mean /= (double)n;
    }
    count_predicates(s);
}
