// SPDX-License-Identifier: GPL-3.0-or-later
/* Who chooses when, which fact tells it, and which fact counts the moves. */
#include "analysis/analysis_internal.h"

#define NOBODY UINT32_MAX

/* The only role with a choice; NOBODY if there is none; nroles if there are several. */
static uint32_t chooser(const struct analysis *a, const struct sample *s, const struct snapshot *shot)
{
    uint32_t found = NOBODY;
    if (shot->choices == NOWHERE) return NOBODY;
    for (uint32_t role = 0; role < a->game->nroles; role++)
        if (s->choices.v[shot->choices + role] > 1) found = found == NOBODY ? role : a->game->nroles;
    return found;
}

/* Turns alternate if the role that chooses depends on ply modulo the number of roles, and all roles have
 * their place in the round. States in which nobody has a choice fit everywhere. */
static bool find_order(struct analysis *a, const struct sample *s)
{
    uint32_t n = a->game->nroles;
    uint32_t *order = heap_alloc(a->heap, n * sizeof *order);
    memset(order, 0xff, n * sizeof *order);
    for (uint32_t i = 0; i < s->shots.n; i++) {
        uint32_t who = chooser(a, s, &s->shots.v[i]), *place = &order[s->shots.v[i].ply % n];
        if (who == NOBODY) continue;
        if (*place != NOBODY && *place != who) return false;
        *place = who;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            if (order[i] == NOBODY || (i != j && order[i] == order[j])) return false;
    a->turn_order = order;
    return true;
}

static void classify(struct analysis *a, const struct sample *s)
{
    a->turns = TURNS_TAKEN;
    for (uint32_t i = 0; i < s->shots.n; i++)
        if (chooser(a, s, &s->shots.v[i]) == a->game->nroles) a->turns = TURNS_SIMULTANEOUS;
    if (a->game->nroles == 1)
        a->turns = TURNS_ONE_ROLE;
    else if (a->turns == TURNS_TAKEN && find_order(a, s))
        a->turns = TURNS_ALTERNATE;
}

/* The one fact of a predicate in a state. */
static term fact_in(const struct sample *s, const struct snapshot *shot, uint32_t predicate)
{
    for (uint32_t i = 0; i < shot->nfacts; i++) {
        term fact = s->facts.v[shot->facts + i];
        if (s->predicate_of.v[fact] == predicate) return fact;
    }
    return 0;
}

/* Does this argument name the role that chooses, whenever exactly one does, and not always the same? */
static bool is_control(const struct analysis *a, const struct sample *s, uint32_t predicate, uint32_t arg)
{
    uint32_t told = 0, first = NOBODY;
    bool changes = false;
    for (uint32_t i = 0; i < s->shots.n; i++) {
        uint32_t who = chooser(a, s, &s->shots.v[i]);
        if (who == NOBODY) continue;
        if (who == a->game->nroles) return false;
        if (term_arg(s->terms, fact_in(s, &s->shots.v[i], predicate), arg) != a->game->roles[who])
            return false;
        if (first == NOBODY) first = who;
        changes |= who != first;
        told++;
    }
    return told > 1 && changes;
}

/* Does the one fact of the predicate depend on the ply alone, and differ from ply to ply? */
static bool is_counter(const struct analysis *a, const struct sample *s, uint32_t predicate)
{
    VEC(term) at = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->shots.n; i++) {
        uint32_t ply = s->shots.v[i].ply;
        term fact = fact_in(s, &s->shots.v[i], predicate);
        if (ply < at.n)
            ok = at.v[ply] == fact;
        else
            vec_push(a->heap, &at, fact); /* plies come without gaps */
    }
    ok = ok && at.n > 2;
    for (uint32_t i = 0; ok && i < at.n; i++)
        for (uint32_t j = 0; ok && j < i; j++) ok = at.v[i] != at.v[j];
    vec_free(a->heap, &at);
    return ok;
}

void turns_find(struct analysis *a, const struct sample *s)
{
    classify(a, s);
    for (uint32_t i = 0; i < s->predicates.n; i++) {
        const struct predicate *p = &s->predicates.v[i];
        if (p->least != 1 || p->most != 1 || p->arity == 0) continue;
        for (uint32_t arg = 0; arg < p->arity && !a->control; arg++)
            if (is_control(a, s, i, arg))
                a->control = p->name, a->control_arity = p->arity, a->control_arg = arg;
        if (!a->counter && is_counter(a, s, i)) a->counter = p->name, a->counter_arity = p->arity;
    }
}
