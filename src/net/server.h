/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The player on the network: one thread that waits for messages, workers and the clock.
 *
 *              ┌──────────────── server ────────────────┐
 *     http ───>│ message ──> sitting ──> search, keeper │   processes of their own, two per match
 *              │             sitting ──> search, keeper │
 *              └──────────────── poll ──────────────────┘
 *
 * It reads no rules and searches nothing: whatever a message contains, it only counts parentheses.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "net/sitting.h"

struct server_options {
    const char *bind;
    int64_t port;        /* 0: any free one */
    int64_t matches;     /* at once */
    int64_t per_address; /* of them, for one machine elsewhere; 0: half of them */
    double max_clock;    /* seconds: a START with a longer clock is refused */
    const char *name;
    struct http_guard guard;
    struct sitting_config sitting;
};

/* Serve until SIGINT or SIGTERM. False and an error if it cannot begin. */
bool server_run(const struct server_options *options, struct error *error);

#endif
