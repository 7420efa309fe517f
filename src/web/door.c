// SPDX-License-Identifier: GPL-3.0-or-later
#include "web/door.h"

#include "base/clock.h"
#include "net/listener.h"
#include "net/origin.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#define CALLERS 600                  /* connections at once */
#define PATIENCE 60                  /* seconds for a request to come in */
#define HELD_BODIES 8                /* of the largest size may come in at once; others are refused */
#define STREAM_MAX ((size_t)8 << 20) /* bytes that wait for a reader; who does not read is let go */
#define HEARTBEAT 15.0 /* seconds of silence after which a stream says something, to notice who has left */

/* Scripts, styles and pictures are ours alone; nobody may frame the page or make it post elsewhere. */
static const char *const headers[][2] = {
    {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
                                "data: blob:; connect-src 'self'; "
                                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
};

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

/* ---- answers */

static void give(struct request *r, unsigned status, struct MHD_Response *response)
{
    if (r->answered || !response) {
        if (response) MHD_destroy_response(response);
        return;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    r->answered = true;
    r->status = status;
    r->response = response;
    if (!r->suspended) return;
    r->suspended = false;
    MHD_resume_connection(r->connection);
    eventfd_write(r->door->bell, 1);
}

void request_answer(struct request *r, int status, const char *type, const char *bytes, size_t n,
                    const char *etag)
{
    const char *known =
        etag ? MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "If-None-Match") : NULL;
    bool same = known && strcmp(known, etag) == 0;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(same ? 0 : n, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    if (!response) return;
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", etag ? "no-cache" : "no-store");
    if (etag) MHD_add_response_header(response, "ETag", etag);
    give(r, same ? 304 : (unsigned)status, response);
}

void request_json(struct request *r, int status, json_t *taken)
{
    char *text = taken ? json_dumps(taken, JSON_COMPACT) : NULL;
    json_decref(taken);
    if (text)
        request_answer(r, status, "application/json", text, strlen(text), NULL);
    else
        request_answer(r, 500, "application/json", "{\"error\":\"out of memory\"}", 25, NULL);
    free(text);
}

void request_error(struct request *r, int status, const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_t *words = json_string(text);
    if (!words) words = json_string("this cannot be said in plain text");
    request_json(r, status, json_pack("{s:o}", "error", words));
}

const char *request_method(const struct request *r)
{
    return r->method;
}

const char *request_path(const struct request *r)
{
    return r->path;
}

const char *request_query(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *request_body(const struct request *r, size_t *n)
{
    *n = r->size;
    return r->body ? r->body : "";
}

/* ---- streams */

static void stream_wake(struct stream *s)
{
    if (!s->suspended) return;
    s->suspended = false;
    MHD_resume_connection(s->request->connection);
    eventfd_write(s->request->door->bell, 1);
}

static void stream_add(struct stream *s, const char *bytes, size_t n)
{
    if (s->from) {
        memmove(s->bytes, s->bytes + s->from, s->n - s->from);
        s->n -= s->from;
        s->from = 0;
    }
    if (s->n + n > s->cap) {
        size_t cap = (s->n + n) * 2;
        char *grown = cap < STREAM_MAX * 2 ? realloc(s->bytes, cap) : NULL;
        if (!grown || s->n + n > STREAM_MAX) {
            s->ends = true; /* it does not read, or there is no memory for it */
            return;
        }
        s->bytes = grown;
        s->cap = cap;
    }
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

void stream_send(struct stream *s, const char *event, const char *text)
{
    char head[80];
    int n = snprintf(head, sizeof head, "event: %s\ndata: ", event);
    stream_add(s, head, (size_t)n);
    stream_add(s, text, strlen(text));
    stream_add(s, "\n\n", 2);
    s->spoke = clock_now();
    stream_wake(s);
}

void stream_end(struct stream *s)
{
    s->ends = true;
    stream_wake(s);
}

void stream_forget(struct stream *s)
{
    s->gone = NULL;
}

static ssize_t stream_read(void *data, uint64_t at, char *to, size_t max)
{
    (void)at;
    struct stream *s = data;
    size_t n = s->n - s->from < max ? s->n - s->from : max;
    if (n) {
        memcpy(to, s->bytes + s->from, n);
        s->from += n;
        return (ssize_t)n;
    }
    if (s->ends) return MHD_CONTENT_READER_END_OF_STREAM;
    s->suspended = true;
    MHD_suspend_connection(s->request->connection);
    return 0;
}

struct stream *request_stream(struct request *r, void (*gone)(void *data, struct stream *s), void *data)
{
    struct stream *s = calloc(1, sizeof *s);
    struct MHD_Response *response =
        s ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, stream_read, s, NULL) : NULL;
    if (!response) {
        free(s);
        request_error(r, 503, "out of memory");
        return NULL;
    }
    *s = (struct stream){.request = r, .gone = gone, .data = data, .spoke = clock_now()};
    s->next = r->door->streams;
    s->link = &r->door->streams;
    if (s->next) s->next->link = &s->next;
    r->door->streams = s;
    r->stream = s;
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    stream_add(s, ": hello\n\n", 9);
    give(r, 200, response);
    return s;
}

static void stream_free(struct stream *s)
{
    *s->link = s->next;
    if (s->next) s->next->link = s->link;
    if (s->gone) s->gone(s->data, s);
    free(s->bytes);
    free(s);
}

/* ---- who may come in */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static void refuse(struct request *r, int status, const char *why)
{
    if (r->refused) return;
    r->refused = status;
    snprintf(r->why, sizeof r->why, "%s", why);
}

/* Addresses in numbers, this machine's name and those it was given: names that no foreign page can have. */
static bool knows_host(const struct door *d, const char *host)
{
    char name[256], own[256] = "", local[300];
    unsigned char address[16];
    size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    const char *from = *host == '[' ? host + 1 : host;
    n -= *host == '[' ? 2 : 0;
    if (n == 0 || n >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)n, from);
    if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1) return true;
    if (strcasecmp(name, "localhost") == 0) return true;
    for (const char *const *h = d->options->hosts; h && *h; h++)
        if (strcasecmp(name, *h) == 0) return true;
    if (gethostname(own, sizeof own - 1) || !*own) return false;
    snprintf(local, sizeof local, "%.255s.local", own);
    return strcasecmp(name, own) == 0 || strcasecmp(name, local) == 0;
}

static bool is_loopback(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info && info->client_addr && origin_is_loopback(info->client_addr);
}

static void check_origin(struct request *r)
{
    static const struct origin_policy nobody_else = {NULL, 0};
    struct MHD_Connection *c = r->connection;
    struct origin_claim claim = {.host = header(c, "Host"),
                                 .origin = header(c, "Origin"),
                                 .referer = header(c, "Referer"),
                                 .fetch_site = header(c, "Sec-Fetch-Site"),
                                 .loopback = r->door->listener.loopback && is_loopback(c)};
    struct error why;
    if (!claim.host || !knows_host(r->door, claim.host))
        refuse(r, 403, "this machine is not known by that name; `ludens web --host NAME` allows it");
    else if (!origin_check(&nobody_else, &claim, &why))
        refuse(r, 403, why.text);
}

/* The path behind the token. Takes the same time for every wrong one. */
static const char *behind_token(struct request *r, const char *url)
{
    const char *prefix = r->door->prefix;
    size_t n = strlen(prefix), given = strlen(url);
    unsigned differ = given < n;
    for (size_t i = 0; i < n; i++) differ |= (unsigned)(prefix[i] ^ url[i < given ? i : given]);
    if (!differ && (url[n] == '/' || url[n] == '\0')) return url[n] ? url + n : "/";
    refuse(r, 403, "the address needs the token that `ludens web` printed when it was started");
    return "/";
}

static void check_size(struct request *r)
{
    const char *length = header(r->connection, "Content-Length");
    if (length && strtoull(length, NULL, 10) > r->door->options->max_body)
        refuse(r, 413, "this is too large");
    /* A page of another site could send forms without asking; it cannot send this. */
    const char *type = header(r->connection, "Content-Type");
    if (strcmp(r->method, "POST") == 0 && (!type || strncasecmp(type, "application/json", 16) != 0))
        refuse(r, 415, "what is sent must be application/json");
    if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "POST") != 0 && strcmp(r->method, "DELETE") != 0)
        refuse(r, 405, "GET, POST and DELETE are understood here");
}

/* ---- libmicrohttpd */

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
        refuse(r, 413, "this is too large");
        return drop_body(r);
    }
    if (r->size + n + 1 > r->cap) {
        size_t cap = (r->size + n + 1) * 2;
        char *body = r->door->held + cap - r->cap > HELD_BODIES * limit ? NULL : realloc(r->body, cap);
        if (!body) {
            refuse(r, 503, "too much is being sent at once; try again");
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
    check_origin(r);
    r->path = behind_token(r, url);
    check_size(r);
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
    for (struct stream *s = d->streams; s; s = s->next)
        if (now > s->spoke + HEARTBEAT) {
            stream_add(s, ": still here\n\n", 14);
            s->spoke = now;
            stream_wake(s);
        }
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
