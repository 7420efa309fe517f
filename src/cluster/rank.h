/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process of an MPI job this is, as mpirun and srun tell their children. MPI itself is not asked: only
 * the carrier knows it (carrier.h). */
#ifndef CLUSTER_RANK_H
#define CLUSTER_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct rank {
    uint32_t number, size;
    uint32_t local; /* processes of the job on this machine */
};

/* False: this is no such process, or the only one. */
bool rank_find(struct rank *out);
/* Processors for one of the processes on this machine: those it is bound to, or its share. */
uint32_t rank_cores(const struct rank *r);

#endif
