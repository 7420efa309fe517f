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
    int64_t port;    /* 0: any free one */
    int64_t matches; /* at once */
    const char *name;
    struct sitting_config sitting;
};

/* Serve until SIGINT or SIGTERM. False and an error if it cannot begin. */
bool server_run(const struct server_options *options, struct error *error);

#endif
