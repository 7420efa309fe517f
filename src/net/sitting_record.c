// SPDX-License-Identifier: GPL-3.0-or-later
/* A match we sat in as a record (docs/network.md), so that `ludens replay` and the page can show it. What the
 * others are called and how long they took is not known here. */
#include "net/sitting_internal.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *moves_json(const struct joint *j)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < j->n; i++) json_array_append_new(list, json_string(j->moves[i]));
    return list;
}

/* By role; only ours is known. */
static json_t *search_json(const struct sitting *s, const struct joint *j)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->nroles; i++) {
        json_int_t n = json_integer_value(json_object_get(j->thoughts, "simulations"));
        json_array_append_new(list, (int)i == s->own && n > 0
                                        ? json_pack("{s:I, s:I, s:f}", "simulations", n, "nodes",
                                                    json_integer_value(json_object_get(j->thoughts, "nodes")),
                                                    "value",
                                                    json_number_value(json_object_get(j->thoughts, "value")))
                                        : json_null());
    }
    return list;
}

static json_t *record_json(const struct sitting *s)
{
    json_t *players = json_array(), *moves = json_array(), *search = json_array();
    char date[CLOCK_DATE];
    clock_date(time(NULL), date);
    for (uint32_t i = 0; i < s->nroles; i++)
        json_array_append_new(players, json_string((int)i == s->own ? s->config->player : "somebody"));
    for (uint32_t i = 0; i < s->turn; i++) {
        json_array_append_new(moves, moves_json(&s->history[i]));
        json_array_append_new(search, search_json(s, &s->history[i]));
    }
    json_t *o = json_pack("{s:o, s:s, s:o, s:O, s:o, s:{s:f, s:f}, s:o, s:o, s:s}", "match",
                          journal_string(s->id, strlen(s->id)), "date", date, "rules",
                          journal_string(s->rules, s->rules_size), "roles", s->roles, "players", players,
                          "clocks", "start", s->start_clock, "play", s->play_clock, "moves", moves, "search",
                          search, "ending", s->goals ? "completed" : "unfinished");
    if (o && s->goals) json_object_set(o, "rewards", s->goals);
    return o;
}

void sitting_record(struct sitting *s)
{
    struct error error = {0};
    if (!s->journal || !s->roles || !s->turn) return;
    json_t *record = record_json(s);
    char *text = record ? json_dumps(record, JSON_INDENT(1)) : NULL;
    if (text && !journal_keep(s->journal, ".json", text, &error))
        fprintf(stderr, "ludens serve: %s\n", error.text); /* the match needs no record */
    free(text);
    json_decref(record);
}
