/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What http.c (requests, and libmicrohttpd) and caller.c (connections) know of each other. */
#ifndef NET_HTTP_INTERNAL_H
#define NET_HTTP_INTERNAL_H

#include "net/http.h"
#include "net/message.h"

#include <microhttpd.h>
#include <sys/socket.h>

#define MAX_CALLERS 1000

enum stage { LOOKING, READING, WAITING, WRITING, LINGERING };

struct caller {
    struct caller *next, **link;
    int fd;
    enum stage stage;
    struct sockaddr_storage address;
    socklen_t address_size;
    double since, arrival; /* of the last progress, of the first byte */
    struct message_end end;
    struct http_request *request;
    char *out;
    size_t sent, out_size;
};

struct http_request {
    struct http *http;
    struct MHD_Connection *connection; /* of libmicrohttpd, or */
    struct caller *caller;             /* ours */
    struct sockaddr_storage peer;
    double arrival;
    char *grant; /* for Access-Control-Allow-Origin; NULL: no page asks that may */
    char *body;
    size_t size, cap, thrown_away;
    bool begun, refused, suspended, replied;
    int status;
    char *reply;
    struct http_request *next, **link; /* all that wait for an answer */
};

struct http {
    int epoll, listener, port;
    int bell; /* rung when libmicrohttpd has an answer to send: it does not notice by itself */
    size_t max_body;
    size_t held; /* bytes of bodies that are coming in */
    http_handler *handler;
    void *data;
    struct http_guard guard;
    http_refusal *refusal; /* may be NULL */
    struct MHD_Daemon *daemon;
    struct caller *callers;
    uint32_t ncallers;
    struct http_request *open;
    double *arrivals; /* by file descriptor: of connections handed over */
    int narrivals;
};

/* http.c */
enum { HTTP_HEADERS = 4 };
extern const char *const http_headers[HTTP_HEADERS][2]; /* for pages that may ask, besides the origin */
struct http_request *request_new(struct http *h, double arrival, const struct sockaddr *peer);
void request_free(struct http_request *r);
void request_take(struct http_request *r, const char *bytes, size_t n); /* more of the body */
void request_handle(struct http_request *r);                            /* that was all */
/* May it be asked, by its headers? If not, it is replied to. */
bool request_judge(struct http_request *r, struct origin_claim *claim);
void http_refuse(struct http *h, const struct sockaddr *from, const char *why); /* tell the owner */

/* caller.c */
void callers_accept(struct http *h);
void callers_expire(struct http *h);
void caller_event(struct http *h, struct caller *c, uint32_t events);
void caller_answer(struct caller *c); /* its request was replied to */
void caller_hang_up(struct http *h, struct caller *c);

#endif
