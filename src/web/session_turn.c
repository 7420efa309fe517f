// SPDX-License-Identifier: GPL-3.0-or-later
/* Turns: who has to choose, choices kept until all are there, the step, and steps taken back. */
#include "base/clock.h"
#include "base/rng.h"
#include "web/session_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AUTOMATIC_MAX 300 /* steps in a row in which nobody has a choice */

/* ---- history */

bool session_push(struct session *t, json_t *moves, json_t *thoughts, json_t *seconds)
{
    if (t->turn == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 64;
        struct web_step *steps = realloc(t->steps, cap * sizeof *steps);
        if (!steps) return false;
        t->steps = steps;
        t->cap = cap;
    }
    t->steps[t->turn++] = (struct web_step){moves, thoughts, seconds};
    return true;
}

void session_cut(struct session *t, uint32_t turn)
{
    while (t->turn > turn) {
        struct web_step *s = &t->steps[--t->turn];
        json_decref(s->moves);
        json_decref(s->thoughts);
        json_decref(s->seconds);
    }
}

static void forget_choices(struct session *t)
{
    for (uint32_t i = 0; i < t->nroles; i++) {
        struct web_seat *s = &t->seats[i];
        free(s->choice);
        json_decref(s->choice_thoughts);
        s->choice = NULL;
        s->choice_thoughts = NULL;
        s->choice_seconds = 0;
    }
}

/* ---- legal moves */

static json_t *legal_of(const struct session *t, uint32_t role)
{
    return json_array_get(json_object_get(t->position, "legal"), role);
}

static const char *legal_move(const json_t *legal, size_t i)
{
    return session_text(json_array_get(legal, i), "move");
}

/* A parenthesis or a word; 0 at the end. */
static size_t token(const char **s)
{
    while (isspace((unsigned char)**s)) (*s)++;
    return **s == '(' || **s == ')' ? 1 : strcspn(*s, " \t\r\n()");
}

/* Equal but for case and blanks: players elsewhere write as they like. */
static bool same_move(const char *a, const char *b)
{
    for (;;) {
        size_t n = token(&a), m = token(&b);
        if (n != m || strncasecmp(a, b, n) != 0) return false;
        if (n == 0) return true;
        a += n;
        b += m;
    }
}

static const char *find_legal(const json_t *legal, const char *move)
{
    for (size_t i = 0; i < json_array_size(legal); i++)
        if (strcmp(legal_move(legal, i), move) == 0) return legal_move(legal, i);
    for (size_t i = 0; i < json_array_size(legal); i++)
        if (same_move(legal_move(legal, i), move)) return legal_move(legal, i);
    return NULL;
}

/* ---- the step */

static void make_step(struct session *t)
{
    json_t *moves = json_array(), *thoughts = json_array(), *seconds = json_array();
    bool thought = false;
    for (uint32_t i = 0; i < t->nroles; i++) {
        struct web_seat *s = &t->seats[i];
        json_array_append_new(moves, json_string(s->choice));
        thought |= s->choice_thoughts != NULL;
        json_array_append_new(thoughts, s->choice_thoughts ? json_incref(s->choice_thoughts) : json_null());
        json_array_append_new(seconds, json_real(round(s->choice_seconds * 1000) / 1000));
    }
    if (!thought) {
        json_decref(thoughts);
        thoughts = NULL;
    }
    if (!session_push(t, moves, thoughts, seconds)) return session_die(t, "out of memory");
    forget_choices(t);
    work_rest(t, &t->adviser);
    t->stage = SESSION_MOVING;
    work_follow(t, t->turn - 1);
}

static bool all_have_chosen(const struct session *t)
{
    for (uint32_t i = 0; i < t->nroles; i++)
        if (!t->seats[i].choice) return false;
    return t->nroles > 0;
}

static void keep_choice(struct session *t, uint32_t role, const char *move, json_t *thoughts, double seconds)
{
    struct web_seat *s = &t->seats[role];
    free(s->choice);
    s->choice = strdup(move);
    json_decref(s->choice_thoughts);
    s->choice_thoughts = json_incref(thoughts);
    s->choice_seconds = seconds;
}

void session_choose(struct session *t, uint32_t role, const char *move, json_t *thoughts, double seconds)
{
    const char *legal = t->stage == SESSION_WAITING ? find_legal(legal_of(t, role), move) : NULL;
    if (!legal || t->seats[role].choice) return;
    t->automatic = 0;
    keep_choice(t, role, legal, thoughts, seconds);
    session_tell(t, "chosen", json_pack("{s:i, s:i}", "turn", (int)t->turn, "role", (int)role));
    if (all_have_chosen(t)) make_step(t);
}

void session_replace(struct session *t, uint32_t role, const char *why)
{
    const json_t *legal = legal_of(t, role);
    struct rng rng;
    if (t->stage != SESSION_WAITING || t->seats[role].choice || json_array_size(legal) == 0) return;
    rng_init(&rng, t->seed ^ ((uint64_t)t->turn << 20) ^ role);
    const char *move = legal_move(legal, rng_below(&rng, (uint32_t)json_array_size(legal)));
    session_tell(t, "remark", json_pack("{s:i, s:s}", "role", (int)role, "text", why));
    session_choose(t, role, move, NULL, t->seats[role].clock);
}

/* Roles without a choice wait for nobody: those of ours never, people if the move is a mere word. */
static bool is_automatic(const struct session *t, uint32_t role)
{
    const json_t *legal = legal_of(t, role);
    if (json_array_size(legal) != 1 || t->seats[role].kind == SEAT_REMOTE || t->nroles == 1) return false;
    return t->seats[role].kind == SEAT_PLAYER || *legal_move(legal, 0) != '(';
}

bool session_choosing(const struct session *t, uint32_t role)
{
    for (uint32_t i = 0; i < t->nroles && t->stage == SESSION_WAITING; i++)
        if (i != role && t->seats[i].kind == SEAT_PERSON && !t->seats[i].choice &&
            json_array_size(legal_of(t, i)) > 1)
            return true;
    return false;
}

void session_go_on(struct session *t)
{
    bool choice = false;
    if (t->stage != SESSION_WAITING || t->paused) return;
    for (uint32_t i = 0; i < t->nroles; i++) {
        struct web_seat *s = &t->seats[i];
        if (s->choice || s->thinker.asked) continue;
        choice |= !is_automatic(t, i);
        if (is_automatic(t, i)) {
            keep_choice(t, i, legal_move(legal_of(t, i), 0), NULL, 0);
        } else if (s->kind != SEAT_PERSON) {
            work_think(t, &s->thinker, t->turn, i, s->clock);
            if (t->stage != SESSION_WAITING) return;
        }
    }
    t->automatic = choice ? 0 : t->automatic + 1;
    if (t->automatic > AUTOMATIC_MAX) {
        t->paused = true;
        session_tell(t, "remark",
                     json_pack("{s:n, s:s}", "role", "text",
                               "nobody has had a choice for many steps; the table waits"));
        return;
    }
    if (all_have_chosen(t)) make_step(t);
}

/* ---- what the referee shows */

void session_position(struct session *t, json_t *position)
{
    json_t *turn = json_object_get(position, "turn");
    if (t->rolling || (uint32_t)json_integer_value(turn) != t->turn) return; /* of a moment ago */
    bool first = t->stage == SESSION_SETTING;
    json_decref(t->position);
    t->position = json_incref(position);
    json_object_del(t->position, "type");
    json_object_del(t->position, "id");
    t->referee_due = 0;
    t->turn_began = clock_now();
    t->stage = json_is_true(json_object_get(position, "terminal")) ? SESSION_OVER : SESSION_WAITING;
    if (first) work_prepare(t);
    if (t->stage == SESSION_OVER) work_farewell(t);
    if (first || t->turn == 0)
        session_tell(t, "table", session_json(t));
    else
        session_tell(t, "position",
                     json_pack("{s:i, s:O, s:{s:O, s:O?, s:O?}}", "turn", (int)t->turn, "position",
                               t->position, "step", "moves", t->steps[t->turn - 1].moves, "thoughts",
                               t->steps[t->turn - 1].thoughts, "seconds", t->steps[t->turn - 1].seconds));
    session_go_on(t);
}

/* The referee has played on at random. */
void session_random(struct session *t, const json_t *moves)
{
    size_t i;
    json_t *joint;
    t->rolling = false;
    forget_choices(t);
    json_array_foreach(
        (json_t *)moves, i,
        joint) if (!session_push(t, json_incref(joint), NULL, NULL)) return session_die(t, "out of memory");
    t->stage = SESSION_SETTING; /* the position that follows is told with everything */
}

void session_step_back(struct session *t, uint32_t turn)
{
    forget_choices(t);
    work_rest(t, &t->adviser);
    for (uint32_t i = 0; i < t->nroles; i++) {
        struct web_seat *s = &t->seats[i];
        if (s->kind == SEAT_REMOTE)
            work_end(&s->thinker);
        else
            work_rest(t, &s->thinker);
    }
    session_cut(t, turn);
    t->automatic = 0;
    t->stage = SESSION_SETTING;
    work_follow(t, turn);
}

void session_advice(struct session *t, uint32_t turn, uint32_t role, double seconds, struct error *error)
{
    if (turn == t->turn && json_array_size(legal_of(t, role)) == 0) {
        error_set(error, ERROR_INPUT, "there is no move to think about");
        return;
    }
    work_rest(t, &t->adviser);
    t->adviser.advice = true;
    work_think(t, &t->adviser, turn, role, seconds);
}
