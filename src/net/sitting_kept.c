// SPDX-License-Identifier: GPL-3.0-or-later
/* A match under way, written down beside its journal after every turn and every answer, and taken up from
 * there by a server that was started after another had been killed. The file is gone when the match is over.
 */
#include "net/sitting_internal.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUFFIX ".under-way"

void sitting_keep(struct sitting *s)
{
    struct error error = {0};
    if (!s->journal) return;
    json_t *moves = json_array();
    for (uint32_t i = 0; i < s->turn; i++) {
        json_t *joint = json_array();
        for (uint32_t k = 0; k < s->history[i].n; k++)
            json_array_append_new(joint,
                                  journal_string(s->history[i].moves[k], strlen(s->history[i].moves[k])));
        json_array_append_new(moves, joint);
    }
    json_t *o = json_pack(
        "{s:o, s:o, s:I, s:s, s:f, s:f, s:o, s:i}", "match", journal_string(s->id, strlen(s->id)), "rules",
        journal_string(s->rules, s->rules_size), "seed", (json_int_t)s->seed, "role", s->role, "start_clock",
        s->start_clock, "play_clock", s->play_clock, "moves", moves, "line_goal", s->line_goal);
    if (o && s->line) json_object_set(o, "line", s->line);
    if (o && s->answer) json_object_set_new(o, "answer", journal_string(s->answer, strlen(s->answer)));
    if (o) json_object_set_new(o, "time", json_integer((json_int_t)time(NULL)));
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    if (text && !journal_keep(s->journal, SUFFIX, text, &error))
        sitting_note(s, "trouble", json_pack("{s:s}", "why", error.text)); /* the match goes on */
    free(text);
    json_decref(o);
}

void sitting_forget(struct sitting *s)
{
    journal_drop(s->journal, SUFFIX);
}

/* The joint moves made; false: they are none, or no memory. */
static bool read_history(struct sitting *s, const json_t *moves)
{
    size_t turn, i;
    json_t *joint, *move;
    s->history = calloc(json_array_size(moves) + 1, sizeof *s->history);
    if (!s->history || !json_is_array(moves)) return false;
    s->cap = (uint32_t)json_array_size(moves) + 1;
    json_array_foreach(moves, turn, joint)
    {
        struct joint *j = &s->history[s->turn++];
        j->moves = calloc(json_array_size(joint) + 1, sizeof *j->moves);
        if (!j->moves) return false;
        json_array_foreach(joint, i, move)
        {
            const char *text = json_string_value(move);
            if (!text || !(j->moves[j->n] = strdup(text))) return false;
            j->n++;
        }
    }
    return true;
}

static char *copy_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? strdup(text) : NULL;
}

static bool read_match(struct sitting *s, const json_t *o)
{
    const json_t *line = json_object_get(o, "line");
    s->role = copy_of(o, "role");
    s->rules = copy_of(o, "rules");
    s->answer = copy_of(o, "answer");
    s->seed = (uint64_t)json_integer_value(json_object_get(o, "seed"));
    s->start_clock = json_number_value(json_object_get(o, "start_clock"));
    s->play_clock = s->clock = json_number_value(json_object_get(o, "play_clock"));
    s->line_goal = (int)json_integer_value(json_object_get(o, "line_goal"));
    if (json_is_array(line)) s->line = json_deep_copy(line);
    if (!s->role || !s->rules || !(s->play_clock > 0)) return false;
    s->rules_size = strlen(s->rules);
    return read_history(s, json_object_get(o, "moves"));
}

/* Long silent, as long as makes a match count as abandoned? */
static bool is_old(const struct sitting *s, const json_t *o)
{
    double age = difftime(time(NULL), (time_t)json_integer_value(json_object_get(o, "time")));
    return age > s->config->silence + s->start_clock + 4 * s->play_clock;
}

struct sitting *sitting_take_up(const struct sitting_config *config, struct slice id,
                                const struct http_request *request, double arrival)
{
    struct error error;
    struct sitting *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (struct sitting){
        .config = config, .own = -1, .least_margin = INFINITY, .heard = arrival, .stage = SITTING_WAITING};
    memcpy(&s->master, http_peer(request), sizeof s->master);
    s->id = strndup(id.at, id.n);
    char *text = s->id ? journal_kept(config->log, s->id, SUFFIX) : NULL;
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    bool good = o && read_match(s, o) && !is_old(s, o);
    json_decref(o);
    free(text);
    if (!good) {
        sitting_free(s);
        return NULL;
    }
    s->journal = journal_open_match(config->log, s->id, &error);
    sitting_note(s, "taken up", json_pack("{s:i, s:s}", "turn", (int)s->turn, "player", config->player));
    sitting_say(s, "taken up after %u turns, playing %s", s->turn, s->role);
    for (int i = 0; i < SITTING_CHILDREN; i++) sitting_start_helper(s, i);
    return s;
}
