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
static bool is_line(const char *s)
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

static void stream_gone(void *data, struct stream *s)
{
    struct session *t = data;
    int left = 0;
    for (int i = 0; i < SESSION_MAX_STREAMS; i++) {
        if (t->streams[i] == s) t->streams[i] = NULL;
        left += t->streams[i] != NULL;
    }
    if (!left) t->left = clock_now();
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

static bool read_seat(const struct session *t, const json_t *from, struct web_seat *s, struct error *error)
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
    if (!is_line(player) || strlen(player) >= sizeof seat.player)
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
        if (!read_seat(t, seat, &t->seats[i], error)) return false;
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
static bool are_moves(const json_t *list, struct error *error)
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
                                               !is_line(json_string_value(
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
    if (!read_seats(t, json_object_get(body, "seats"), error) || !are_moves(moves, error)) return false;
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

/* ---- requests */

static bool is_ready(const struct session *t, struct request *r)
{
    if (t->stage == SESSION_DEAD)
        request_error(r, 410, "%s", t->trouble ? t->trouble : "this table was cleared");
    else if (t->stage == SESSION_SETTING)
        request_error(r, 409, "the table is still being set");
    return t->stage != SESSION_DEAD && t->stage != SESSION_SETTING;
}

static bool read_role(const struct session *t, const json_t *body, uint32_t *role)
{
    const json_t *n = json_object_get(body, "role");
    *role = (uint32_t)json_integer_value(n);
    return json_is_integer(n) && json_integer_value(n) >= 0 && *role < t->nroles;
}

static bool read_turn(const struct session *t, const json_t *body, uint32_t *turn)
{
    const json_t *n = json_object_get(body, "turn");
    *turn = (uint32_t)json_integer_value(n);
    return json_is_integer(n) && json_integer_value(n) >= 0 && *turn <= t->turn;
}

static void done(struct request *r)
{
    request_json(r, 200, json_object());
}

static void on_events(struct session *t, struct request *r)
{
    int i = 0;
    while (i < SESSION_MAX_STREAMS && t->streams[i]) i++;
    if (i == SESSION_MAX_STREAMS) return request_error(r, 429, "too many pages look at this table");
    t->streams[i] = request_stream(r, stream_gone, t);
    if (!t->streams[i]) return;
    t->left = 0;
    json_t *all = session_json(t);
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    if (text) stream_send(t->streams[i], "table", text);
    free(text);
    json_decref(all);
}

static void on_move(struct session *t, struct request *r, const json_t *body)
{
    uint32_t role, turn;
    const char *move = session_text(body, "move");
    if (!read_role(t, body, &role) || !read_turn(t, body, &turn) || !*move)
        return request_error(r, 400, "a move needs a turn, a role and its text");
    if (turn != t->turn || t->stage != SESSION_WAITING)
        return request_error(r, 409, t->stage == SESSION_OVER ? "the game is over" : "that turn has passed");
    if (t->seats[role].kind != SEAT_PERSON) return request_error(r, 409, "another player has that seat");
    if (t->seats[role].choice) return request_error(r, 409, "that role has chosen already");
    t->paused = false;
    session_choose(t, role, move, NULL, clock_now() - t->turn_began);
    if (!t->seats[role].choice && turn == t->turn && t->stage == SESSION_WAITING)
        return request_error(r, 422, "%.200s is not legal now", move);
    done(r);
}

static bool has_remote(const struct session *t)
{
    for (uint32_t i = 0; i < t->nroles; i++)
        if (t->seats[i].kind == SEAT_REMOTE) return true;
    return false;
}

static void on_back(struct session *t, struct request *r, const json_t *body)
{
    uint32_t turn;
    if (!read_turn(t, body, &turn)) return request_error(r, 400, "there is no such turn");
    if (turn && has_remote(t))
        return request_error(r, 409, "a player elsewhere cannot take back moves; start over instead");
    t->paused = json_is_true(json_object_get(body, "paused"));
    session_step_back(t, turn);
    done(r);
}

static void on_seat(struct session *t, struct request *r, const json_t *body)
{
    uint32_t role;
    struct error error;
    if (!read_role(t, body, &role)) return request_error(r, 400, "there is no such role");
    if (!read_seat(t, body, &t->seats[role], &error)) return request_error(r, 422, "%s", error.text);
    if (json_is_false(json_object_get(body, "paused"))) t->paused = false;
    session_tell(t, "table", session_json(t));
    session_go_on(t);
    done(r);
}

/* Play on from a turn, perhaps with others in the seats. */
static void on_resume(struct session *t, struct request *r, const json_t *body)
{
    uint32_t turn;
    struct error error;
    json_t *seats = json_object_get(body, "seats"), *seat;
    size_t i;
    if (!read_turn(t, body, &turn)) return request_error(r, 400, "there is no such turn");
    json_array_foreach(seats, i, seat) if (i < t->nroles &&
                                           !read_seat(t, seat, &t->seats[i],
                                                      &error)) return request_error(r, 422, "%s", error.text);
    t->paused = false;
    session_step_back(t, turn);
    done(r);
}

static void on_advice(struct session *t, struct request *r, const json_t *body)
{
    uint32_t role, turn;
    double seconds = json_number_value(json_object_get(body, "seconds"));
    struct error error = {0};
    if (!read_role(t, body, &role)) return request_error(r, 400, "there is no such role");
    if (!json_object_get(body, "turn"))
        turn = t->turn;
    else if (!read_turn(t, body, &turn))
        return request_error(r, 400, "there is no such turn");
    if (t->stage == SESSION_MOVING || (turn == t->turn && t->stage != SESSION_WAITING))
        return request_error(r, 409, "there is nothing to think about now");
    if (!(seconds > 0) || seconds > t->limits->think) seconds = t->limits->think;
    session_advice(t, turn, role, seconds, &error);
    if (error.code) return request_error(r, 409, "%s", error.text);
    request_json(r, 200, json_pack("{s:f}", "seconds", seconds));
}

static void on_position(struct session *t, struct request *r, const char *number)
{
    char *end, rest[20];
    unsigned long turn = strtoul(number, &end, 10);
    if (end == number || *end || turn > t->turn) return request_error(r, 404, "there is no such turn");
    snprintf(rest, sizeof rest, "%lu", turn);
    work_ask(t, r, 0, "show", rest, 30);
}

static void on_line(struct session *t, struct request *r, const json_t *body)
{
    const json_t *moves = json_object_get(body, "moves");
    struct error error;
    uint32_t turn;
    size_t i, k, size;
    json_t *joint, *move;
    char *text = NULL;
    if (!read_turn(t, body, &turn) || !are_moves(moves, &error) || json_array_size(moves) > 64)
        return request_error(r, 400, "a line needs a turn and a few joint moves");
    FILE *out = open_memstream(&text, &size);
    if (!out) return request_error(r, 503, "out of memory");
    fprintf(out, "%u %zu", turn, json_array_size(moves));
    json_array_foreach((json_t *)moves, i, joint) json_array_foreach(joint, k, move)
        fprintf(out, "\n%s", json_string_value(move));
    if (fclose(out) == 0) work_ask(t, r, 0, "line", text, 30);
    free(text);
}

static void on_tree(struct session *t, struct request *r, const json_t *body)
{
    const char *path = session_text(body, "path");
    uint32_t role;
    bool seat =
        read_role(t, body, &role) && t->seats[role].kind == SEAT_PLAYER && t->seats[role].thinker.child.pid;
    char *rest = NULL;
    if (seat && session_choosing(t, role))
        return request_error(r, 409, "what it thinks is secret until all have chosen");
    if (!is_line(path) || strlen(path) > 4000) return request_error(r, 400, "this is no path");
    if (!seat && !t->adviser.child.pid)
        return request_error(r, 409, "nobody has thought about this position yet");
    if (asprintf(&rest, "\n%s", path) < 0) return request_error(r, 503, "out of memory");
    work_ask(t, r, seat ? 2 + role : 1, "tree", rest, 20);
    free(rest);
}

static void on_random(struct session *t, struct request *r, const json_t *body)
{
    if (t->stage != SESSION_WAITING) return request_error(r, 409, "the game is over");
    t->paused = true;
    work_random(t, (uint64_t)json_integer_value(json_object_get(body, "seed")));
    done(r);
}

void session_request(struct session *t, struct request *r, const char *what, const json_t *body)
{
    static const struct {
        const char *name;
        void (*run)(struct session *t, struct request *r, const json_t *body);
    } posts[] = {{"move", on_move},     {"back", on_back}, {"seat", on_seat}, {"resume", on_resume},
                 {"advice", on_advice}, {"line", on_line}, {"tree", on_tree}, {"random", on_random}};
    bool post = strcmp(request_method(r), "POST") == 0;
    t->heard = clock_now();
    if (!post && !*what) return request_json(r, 200, session_json(t));
    if (!post && strcmp(what, "events") == 0) return on_events(t, r);
    if (!is_ready(t, r)) return;
    if (!post && strcmp(what, "record") == 0) return request_json(r, 200, session_record(t));
    if (!post && strcmp(what, "rules") == 0)
        return request_json(
            r, 200, json_pack("{s:s, s:o}", "name", t->name, "rules", json_stringn(t->rules, t->rules_size)));
    if (!post && strncmp(what, "positions/", 10) == 0) return on_position(t, r, what + 10);
    if (post && strcmp(what, "rest") == 0) return work_rest(t, &t->adviser), done(r);
    for (size_t i = 0; post && i < sizeof posts / sizeof *posts; i++)
        if (strcmp(what, posts[i].name) == 0) return posts[i].run(t, r, body);
    request_error(r, 404, "tables do not understand that");
}
