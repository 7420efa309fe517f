/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files about the door share: requests and streams as libmicrohttpd sees them. */
#ifndef WEB_DOOR_INTERNAL_H
#define WEB_DOOR_INTERNAL_H

#include "net/listener.h"
#include "web/door.h"

#include <microhttpd.h>

struct stream {
    struct request *request;
    char *bytes;
    size_t from, n, cap;
    double spoke;
    bool ends, suspended;
    void (*gone)(void *data, struct stream *s);
    void *data;
    struct stream *next, **link;
};

struct request {
    struct door *door;
    struct MHD_Connection *connection;
    const char *method, *path;
    char *body;
    size_t size, cap;
    int refused; /* status; 0: it is not */
    char why[500];
    bool answered, suspended;
    struct MHD_Response *response;
    unsigned status;
    struct stream *stream;
};

struct door {
    struct MHD_Daemon *daemon;
    struct listener listener;
    const struct door_options *options;
    char token[64], prefix[80];
    door_handler *handler;
    void *data;
    int epoll, bell;
    size_t held; /* bytes of bodies */
    struct stream *streams;
};

/* gate.c: may it come in? `refused` says if not. Returns the path behind the token. */
void gate_check(struct request *r);
const char *gate_path(struct request *r, const char *url);
void gate_refuse(struct request *r, int status, const char *why);

/* stream.c */
void stream_free(struct stream *s);            /* tells whoever wants to know */
void streams_beat(struct door *d, double now); /* say something where it was silent for long */

/* request.c: the answer, with the headers that every answer has */
void request_give(struct request *r, unsigned status, struct MHD_Response *response);

#endif
