// SPDX-License-Identifier: GPL-3.0-or-later
/* Tables: set, shown, asked for things by the page, and cleared. */
#include "base/clock.h"
#include "net/post.h"
#include "player/config.h"
#include "web/session_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define LEFT_SECONDS                                                                      \
    120.0 /* a table that nobody looks at any more is kept so long: pages are loaded anew \
           */
#define SHORTEST_CLOCK 0.05
#define MAX_STEPS 4999

const char *session_text(const json_t *m, const char *key)
{
    const char *text = json_string_value(json_object_get(m, key));
    return text ? text : "";
}

/* Lines are what workers are told in: nothing that ends one may be in a word. */
bool session_line(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < ' ') return false;
    return true;
}

/* ---- telling */

void session_tell(struct session *t, const char *event, json_t *taken)
{
    char *text = taken ? json_dumps(taken, JSON_COMPACT) : NULL;
    for (int i = 0; text && i < SESSION_MAX_STREAMS; i++)
        if (t->streams[i]) stream_send(t->streams[i], event, text);
    free(text);
    json_decref(taken);
}

static json_t *seats_json(const struct session *t)
{
    static const char *const kinds[] = {"person", "player", "remote"};
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->nroles; i++) {
        const struct web_seat *s = &t->seats[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:b, s:b}", "kind", kinds[s->kind], "player",
                                              s->player, "clock", s->clock, "chosen", s->choice != NULL,
                                              "thinking", s->thinker.asked));
    }
    return list;
}

static json_t *steps_json(const struct session *t)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->turn; i++)
        json_array_append_new(list, json_pack("{s:O, s:O?, s:O?}", "moves", t->steps[i].moves, "thoughts",
                                              t->steps[i].thoughts, "seconds", t->steps[i].seconds));
    return list;
}

json_t *session_json(const struct session *t)
{
    static const char *const stages[] = {"setting", "waiting", "moving", "over", "dead"};
    json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:b, s:O?, s:O?, s:o, s:o, s:f}", "id", t->id, "name",
                          t->name, "stage", stages[t->stage], "turn", (int)t->turn, "paused", t->paused,
                          "game", t->game, "position", t->position, "seats", seats_json(t), "steps",
                          steps_json(t), "longest", t->limits->think);
    if (o && t->trouble) json_object_set_new(o, "trouble", json_string(t->trouble));
    return o;
}

void session_die(struct session *t, const char *why)
{
    if (t->stage == SESSION_DEAD) return;
    t->stage = SESSION_DEAD;
    free(t->trouble);
    t->trouble = strdup(why);
    child_kill(&t->referee);
    work_end(&t->adviser);
    for (uint32_t i = 0; i < SESSION_MAX_ROLES; i++) work_end(&t->seats[i].thinker);
    for (int i = 0; i < SESSION_MAX_ASKED; i++)
        if (t->asked[i].request) {
            request_error(t->asked[i].request, 410, "%s", why);
            t->asked[i].request = NULL;
        }
    session_tell(t, "dead", json_pack("{s:s}", "why", why));
}

/* ---- setting */

bool session_seat(const struct session *t, const json_t *from, struct web_seat *s, struct error *error)
{
    const char *kind = session_text(from, "kind"), *player = session_text(from, "player");
    const json_t *clock = json_object_get(from, "clock");
    struct player_config config;
    struct web_seat seat = {.kind = SEAT_PERSON, .clock = 1};
    if (json_is_number(clock)) seat.clock = json_number_value(clock);
    if (!(seat.clock >= SHORTEST_CLOCK)) seat.clock = SHORTEST_CLOCK;
    if (seat.clock > t->limits->think)
        return error_set(error, ERROR_INPUT, "nobody may think longer than %g seconds here",
                         t->limits->think);
    if (!session_line(player) || strlen(player) >= sizeof seat.player)
        return error_set(error, ERROR_INPUT, "this is no player");
    if (strcmp(kind, "player") == 0) {
        seat.kind = SEAT_PLAYER;
        if (!player_config_parse(*player ? player : "champion", &config, error)) return false;
    } else if (strcmp(kind, "remote") == 0) {
        seat.kind = SEAT_REMOTE;
        if (!post_is_url(player))
            return error_set(error, ERROR_INPUT, "'%.100s' is no address of a player: http://host:port",
                             player);
    } else if (strcmp(kind, "person") != 0) {
        return error_set(error, ERROR_INPUT, "a seat is taken by a person, a player or a remote one");
    }
    snprintf(seat.player, sizeof seat.player, "%s",
             seat.kind == SEAT_PLAYER && !*player ? "champion" : player);
    work_end(&s->thinker);
    free(s->choice);
    json_decref(s->choice_thoughts);
    *s = seat;
    return true;
}

static bool read_seats(struct session *t, const json_t *list, struct error *error)
{
    size_t i;
    json_t *seat;
    json_array_foreach((json_t *)list, i, seat)
    {
        if (i >= SESSION_MAX_ROLES) return error_set(error, ERROR_INPUT, "there are too many seats");
        if (!session_seat(t, seat, &t->seats[i], error)) return false;
    }
    /* Whoever is not named is one of ours. */
    for (i = json_array_size(list); i < SESSION_MAX_ROLES; i++) {
        if (i == 0) continue;
        t->seats[i].kind = SEAT_PLAYER;
        t->seats[i].clock = 1;
        snprintf(t->seats[i].player, sizeof t->seats[i].player, "champion");
    }
    if (json_array_size(list) == 0) t->seats[0].clock = 1;
    return true;
}

/* Joint moves as the page sends them: lists of texts, all of one length. */
bool session_moves(const json_t *list, struct error *error)
{
    size_t i, k;
    json_t *joint, *move;
    if (json_array_size(list) > MAX_STEPS) return error_set(error, ERROR_INPUT, "these are too many moves");
    json_array_foreach((json_t *)list, i, joint)
    {
        if (!json_is_array(joint) || json_array_size(joint) == 0 ||
            json_array_size(joint) > SESSION_MAX_ROLES)
            return error_set(error, ERROR_INPUT, "a joint move is a list with a move for each role");
        json_array_foreach(joint, k, move) if (!json_is_string(move) ||
                                               !session_line(json_string_value(
                                                   move))) return error_set(error, ERROR_INPUT,
                                                                            "moves are texts of one line");
    }
    return true;
}

static bool make_id(struct session *t)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(t->id + 2 * i, 3, "%02x", bytes[i]);
    return getrandom(&t->seed, sizeof t->seed, 0) == sizeof t->seed;
}

static void clean_name(char *name)
{
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '/' || *c == '\\') *c = ' ';
}

static bool set_up(struct session *t, const json_t *body, struct error *error)
{
    json_t *moves = json_object_get(body, "moves"), *random = json_object_get(body, "random");
    if (!t->name || !t->rules || !make_id(t)) return error_set(error, ERROR_MEMORY, "out of memory");
    clean_name(t->name);
    t->paused = t->record || json_is_true(json_object_get(body, "paused")) || json_is_integer(random);
    if (!read_seats(t, json_object_get(body, "seats"), error) || !session_moves(moves, error)) return false;
    if (!work_referee(t, error)) return false;
    /* Kept until the roles are known. */
    t->game = json_object();
    if (json_array_size(moves)) json_object_set(t->game, "moves", moves);
    if (json_is_integer(random)) json_object_set(t->game, "random", random);
    return true;
}

struct session *session_new(const struct session_limits *limits, const json_t *body, const char *name,
                            const char *rules, size_t size, struct error *error)
{
    struct session *t = calloc(1, sizeof *t);
    if (!t) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    const char *record = json_string_value(json_object_get(body, "record"));
    t->limits = limits;
    t->record = !rules && record;
    if (t->record) rules = record, size = json_string_length(json_object_get(body, "record"));
    t->made = t->heard = clock_now();
    t->name = strndup(name, 100);
    t->rules = rules ? malloc(size + 1) : NULL;
    t->rules_size = size;
    if (t->rules) memcpy(t->rules, rules, size), t->rules[size] = '\0';
    if (!rules) error_set(error, ERROR_INPUT, "there are no rules to play by");
    if (rules && set_up(t, body, error)) return t;
    session_free(t);
    return NULL;
}

void session_free(struct session *t)
{
    if (!t) return;
    session_die(t, "the table was cleared");
    for (int i = 0; i < SESSION_MAX_STREAMS; i++)
        if (t->streams[i]) stream_end(t->streams[i]);
    session_cut(t, 0);
    for (uint32_t i = 0; i < SESSION_MAX_ROLES; i++) {
        free(t->seats[i].choice);
        json_decref(t->seats[i].choice_thoughts);
    }
    json_decref(t->game);
    json_decref(t->position);
    free(t->steps);
    free(t->trouble);
    free(t->name);
    free(t->rules);
    /* Streams come to their end later, and must not look for us. */
    for (int i = 0; i < SESSION_MAX_STREAMS; i++)
        if (t->streams[i]) stream_forget(t->streams[i]);
    free(t);
}

void session_end(struct session *t)
{
    session_die(t, "the table was cleared");
    t->heard = -INFINITY;
}

bool session_is_over(const struct session *t, double now)
{
    for (int i = 0; i < SESSION_MAX_ASKED; i++)
        if (t->asked[i].request) return false;
    if (now > t->heard + t->limits->idle) return true;
    return t->left > 0 && now > t->left + LEFT_SECONDS && now > t->heard + LEFT_SECONDS;
}
