// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/listener.h"

#include "net/origin.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool listener_open(struct listener *l, const char *address, int port, struct error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    char service[16], text[16];
    snprintf(service, sizeof service, "%d", port);
    int failed = getaddrinfo(address, service, &hints, &list), one = 1;
    if (failed) return error_set(error, ERROR_INPUT, "'%s' is no address: %s", address, gai_strerror(failed));
    l->loopback = origin_is_loopback(list->ai_addr);
    l->port = port;
    l->fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd >= 0) setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (l->fd < 0 || bind(l->fd, list->ai_addr, list->ai_addrlen) || listen(l->fd, 512)) {
        error_set(error, ERROR_SYSTEM, "cannot listen on %s port %d: %s", address, port, strerror(errno));
        if (l->fd >= 0) close(l->fd);
        l->fd = -1;
    } else if (getsockname(l->fd, (struct sockaddr *)&own, &size) == 0 &&
               getnameinfo((struct sockaddr *)&own, size, NULL, 0, text, sizeof text, NI_NUMERICSERV) == 0) {
        l->port = atoi(text);
    }
    freeaddrinfo(list);
    return l->fd >= 0;
}
