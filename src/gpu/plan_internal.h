/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The circuit on its way into a network, wire by wire: what plan.c, steps.c and never_both.c share. */
#ifndef GPU_PLAN_INTERNAL_H
#define GPU_PLAN_INTERNAL_H

#include "gpu/plan.h"

struct planner {
    struct gpu_plan *plan;
    const struct circuit *c;
    uint32_t *wire; /* by wire of the circuit: its literal in the present step */
    uint32_t loop;  /* of the circuit: the next one */
    uint32_t step;
    uint32_t waiting, young;
};

static inline uint32_t literal(const struct planner *p, edge e)
{
    return p->wire[e >> 1] ^ (e & 1);
}

/* A gate, of wires that are there; `readers` by wire: how many gates and outputs read it. */
uint32_t gpu_plan_gate(struct planner *p, const struct gate *g, const uint32_t *readers);

/* By wire of the circuit; on the heap. */
uint32_t *gpu_plan_readers(struct heap *heap, const struct circuit *c);
/* Gates first .. last-1, of wires that are there. */
void gpu_plan_gates(struct planner *p, uint32_t first, uint32_t last, const uint32_t *readers);
/* The role has exactly one goal. */
uint32_t gpu_plan_one_goal(struct planner *p, uint32_t role);
/* All roots are there: which gates are computed. */
void gpu_plan_cover(struct gpu_plan *plan);

#endif
