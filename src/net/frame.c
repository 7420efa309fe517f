// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void frames_init(struct frames *f, int socket)
{
    *f = (struct frames){.socket = socket};
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
}

void frames_done(struct frames *f)
{
    if (f->socket >= 0) close(f->socket);
    free(f->in.bytes);
    free(f->out.bytes);
    *f = (struct frames){.socket = -1};
}

/* Make room for `more` bytes behind what is there, and one for a NUL. */
static bool reserve(struct frame_buffer *b, size_t more)
{
    if (b->from) { /* what was used up is in the way */
        memmove(b->bytes, b->bytes + b->from, b->n - b->from);
        b->n -= b->from;
        b->from = 0;
    }
    if (b->n + more + 1 <= b->cap) return true;
    size_t cap = (b->n + more + 1) * 2;
    char *bytes = realloc(b->bytes, cap);
    if (!bytes) return false;
    b->bytes = bytes;
    b->cap = cap;
    return true;
}

bool frames_send(struct frames *f, const char *a, size_t an, const char *b, size_t bn)
{
    char head[32];
    size_t hn = (size_t)snprintf(head, sizeof head, "%zu\n", an + bn);
    if (f->socket < 0 || !reserve(&f->out, hn + an + bn)) return false;
    char *to = f->out.bytes + f->out.n;
    memcpy(to, head, hn);
    if (an) memcpy(to + hn, a, an);
    if (bn) memcpy(to + hn + an, b, bn);
    f->out.n += hn + an + bn;
    return frames_flush(f);
}

bool frames_waiting(const struct frames *f)
{
    return f->out.n > f->out.from;
}

bool frames_flush(struct frames *f)
{
    while (frames_waiting(f)) {
        ssize_t n = send(f->socket, f->out.bytes + f->out.from, f->out.n - f->out.from, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        f->out.from += (size_t)n;
    }
    f->out.from = f->out.n = 0;
    return true;
}

bool frames_fill(struct frames *f)
{
    for (int chunks = 0; chunks < 16; chunks++) { /* whoever talks without end must not hold us up */
        if (!reserve(&f->in, 65536)) return false;
        ssize_t n = recv(f->socket, f->in.bytes + f->in.n, 65536, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (n == 0) return false;
        f->in.n += (size_t)n;
        if (f->in.n > FRAME_MAX_BYTES + 64) return false;
    }
    return true;
}

char *frames_take(struct frames *f, size_t *n)
{
    struct frame_buffer *b = &f->in;
    char *at = b->bytes + b->from;
    size_t have = b->n - b->from, digits = 0, length = 0;
    while (digits < have && digits < 20 && at[digits] >= '0' && at[digits] <= '9')
        length = length * 10 + (size_t)(at[digits++] - '0');
    if (!digits || digits == have || length > FRAME_MAX_BYTES) return NULL;
    if (at[digits] != '\n' || have - digits - 1 < length) return NULL;
    /* The header makes room for the NUL: the text moves one byte to the front, over its line end. */
    char *text = at + digits;
    memmove(text, text + 1, length);
    text[length] = '\0';
    b->from += digits + 1 + length;
    *n = length;
    return text;
}
