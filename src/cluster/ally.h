/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ally: a worker (net/worker.h) that searches the positions of a player elsewhere. */
#ifndef CLUSTER_ALLY_H
#define CLUSTER_ALLY_H

#include "net/worker.h"

void ally_run(struct inbox *b, const struct assignment *a);

#endif
