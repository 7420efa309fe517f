/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker seen from the server: this program started once more, with a socket as its standard input. */
#ifndef NET_CHILD_H
#define NET_CHILD_H

#include "base/error.h"
#include "net/frame.h"

#include <sys/types.h>

struct child {
    const char *what; /* the name of a struct worker_kind */
    pid_t pid;        /* 0: not running */
    struct frames frames;
};

bool child_start(struct child *c, const char *what, struct error *error);
/* Kill it and forget it; whoever waits for children hears of its end. Fine if it is not running. */
void child_kill(struct child *c);

#endif
