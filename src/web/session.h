/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table: one game in the browser. Who sits where, what was played, and the processes that do the work.
 *
 *     SETTING ── game, position ──> WAITING for choices ── all chosen: follow ──> MOVING ── position ──┐
 *        │                             ^                                                               │
 *        └── refused ──> DEAD          └────────────────────── unless it is over ──────────────────────┘
 *
 * The server knows no rules: the referee (a process) says what is legal, searches and couriers (processes)
 * say what they play, people send their choice by the page. A choice is told to nobody before all have made
 * theirs. Searches that die are started again; a seat whose time is over plays its last opinion, or a random
 * legal move. A referee that dies takes the table with it, with a sentence for those who look.
 *
 * Everything that happens is told to the streams of events (docs/web-api.md lists them).
 */
#ifndef WEB_SESSION_H
#define WEB_SESSION_H

#include "net/child.h"
#include "web/door.h"

#include <poll.h>
#include <stdint.h>

#define SESSION_MAX_ROLES 64
#define SESSION_MAX_STREAMS 8
#define SESSION_MAX_ASKED 16

struct session_limits {
    double think;       /* seconds, the longest for a move */
    double idle;        /* seconds without a request, until a table is cleared */
    uint64_t megabytes; /* for each process */
};

enum seat_kind { SEAT_PERSON, SEAT_PLAYER, SEAT_REMOTE };

/* A process that thinks, for a seat or as adviser. */
struct thinker {
    struct child child;
    bool here, asked;
    bool advice;         /* what is asked is not for the seat: hint or analysis */
    uint32_t turn, role; /* of the question */
    double due;          /* when the answer is needed at the latest */
    double began;
    uint32_t told; /* joint moves it knows of */
    uint32_t failures;
    char *opinion;    /* of this question */
    json_t *thoughts; /* the last ones */
};

struct web_seat {
    enum seat_kind kind;
    char player[200]; /* as `ludens players` lists them, or a URL */
    double clock;     /* seconds per move */
    struct thinker thinker;
    char *choice; /* in this turn; NULL: none yet */
    json_t *choice_thoughts;
    double choice_seconds;
};

struct web_step {
    json_t *moves;    /* list of texts by role */
    json_t *thoughts; /* list by role, or NULL */
    json_t *seconds;
};

enum session_stage { SESSION_SETTING, SESSION_WAITING, SESSION_MOVING, SESSION_OVER, SESSION_DEAD };

struct asked { /* a request that waits for a worker's answer */
    struct request *request;
    uint32_t id;
    double due;
};

struct session {
    struct session *next;
    const struct session_limits *limits;
    char id[33];
    char *name, *rules;
    size_t rules_size;
    bool record;  /* what was given is a record rather than rules */
    bool paused;  /* machines wait: somebody looks at a record or at an earlier position */
    bool rolling; /* the referee plays on at random: positions before that is over are old news */
    uint64_t seed;
    double made, heard; /* clock_now() times; heard: of the last request */
    double left;        /* when the last stream ended; 0: one is there, or none ever was */
    enum session_stage stage;
    char *trouble; /* why it is dead */
    struct child referee;
    double referee_due; /* it must have answered by then; 0: nothing is asked of it */
    json_t *game, *position;
    uint32_t nroles;
    struct web_seat seats[SESSION_MAX_ROLES];
    struct thinker adviser;
    struct web_step *steps;
    uint32_t turn, cap;
    double turn_began;
    struct stream *streams[SESSION_MAX_STREAMS];
    struct asked asked[SESSION_MAX_ASKED];
    uint32_t next_id;
    uint32_t automatic; /* steps in a row that nobody had a choice in */
};

/* `body` is what the page sent: {"rules" or "record", "name", "seats", "moves", "random"}; `rules` are those
 * of a game of the library if it named one. NULL and an error if it makes no sense. */
struct session *session_new(const struct session_limits *limits, const json_t *body, const char *name,
                            const char *rules, size_t size, struct error *error);
void session_free(struct session *t);
void session_end(struct session *t); /* from now on nobody needs it */

/* Requests; `body` may be NULL. */
void session_request(struct session *t, struct request *r, const char *what, const json_t *body);

/* session_work.c: the processes. Number them 0 (referee), 1 (adviser), 2.. (seats). */
bool session_wants(const struct session *t, uint32_t worker, struct pollfd *out);
void session_hear(struct session *t, uint32_t worker, short events);
bool session_child(struct session *t, pid_t pid, int status);
double session_tick(struct session *t, double now);        /* do what is due; when to come again */
bool session_is_over(const struct session *t, double now); /* nobody needs it any more */

json_t *session_json(const struct session *t);   /* everything a page needs to show it */
json_t *session_record(const struct session *t); /* as docs/network.md describes records */

#endif
