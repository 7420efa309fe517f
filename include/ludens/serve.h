/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A player of yours on the network: messages of the GGP protocol over HTTP become calls of yours. One match
 * at a time, in the thread that serves. (`ludens serve` is made for competitions: many matches, processes
 * that may be killed, clocks that hold whatever the player does. This is for experiments.) */
#ifndef LUDENS_SERVE_H
#define LUDENS_SERVE_H

#include "player.h"

LUDENS_BEGIN

/* A match that was begun. Everything belongs to the server and lasts until `over`. */
struct ludens_sitting {
    const char *id;
    struct ludens_game *game;
    struct ludens_engine *engine;
    struct ludens_state *state; /* the current one */
    uint32_t role;              /* ours */
    double start_clock, play_clock;
    void *data; /* yours: set it in `start` */
};

struct ludens_server {
    const char *address; /* NULL: 127.0.0.1 */
    int port;            /* 0: any free one */
    const char *name;    /* how it introduces itself */
    void *data;
    /* The server listens, on this port. */
    void (*ready)(void *data, int port);
    /* A match begins; there is `seconds` time. False: it cannot be played. */
    bool (*start)(void *data, struct ludens_sitting *sitting, double seconds, struct ludens_error *error);
    /* What to play within `seconds`: a legal move of the engine. False, or an illegal one: the first legal
     * move is played. */
    bool (*choose)(void *data, struct ludens_sitting *sitting, double seconds, uint32_t *move,
                   struct ludens_error *error);
    /* This joint move was made; the state is the one after it. */
    void (*made)(void *data, struct ludens_sitting *sitting, const uint32_t *joint);
    /* The match is over, or was given up. */
    void (*over)(void *data, struct ludens_sitting *sitting);
    /* Nothing happens; called some times a second, for who has other things to look after. */
    void (*idle)(void *data);
}; /* all but `choose` may be NULL */

/* Until `stop` is raised (true), or listening fails (false). */
LUDENS_API bool ludens_serve(const struct ludens_server *server, const struct ludens_stop *stop,
                             struct ludens_error *error);

LUDENS_END

#endif
