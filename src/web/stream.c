// SPDX-License-Identifier: GPL-3.0-or-later
/* Streams of events: what waits to be read, and connections that sleep until there is something. */
#include "base/clock.h"
#include "web/door_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define STREAM_MAX ((size_t)8 << 20) /* bytes that wait for a reader; who does not read is let go */
#define HEARTBEAT 15.0 /* seconds of silence after which a stream says something, to notice who has left */

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
    request_give(r, 200, response);
    return s;
}

void stream_free(struct stream *s)
{
    *s->link = s->next;
    if (s->next) s->next->link = s->link;
    if (s->gone) s->gone(s->data, s);
    free(s->bytes);
    free(s);
}

void streams_beat(struct door *d, double now)
{
    for (struct stream *s = d->streams; s; s = s->next) {
        if (now <= s->spoke + HEARTBEAT) continue;
        stream_add(s, ": still here\n\n", 14);
        s->spoke = now;
        stream_wake(s);
    }
}
