// SPDX-License-Identifier: GPL-3.0-or-later
/* A proof that two roles never have a choice at the same time: gates that constants simplify. */
#include "gpu/plan_internal.h"

/* The wires that these two bits will depend on. */
static bool *find_wanted(struct heap *heap, const struct circuit *c, edge a, edge b)
{
    bool *wanted = heap_zalloc(heap, wire_gate(c, c->ngates));
    wanted[c->next[(a >> 1) - wire_bit(c, 0)] >> 1] = wanted[c->next[(b >> 1) - wire_bit(c, 0)] >> 1] = true;
    for (uint32_t g = c->ngates; g-- > 0;)
        for (uint32_t i = 0; wanted[wire_gate(c, g)] && i < c->gates.v[g].n; i++)
            wanted[c->edges.v[c->gates.v[g].first + i] >> 1] = true;
    return wanted;
}

/* Inputs of the gates that are wanted. */
static double work(const struct circuit *c, const bool *wanted)
{
    double n = 0;
    for (uint32_t g = 0; g < c->ngates; g++) n += wanted[wire_gate(c, g)] ? c->gates.v[g].n : 0;
    return n;
}

/* Is it shown what is claimed of the two bits after a step, in the state and by the moves that the wires say?
 */
static bool shown(struct planner *p, const bool *wanted, const uint32_t *readers, const struct gpu_mover *m,
                  bool exactly_one)
{
    const struct circuit *c = p->c;
    uint32_t after[2];
    for (uint32_t g = 0; g < c->ngates; g++)
        if (wanted[wire_gate(c, g)]) p->wire[wire_gate(c, g)] = gpu_plan_gate(p, &c->gates.v[g], readers);
    heap_poll(p->plan->heap);
    for (uint32_t i = 0; i < 2; i++)
        after[i] = literal(p, c->next[(m->free[i] >> 1) - wire_bit(c, 0)]) ^ (m->free[i] & 1);
    if (exactly_one) return lut_xor(&p->plan->net, after[0], after[1]) == LUT_TRUE;
    return lut_and(&p->plan->net, after[0], after[1]) == LUT_FALSE;
}

/* Exactly one of the two bits, or at most one, is true: by induction over one step, for each move that the
 * role can make whose bit is true, and, if need be, where neither is. */
static bool stays_so(struct heap *heap, const struct circuit *c, const struct gpu_mover *m, bool exactly_one)
{
    struct gpu_plan plan = {.heap = heap, .circuit = c};
    struct planner p = {.plan = &plan, .c = c};
    uint32_t nwires = wire_gate(c, c->ngates), *moves = heap_alloc(heap, (c->nmoves + 1) * sizeof *moves);
    uint32_t *readers = heap_zalloc(heap, nwires * sizeof *readers);
    uint8_t *known = heap_alloc(heap, nwires);
    const double MOST_WORK = 1e8;
    const bool *wanted = find_wanted(heap, c, m->free[0], m->free[1]);
    bool good =
        work(c, wanted) * c->nmoves < MOST_WORK; /* not by the clock: it must come to the same everywhere */
    p.wire = heap_zalloc(heap, nwires * sizeof *p.wire);
    for (uint32_t i = 0; i < c->edges.n; i++) readers[c->edges.v[i] >> 1]++;
    lut_init(&plan.net, heap);
    for (uint32_t k = 1; k < wire_gate(c, 0); k++) p.wire[k] = lut_leaf(&plan.net, LUT_INPUT, k);
    for (uint32_t who = 0; who < (exactly_one ? 2 : 3) && good; who++) { /* 2: neither */
        uint32_t n = who < 2 ? gpu_mover_moves(c, m, who, known, moves) : 1;
        for (uint32_t i = 0; i < 2; i++) {
            for (uint32_t k = c->move_base[m->role[i]]; k < c->move_base[m->role[i] + 1]; k++)
                p.wire[wire_move(c, k)] = LUT_FALSE;
            p.wire[m->free[i] >> 1] = (i == who ? LUT_TRUE : LUT_FALSE) ^ (m->free[i] & 1);
            if (i != who) p.wire[wire_move(c, gpu_mover_only_move(c, m, i, known))] = LUT_TRUE;
        }
        for (uint32_t k = 0; k < n && good; k++) {
            if (who < 2) p.wire[wire_move(c, moves[k])] = LUT_TRUE;
            good = shown(&p, wanted, readers, m, exactly_one);
            if (who < 2) p.wire[wire_move(c, moves[k])] = LUT_FALSE;
        }
    }
    return good;
}

bool gpu_never_both(const struct circuit *c, const struct gpu_mover *m, bool one_begins)
{
    struct heap *heap = heap_new((size_t)2 << 30);
    struct heap_guard guard;
    struct error unimportant;
    volatile bool never = false;
    if (heap && !c->loops.n && HEAP_ENTER(heap, &guard, &unimportant)) {
        never = (one_begins && stays_so(heap, c, m, true)) || stays_so(heap, c, m, false);
        heap_leave(heap);
    }
    heap_free(heap);
    return never;
}
