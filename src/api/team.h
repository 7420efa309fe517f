/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team of threads that wait for work: pieces 0 .. n-1, each done by whoever is free. The thread that gives
 * the work does its share. */
#ifndef API_TEAM_H
#define API_TEAM_H

#include <stdbool.h>
#include <stdint.h>

struct team;

/* `threads` in all, the caller's too. NULL: no memory, or no more threads. */
struct team *team_new(uint32_t threads);
void team_free(struct team *t); /* NULL is fine */
uint32_t team_size(const struct team *t);

/* Returns when all pieces are done. */
void team_work(struct team *t, uint32_t pieces, void (*work)(void *data, uint32_t piece), void *data);

#endif
