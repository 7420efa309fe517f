// SPDX-License-Identifier: GPL-3.0-or-later
/* max^n (Luckhardt and Irani 1986) to the end of the game: a position's goals are those of the child that its
 * mover likes best. Nothing is pruned but what cannot be otherwise: a mover who has the most there is at all,
 * in a way that is worst for the role asked about (or is that role), need not look on.
 *
 * Where several choose at once there is no such value. Then only what the role asked about can be sure of is
 * sought: it chooses first, the others together against it. */
#include "search/solver/solve_internal.h"

#include <stdlib.h>
#include <string.h>

/* Positions and their goals; grows to the limit, then nothing more is remembered. */
struct vectors {
    uint64_t *keys; /* two a position: key (0: empty) and check */
    int16_t *goals; /* nroles a position, then the best move */
    uint64_t mask, n, most;
    uint32_t nroles;
};

static bool vectors_grow(struct vectors *v)
{
    uint64_t size = v->keys ? (v->mask + 1) * 2 : 1024;
    if (size > v->most) return false;
    uint64_t *keys = calloc(size, 2 * sizeof *keys);
    int16_t *goals = malloc(size * v->nroles * sizeof *goals);
    if (!keys || !goals) return free(keys), free(goals), false;
    for (uint64_t i = 0; v->keys && i <= v->mask; i++) {
        if (!v->keys[2 * i + 1]) continue;
        uint64_t at = v->keys[2 * i] & (size - 1);
        while (keys[2 * at + 1]) at = (at + 1) & (size - 1);
        memcpy(keys + 2 * at, v->keys + 2 * i, 2 * sizeof *keys);
        memcpy(goals + at * v->nroles, v->goals + i * v->nroles, v->nroles * sizeof *goals);
    }
    free(v->keys);
    free(v->goals);
    v->keys = keys, v->goals = goals, v->mask = size - 1;
    return true;
}

static int16_t *vectors_find(struct vectors *v, const struct place *p)
{
    for (uint64_t at = p->key & v->mask; v->keys && v->keys[2 * at + 1]; at = (at + 1) & v->mask)
        if (v->keys[2 * at] == p->key && v->keys[2 * at + 1] == p->check) return v->goals + at * v->nroles;
    return NULL;
}

static void vectors_add(struct vectors *v, const struct place *p, const int16_t *goals)
{
    if ((!v->keys || v->n >= v->mask / 4 * 3) && !vectors_grow(v)) return;
    uint64_t at = p->key & v->mask;
    while (v->keys[2 * at + 1]) at = (at + 1) & v->mask;
    v->keys[2 * at] = p->key;
    v->keys[2 * at + 1] = p->check;
    memcpy(v->goals + at * v->nroles, goals, v->nroles * sizeof *goals);
    v->n++;
}

struct max_n {
    struct solver *s;
    struct vectors known;
    uint32_t role;
    bool secure; /* only what the role can be sure of */
};

static bool better(const struct max_n *m, const struct fan *f, const int16_t *goals, const int16_t *than)
{
    if (goals[f->mover] != than[f->mover]) return goals[f->mover] > than[f->mover];
    return goals[m->role] < than[m->role];
}

static bool enough(const struct max_n *m, const struct fan *f, const int16_t *goals)
{
    const struct outcomes *o = m->s->outcomes;
    return goals[f->mover] >= outcomes_high(o, f->mover) &&
           (f->mover == m->role || goals[m->role] <= outcomes_low(o, m->role));
}

static bool visit(struct max_n *m, const struct place *p, int16_t *goals);

static bool visit_turn(struct max_n *m, struct fan *f, int16_t *goals, uint32_t *best)
{
    int16_t *child = malloc(m->s->nroles * sizeof *child);
    bool ok = child || (m->s->halt = HALT_MEMORY, false);
    for (uint32_t i = 0; ok && i < f->n; i++) {
        ok = visit(m, &f->child[i], child);
        if (!ok || (i > 0 && !better(m, f, child, goals))) continue;
        memcpy(goals, child, m->s->nroles * sizeof *goals);
        *best = i;
        if (enough(m, f, goals)) break;
    }
    free(child);
    return ok;
}

/* The role's own goal only; the others' entries are left at 0. */
static bool visit_secure(struct max_n *m, struct fan *f, int16_t *goals, uint32_t *best)
{
    int low = outcomes_low(m->s->outcomes, m->role), high = outcomes_high(m->s->outcomes, m->role);
    int16_t child[64] = {0};
    memset(goals, 0, m->s->nroles * sizeof *goals);
    goals[m->role] = -1;
    uint32_t own = f->count[m->role], stride = f->stride[m->role];
    for (uint32_t a = 0; a < own && goals[m->role] < high; a++) {
        int16_t least = INT16_MAX;
        for (uint32_t i = 0; i < f->n && least > low && least > goals[m->role]; i++) {
            if (i / stride % own != a) continue;
            if (!visit(m, &f->child[i], child)) return false;
            if (child[m->role] < least) least = child[m->role];
        }
        if (least > goals[m->role]) goals[m->role] = least, *best = a * stride;
    }
    return true;
}

static bool visit(struct max_n *m, const struct place *p, int16_t *goals)
{
    struct solver *s = m->s;
    struct fan f;
    uint32_t best = 0;
    const int16_t *known = p->end ? p->goals : vectors_find(&m->known, p);
    if (known) return memcpy(goals, known, s->nroles * sizeof *goals), true;
    if (!solver_open(s, p, &f, false)) return false;
    if (f.choosers > 1 && !m->secure) s->halt = HALT_AT_ONCE;
    bool ok = !s->halt && (m->secure ? visit_secure(m, &f, goals, &best) : visit_turn(m, &f, goals, &best));
    if (ok) vectors_add(&m->known, p, goals);
    solver_close(s, &f);
    return ok;
}

/* The best move of every position on the way, found again among what is remembered. */
static void follow(struct max_n *m, const struct place *root, struct solve_result *out)
{
    struct solver *s = m->s;
    struct fan fans[256];
    const struct place *p = root;
    uint32_t n = 0;
    int16_t goals[64];
    for (; n < 256 && !p->end && !s->halt; n++) {
        uint32_t best = 0;
        if (!solver_open(s, p, &fans[n], false)) break;
        if (!visit_turn(m, &fans[n], goals, &best)) {
            solver_close(s, &fans[n]);
            break;
        }
        for (uint32_t role = 0; role < s->nroles; role++)
            out->line[out->steps * s->nroles + role] = fan_move(&fans[n], role, best);
        out->steps++;
        p = &fans[n].child[best];
    }
    out->line_ends = p->end;
    while (n-- > 0) solver_close(s, &fans[n]);
}

static void tell_moves(struct max_n *m, const struct place *root, struct solve_result *out)
{
    struct solver *s = m->s;
    struct fan f;
    if (!solver_open(s, root, &f, false)) return;
    out->moves = f.choosers == 1 ? calloc(f.n, sizeof *out->moves) : NULL;
    for (uint32_t i = 0; out->moves && i < f.n; i++) {
        const int16_t *known = f.child[i].end ? f.child[i].goals : vectors_find(&m->known, &f.child[i]);
        struct solve_move move = {.role = f.mover, .move = fan_move(&f, f.mover, i)};
        move.known = known != NULL;
        if (known) move.low = move.high = known[f.mover];
        out->moves[out->nmoves++] = move;
    }
    solver_close(s, &f);
}

bool max_n_run(struct solver *s, const struct place *root, bool sure, struct solve_result *out)
{
    struct max_n m = {.s = s, .role = s->opt->role};
    int16_t goals[64] = {0};
    m.known.nroles = s->nroles;
    m.known.most = s->opt->memory / (2 * sizeof(uint64_t) + s->nroles * sizeof(int16_t)) / 3 * 2;
    bool ok = visit(&m, root, goals);
    if (s->halt == HALT_AT_ONCE && sure) {
        s->halt = HALT_NOT;
        m.secure = true;
        out->at_once = true;
        free(m.known.keys);
        free(m.known.goals);
        m.known = (struct vectors){.nroles = s->nroles, .most = m.known.most};
        ok = visit(&m, root, goals);
    }
    for (uint32_t role = 0; ok && role < s->nroles; role++)
        if (!m.secure || role == m.role) {
            out->low[role] = goals[role];
            if (!m.secure) out->high[role] = goals[role];
        }
    out->proved = ok;
    if (ok && !m.secure) {
        tell_moves(&m, root, out);
        follow(&m, root, out);
    }
    free(m.known.keys);
    free(m.known.goals);
    return ok;
}
