/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sheets to be looked at, each by a desk of its own (web/worker.h), a few at a time:
 *
 *     request ── jobs_add ──> waiting ──> a process ──> its answer, or why there is none
 */
#ifndef WEB_JOBS_H
#define WEB_JOBS_H

#include "net/child.h"
#include "web/door.h"

#include <poll.h>
#include <stdint.h>

struct job;

struct jobs {
    struct job *first, **last;
    uint32_t n, running;
    uint64_t megabytes; /* for each */
};

void jobs_init(struct jobs *j, uint64_t megabytes);
void jobs_done(struct jobs *j);

/* Look at a sheet: "check", "format" or "picture". `done` (may be NULL) is called with the answer before it
 * is given to the request. */
void jobs_add(struct jobs *j, struct request *r, const char *what, const char *name, const char *rules,
              size_t size, void (*done)(void *data, const char *name, const json_t *answer), void *data);

/* For the loop: descriptors to poll (room for `max`; how many), what came of them, children, time. */
uint32_t jobs_wants(const struct jobs *j, struct pollfd *out, uint32_t max);
void jobs_hear(struct jobs *j, const struct pollfd *fds, uint32_t n);
bool jobs_child(struct jobs *j, pid_t pid, int status);
double jobs_tick(struct jobs *j, double now);

#endif
