// SPDX-License-Identifier: GPL-3.0-or-later
/* What was played at a table as a record (docs/network.md), so that `ludens replay` and this page can show
 * it. */
#include "web/session_internal.h"

#include "base/clock.h"

static json_t *search_json(const struct web_step *s, uint32_t nroles)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < nroles; i++) {
        const json_t *k = json_array_get(s->thoughts, i);
        json_int_t n = json_integer_value(json_object_get(k, "simulations"));
        if (n > 0)
            json_array_append_new(list, json_pack("{s:I, s:I, s:f}", "simulations", n, "nodes",
                                                  json_integer_value(json_object_get(k, "nodes")), "value",
                                                  json_number_value(json_object_get(k, "value"))));
        else
            json_array_append_new(list, json_null());
    }
    return list;
}

static json_t *player_name(const struct web_seat *s)
{
    return json_string(s->kind == SEAT_PERSON ? "human" : s->player);
}

json_t *session_record(const struct session *t)
{
    json_t *players = json_array(), *moves = json_array(), *search = json_array();
    char date[CLOCK_DATE];
    clock_date(time(NULL), date);
    for (uint32_t i = 0; i < t->nroles; i++) json_array_append_new(players, player_name(&t->seats[i]));
    for (uint32_t i = 0; i < t->turn; i++) {
        json_array_append(moves, t->steps[i].moves);
        json_array_append_new(search, search_json(&t->steps[i], t->nroles));
    }
    bool over = t->stage == SESSION_OVER;
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:o, s:O, s:o, s:o, s:o, s:s}", "match", t->id, "game",
                          t->name, "digest", session_text(t->game, "digest"), "date", date, "rules",
                          json_stringn(t->rules, t->rules_size), "roles", json_object_get(t->game, "roles"),
                          "players", players, "moves", moves, "search", search, "ending",
                          over ? "completed" : "unfinished");
    if (o && over) json_object_set(o, "rewards", json_object_get(t->position, "goals"));
    return o;
}
