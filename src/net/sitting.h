/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A match we sit in: what the master said, what we answered, and the two processes that help.
 *
 *     START ──> STARTING ── ready ──> WAITING <── a move ── THINKING
 *                                        └────── PLAY ────────^
 *     STOP, ABORT, or silence for long ──> CLOSING ──> over
 *
 * Nothing that happens to the processes harms the match. The history is kept here, as text; whoever dies is
 * started again with it. A turn is answered with the first of these there is when the time has come:
 *
 *     the search's final move, found legal by the keeper     normally
 *     the search's last opinion, found legal                 the search died, hangs, or is late
 *     the keeper's random legal move                         it never had an opinion
 *     the search's word alone                                the keeper is missing
 *
 * All times are clock_now() times.
 */
#ifndef NET_SITTING_H
#define NET_SITTING_H

#include "net/child.h"
#include "net/http.h"
#include "net/journal.h"
#include "net/message.h"

#include <poll.h>
#include <stdint.h>

struct sitting_config {
    const char *player; /* as `ludens players` lists them */
    const char *log;    /* folder; NULL: none */
    double margin;      /* seconds kept of every clock, less of short ones */
    uint64_t seed;
    uint64_t megabytes; /* for one match */
    double silence;     /* seconds, and three play clocks more, after which a match counts as abandoned */
    bool quiet;         /* no lines on standard output */
};

enum sitting_stage { SITTING_STARTING, SITTING_WAITING, SITTING_THINKING, SITTING_CLOSING, SITTING_OVER };
enum { SITTING_SEARCH, SITTING_KEEPER, SITTING_CHILDREN };

struct joint {
    char **moves; /* canonical texts */
    uint32_t n;
    char *answer;     /* what we had answered in this turn; NULL: nothing */
    json_t *thoughts; /* behind it; NULL: none */
};

struct guest; /* a request that waits for the answer */

struct helper {
    struct child child;
    double start_at;           /* not running: when to start it; 0: never again */
    bool here;                 /* it has read the rules, and should answer in time from now on */
    uint32_t starts, failures; /* failures in a row */
};

struct sitting {
    const struct sitting_config *config;
    struct sitting *next;
    enum sitting_stage stage;
    char *id, *role, *rules;
    size_t rules_size;
    uint64_t seed;
    double start_clock, play_clock;
    struct sockaddr_storage master; /* who sent START */
    struct journal *journal;
    struct helper helpers[SITTING_CHILDREN];
    int own;          /* which move of a joint move is ours; -1: not known yet */
    uint32_t nroles;  /* 0: not known yet */
    json_t *roles;    /* their names; NULL: not known yet */
    char *unplayable; /* why the rules cannot be played */
    json_t *line;     /* a game for one: the best line known, as moves from the very beginning; NULL: none */
    int line_goal;
    struct joint *history;
    uint32_t turn, cap; /* joint moves made */

    /* the question under way, or the last one */
    struct guest *guests;
    double arrival, clock, due, last_word;
    double heard; /* from the master */
    /* this turn */
    char *answer;                /* given */
    char *fallback;              /* the keeper's */
    char *word, *opinion;        /* the search's: last heard, last found legal */
    json_t *thoughts;            /* with its final move */
    bool final, known, doubtful; /* it came; the keeper has reported; might repeat the turn before */
    bool guess;                  /* the search's last word */
    uint32_t legal;              /* own moves known, */
    bool all;                    /* which are all there are */
    double overdue; /* the search did not answer in time, and is given until then to say anything */

    /* for the summary */
    uint64_t simulations;
    uint32_t by_search, by_opinion, by_keeper, by_nobody, restarts, oddities;
    double least_margin;
    json_t *goals;
};

/* Sit down. The request is answered when the start clock is nearly over. */
struct sitting *sitting_new(const struct sitting_config *config, const struct message *m, uint64_t seed,
                            struct http_request *request, double arrival, struct error *error);
/* The match that a server before this one sat in, from what it left beside its log; NULL: there is none. */
struct sitting *sitting_take_up(const struct sitting_config *config, struct slice id,
                                const struct http_request *request, double arrival);
void sitting_free(struct sitting *s);

/* The same match, role and rules as in this START? */
bool sitting_same(const struct sitting *s, const struct message *m);
void sitting_start_again(struct sitting *s, struct http_request *request); /* START repeated */
void sitting_play(struct sitting *s, const struct message *m, struct http_request *request, double arrival);
void sitting_stop(struct sitting *s, const struct message *m, struct http_request *request);
void sitting_abort(struct sitting *s, struct http_request *request);
void sitting_end(struct sitting *s, const char *how); /* write the summary; it is OVER then */

/* What to poll for a helper; false: nothing. Then what came of it. */
bool sitting_wants(const struct sitting *s, int helper, struct pollfd *out);
void sitting_hear(struct sitting *s, int helper, short events);
/* A child of ours ended or was stopped. False: it is not one of this match. */
bool sitting_child(struct sitting *s, pid_t pid, int status);
/* Do what is due; returns when to come again at the latest. */
double sitting_tick(struct sitting *s, double now);

#endif
