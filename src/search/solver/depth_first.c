// SPDX-License-Identifier: GPL-3.0-or-later
/* Alpha-beta with a window of nothing: "at least v?" is yes, no or (with a limit on plies) open.
 *
 * A position is opened once and all its children are looked at before any is entered: an end or a remembered
 * answer among them often settles it. The rest is entered in the order of solver_order. */
#include "search/solver/solve_internal.h"

#include <stdlib.h>

/* What settles a position: yes where the first role moves, no where the other does. */
static enum verdict child_verdict(struct solver *s, const struct place *c, uint32_t question)
{
    if (!c->end) return solver_known(s, c, question, NULL);
    return solver_goal(s, c) >= s->outcomes->value[0][question] ? YES : NO;
}

enum verdict depth_first(struct solver *s, const struct place *p, uint32_t question, uint32_t depth)
{
    struct memo_entry *entry;
    enum verdict known = solver_known(s, p, question, &entry);
    if (known != OPEN || depth == 0) return known;
    if (entry && depth < UINT8_MAX && entry->question == question && entry->depth >= depth) return OPEN;
    uint32_t best = entry ? entry->best : MEMO_NO_MOVE;
    uint64_t before = s->at.opened;
    struct fan f;
    if (!solver_open(s, p, &f, true)) return OPEN;
    enum verdict wanted = f.mover == 0 ? YES : NO, verdict = wanted == YES ? NO : YES;
    uint32_t settled = UINT32_MAX, left = 0, *order = malloc(f.n * sizeof *order);
    if (!order) s->halt = HALT_MEMORY;
    for (uint32_t i = 0; i < f.n; i++) memo_prefetch(&s->memo, &f.child[i]);
    for (uint32_t i = 0; order && i < f.n && settled == UINT32_MAX && !s->halt; i++) {
        enum verdict v = child_verdict(s, &f.child[i], question);
        if (v == wanted) settled = i;
        left += v == OPEN;
    }
    if (order && settled == UINT32_MAX && left && !s->halt) solver_order(s, &f, best, order);
    for (uint32_t i = 0; order && i < f.n && settled == UINT32_MAX && left && !s->halt; i++) {
        const struct place *c = &f.child[order[i]];
        if (c->end) continue;
        enum verdict v = depth_first(s, c, question, depth == UINT32_MAX ? depth : depth - 1);
        if (v == wanted) settled = order[i];
        if (v == OPEN) verdict = OPEN;
    }
    if (settled != UINT32_MAX) verdict = wanted;
    if (s->halt)
        verdict = OPEN;
    else if (verdict != OPEN)
        solver_settle(s, p, question, verdict == YES, settled == UINT32_MAX ? MEMO_NO_MOVE : settled,
                      s->at.opened - before);
    else if (depth < UINT8_MAX) {
        entry = solver_take(s, p, s->plies - 1);
        entry->question = question & 127;
        entry->depth = depth & 255;
        memo_worked(entry, s->at.opened - before);
    }
    if (settled != UINT32_MAX && !s->halt) solver_reward(s, &f, settled, s->at.opened - before);
    free(order);
    solver_close(s, &f);
    return verdict;
}
