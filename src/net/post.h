/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The post: messages to players by HTTP, many under way at once, in a thread of their own.
 *
 *     letter_send ──> queue ──> thread: libcurl's multi interface ──> reply, with the time it took
 *          │                                                            │
 *          └─────────────── letter_wait <───────── condition ───────────┘
 *
 * The thread does nothing but move bytes and look at the clock, so times are right whatever the rest of the
 * process is busy with. Requests are what game masters have sent for twenty years: HTTP/1.0, POST, text/acl,
 * one connection each. Replies come from strangers: they are cut off at a size and at a deadline,
 * redirections and proxies are not followed.
 *
 * One thread may use a post and its letters (beside the post's own).
 */
#ifndef NET_POST_H
#define NET_POST_H

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>

struct post;
struct letter;

struct post *post_new(struct error *error); /* NULL and an error if it cannot be set up */
void post_free(struct post *p);             /* after all its letters; NULL is fine */

/* What a letter brought back. */
struct reply {
    struct error
        error;        /* ERROR_NONE: it was answered. ERROR_TIME: not in time. ERROR_INPUT: with too much, or
                         no HTTP. ERROR_SYSTEM: no connection, or it broke off, or another status than 2xx */
    bool refused;     /* with ERROR_SYSTEM: nobody is there at all */
    double seconds;   /* from sending to the end of the reply, or to giving up */
    const char *text; /* the body, terminated; also what came before an error */
    size_t size;
};

#define POST_REPLY_MAX 65536 /* bytes of a body */

/* Send `text` (copied) to a URL; the reply must be there within so many seconds. NULL: no memory. */
struct letter *letter_send(struct post *p, const char *url, const char *text, size_t size, double seconds);
/* Wait for the reply; gives up early, with ERROR_CANCELLED, when *stop (may be NULL) is set. What it returns
 * belongs to the letter. */
const struct reply *letter_wait(struct letter *l, const atomic_bool *stop);
/* Forget the letter; breaks the connection off if it is under way. NULL is fine. */
void letter_free(struct letter *l);

/* Is this the address of a player: http://host:port, optionally with a path? */
bool post_is_url(const char *text);

#endif
