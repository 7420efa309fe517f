/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts over a socket between the server and its workers: "LENGTH\n" and so many bytes, both ways, with what
 * could not be sent or is not complete yet kept in buffers, so that nobody ever waits for a process that
 * was stopped. */
#ifndef NET_FRAME_H
#define NET_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define FRAME_MAX_BYTES ((size_t)64 << 20)

struct frame_buffer {
    char *bytes;
    size_t from, n, cap; /* used: from..n */
};

struct frames {
    int socket; /* -1: closed */
    struct frame_buffer in, out;
};

void frames_init(struct frames *f, int socket); /* takes the socket over and makes it non-blocking */
void frames_done(struct frames *f);

/* Queue a frame made of two texts (the second may be NULL) and send what can be sent. False: no memory, or
 * the other end is gone. */
bool frames_send(struct frames *f, const char *a, size_t an, const char *b, size_t bn);
bool frames_flush(struct frames *f);         /* send what was queued, as far as it can be */
bool frames_waiting(const struct frames *f); /* something is still queued */
/* Read what has come. False: the other end is gone, or talks nonsense; complete frames can still be taken. */
bool frames_fill(struct frames *f);
/* Take the next complete frame, terminated by a NUL beyond its bytes. NULL: there is none. Valid until the
 * next call. */
char *frames_take(struct frames *f, size_t *n);

#endif
