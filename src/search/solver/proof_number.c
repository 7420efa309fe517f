// SPDX-License-Identifier: GPL-3.0-or-later
/* Depth-first proof-number search (Nagai 2002) with a table.
 *
 * The proof number of a position is how many positions must at least still be proved for a yes, the disproof
 * number for a no. At each position the child is entered that is easiest for the mover, until a sibling
 * becomes easier or the position as a whole harder than its own siblings: that is what the thresholds say.
 * The sibling must be easier by a quarter, lest the search swings between two (Pawlewicz and Lew 2007).
 *
 * A new position begins with what its lanes tell: 1 for who has to move there, the number of moves for the
 * other.
 *
 * Seen from the mover, the number it wants small is `phi`, the other `delta`: phi = min delta of the
 * children, delta = sum of their phi. */
#include "search/solver/solve_internal.h"

#include <stdlib.h>

#define INFINITE 1000000000u

struct pair {
    uint32_t phi, delta;
};

static uint32_t cap(uint64_t v)
{
    return v > INFINITE - 1 ? INFINITE - 1 : (uint32_t)v;
}

/* The numbers of a child as the other than the parent's mover sees them, whoever moves there. */
static struct pair numbers(struct solver *s, const struct place *c, uint32_t question, bool parent_first)
{
    struct memo_entry *e = NULL;
    enum verdict v = c->end ? (solver_goal(s, c) >= s->outcomes->value[0][question] ? YES : NO)
                            : solver_known(s, c, question, &e);
    bool good = v == (parent_first ? NO : YES);
    if (v != OPEN) return good ? (struct pair){0, INFINITE} : (struct pair){INFINITE, 0};
    if (e && e->question == question && e->proof)
        return parent_first ? (struct pair){e->disproof, e->proof} : (struct pair){e->proof, e->disproof};
    return (struct pair){1, c->joints ? c->joints : 1};
}

static void remember(struct solver *s, const struct place *p, uint32_t question, uint32_t proof,
                     uint32_t disproof, uint32_t best, uint64_t work)
{
    struct memo_entry *e = solver_take(s, p, s->plies - 1);
    e->question = question & 127;
    e->depth = 0;
    e->proof = proof;
    e->disproof = disproof;
    e->best = best < MEMO_NO_MOVE ? best & UINT16_MAX : MEMO_NO_MOVE;
    memo_worked(e, work);
}

/* Work on a place until one of its numbers reaches its limit. */
static void work(struct solver *s, const struct place *p, uint32_t question, uint32_t most_proof,
                 uint32_t most_disproof)
{
    struct fan f;
    uint64_t before = s->at.opened;
    if (!solver_open(s, p, &f, true)) return;
    bool first = f.mover == 0;
    struct pair *child = malloc(f.n * sizeof *child), now = {0, 0};
    struct pair limit =
        first ? (struct pair){most_proof, most_disproof} : (struct pair){most_disproof, most_proof};
    if (!child) s->halt = HALT_MEMORY;
    for (uint32_t i = 0; child && i < f.n && !s->halt; i++)
        child[i] = numbers(s, &f.child[i], question, first);
    uint32_t best = 0;
    while (!s->halt) {
        uint64_t sum = 0;
        uint32_t second = INFINITE;
        now.phi = INFINITE;
        for (uint32_t i = 0; i < f.n; i++) {
            sum += child[i].phi;
            if (child[i].delta < now.phi)
                second = now.phi, now.phi = child[i].delta, best = i;
            else if (child[i].delta < second)
                second = child[i].delta;
        }
        now.delta = now.phi == 0 ? INFINITE : now.phi == INFINITE ? 0 : cap(sum);
        if (now.phi == 0 || now.delta == 0 || now.phi >= limit.phi || now.delta >= limit.delta) break;
        uint64_t most = (uint64_t)second + second / 4 + 1;
        uint32_t phi = cap((uint64_t)limit.delta - (sum - child[best].phi));
        uint32_t delta = most < limit.phi ? cap(most) : limit.phi;
        work(s, &f.child[best], question, first ? delta : phi, first ? phi : delta);
        child[best] = numbers(s, &f.child[best], question, first);
    }
    if (!s->halt) {
        uint64_t spent = s->at.opened - before;
        if (now.phi == 0 || now.delta == 0) {
            solver_settle(s, p, question, (now.phi == 0) == first, best, spent);
        } else
            remember(s, p, question, first ? now.phi : now.delta, first ? now.delta : now.phi, best, spent);
    }
    free(child);
    solver_close(s, &f);
}

enum verdict proof_number(struct solver *s, const struct place *p, uint32_t question)
{
    enum verdict v;
    /* The root's answer cannot be thrown out of the table by the work that finds it: it is settled last. */
    while ((v = solver_known(s, p, question, NULL)) == OPEN && !s->halt)
        work(s, p, question, INFINITE, INFINITE);
    return v;
}
