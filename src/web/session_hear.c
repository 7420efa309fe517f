// SPDX-License-Identifier: GPL-3.0-or-later
/* What the processes of a session say, and what follows from it. */
#include "base/clock.h"
#include "web/session_internal.h"

#include <stdlib.h>
#include <string.h>

static void answer_asked(struct session *t, json_t *m)
{
    uint32_t id = (uint32_t)strtoul(session_text(m, "id"), NULL, 10);
    for (int i = 0; i < SESSION_MAX_ASKED; i++) {
        if (!t->asked[i].request || t->asked[i].id != id) continue;
        struct request *r = t->asked[i].request;
        t->asked[i].request = NULL;
        json_object_del(m, "type");
        json_object_del(m, "id");
        if (*session_text(m, "why"))
            request_error(r, 422, "%s", session_text(m, "why"));
        else
            request_json(r, 200, json_incref(m));
        return;
    }
}

static void on_game(struct session *t, json_t *m)
{
    json_t *moves = json_object_get(t->game, "moves"), *random = json_object_get(t->game, "random");
    json_t *record = json_object_get(m, "record"), *joint;
    uint32_t followed = (uint32_t)json_integer_value(json_object_get(m, "turn"));
    size_t i;
    t->nroles = (uint32_t)json_array_size(json_object_get(m, "roles"));
    if (t->nroles == 0 || t->nroles > SESSION_MAX_ROLES)
        return session_die(t, "games for so many roles cannot be shown");
    if (record) {
        const json_t *rules = json_object_get(m, "rules");
        char *copy =
            strndup(json_string_value(rules) ? json_string_value(rules) : "", json_string_length(rules));
        if (copy) free(t->rules), t->rules = copy, t->rules_size = json_string_length(rules);
        json_array_foreach(json_object_get(record, "moves"), i, joint) if (i < followed) session_push(
            t, json_incref(joint), json_incref(json_array_get(json_object_get(record, "thoughts"), i)), NULL);
        if (*session_text(m, "name")) free(t->name), t->name = strdup(session_text(m, "name"));
        json_object_del(record, "moves");
        json_object_del(record, "thoughts");
        json_object_del(m, "rules");
    }
    json_array_foreach(moves, i, joint) if (json_array_size(joint) != t->nroles) return session_die(
        t, "the moves given are for another number of roles");
    json_array_foreach(moves, i, joint) session_push(t, json_incref(joint), NULL, NULL);
    if (json_array_size(moves)) work_follow(t, 0);
    if (json_is_integer(random)) work_random(t, (uint64_t)json_integer_value(random));
    json_incref(m);
    json_decref(t->game);
    t->game = m;
    json_object_del(m, "type");
}

static void on_illegal(struct session *t, const json_t *m)
{
    uint32_t turn = (uint32_t)json_integer_value(json_object_get(m, "turn"));
    session_tell(t, "remark", json_pack("{s:n, s:s}", "role", "text", session_text(m, "why")));
    t->paused = true; /* nobody shall run into the same wall for ever */
    session_cut(t, turn);
    t->stage = SESSION_SETTING;
    work_follow(t, turn);
}

void hear_referee(struct session *t, json_t *m)
{
    const char *type = session_text(m, "type");
    if (strcmp(type, "game") == 0)
        on_game(t, m);
    else if (strcmp(type, "position") == 0)
        session_position(t, m);
    else if (strcmp(type, "shown") == 0 || strcmp(type, "line") == 0)
        answer_asked(t, m);
    else if (strcmp(type, "random") == 0)
        session_random(t, json_object_get(m, "moves"));
    else if (strcmp(type, "illegal") == 0)
        on_illegal(t, m);
    else if (strcmp(type, "trouble") == 0 && *session_text(m, "id"))
        answer_asked(t, m);
    else if (strcmp(type, "trouble") == 0 || strcmp(type, "refused") == 0 || strcmp(type, "lost") == 0)
        session_die(t, session_text(m, "why"));
}

static void on_thoughts(struct session *t, struct thinker *k, json_t *m)
{
    json_decref(k->thoughts);
    k->thoughts = json_incref(m);
    json_object_del(m, "type");
    json_object_set_new(m, "role", json_integer(k->role));
    json_object_set_new(m, "adviser", json_boolean(!work_seat(t, k)));
    if (!work_seat(t, k) || !session_choosing(t, k->role)) session_tell(t, "thoughts", json_incref(m));
}

/* The seat's move, or the advice that was asked for. */
static void on_answer(struct session *t, struct thinker *k, json_t *m)
{
    const char *move = session_text(m, "move"), *trouble = session_text(m, "trouble");
    bool searched = json_is_array(json_object_get(m, "moves"));
    k->asked = false;
    if (*move) k->failures = 0;
    if (searched) on_thoughts(t, k, m);
    if (!work_seat(t, k)) {
        session_tell(t, "advice",
                     json_pack("{s:i, s:i, s:s}", "turn", (int)k->turn, "role", (int)k->role, "move", move));
        return;
    }
    if (*move) session_choose(t, k->role, move, searched ? m : NULL, clock_now() - k->began);
    if (t->stage == SESSION_WAITING && k->turn == t->turn && !t->seats[k->role].choice)
        session_replace(t, k->role, *trouble ? trouble : "what this player answered is no legal move");
}

void hear_thinker(struct session *t, struct thinker *k, json_t *m)
{
    const char *type = session_text(m, "type");
    uint32_t turn = (uint32_t)json_integer_value(json_object_get(m, "turn"));
    bool current = k->asked && turn == k->turn && (k->turn == t->turn || !work_seat(t, k));
    if (strcmp(type, "here") == 0) {
        k->here = true;
        if (k->asked) work_put(t, k);
    } else if (strcmp(type, "best") == 0 && current) {
        free(k->opinion);
        k->opinion = strdup(session_text(m, "move"));
    } else if (strcmp(type, "thoughts") == 0 && current) {
        on_thoughts(t, k, m);
    } else if (strcmp(type, "move") == 0 && current) {
        on_answer(t, k, m);
    } else if (strcmp(type, "tree") == 0) {
        answer_asked(t, m);
    } else if (strcmp(type, "refused") == 0) {
        k->failures = FAILURES_MAX;
        work_bury(t, k, session_text(m, "why"));
    } else if (strcmp(type, "lost") == 0) {
        work_bury(t, k, session_text(m, "why"));
    }
}
