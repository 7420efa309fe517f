// SPDX-License-Identifier: GPL-3.0-or-later
#include "oracle.h"

#include "glpk_game.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROLES 4
#define MOST_MOVES 64

struct known {
    struct state state;
    double values[MOST_ROLES];
    bool none;
};

struct oracle {
    struct reasoner *r;
    struct glpk_game *glpk;
    struct known *v;
    uint32_t *slots, mask, n, cap, role, limit;
    bool over; /* the limit is */
};

struct oracle *oracle_new(struct reasoner *r, uint32_t role)
{
    struct oracle *o = calloc(1, sizeof *o);
    o->r = r;
    o->role = role;
    o->glpk = glpk_game_new();
    o->mask = (1u << 20) - 1;
    o->slots = calloc(o->mask + 1, sizeof *o->slots);
    o->over = r->game->nroles > MOST_ROLES;
    return o;
}

void oracle_free(struct oracle *o)
{
    for (uint32_t i = 0; i < o->n; i++) state_done(&o->v[i].state);
    glpk_game_free(o->glpk);
    free(o->v);
    free(o->slots);
    free(o);
}

void oracle_limit(struct oracle *o, uint32_t positions)
{
    o->limit = positions;
}

uint64_t oracle_positions(const struct oracle *o)
{
    return o->n;
}

static uint32_t find(struct oracle *o, const struct state *s)
{
    uint32_t at = (uint32_t)state_hash(s) & o->mask;
    while (o->slots[at] && !state_equal(&o->v[o->slots[at] - 1].state, s)) at = (at + 1) & o->mask;
    return at;
}

struct position {
    uint32_t count[MOST_ROLES], moves[MOST_ROLES][MOST_MOVES], choosers, mover, joints;
};

static bool look(struct oracle *o, const struct state *s, struct position *p)
{
    struct list legal = {0};
    *p = (struct position){.joints = 1};
    for (uint32_t role = o->r->game->nroles; role-- > 0;) {
        legal.n = 0;
        bool ok = o->r->ops->legal(o->r, s, role, &legal);
        assert(ok && legal.n);
        if (legal.n > MOST_MOVES) return list_done(&legal), false;
        p->count[role] = legal.n;
        p->joints *= legal.n;
        memcpy(p->moves[role], legal.v, legal.n * sizeof *legal.v);
        if (legal.n > 1) p->choosers++, p->mover = role;
    }
    list_done(&legal);
    return true;
}

static bool value(struct oracle *o, const struct state *s, double *out);

static bool combine(struct oracle *o, const struct state *s, double *out)
{
    uint32_t nroles = o->r->game->nroles, joint[MOST_ROLES];
    struct position p;
    if (!look(o, s, &p)) return o->over = true, false;
    double *child = malloc(p.joints * sizeof *child * MOST_ROLES);
    bool ok = true, constant = nroles == 2;
    for (uint32_t j = 0; j < p.joints && ok; j++) {
        struct state next = {0};
        uint32_t rest = j;
        for (uint32_t role = nroles; role-- > 0; rest /= p.count[role + 0])
            joint[role] = p.moves[role][rest % p.count[role]];
        ok = o->r->ops->next(o->r, s, joint, &next) && value(o, &next, child + j * MOST_ROLES);
        constant &= ok && nroles == 2 && child[j * MOST_ROLES] + child[j * MOST_ROLES + 1] > 99.999 &&
                    child[j * MOST_ROLES] + child[j * MOST_ROLES + 1] < 100.001;
        state_done(&next);
    }
    if (ok && p.choosers > 1) {
        double *matrix = malloc(p.joints * sizeof *matrix);
        for (uint32_t j = 0; j < p.joints; j++) matrix[j] = child[j * MOST_ROLES];
        ok = constant &&
             glpk_game_value(o->glpk, matrix, p.count[0], p.count[1], p.count[1], false, NULL, out);
        out[1] = 100 - out[0];
        free(matrix);
    } else if (ok) {
        uint32_t best = 0;
        for (uint32_t j = 1; j < p.joints; j++) {
            const double *a = child + j * MOST_ROLES, *b = child + best * MOST_ROLES;
            if (a[p.mover] > b[p.mover] || (a[p.mover] == b[p.mover] && a[o->role] < b[o->role])) best = j;
        }
        memcpy(out, child + best * MOST_ROLES, MOST_ROLES * sizeof *out);
    }
    free(child);
    return ok;
}

static bool value(struct oracle *o, const struct state *s, double *out)
{
    uint32_t at = find(o, s);
    bool terminal, ok = true;
    if (o->over || (o->limit && o->n >= o->limit)) return o->over = true, false;
    if (o->slots[at]) {
        memcpy(out, o->v[o->slots[at] - 1].values, sizeof o->v->values);
        return !o->v[o->slots[at] - 1].none;
    }
    bool answered = o->r->ops->terminal(o->r, s, &terminal);
    assert(answered);
    memset(out, 0, MOST_ROLES * sizeof *out);
    if (terminal)
        for (uint32_t role = 0; role < o->r->game->nroles; role++) {
            int goal;
            answered = reasoner_goal(o->r, s, role, &goal);
            assert(answered && goal != GOAL_UNDEFINED);
            out[role] = goal;
        }
    else
        ok = combine(o, s, out);
    if (o->over) return false;
    if (o->n == o->cap) {
        o->cap = o->cap ? o->cap * 2 : 256;
        o->v = realloc(o->v, o->cap * sizeof *o->v);
    }
    at = find(o, s);
    o->v[o->n] = (struct known){.none = !ok};
    state_copy(&o->v[o->n].state, s);
    memcpy(o->v[o->n].values, out, sizeof o->v->values);
    o->slots[at] = ++o->n;
    assert(o->n < o->mask / 2);
    return ok;
}

const double *oracle_values(struct oracle *o, const struct state *s)
{
    double out[MOST_ROLES];
    if (o->over || !value(o, s, out)) return NULL;
    return o->v[o->slots[find(o, s)] - 1].values;
}
