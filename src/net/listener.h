/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A socket that waits for callers. */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include "base/error.h"

struct listener {
    int fd, port;
    bool loopback; /* nobody but this machine can reach it */
};

/* Listen on an address of this machine; port 0: any free one, which is then in `port`. The descriptor is the
 * caller's. */
bool listener_open(struct listener *l, const char *address, int port, struct error *error);

#endif
