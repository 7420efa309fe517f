// SPDX-License-Identifier: GPL-3.0-or-later
/* libmicrohttpd: bodies taken in, requests handed over, answers sent. */
#include "base/clock.h"
#include "web/door_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#define CALLERS 600   /* connections at once */
#define PATIENCE 60   /* seconds for a request to come in */
#define HELD_BODIES 8 /* of the largest size may come in at once; others are refused */

static void drop_body(struct request *r)
{
    free(r->body);
    r->body = NULL;
    r->door->held -= r->cap;
    r->size = r->cap = 0;
}

static void take_body(struct request *r, const char *bytes, size_t n)
{
    size_t limit = r->door->options->max_body;
    if (r->refused) return;
    if (r->size + n > limit) {
        gate_refuse(r, 413, "this is too large");
        return drop_body(r);
    }
    if (r->size + n + 1 > r->cap) {
        size_t cap = (r->size + n + 1) * 2;
        char *body = r->door->held + cap - r->cap > HELD_BODIES * limit ? NULL : realloc(r->body, cap);
        if (!body) {
            gate_refuse(r, 503, "too much is being sent at once; try again");
            return drop_body(r);
        }
        r->door->held += cap - r->cap;
        r->body = body;
        r->cap = cap;
    }
    memcpy(r->body + r->size, bytes, n);
    r->size += n;
    r->body[r->size] = '\0';
}

static struct request *begin(struct door *d, struct MHD_Connection *c, const char *url, const char *method)
{
    struct request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (struct request){.door = d, .connection = c, .method = method};
    gate_check(r);
    r->path = gate_path(r, url);
    return r;
}

static enum MHD_Result answer(struct request *r)
{
    enum MHD_Result result = MHD_queue_response(r->connection, r->status, r->response);
    MHD_destroy_response(r->response);
    r->response = NULL;
    return result;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *c, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *n, void **state)
{
    (void)version;
    struct request *r = *state;
    if (!r) {
        r = *state = begin(data, c, url, method);
        if (!r) return MHD_NO;
        if (r->refused != 413) return MHD_YES;
        request_error(r, r->refused, "%s", r->why); /* without reading it */
        return answer(r);
    }
    if (*n) {
        take_body(r, upload, *n);
        *n = 0;
        return MHD_YES;
    }
    if (!r->answered && r->refused)
        request_error(r, r->refused, "%s", r->why);
    else if (!r->answered)
        r->door->handler(r->door->data, r);
    drop_body(r);
    if (r->response) return answer(r);
    if (r->answered) return MHD_NO; /* there was no memory for the answer */
    r->suspended = true;
    MHD_suspend_connection(c);
    return MHD_YES;
}

static void on_end(void *data, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode code)
{
    (void)data, (void)c, (void)code;
    struct request *r = *state;
    *state = NULL;
    if (!r) return;
    if (r->stream) stream_free(r->stream);
    if (r->response) MHD_destroy_response(r->response);
    drop_body(r);
    free(r);
}

static void be_silent(void *data, const char *format, va_list arguments)
{
    (void)data, (void)format, (void)arguments;
}

double door_run(struct door *d)
{
    eventfd_t rung;
    double now = clock_now();
    eventfd_read(d->bell, &rung);
    streams_beat(d, now);
    MHD_run(d->daemon);
    MHD_UNSIGNED_LONG_LONG wait;
    double seconds = d->streams ? 5 : 60;
    if (MHD_get_timeout(d->daemon, &wait) == MHD_YES && (double)wait / 1000 < seconds)
        seconds = (double)wait / 1000;
    return seconds;
}

/* ---- opening and closing */

static bool make_token(struct door *d, struct error *error)
{
    unsigned char bytes[16];
    const char *given = d->options->token;
    if (!given && d->listener.loopback) return true;
    if (given) {
        snprintf(d->token, sizeof d->token, "%s", given);
    } else {
        if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
            return error_set(error, ERROR_SYSTEM, "there are no random numbers for a token");
        for (size_t i = 0; i < sizeof bytes; i++) sprintf(d->token + 2 * i, "%02x", bytes[i]);
    }
    if (*d->token) snprintf(d->prefix, sizeof d->prefix, "/%s", d->token);
    return true;
}

static bool watch(struct door *d, int fd)
{
    struct epoll_event e = {.events = EPOLLIN};
    return epoll_ctl(d->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

struct door *door_open(const struct door_options *options, door_handler *handler, void *data,
                       struct error *error)
{
    struct door *d = calloc(1, sizeof *d);
    if (!d) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    *d = (struct door){.options = options, .handler = handler, .data = data, .epoll = -1, .bell = -1};
    if (!listener_open(&d->listener, options->bind, options->port, error)) {
        free(d);
        return NULL;
    }
    bool good = make_token(d, error);
    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    d->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (good)
        d->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL,
                                     NULL, on_request, d, MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL,
                                     MHD_OPTION_LISTEN_SOCKET, d->listener.fd, MHD_OPTION_NOTIFY_COMPLETED,
                                     on_end, d, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CALLERS,
                                     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE,
                                     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)128 * 1024, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        d->daemon ? MHD_get_daemon_info(d->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (good && (d->epoll < 0 || d->bell < 0 || !info || !watch(d, info->epoll_fd) || !watch(d, d->bell)))
        good = error_set(error, ERROR_SYSTEM, "the HTTP server does not start");
    if (good) return d;
    if (!d->daemon) close(d->listener.fd);
    door_close(d);
    return NULL;
}

void door_close(struct door *d)
{
    if (!d) return;
    for (struct stream *s = d->streams; s; s = s->next) stream_end(s);
    if (d->daemon) {
        MHD_run(d->daemon);
        MHD_stop_daemon(d->daemon);
    }
    if (d->epoll >= 0) close(d->epoll);
    if (d->bell >= 0) close(d->bell);
    free(d);
}

int door_fd(const struct door *d)
{
    return d->epoll;
}

int door_port(const struct door *d)
{
    return d->listener.port;
}

const char *door_token(const struct door *d)
{
    return d->token;
}
