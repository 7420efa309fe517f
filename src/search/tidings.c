// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/tidings.h"

#include <stdlib.h>

struct tidings {
    uint32_t nroles, joints, count;
    uint32_t *plies;     /* by joint, the root last */
    struct bound *bound; /* joint * nroles + role, the root last */
};

struct tidings *tidings_new(uint32_t nroles, uint64_t joints, const struct bound *widest)
{
    if (joints > TIDINGS_JOINTS) return NULL;
    struct tidings *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (struct tidings){.nroles = nroles, .joints = (uint32_t)joints};
    t->plies = calloc(t->joints + 1, sizeof *t->plies);
    t->bound = calloc((size_t)(t->joints + 1) * nroles, sizeof *t->bound);
    if (!t->plies || !t->bound) return tidings_free(t), NULL;
    for (uint32_t i = 0; i < (t->joints + 1) * nroles; i++) t->bound[i] = widest[i % nroles];
    return t;
}

void tidings_free(struct tidings *t)
{
    if (!t) return;
    free(t->plies);
    free(t->bound);
    free(t);
}

static uint32_t place(const struct tidings *t, uint32_t joint)
{
    return joint == TIDINGS_ROOT ? t->joints : joint;
}

uint32_t tidings_joints(const struct tidings *t)
{
    return t->joints;
}

uint32_t tidings_count(const struct tidings *t)
{
    return __atomic_load_n(&t->count, __ATOMIC_ACQUIRE);
}

void tidings_tell(struct tidings *t, uint32_t joint, const struct bound *bounds, uint32_t plies)
{
    uint32_t at = place(t, joint);
    bool moved = false;
    for (uint32_t r = 0; r < t->nroles; r++)
        moved |= bound_tighten(&t->bound[at * t->nroles + r], bound_read(&bounds[r]));
    if (!moved) return;
    __atomic_store_n(&t->plies[at], plies, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->count, 1, __ATOMIC_RELEASE);
}

struct bound tidings_bound(const struct tidings *t, uint32_t joint, uint32_t role)
{
    return bound_read(&t->bound[place(t, joint) * t->nroles + role]);
}

uint32_t tidings_plies(const struct tidings *t, uint32_t joint)
{
    return count_of(&t->plies[place(t, joint)]);
}
