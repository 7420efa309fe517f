/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The door of the page: HTTP requests in, answers and streams of events out, one thread.
 *
 *     bytes ── libmicrohttpd ──> who asks, how much? ── struct request ──> handler
 *                                      │                                     │
 *                                      └── refused <──────── request_json, request_error, request_stream
 *
 * Nothing gets further than this file that calls us by a foreign name, comes from a page of another site, has
 * not the token where one is needed, or is too large. Every answer carries the headers that keep the page to
 * itself (door.c has them). A handler may keep a request and answer it later; it must answer it once.
 */
#ifndef WEB_DOOR_H
#define WEB_DOOR_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

struct door;
struct request;
struct stream;

struct door_options {
    const char *bind;
    int port;          /* 0: any free one */
    const char *token; /* that every path must begin with; NULL: none unless others can reach us; "": never */
    const char *const *hosts; /* further names of this machine; ends with NULL */
    size_t max_body;          /* bytes */
};

typedef void door_handler(void *data, struct request *r);

struct door *door_open(const struct door_options *options, door_handler *handler, void *data,
                       struct error *error);
void door_close(struct door *d);
int door_fd(const struct door *d); /* readable: call door_run */
double door_run(struct door *d);   /* returns after how many seconds at the latest to call it again */
int door_port(const struct door *d);
const char *door_token(const struct door *d); /* "": none is needed */

/* What was asked. */
const char *request_method(const struct request *r);
const char *request_path(const struct request *r);                    /* begins with '/', behind the token */
const char *request_query(const struct request *r, const char *name); /* NULL: not there */
const char *request_body(const struct request *r, size_t *n);         /* terminated */

/* Answers. */
void request_answer(struct request *r, int status, const char *type, const char *bytes, size_t n,
                    const char *etag);
void request_json(struct request *r, int status, json_t *taken);
void request_error(struct request *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Server-Sent Events, until stream_end or the other side leaves: then `gone` is called, once, and the stream
 * is no more. NULL: no memory; the request is answered then. */
struct stream *request_stream(struct request *r, void (*gone)(void *data, struct stream *s), void *data);
void stream_send(struct stream *s, const char *event, const char *text);
void stream_end(struct stream *s);    /* `gone` will be called */
void stream_forget(struct stream *s); /* ... or not: nobody is left to hear it */

#endif
