/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker seen from the server: this program started once more, with a socket as its standard input. */
#ifndef NET_CHILD_H
#define NET_CHILD_H

#include "base/error.h"
#include "net/frame.h"

#include <jansson.h>
#include <poll.h>
#include <sys/types.h>

struct child {
    const char *what; /* the name of a struct worker_kind */
    pid_t pid;        /* 0: not running */
    struct frames frames;
};

bool child_start(struct child *c, const char *what, struct error *error);
/* Kill it and forget it; whoever waits for children hears of its end. Fine if it is not running. */
void child_kill(struct child *c);

/* What to wait for on its behalf; false: nothing, it is not running or has hung up. */
bool child_wants(const struct child *c, struct pollfd *out);
/* Something happened there: send what is queued, and hand over every message that has come, as long as it is
 * the same process. False: it has hung up. */
bool child_hear(struct child *c, short events, void (*on_message)(void *data, json_t *m), void *data);
/* One that has hung up is dying: see to it. The signal that it is dead tells why. */
void child_hasten(struct child *c);

#endif
