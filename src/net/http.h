/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages out of HTTP requests, and answers back, one per connection.
 *
 *     accept ──> look at the request, ──┬─> libmicrohttpd ──────────┬─> handler ──> http_reply
 *                without taking it      └─> body until it is closed ┘
 *                (who says nothing waits here)
 *
 * Game masters have sent messages in every way HTTP allows and some that it does not: a body by POST with or
 * without a length, or a URL-encoded message as the path of a GET. libmicrohttpd takes a body without length
 * for none at all, so connections are looked at before they are handed to it, and those are read here.
 *
 * One thread, no waiting: the owner polls http_fd and calls http_run. A handler may answer whenever it likes.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "base/error.h"

#include <stddef.h>

struct http;
struct http_request;

/* A message came in whose first byte was seen at `arrival` (clock_now() time). http_reply must be called for
 * the request, once, now or later; the text is gone after the call. */
typedef void http_handler(void *data, struct http_request *request, const char *text, size_t size,
                          double arrival);

/* Port 0: any that is free. */
struct http *http_open(const char *address, int port, size_t max_body, http_handler *handler, void *data,
                       struct error *error);
/* Requests that wait for an answer are answered with `busy` first. */
void http_close(struct http *h);

int http_port(const struct http *h);
int http_fd(const struct http *h); /* readable: there is something to do */
double http_run(struct http *h);   /* do it; the seconds after which to call again all the same */

void http_reply(struct http_request *r, int status, const char *text);

#endif
