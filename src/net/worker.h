/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes a match consists of, seen from inside. Each is this program once more, with a socket to the
 * server as its standard input:
 *
 *     server ── start, line, follow, think, rest ──> search   thinks all the time, says what it would play
 *        │  <────── here, best, line, move, resting ─
 *        └───── start, follow, check ────────> keeper   knows the state by the lifted engine alone: which
 *           <────── game, state, checked ─────          moves are legal, how it ended
 *
 * What the server says is text, a verb and its arguments in the first line:
 *
 *     start SEED MEGABYTES SECONDS PLAYER \n ROLE \n RULES     SECONDS: play clock; PLAYER: for the search
 *     line GOAL COUNT \n MOVE \n MOVE ...                      search: a line known to bring that, from the
 *                                                              start
 *     follow FIRST COUNT \n MOVE \n MOVE ...                   COUNT joint moves, the first one in turn FIRST
 *     think TURN DEADLINE [ROLE]                               search: a move by then (clock_now() time),
 *                                                              of another role than the own if one is named
 *     rest                                                     search: no longer
 *     watch SECONDS                                            search: tell so often what you think, and do
 *                                                              not think unless asked (0: as before)
 *     again                                                    search: back to the beginning
 *     tree ID \n PATH                                          search: a node of the tree (player/branch.h)
 *     check TURN \n MOVE                                       keeper: is it legal?
 *
 * What it hears are JSON objects with a "type". A worker never decides when to end: the server kills it, and
 * so does the kernel when the server is gone. One that cannot go on says {"type":"lost"} and leaves.
 */
#ifndef NET_WORKER_H
#define NET_WORKER_H

#include "net/frame.h"

#include "base/error.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* The first frame. */
struct assignment {
    uint64_t seed;
    uint64_t megabytes;
    double seconds;
    const char *player, *role, *rules;
    size_t rules_size;
};

/* An order that came in, read word by word and line by line. */
struct order {
    struct order *next;
    size_t size;
    char *rest; /* what was not read yet */
    char verb[16];
    char text[];
};
char *order_line(struct order *l); /* the next line, without its end; NULL: there is none */

/* The worker's end of the socket. A thread of its own reads, so that news stop a search at once. */
struct inbox {
    struct frames frames;
    pthread_mutex_t lock;
    pthread_cond_t news;
    atomic_bool stop; /* there are orders, or other news */
    struct order *first, **last;
    bool other_news;
    bool (*watch)(void *data);
    void *watch_data;
};

/* The next order; the caller frees it. NULL: there is none, and it was not to be waited for, or there are
 * other news. `stop` is false then. */
struct order *inbox_take(struct inbox *b, bool wait);
/* From now on ask this in the other thread a few times a second; true: there are other news. */
void inbox_watch(struct inbox *b, bool (*watch)(void *data), void *data);
void inbox_send(struct inbox *b, json_t *message); /* takes the message over */
void inbox_send_bytes(struct inbox *b, const char *bytes, size_t size);
/* The match cannot be played, now or, if the rules are the reason, ever: then this never returns. */
void inbox_refuse(struct inbox *b, const struct error *why);
/* Tell why, and leave. */
_Noreturn void inbox_lost(struct inbox *b, const char *why);

/* A kind of worker: those of `ludens web` (web/worker.h) are told in the same way. */
struct worker_kind {
    const char *name;
    void (*run)(struct inbox *b, const struct assignment *a);
    bool batch; /* it works all the time: the server and the others go first when they wake up */
};

/* The body of `ludens serve-worker NAME`: an exit status. */
int worker_main(const struct worker_kind *kind);

void keeper_run(struct inbox *b, const struct assignment *a);
void search_run(struct inbox *b, const struct assignment *a);

#endif
