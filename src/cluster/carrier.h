/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process of a rank that knows MPI. It carries messages and nothing else:
 *
 *     rank 0                                             rank 1, 2, ...
 *     ludens serve|match|think ── players                ludens: carrier ── ally   (one for each player)
 *          └── carrier ═════════════════ MPI ═══════════════╝
 *
 * On rank 0 it is a child of the program, so that whatever becomes of MPI, the players play on. On the others
 * it is the program, and the searching is done by its children: one that dies is started again. A rank that
 * has not been heard of for a while counts as lost, and nobody sends it anything or waits for it until it is
 * heard again. At the end all take leave of each other; where somebody is missing the job is aborted, which
 * ends those that hang. */
#ifndef CLUSTER_CARRIER_H
#define CLUSTER_CARRIER_H

#include <stdbool.h>

/* Begin the part of this process in an MPI job, if it is one. True: it was to help another, and is done;
 * *status is its exit status. False: go on, as rank 0 or as one that is in no job. */
bool cluster_begin(int *status);
void cluster_end(void); /* rank 0: take leave of the others. Fine if there are none. */

/* The body of the carrier of rank 0: an exit status. */
int carrier_lead(void);

#endif
