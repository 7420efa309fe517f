// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/passing.h"

#include "base/rng.h"

#include <stdio.h>
#include <string.h>

#define TRIED_STATES 60
#define TRIED_STEPS 400 /* of one game */

static void refuse(struct passing *t, const char *why)
{
    t->sound = false;
    snprintf(t->why, sizeof t->why, "%s", why);
}

bool passing_holds(const struct passing *t, const uint64_t *state, uint32_t role)
{
    for (uint32_t i = 0; i < t->nbits; i++)
        if ((state[t->bits[i] / 64] >> t->bits[i] % 64 & 1) != (t->row[role] >> i & 1)) return false;
    return true;
}

void passing_give(const struct passing *t, uint64_t *state, uint32_t role)
{
    for (uint32_t i = 0; i < t->nbits; i++) {
        uint64_t bit = 1ull << t->bits[i] % 64, *word = &state[t->bits[i] / 64];
        *word = t->row[role] >> i & 1 ? *word | bit : *word & ~bit;
    }
}

/* The number of a bit among those of the turn; it is added if it is not there. */
static uint32_t bit_number(struct passing *t, uint32_t bit)
{
    uint32_t i = 0;
    while (i < t->nbits && t->bits[i] != bit) i++;
    if (i == t->nbits && i < PASSING_MAX_BITS) t->bits[t->nbits++] = bit;
    return i;
}

/* The fact of each role, and what the bits are when it alone is true. */
static bool find_bits(struct passing *t, const struct analysis *a, const struct circuit *c)
{
    edge fact[64];
    for (uint32_t role = 0; role < c->nroles; role++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < c->nfacts; i++) {
            const struct term_node *n = term_get(c->terms, c->fact[i]);
            if (n->head != a->control || n->nargs != a->control_arity) continue;
            if (term_arg(c->terms, c->fact[i], a->control_arg) != a->game->roles[role]) continue;
            fact[role] = c->fact_edge[i];
            found++;
        }
        if (found != 1 || fact[role] >> 1 == 0) return false;
        if (bit_number(t, (fact[role] >> 1) - 1) >= PASSING_MAX_BITS) return false;
    }
    for (uint32_t holder = 0; holder < c->nroles; holder++) {
        uint64_t known = 0, *row = &t->row[holder];
        for (uint32_t role = 0; role < c->nroles; role++) {
            uint64_t bit = 1ull << bit_number(t, (fact[role] >> 1) - 1);
            uint64_t value = (role == holder) != (fact[role] & 1) ? bit : 0;
            if (known & bit && (*row & bit) != value) return false; /* the circuit cannot express it */
            known |= bit;
            *row |= value;
        }
    }
    return true;
}

/* Who holds the turn, or nroles. */
static uint32_t holder_of(const struct passing *t, const struct state *s, uint32_t nroles)
{
    for (uint32_t role = 0; role < nroles; role++)
        if (passing_holds(t, s->w, role)) return role;
    return nroles;
}

struct trial {
    struct passing *t;
    const struct analysis *a;
    struct reasoner *r;
    struct rng rng;
    struct state now, other, next;
    struct list legal;
    uint32_t joint[64];
    uint64_t chose; /* roles that had a choice out of turn */
};

/* A random move for everybody. *choosers: roles with a choice. False: somebody has no move. */
static bool draw(struct trial *x, const struct state *s, uint64_t *choosers)
{
    *choosers = 0;
    for (uint32_t role = 0; role < x->r->game->nroles; role++) {
        x->legal.n = 0;
        if (!x->r->ops->legal(x->r, s, role, &x->legal) || x->legal.n == 0) return false;
        if (x->legal.n > 1) *choosers |= 1ull << role;
        x->joint[role] = x->legal.v[rng_below(&x->rng, x->legal.n)];
    }
    return true;
}

static uint32_t next_in_turn(const struct analysis *a, uint32_t role)
{
    uint32_t i = 0, n = a->game->nroles;
    while (i < n && a->turn_order[i] != role) i++;
    return a->turn_order[(i + 1) % n];
}

/* Let everybody else move in this state. */
static void try_state(struct trial *x, uint32_t holder)
{
    uint32_t nroles = x->r->game->nroles;
    for (uint32_t role = 0; role < nroles && x->t->sound; role++) {
        bool end;
        uint64_t choosers;
        if (role == holder || !state_copy(&x->other, &x->now)) continue;
        passing_give(x->t, x->other.w, role);
        if (!x->r->ops->terminal(x->r, &x->other, &end) || end) continue;
        if (!draw(x, &x->other, &choosers))
            refuse(x->t, "out of turn somebody has no move at all");
        else if (choosers & ~(1ull << role))
            refuse(x->t, "the fact that tells whose turn it is does not tell it alone");
        else if (x->r->ops->next(x->r, &x->other, x->joint, &x->next) &&
                 holder_of(x->t, &x->next, nroles) != next_in_turn(x->a, role))
            refuse(x->t, "after a move out of turn the turn does not go on as usual");
        x->chose |= choosers;
    }
}

static void try_games(struct trial *x, const struct budget *budget)
{
    struct reasoner *r = x->r;
    uint32_t nroles = r->game->nroles;
    for (uint32_t tried = 0; tried < TRIED_STATES && x->t->sound;) {
        bool end = false, good = r->ops->initial(r, &x->now);
        for (uint32_t step = 0; good && x->t->sound && step < TRIED_STEPS; step++) {
            uint64_t choosers;
            if (budget_over(budget))
                return refuse(x->t, "there was no time to find out whether players can pass");
            good = r->ops->terminal(r, &x->now, &end) && !end && draw(x, &x->now, &choosers);
            if (!good) break;
            uint32_t holder = holder_of(x->t, &x->now, nroles), joint[64];
            if (holder == nroles) return refuse(x->t, "nobody, or several have the turn");
            memcpy(joint, x->joint, sizeof joint);
            if (rng_below(&x->rng, 4) == 0) {
                try_state(x, holder);
                tried++;
            }
            good = r->ops->next(r, &x->now, joint, &x->next);
            struct state swap = x->now;
            x->now = x->next;
            x->next = swap;
        }
        if (!good && !end) return refuse(x->t, "random games cannot be played to the end");
        tried++;
    }
    if (x->t->sound && x->chose != (nroles == 64 ? ~0ull : (1ull << nroles) - 1))
        refuse(x->t, "some roles never have a choice out of turn");
}

void passing_find(struct passing *t, const struct analysis *a, struct reasoner *circuit,
                  const struct code *code, uint64_t seed, const struct budget *budget)
{
    *t = (struct passing){.sound = true};
    if (!code) return refuse(t, "there is no circuit (yet)");
    if (a->turns != TURNS_ALTERNATE) return refuse(t, "turns do not go round in a fixed order");
    if (!a->control) return refuse(t, "no fact tells whose turn it is");
    if (a->game->nroles > 64) return refuse(t, "there are more than 64 roles");
    if (!find_bits(t, a, code->circuit))
        return refuse(t, "the fact that tells whose turn it is cannot be changed alone");
    struct trial x = {.t = t, .a = a, .r = circuit};
    rng_init(&x.rng, seed);
    try_games(&x, budget);
    state_done(&x.now);
    state_done(&x.other);
    state_done(&x.next);
    list_done(&x.legal);
}
