// SPDX-License-Identifier: GPL-3.0-or-later
/* A connection is a `struct caller` until it is known how its request is to be read. It is looked at with
 * MSG_PEEK, so that libmicrohttpd finds everything still there; the low-water mark of the socket keeps poll
 * from reporting what was seen already. */
#include "net/http.h"

#include "base/clock.h"
#include "net/message.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE 30.0 /* seconds for a request to come in */
#define LINGER 3.0    /* seconds that what a caller still sends is read and thrown away */
#define MAX_CALLERS 1000
#define MAX_HEAD 16384                /* bytes of header we look at */
#define MAX_DISCARD ((size_t)1 << 30) /* bytes of a body too large that are read before the refusal */

enum stage { LOOKING, READING, WAITING, WRITING, LINGERING };

struct caller {
    struct caller *next, **link;
    int fd;
    enum stage stage;
    struct sockaddr_storage address;
    socklen_t address_size;
    double since, arrival;
    struct message_end end;
    struct http_request *request;
    char *out;
    size_t sent, out_size;
};

struct http_request {
    struct http *http;
    struct MHD_Connection *connection; /* of libmicrohttpd, or */
    struct caller *caller;             /* ours */
    double arrival;
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
    http_handler *handler;
    void *data;
    struct MHD_Daemon *daemon;
    struct caller *callers;
    uint32_t ncallers;
    struct http_request *open;
    double *arrivals; /* by file descriptor: of connections handed over */
    int narrivals;
};

static const char *const cors[][2] = {
    {"Access-Control-Allow-Origin", "*"},
    {"Access-Control-Allow-Methods", "POST, GET, OPTIONS"},
    {"Access-Control-Allow-Headers", "Content-Type, Sender, Receiver, Accept"},
    {"Access-Control-Max-Age", "86400"},
};
enum { NCORS = sizeof cors / sizeof *cors };

static void unlink_caller(struct caller *c)
{
    *c->link = c->next;
    if (c->next) c->next->link = c->link;
}

/* ---- requests, wherever they come from ---- */

static struct http_request *request_new(struct http *h, double arrival)
{
    struct http_request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (struct http_request){.http = h, .arrival = arrival, .next = h->open, .link = &h->open};
    if (h->open) h->open->link = &r->next;
    h->open = r;
    return r;
}

static void request_free(struct http_request *r)
{
    if (!r) return;
    *r->link = r->next;
    if (r->next) r->next->link = r->link;
    free(r->body);
    free(r->reply);
    free(r);
}

static void take_body(struct http_request *r, const char *bytes, size_t n)
{
    if (!r->refused && r->size + n <= r->http->max_body) {
        if (r->size + n > r->cap) {
            size_t cap = (r->size + n) * 2;
            char *body = realloc(r->body, cap);
            r->refused = !body;
            if (body) r->body = body, r->cap = cap;
        }
        if (!r->refused) memcpy(r->body + r->size, bytes, n), r->size += n;
    } else {
        r->refused = true;
    }
    if (r->refused) r->thrown_away += n;
}

static void handle(struct http_request *r)
{
    if (r->refused)
        http_reply(r, 413, "the message is too long");
    else
        r->http->handler(r->http->data, r, r->body ? r->body : "", r->size, r->arrival);
}

static void start_writing(struct caller *c);

void http_reply(struct http_request *r, int status, const char *text)
{
    if (r->replied) return;
    r->replied = true;
    r->status = status;
    r->reply = strdup(text);
    if (r->caller) {
        start_writing(r->caller);
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
        take_body(r, &c, 1);
    }
}

static void *mhd_begin(void *data, const char *uri, struct MHD_Connection *connection)
{
    struct http *h = data;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    double arrival = 0;
    if (info && info->connect_fd < h->narrivals) arrival = h->arrivals[info->connect_fd];
    struct http_request *r = request_new(h, arrival > 0 ? arrival : clock_now());
    if (r) r->connection = connection;
    if (r) decode_path(r, uri);
    return r;
}

static void mhd_end(void *data, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code)
{
    (void)data, (void)connection, (void)code;
    request_free(*state);
    *state = NULL;
}

static enum MHD_Result mhd_answer(struct http_request *r)
{
    size_t n = r->reply ? strlen(r->reply) : 0;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(n, n ? r->reply : "", MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    for (int i = 0; i < NCORS; i++) MHD_add_response_header(response, cors[i][0], cors[i][1]);
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
        return MHD_YES;
    }
    if (*n) {
        take_body(r, upload, *n);
        *n = 0;
        return r->thrown_away < MAX_DISCARD ? MHD_YES : MHD_NO;
    }
    if (!r->replied) {
        if (strcmp(method, "OPTIONS") == 0)
            http_reply(r, 200, "");
        else if (strcmp(method, "POST") != 0 && strcmp(method, "GET") != 0)
            http_reply(r, 405, "messages come by POST or GET");
        else
            handle(r);
    }
    if (r->replied) return mhd_answer(r);
    r->suspended = true;
    MHD_suspend_connection(connection);
    return MHD_YES;
}

/* ---- callers ---- */

static void hang_up(struct http *h, struct caller *c)
{
    unlink_caller(c);
    h->ncallers--;
    if (c->fd >= 0) close(c->fd);
    request_free(c->request);
    free(c->out);
    free(c);
}

static void watch(struct http *h, struct caller *c, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = c};
    epoll_ctl(h->epoll, EPOLL_CTL_MOD, c->fd, &e);
}

static void hand_over(struct http *h, struct caller *c)
{
    int one = 1, fd = c->fd;
    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
    epoll_ctl(h->epoll, EPOLL_CTL_DEL, fd, NULL);
    if (fd >= h->narrivals) {
        double *grown = realloc(h->arrivals, (size_t)(fd + 64) * sizeof *grown);
        if (grown) h->arrivals = grown, h->narrivals = fd + 64;
    }
    if (fd < h->narrivals) h->arrivals[fd] = c->arrival;
    MHD_add_connection(h->daemon, fd, (struct sockaddr *)&c->address, c->address_size); /* or closes it */
    c->fd = -1;
    hang_up(h, c);
}

static void write_more(struct http *h, struct caller *c)
{
    while (c->sent < c->out_size) {
        ssize_t n = send(c->fd, c->out + c->sent, c->out_size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return watch(h, c, EPOLLOUT);
        if (n < 0) break;
        c->sent += (size_t)n;
    }
    /* Closing with something unread would reset the connection, and the answer might be lost with it. */
    shutdown(c->fd, SHUT_WR);
    c->stage = LINGERING;
    c->since = clock_now();
    watch(h, c, EPOLLIN);
}

static void start_writing(struct caller *c)
{
    struct http_request *r = c->request;
    const char *text = r->reply ? r->reply : "";
    const char *reason = r->status == 200 ? "OK" : r->status == 413 ? "Content Too Large" : "Bad Request";
    char head[1000];
    int n = snprintf(head, sizeof head, "HTTP/1.0 %d %s\r\n", r->status, reason);
    for (int i = 0; i < NCORS; i++)
        n += snprintf(head + n, sizeof head - (size_t)n, "%s: %s\r\n", cors[i][0], cors[i][1]);
    n += snprintf(head + n, sizeof head - (size_t)n,
                  "Content-Type: %s\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
                  r->status == 200 ? "text/acl" : "text/plain", strlen(text));
    c->out_size = (size_t)n + strlen(text);
    c->out = malloc(c->out_size + 1);
    if (!c->out)
        c->out_size = 0;
    else
        memcpy(c->out, head, (size_t)n), memcpy(c->out + n, text, strlen(text));
    c->stage = WRITING;
    write_more(r->http, c);
}

static void refuse(struct http *h, struct caller *c, const char *why)
{
    if (!c->request) c->request = request_new(h, c->arrival);
    if (!c->request) return hang_up(h, c);
    c->request->caller = c;
    http_reply(c->request, 400, why);
}

/* The header at the front of `head`, NULL if it is not there. */
static bool has_header(const char *head, size_t n, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = head; (line = memchr(line, '\n', (size_t)(head + n - line)));) {
        line++;
        if ((size_t)(head + n - line) > length && strncasecmp(line, name, length) == 0 && line[length] == ':')
            return true;
    }
    return false;
}

/* Bytes up to and including the empty line; 0 if it has not come yet. */
static size_t head_length(const char *head, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        if (head[i] != '\n') continue;
        if (head[i + 1] == '\n') return i + 2;
        if (i + 2 < n && head[i + 1] == '\r' && head[i + 2] == '\n') return i + 3;
    }
    return 0;
}

static void read_on(struct http *h, struct caller *c);

static void look(struct http *h, struct caller *c, bool half_closed)
{
    static const char *const methods[] = {"POST ", "GET ", "OPTIONS ", "HEAD ", "PUT ", "DELETE "};
    char head[MAX_HEAD];
    ssize_t got = recv(c->fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return hang_up(h, c);
    size_t n = (size_t)got;
    bool known = false, possible = false;
    if (c->arrival == 0) c->arrival = clock_now();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t length = strlen(methods[i]);
        known |= n >= length && memcmp(head, methods[i], length) == 0;
        possible |= memcmp(head, methods[i], n < length ? n : length) == 0;
    }
    if (!possible) return refuse(h, c, "this is not HTTP");
    bool post = memcmp(head, "POST ", n < 5 ? n : 5) == 0;
    size_t length = head_length(head, n);
    if (known && (!post || (!length && n == sizeof head))) return hand_over(h, c);
    if (length &&
        (has_header(head, length, "Content-Length") || has_header(head, length, "Transfer-Encoding")))
        return hand_over(h, c);
    if (length) {
        int one = 1;
        setsockopt(c->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
        if (recv(c->fd, head, length, 0) != (ssize_t)length || !(c->request = request_new(h, c->arrival)))
            return hang_up(h, c);
        c->request->caller = c;
        c->stage = READING;
        return read_on(h, c);
    }
    if (half_closed) return refuse(h, c, "the request ends too early");
    int more = (int)n + 1;
    setsockopt(c->fd, SOL_SOCKET, SO_RCVLOWAT, &more, sizeof more);
}

/* A body without a length: until the message is complete, or nothing more can come. */
static void read_on(struct http *h, struct caller *c)
{
    char bytes[65536];
    struct http_request *r = c->request;
    ssize_t n = 0;
    while (!c->end.complete && (n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        message_end_feed(&c->end, bytes, (size_t)n);
        take_body(r, bytes, (size_t)n);
        if (r->refused) break;
        c->since = clock_now();
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) return hang_up(h, c);
    c->stage = WAITING;
    watch(h, c, 0);
    handle(r);
}

static void throw_away(struct http *h, struct caller *c)
{
    char bytes[65536];
    for (int i = 0; i < 16; i++) {
        ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) return hang_up(h, c);
        c->since = clock_now();
    }
}

static void on_caller(struct http *h, struct caller *c, uint32_t events)
{
    if (c->stage == WAITING) { /* only errors are reported: whoever asked is gone, the answer is not */
        if (events & (EPOLLERR | EPOLLHUP)) epoll_ctl(h->epoll, EPOLL_CTL_DEL, c->fd, NULL);
        return;
    }
    switch (c->stage) {
    case LOOKING: look(h, c, events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)); break;
    case READING: read_on(h, c); break;
    case WRITING: write_more(h, c); break;
    case LINGERING: throw_away(h, c); break;
    case WAITING: break;
    }
}

/* Somebody who says nothing makes room. */
static void make_room(struct http *h)
{
    struct caller *oldest = NULL;
    for (struct caller *c = h->callers; c; c = c->next)
        if (c->stage == LOOKING || c->stage == LINGERING) oldest = c;
    if (oldest) hang_up(h, oldest);
}

static void answer_the_door(struct http *h)
{
    for (int i = 0; i < 64; i++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        int fd = accept4(h->listener, (struct sockaddr *)&address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE)) make_room(h);
        if (fd < 0) return;
        struct caller *c = calloc(1, sizeof *c);
        if (!c) {
            close(fd);
            return;
        }
        if (h->ncallers >= MAX_CALLERS) make_room(h);
        *c = (struct caller){.fd = fd, .address = address, .address_size = size, .since = clock_now()};
        c->next = h->callers;
        c->link = &h->callers;
        if (c->next) c->next->link = &c->next;
        h->callers = c;
        h->ncallers++;
        struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
        epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &e);
    }
}

static void end_patience(struct http *h)
{
    double now = clock_now();
    for (struct caller *c = h->callers, *next; c; c = next) {
        next = c->next;
        double waited = now - c->since;
        if (c->stage == LINGERING ? waited > LINGER : c->stage != WAITING && waited > PATIENCE) hang_up(h, c);
    }
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
            on_caller(h, events[i].data.ptr, events[i].events);
    }
    if (rings) answer_the_door(h); /* last: who makes room may be among the events */
    end_patience(h);
    MHD_run(h->daemon);
    MHD_UNSIGNED_LONG_LONG wait;
    bool soon = MHD_get_timeout(h->daemon, &wait) == MHD_YES;
    double seconds = h->callers ? 1 : 60;
    return soon && (double)wait / 1000 < seconds ? (double)wait / 1000 : seconds;
}

/* ---- opening and closing ---- */

static int open_listener(const char *address, int port, int *bound, struct error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    char service[16], text[16];
    snprintf(service, sizeof service, "%d", port);
    int failed = getaddrinfo(address, service, &hints, &list), one = 1;
    if (failed) {
        error_set(error, ERROR_INPUT, "'%s' is no address: %s", address, gai_strerror(failed));
        return -1;
    }
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) || listen(fd, 512)) {
        error_set(error, ERROR_SYSTEM, "cannot listen on %s port %d: %s", address, port, strerror(errno));
        if (fd >= 0) close(fd);
        fd = -1;
    } else if (getsockname(fd, (struct sockaddr *)&own, &size) == 0 &&
               getnameinfo((struct sockaddr *)&own, size, NULL, 0, text, sizeof text, NI_NUMERICSERV) == 0) {
        *bound = atoi(text);
    }
    freeaddrinfo(list);
    return fd;
}

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
    *h = (struct http){.max_body = max_body, .handler = handler, .data = data, .epoll = -1, .bell = -1};
    h->listener = open_listener(address, port, &h->port, error);
    if (h->listener < 0) {
        free(h);
        return NULL;
    }
    h->epoll = epoll_create1(EPOLL_CLOEXEC);
    h->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    h->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL,
        NULL, mhd_handle, h, MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL, MHD_OPTION_URI_LOG_CALLBACK,
        mhd_begin, h, MHD_OPTION_NOTIFY_COMPLETED, mhd_end, h, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MAX_CALLERS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE,
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
    while (h->callers) hang_up(h, h->callers);
    if (h->epoll >= 0) close(h->epoll);
    if (h->bell >= 0) close(h->bell);
    close(h->listener);
    free(h->arrivals);
    free(h);
}

int http_port(const struct http *h)
{
    return h->port;
}

int http_fd(const struct http *h)
{
    return h->epoll;
}
