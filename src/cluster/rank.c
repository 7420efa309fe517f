// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/rank.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* The first of these variables that is there; Open MPI's own, PMIx's and Slurm's. */
static bool find(const char *const *names, uint32_t *out)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        char *end;
        if (!text) continue;
        unsigned long n = strtoul(text, &end, 10);
        if (end == text) continue;
        *out = (uint32_t)n;
        return true;
    }
    return false;
}

bool rank_find(struct rank *out)
{
    static const char *const number[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", NULL},
                             *const size[] = {"OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", NULL},
                             *const local[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE", NULL};
    if (!find(number, &out->number) || !find(size, &out->size) || out->size < 2) return false;
    if (!find(local, &out->local) || out->local < 1) out->local = 1;
    return out->number < out->size;
}

uint32_t rank_cores(const struct rank *r)
{
    cpu_set_t set;
    long all = sysconf(_SC_NPROCESSORS_ONLN), share = all / r->local;
    long bound = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : all;
    if (share < 1) share = 1;
    return (uint32_t)(bound < share && bound > 0 ? bound : share);
}
