// SPDX-License-Identifier: GPL-3.0-or-later
/* What the page asks of a session. */
#include "base/clock.h"
#include "web/session_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (!session_seat(t, body, &t->seats[role], &error)) return request_error(r, 422, "%s", error.text);
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
    json_array_foreach(seats, i,
                       seat) if (i < t->nroles && !session_seat(t, seat, &t->seats[i],
                                                                &error)) return request_error(r, 422, "%s",
                                                                                              error.text);
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
    if (!read_turn(t, body, &turn) || !session_moves(moves, &error) || json_array_size(moves) > 64)
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
    if (!session_line(path) || strlen(path) > 4000) return request_error(r, 400, "this is no path");
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
