// SPDX-License-Identifier: GPL-3.0-or-later
/* A player of somebody's on the network. Messages come one after the other, so the handler may think as long
 * as the clock allows: who asks waits for exactly that. */
#include "api/api.h"

#include "base/clock.h"
#include "net/http.h"
#include "net/message.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define GRACE_SHARE 0.1 /* of a clock, kept for the way of the answer ... */
#define GRACE_MOST 0.5  /* ... but not more than so many seconds */

struct host {
    const struct ludens_server *server;
    struct http *http;
    struct ludens_sitting sitting;
    char *id; /* NULL: there is no match */
};

static double time_left(double clock, double arrival)
{
    double grace = clock * GRACE_SHARE < GRACE_MOST ? clock * GRACE_SHARE : GRACE_MOST;
    double left = arrival + clock - grace - clock_now();
    return left > 0.01 ? left : 0.01;
}

static void leave(struct host *h)
{
    struct ludens_sitting *s = &h->sitting;
    if (!h->id) return;
    if (h->server->over) h->server->over(h->server->data, s);
    ludens_state_free(s->state);
    ludens_engine_free(s->engine);
    ludens_game_free(s->game);
    free(h->id);
    h->id = NULL;
    *s = (struct ludens_sitting){0};
}

/* --- A match begins ------------------------------------------------------------------------------------- */

static bool find_role(struct ludens_sitting *s, struct slice name, struct ludens_error *error)
{
    for (s->role = 0; s->role < ludens_game_roles(s->game); s->role++) {
        const char *role = ludens_game_role(s->game, s->role);
        if (strlen(role) == name.n && strncasecmp(role, name.at, name.n) == 0) return true;
    }
    return refuse(error, ERROR_INPUT, "the game has no role %.*s", (int)(name.n < 100 ? name.n : 100),
                  name.at);
}

static bool sit_down(struct host *h, const struct message *m, double arrival, struct ludens_error *error)
{
    struct ludens_sitting *s = &h->sitting;
    leave(h);
    h->id = strndup(m->id.at, m->id.n);
    if (!h->id) return no_memory(error);
    *s = (struct ludens_sitting){
        .id = h->id, .start_clock = m->start_clock, .play_clock = m->play_clock, .data = NULL};
    return (s->game = ludens_game_parse("match", m->rules.at, m->rules.n, error)) &&
           find_role(s, m->role, error) && (s->engine = ludens_engine_new(s->game, error)) &&
           (s->state = ludens_state_new(s->engine, error)) &&
           (!h->server->start ||
            h->server->start(h->server->data, s, time_left(m->start_clock, arrival), error));
}

static const char *on_start(struct host *h, const struct message *m, double arrival)
{
    struct ludens_error error = {0};
    if (sit_down(h, m, arrival, &error)) return "ready";
    leave(h);
    return "busy";
}

/* --- Moves ---------------------------------------------------------------------------------------------- */

/* The moves of the message, made. */
static bool make_moves(struct host *h, struct slice moves, struct ludens_error *error)
{
    struct ludens_sitting *s = &h->sitting;
    uint32_t n = ludens_game_roles(s->game), joint[64];
    struct error inside = {0};
    struct slice move;
    if (n > sizeof joint / sizeof *joint) return refuse(error, ERROR_INPUT, "the game has too many roles");
    for (uint32_t r = 0; r < n; r++) {
        if (!slice_term(&moves, &move, &inside)) return refuse(error, ERROR_INPUT, "there are too few moves");
        char *text = strndup(move.at, move.n);
        bool good = text && ludens_move_read(s->engine, r, text, &joint[r], error);
        free(text);
        if (!good) return false;
    }
    if (!ludens_state_play(s->state, joint, error)) return false;
    if (h->server->made) h->server->made(h->server->data, s, joint);
    return true;
}

static bool is_legal(struct ludens_sitting *s, uint32_t move, uint32_t *first)
{
    const uint32_t *moves;
    uint32_t count;
    if (!ludens_state_moves(s->state, s->role, &moves, &count, NULL) || count == 0) return false;
    *first = moves[0];
    for (uint32_t i = 0; i < count; i++)
        if (moves[i] == move) return true;
    return false;
}

/* What to play, as text on the heap; NULL: there is nothing. */
static char *choose(struct host *h, double arrival)
{
    struct ludens_sitting *s = &h->sitting;
    struct ludens_error error = {0};
    uint32_t move = UINT32_MAX, first = UINT32_MAX;
    if (!h->server->choose(h->server->data, s, time_left(s->play_clock, arrival), &move, &error))
        move = UINT32_MAX;
    if (!is_legal(s, move, &first)) move = first;
    size_t n = ludens_move_print(s->engine, s->role, move, NULL, 0);
    char *text = n ? malloc(n + 1) : NULL;
    if (text) ludens_move_print(s->engine, s->role, move, text, n + 1);
    return text;
}

static bool is_ours(const struct host *h, const struct message *m)
{
    return h->id && strlen(h->id) == m->id.n && memcmp(h->id, m->id.at, m->id.n) == 0;
}

static void on_play(struct host *h, const struct message *m, double arrival, struct http_request *request)
{
    struct ludens_error error = {0};
    char *move = NULL;
    if (!is_ours(h, m)) return http_reply(request, 200, "busy");
    if (m->nmoves && !make_moves(h, m->moves, &error)) return http_reply(request, 400, error.text);
    move = choose(h, arrival);
    http_reply(request, move ? 200 : 400, move ? move : "there is no legal move");
    free(move);
}

static void on_end(struct host *h, const struct message *m, struct http_request *request)
{
    if (!is_ours(h, m)) return http_reply(request, 200, "busy");
    if (m->kind == MESSAGE_STOP && m->nmoves) make_moves(h, m->moves, NULL);
    http_reply(request, 200, m->kind == MESSAGE_STOP ? "done" : "aborted");
    leave(h);
}

static void on_info(struct host *h, struct http_request *request)
{
    char text[300];
    snprintf(text, sizeof text, "((name %.200s) (status %s))", h->server->name ? h->server->name : "ludens",
             h->id ? "busy" : "available");
    http_reply(request, 200, text);
}

static void handle(void *data, struct http_request *request, const char *text, size_t size, double arrival)
{
    struct host *h = data;
    struct message m;
    struct error error = {0};
    if (!message_parse(text, size, &m, &error)) return http_reply(request, 400, error.text);
    switch (m.kind) {
    case MESSAGE_START: http_reply(request, 200, on_start(h, &m, arrival)); break;
    case MESSAGE_PLAY: on_play(h, &m, arrival, request); break;
    case MESSAGE_STOP:
    case MESSAGE_ABORT: on_end(h, &m, request); break;
    case MESSAGE_PREVIEW: http_reply(request, 200, "done"); break;
    default: on_info(h, request); break;
    }
}

bool ludens_serve(const struct ludens_server *server, const struct ludens_stop *stop,
                  struct ludens_error *error)
{
    struct host h = {.server = server};
    struct error inside = {0};
    const char *address = server->address ? server->address : "127.0.0.1";
    h.http = http_open(address, server->port, MESSAGE_MAX_BYTES, handle, &h, &inside);
    if (!h.http) return tell(error, &inside);
    if (server->ready) server->ready(server->data, http_port(h.http));
    double wait = 0;
    while (!stop || !atomic_load(stop_flag(stop))) {
        struct pollfd p = {.fd = http_fd(h.http), .events = POLLIN};
        poll(&p, 1, wait < 0.2 ? (int)(wait * 1000) : 200);
        wait = http_run(h.http);
        if (server->idle) server->idle(server->data);
    }
    http_close(h.http);
    leave(&h);
    return true;
}
