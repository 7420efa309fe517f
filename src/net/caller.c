// SPDX-License-Identifier: GPL-3.0-or-later
/* A connection is a `struct caller` until it is known how its request is to be read. It is looked at with
 * MSG_PEEK, so that libmicrohttpd finds everything still there; the low-water mark of the socket keeps poll
 * from reporting what was seen already. */
#include "base/clock.h"
#include "net/http_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <unistd.h>

#define LINGER 3.0     /* seconds without a byte, when what a caller still sends is thrown away */
#define MAX_HEAD 16384 /* bytes of header we look at */

void caller_hang_up(struct http *h, struct caller *c)
{
    *c->link = c->next;
    if (c->next) c->next->link = c->link;
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
    caller_hang_up(h, c);
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
    c->since = c->arrival = clock_now();
    watch(h, c, EPOLLIN);
}

void caller_answer(struct caller *c)
{
    struct http_request *r = c->request;
    const char *text = r->reply ? r->reply : "";
    const char *reason = r->status == 200   ? "OK"
                         : r->status == 403 ? "Forbidden"
                         : r->status == 413 ? "Content Too Large"
                                            : "Bad Request";
    char head[1500];
    int n = snprintf(head, sizeof head, "HTTP/1.0 %d %s\r\n", r->status, reason);
    if (r->grant)
        n += snprintf(head + n, sizeof head - (size_t)n, "Access-Control-Allow-Origin: %.400s\r\n", r->grant);
    for (int i = 0; i < HTTP_HEADERS && r->grant; i++)
        n +=
            snprintf(head + n, sizeof head - (size_t)n, "%s: %s\r\n", http_headers[i][0], http_headers[i][1]);
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

static struct http_request *caller_request(struct http *h, struct caller *c)
{
    return request_new(h, c->arrival, (struct sockaddr *)&c->address);
}

static void refuse(struct http *h, struct caller *c, int status, const char *why)
{
    if (!c->request) c->request = caller_request(h, c);
    if (!c->request) return caller_hang_up(h, c);
    c->request->caller = c;
    http_reply(c->request, status, why);
}

enum { MAX_VALUE = 512 };

/* Is there a header line of that name? Its value, cut short if it is very long, goes to `out` (which may be
 * NULL). */
static bool find_header(const char *head, size_t n, const char *name, char *out)
{
    size_t length = strlen(name);
    for (const char *line = head; (line = memchr(line, '\n', (size_t)(head + n - line)));) {
        line++;
        if ((size_t)(head + n - line) <= length || strncasecmp(line, name, length) != 0 ||
            line[length] != ':')
            continue;
        if (!out) return true;
        const char *end = memchr(line, '\n', (size_t)(head + n - line)), *at = line + length + 1;
        if (!end) end = head + n;
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
        snprintf(out, MAX_VALUE, "%.*s", (int)(end - at), at);
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

static bool judge(struct caller *c, const char *head, size_t n)
{
    char host[MAX_VALUE], origin[MAX_VALUE], referer[MAX_VALUE], site[MAX_VALUE];
    struct origin_claim claim = {
        .host = find_header(head, n, "Host", host) ? host : NULL,
        .origin = find_header(head, n, "Origin", origin) ? origin : NULL,
        .referer = find_header(head, n, "Referer", referer) ? referer : NULL,
        .fetch_site = find_header(head, n, "Sec-Fetch-Site", site) ? site : NULL,
    };
    return request_judge(c->request, &claim);
}

static void look(struct http *h, struct caller *c, bool half_closed)
{
    static const char *const methods[] = {"POST ", "GET ", "OPTIONS ", "HEAD ", "PUT ", "DELETE "};
    char head[MAX_HEAD];
    ssize_t got = recv(c->fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return caller_hang_up(h, c);
    size_t n = (size_t)got;
    bool known = false, possible = false;
    if (c->arrival == 0) c->arrival = clock_now();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t length = strlen(methods[i]);
        known |= n >= length && memcmp(head, methods[i], length) == 0;
        possible |= memcmp(head, methods[i], n < length ? n : length) == 0;
    }
    if (!possible) return refuse(h, c, 400, "this is not HTTP");
    bool post = memcmp(head, "POST ", n < 5 ? n : 5) == 0;
    size_t length = head_length(head, n);
    if (known && (!post || (!length && n == sizeof head))) return hand_over(h, c);
    if (length && (find_header(head, length, "Content-Length", NULL) ||
                   find_header(head, length, "Transfer-Encoding", NULL)))
        return hand_over(h, c);
    if (length) {
        int one = 1;
        setsockopt(c->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
        if (recv(c->fd, head, length, 0) != (ssize_t)length || !(c->request = caller_request(h, c)))
            return caller_hang_up(h, c);
        c->request->caller = c;
        if (!judge(c, head, length)) return;
        c->stage = READING;
        return read_on(h, c);
    }
    if (half_closed) return refuse(h, c, 400, "the request ends too early");
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
        request_take(r, bytes, (size_t)n);
        if (r->refused) break;
        c->since = clock_now();
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) return caller_hang_up(h, c);
    c->stage = WAITING;
    watch(h, c, 0);
    request_handle(r);
}

static void throw_away(struct http *h, struct caller *c)
{
    char bytes[65536];
    for (int i = 0; i < 16; i++) {
        ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) return caller_hang_up(h, c);
        c->since = clock_now();
    }
}

void caller_event(struct http *h, struct caller *c, uint32_t events)
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
        /* Who has hung up is no longer in the list, but the analyser cannot see that. */
        if (c->stage == LOOKING || c->stage == LINGERING) oldest = c; // NOLINT(clang-analyzer-unix.Malloc)
    if (oldest) caller_hang_up(h, oldest);
}

static bool welcome(const struct http *h, const struct sockaddr *address)
{
    if (h->guard.nallowed == 0 || origin_is_loopback(address)) return true;
    for (int i = 0; i < h->guard.nallowed; i++)
        if (subnet_holds(&h->guard.allowed[i], address)) return true;
    return false;
}

void callers_accept(struct http *h)
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
        if (c->next) c->next->link = &c->next; // NOLINT(clang-analyzer-unix.Malloc): the same
        h->callers = c;
        h->ncallers++;
        struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
        epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &e);
        if (!welcome(h, (struct sockaddr *)&address)) {
            static const char why[] = "this address may not ask here";
            http_refuse(h, (struct sockaddr *)&address, why);
            refuse(h, c, 403, why);
        }
    }
}

void callers_expire(struct http *h)
{
    double now = clock_now();
    for (struct caller *c = h->callers, *next; c; c = next) {
        next = c->next;
        double limit = c->stage == LINGERING ? LINGER : c->stage == WAITING ? INFINITY : h->guard.patience;
        if (now - c->since > limit || (c->stage == LINGERING && now - c->arrival > h->guard.patience))
            caller_hang_up(h, c);
    }
}
