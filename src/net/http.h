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
#include "net/origin.h"
#include "net/subnet.h"

#include <stddef.h>

struct http;
struct http_request;

/* A message came in whose first byte was seen at `arrival` (clock_now() time). http_reply must be called for
 * the request, once, now or later; the text is gone after the call. */
typedef void http_handler(void *data, struct http_request *request, const char *text, size_t size,
                          double arrival);

/* Who may ask. Web pages by their origin; machines by their address: those of `allowed`, or all if there are
 * none, and this machine in any case. Who says nothing is given `patience` seconds. */
struct http_guard {
    struct origin_policy origins;
    const struct subnet *allowed;
    int nallowed;
    double patience;
};
#define HTTP_PATIENCE 30.0 /* seconds for a request to come in */

/* Somebody was turned away with status 403. */
typedef void http_refusal(void *data, const struct sockaddr *from, const char *why);

/* Port 0: any that is free. */
struct http *http_open(const char *address, int port, size_t max_body, http_handler *handler, void *data,
                       struct error *error);
/* Without it no page may ask, every machine may, and patience lasts HTTP_PATIENCE. */
void http_set_guard(struct http *h, const struct http_guard *guard, http_refusal *refusal);
/* Requests that wait for an answer are answered with `busy` first. */
void http_close(struct http *h);

int http_port(const struct http *h);
int http_fd(const struct http *h); /* readable: there is something to do */
double http_run(struct http *h);   /* do it; the seconds after which to call again all the same */

void http_reply(struct http_request *r, int status, const char *text);
const struct sockaddr *http_peer(const struct http_request *r); /* who asks */

#endif
