// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/http_internal.h"

#include "base/clock.h"
#include "net/listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MAX_DISCARD ((size_t)1 << 30) /* bytes of a body too large that are read before the refusal */
#define HELD_BODIES 8                 /* of the largest size may come in at once; others are refused */

const char *const http_headers[HTTP_HEADERS][2] = {
    {"Vary", "Origin"},
    {"Access-Control-Allow-Methods", "POST, GET, OPTIONS"},
    {"Access-Control-Allow-Headers", "Content-Type, Sender, Receiver, Accept"},
    {"Access-Control-Max-Age", "86400"},
};

/* ---- requests, wherever they come from ---- */

struct http_request *request_new(struct http *h, double arrival, const struct sockaddr *peer)
{
    struct http_request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (struct http_request){.http = h, .arrival = arrival, .next = h->open, .link = &h->open};
    if (peer && peer->sa_family == AF_INET) memcpy(&r->peer, peer, sizeof(struct sockaddr_in));
    if (peer && peer->sa_family == AF_INET6) memcpy(&r->peer, peer, sizeof(struct sockaddr_in6));
    if (h->open) h->open->link = &r->next;
    h->open = r;
    return r;
}

static void drop_body(struct http_request *r)
{
    free(r->body);
    r->body = NULL;
    r->http->held -= r->cap;
    r->size = r->cap = 0;
}

void request_free(struct http_request *r)
{
    if (!r) return;
    *r->link = r->next;
    if (r->next) r->next->link = r->link;
    drop_body(r);
    free(r->reply);
    free(r->grant);
    free(r);
}

static bool make_room(struct http_request *r, size_t n)
{
    if (n <= r->cap) return true;
    size_t cap = n * 2 < r->http->max_body ? n * 2 : r->http->max_body;
    if (n > cap || r->http->held + cap - r->cap > HELD_BODIES * r->http->max_body) return false;
    char *body = realloc(r->body, cap);
    if (!body) return false;
    r->http->held += cap - r->cap;
    r->body = body;
    r->cap = cap;
    return true;
}

void request_take(struct http_request *r, const char *bytes, size_t n)
{
    if (!r->refused && !r->replied && make_room(r, r->size + n)) {
        memcpy(r->body + r->size, bytes, n);
        r->size += n;
        return;
    }
    r->refused = true;
    r->thrown_away += n;
    drop_body(r);
}

void http_refuse(struct http *h, const struct sockaddr *from, const char *why)
{
    if (h->refusal) h->refusal(h->data, from, why);
}

bool request_judge(struct http_request *r, struct origin_claim *claim)
{
    struct error why;
    const struct origin_policy *p = &r->http->guard.origins;
    const char *grant = origin_grant(p, claim);
    claim->loopback = origin_is_loopback(http_peer(r));
    if (origin_check(p, claim, &why)) {
        if (grant) r->grant = strdup(grant);
        return true;
    }
    http_refuse(r->http, http_peer(r), why.text);
    http_reply(r, 403, why.text);
    return false;
}

const struct sockaddr *http_peer(const struct http_request *r)
{
    return (const struct sockaddr *)&r->peer;
}

void request_handle(struct http_request *r)
{
    if (r->refused)
        http_reply(r, 413, "the message is too long");
    else
        r->http->handler(r->http->data, r, r->body ? r->body : "", r->size, r->arrival);
    drop_body(r);
}

void http_reply(struct http_request *r, int status, const char *text)
{
    if (r->replied) return;
    r->replied = true;
    r->status = status;
    r->reply = strdup(text);
    if (r->caller) {
        caller_answer(r->caller);
    } else if (r->suspended) {
        r->suspended = false;
        MHD_resume_connection(r->connection);
        eventfd_write(r->http->bell, 1);
    }
}

/* ---- through libmicrohttpd ---- */

/* The path as it was sent: "/" and a message, URL-encoded as browsers and Java do it ('+' is a blank). */
static void decode_path(struct http_request *r, const char *path)
{
    if (*path == '/') path++;
    for (; *path; path++) {
        char c = *path;
        unsigned byte;
        if (c == '+') c = ' ';
        if (c == '%' && sscanf(path + 1, "%2x", &byte) == 1 && path[1] != ' ' && path[2]) {
            c = (char)byte;
            path += 2;
        }
        request_take(r, &c, 1);
    }
}

static void *mhd_begin(void *data, const char *uri, struct MHD_Connection *connection)
{
    struct http *h = data;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    double arrival = 0;
    if (info && info->connect_fd < h->narrivals) arrival = h->arrivals[info->connect_fd];
    const union MHD_ConnectionInfo *peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct http_request *r =
        request_new(h, arrival > 0 ? arrival : clock_now(), peer ? peer->client_addr : NULL);
    if (r) r->connection = connection;
    if (r) decode_path(r, uri);
    unsigned seconds = h->guard.patience < 1 ? 1 : (unsigned)h->guard.patience; /* 0 would be for ever */
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
    return r;
}

static void mhd_end(void *data, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code)
{
    (void)data, (void)connection, (void)code;
    request_free(*state);
    *state = NULL;
}

static void mhd_judge(struct http_request *r)
{
    struct MHD_Connection *c = r->connection;
    struct origin_claim claim = {
        .host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"),
        .origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin"),
        .referer = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Referer"),
        .fetch_site = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site"),
    };
    request_judge(r, &claim);
}

static enum MHD_Result mhd_answer(struct http_request *r)
{
    size_t n = r->reply ? strlen(r->reply) : 0;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(n, n ? r->reply : "", MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    if (r->grant) MHD_add_response_header(response, "Access-Control-Allow-Origin", r->grant);
    for (int i = 0; i < HTTP_HEADERS && r->grant; i++)
        MHD_add_response_header(response, http_headers[i][0], http_headers[i][1]);
    MHD_add_response_header(response, "Content-Type", r->status == 200 ? "text/acl" : "text/plain");
    MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(r->connection, (unsigned)r->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result mhd_handle(void *data, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload, size_t *n,
                                  void **state)
{
    (void)data, (void)connection, (void)url, (void)version;
    struct http_request *r = *state;
    if (!r) return MHD_NO;
    if (!r->begun) { /* the first call: only headers were read */
        r->begun = true;
        if (strcmp(method, "POST") == 0) r->size = 0; /* the path says nothing */
        mhd_judge(r);
        return MHD_YES;
    }
    if (*n) {
        request_take(r, upload, *n);
        *n = 0;
        return r->thrown_away < MAX_DISCARD ? MHD_YES : MHD_NO;
    }
    if (!r->replied) {
        if (strcmp(method, "OPTIONS") == 0)
            http_reply(r, 200, "");
        else if (strcmp(method, "POST") != 0 && strcmp(method, "GET") != 0)
            http_reply(r, 405, "messages come by POST or GET");
        else
            request_handle(r);
    }
    if (r->replied) return mhd_answer(r);
    r->suspended = true;
    MHD_suspend_connection(connection);
    return MHD_YES;
}

double http_run(struct http *h)
{
    struct epoll_event events[64];
    eventfd_t rung;
    int n = epoll_wait(h->epoll, events, 64, 0);
    bool rings = false;
    eventfd_read(h->bell, &rung);
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr == &h->listener)
            rings = true;
        else if (events[i].data.ptr != &h->daemon && events[i].data.ptr != &h->bell)
            caller_event(h, events[i].data.ptr, events[i].events);
    }
    if (rings) callers_accept(h); /* last: who makes room may be among the events */
    callers_expire(h);
    MHD_run(h->daemon);
    MHD_UNSIGNED_LONG_LONG wait;
    bool soon = MHD_get_timeout(h->daemon, &wait) == MHD_YES;
    double seconds = h->callers ? 1 : 60;
    return soon && (double)wait / 1000 < seconds ? (double)wait / 1000 : seconds;
}

/* ---- opening and closing ---- */

static bool watch_forever(struct http *h, int fd, void *what)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = what};
    return epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void be_silent(void *data, const char *format, va_list arguments)
{
    (void)data, (void)format, (void)arguments;
}

struct http *http_open(const char *address, int port, size_t max_body, http_handler *handler, void *data,
                       struct error *error)
{
    struct http *h = calloc(1, sizeof *h);
    if (!h) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    *h = (struct http){.max_body = max_body,
                       .handler = handler,
                       .data = data,
                       .epoll = -1,
                       .bell = -1,
                       .guard.patience = HTTP_PATIENCE};
    struct listener listener;
    if (!listener_open(&listener, address, port, error)) {
        free(h);
        return NULL;
    }
    h->listener = listener.fd;
    h->port = listener.port;
    h->epoll = epoll_create1(EPOLL_CLOEXEC);
    h->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    h->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL,
        NULL, mhd_handle, h, MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL, MHD_OPTION_URI_LOG_CALLBACK,
        mhd_begin, h, MHD_OPTION_NOTIFY_COMPLETED, mhd_end, h, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MAX_CALLERS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_PATIENCE,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)512 * 1024, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (h->epoll < 0 || !info || !watch_forever(h, info->epoll_fd, &h->daemon) ||
        !watch_forever(h, h->listener, &h->listener) || !watch_forever(h, h->bell, &h->bell)) {
        error_set(error, ERROR_SYSTEM, "the HTTP server does not start: %s", strerror(errno));
        http_close(h);
        return NULL;
    }
    return h;
}

void http_close(struct http *h)
{
    if (!h) return;
    for (struct http_request *r = h->open, *next; r; r = next) {
        next = r->next;
        if (r->suspended || (r->caller && r->caller->stage == WAITING)) http_reply(r, 200, "busy");
    }
    if (h->daemon) {
        MHD_run(h->daemon); /* sends those answers */
        MHD_stop_daemon(h->daemon);
    }
    while (h->callers) caller_hang_up(h, h->callers);
    if (h->epoll >= 0) close(h->epoll);
    if (h->bell >= 0) close(h->bell);
    close(h->listener);
    free(h->arrivals);
    free(h);
}

void http_set_guard(struct http *h, const struct http_guard *guard, http_refusal *refusal)
{
    h->guard = *guard;
    h->refusal = refusal;
}

int http_port(const struct http *h)
{
    return h->port;
}

int http_fd(const struct http *h)
{
    return h->epoll;
}
