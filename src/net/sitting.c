// SPDX-License-Identifier: GPL-3.0-or-later
/* Turns: what the master asks, and what is answered when. The helpers are in helpers.c. */
#include "net/sitting_internal.h"

#include "base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SHARE_OF_CLOCK 0.2 /* of short clocks, kept instead of the margin */
#define LAST_SHARE 0.25    /* of the margin, when there is still nothing to answer */
#define CLOSING_TIME 2.0   /* seconds for the keeper to tell how it ended */

struct guest {
    struct guest *next;
    struct http_request *request;
};

void sitting_note(struct sitting *s, const char *event, json_t *more)
{
    if (!more) more = json_object();
    json_object_set_new(more, "match", journal_string(s->id, strlen(s->id)));
    journal_write(s->journal, event, more);
}

void sitting_say(const struct sitting *s, const char *format, ...)
{
    if (s->config->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    printf("%.60s: ", s->id);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
}

/* Something that should not happen, and is survived. */
static void odd(struct sitting *s, const char *event, const char *why)
{
    s->oddities++;
    sitting_note(s, event,
                 json_pack("{s:i, s:o}", "turn", (int)s->turn, "why", journal_string(why, strlen(why))));
    sitting_say(s, "turn %u: %s: %s", s->turn, event, why);
}

/* ---- answers ---- */

static bool add_guest(struct sitting *s, struct http_request *request)
{
    struct guest *g = malloc(sizeof *g);
    if (!g) return http_reply(request, 200, "busy"), false;
    *g = (struct guest){s->guests, request};
    s->guests = g;
    return true;
}

static void reply(struct sitting *s, const char *text)
{
    while (s->guests) {
        struct guest *g = s->guests;
        s->guests = g->next;
        http_reply(g->request, 200, text);
        free(g);
    }
}

static void set_clock(struct sitting *s, double arrival, double clock)
{
    double margin = fmin(s->config->margin, SHARE_OF_CLOCK * clock);
    s->arrival = arrival;
    s->clock = clock;
    s->due = arrival + clock - margin;
    s->last_word = arrival + clock - LAST_SHARE * margin;
}

static double margin_left(const struct sitting *s)
{
    return s->arrival + s->clock - clock_now();
}

static void begin_turn(struct sitting *s)
{
    free(s->answer);
    free(s->fallback);
    free(s->word);
    free(s->opinion);
    json_decref(s->thoughts);
    s->answer = s->fallback = s->word = s->opinion = NULL;
    s->thoughts = NULL;
    s->final = s->known = s->doubtful = s->all = s->guess = false;
    s->legal = 0;
}

static void log_move(struct sitting *s, const char *by)
{
    json_t *m =
        json_pack("{s:i, s:s, s:s, s:f, s:f, s:i}", "turn", (int)s->turn, "move", s->answer, "by", by,
                  "seconds", clock_now() - s->arrival, "margin", margin_left(s), "legal", (int)s->legal);
    if (m && s->thoughts) json_object_update_missing(m, s->thoughts);
    json_object_del(m, "type");
    sitting_note(s, "move", m);
}

static void answer(struct sitting *s, const char *move, const char *by, uint32_t *count)
{
    s->answer = strdup(move);
    ++*count;
    s->least_margin = fmin(s->least_margin, margin_left(s));
    reply(s, move);
    s->stage = SITTING_WAITING;
    log_move(s, by);
    sitting_keep(s);
    if (!s->final) sitting_rest(s);
}

/* The rules are none, or know no such role: there is nothing to wait for, and the seat is free again. */
static void refuse(struct sitting *s)
{
    char text[sizeof(struct error)];
    snprintf(text, sizeof text, "refused: %s", s->unplayable);
    reply(s, text);
    sitting_end(s, "refused");
}

/* Is there an answer yet? When the time has come anything will do, in the order of sitting.h. */
void sitting_settle(struct sitting *s, double now)
{
    if (s->stage != SITTING_THINKING) return;
    bool time_up = now >= s->due;
    bool checked = s->final && s->opinion && s->word && strcmp(s->opinion, s->word) == 0;
    if (s->known && s->all && s->legal == 1) return answer(s, s->fallback, "only move", &s->by_search);
    if (checked) return answer(s, s->opinion, "search", &s->by_search);
    if (s->unplayable) return refuse(s);
    if (!time_up) return;
    /* A search that hangs is replaced; one that is only slow would lose everything by that. */
    const struct helper *search = &s->helpers[SITTING_SEARCH];
    if (search->child.pid && search->here && !s->final && !s->overdue)
        s->overdue = now + fmax(2, s->play_clock);
    if (s->opinion) return answer(s, s->opinion, "opinion", &s->by_opinion);
    if (s->fallback) return answer(s, s->fallback, "keeper", &s->by_keeper);
    if (s->word) return answer(s, s->word, "search unchecked", &s->by_opinion);
    if (now < s->last_word) return;
    answer(s, "nil", "nobody", &s->by_nobody);
}

/* ---- history ---- */

static void joint_free(struct joint *j)
{
    for (uint32_t i = 0; i < j->n; i++) free(j->moves[i]);
    free(j->moves);
    free(j->answer);
    json_decref(j->thoughts);
    *j = (struct joint){0};
}

static bool joint_read(struct joint *j, const struct message *m)
{
    struct slice rest = m->moves, term;
    struct error error;
    *j = (struct joint){.moves = calloc(m->nmoves + 1, sizeof *j->moves)};
    if (!j->moves) return false;
    while (j->n < m->nmoves && slice_term(&rest, &term, &error))
        if (!(j->moves[j->n++] = slice_canonical(term))) return joint_free(j), false;
    return true;
}

static bool joint_equal(const struct joint *a, const struct joint *b)
{
    bool same = a->n == b->n;
    for (uint32_t i = 0; i < a->n && same; i++) same = strcasecmp(a->moves[i], b->moves[i]) == 0;
    return same;
}

static bool push(struct sitting *s, struct joint *j)
{
    if (s->turn == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 64;
        struct joint *grown = realloc(s->history, cap * sizeof *grown);
        if (!grown) return false;
        s->history = grown;
        s->cap = cap;
    }
    j->answer = s->answer;
    j->thoughts = json_incref(s->thoughts);
    s->answer = NULL;
    s->history[s->turn++] = *j;
    return true;
}

/* The last joint move was not for us: back to the turn before it, and to what we answered there. */
void sitting_take_back(struct sitting *s)
{
    struct joint *j = &s->history[--s->turn];
    char *given = j->answer;
    j->answer = NULL;
    joint_free(j);
    begin_turn(s);
    s->answer = given;
    if (given && s->stage == SITTING_THINKING) {
        reply(s, given);
        s->stage = SITTING_WAITING;
    }
}

/* ---- what the master says ---- */

struct sitting *sitting_new(const struct sitting_config *config, const struct message *m, uint64_t seed,
                            struct http_request *request, double arrival, struct error *error)
{
    struct sitting *s = calloc(1, sizeof *s);
    if (!s) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    *s = (struct sitting){.config = config, .seed = seed, .own = -1, .least_margin = INFINITY};
    s->id = strndup(m->id.at, m->id.n);
    s->role = slice_canonical(m->role);
    s->rules = malloc(m->rules.n + 1);
    s->start_clock = m->start_clock;
    s->play_clock = m->play_clock;
    if (!s->id || !s->role || !s->rules || !add_guest(s, request)) {
        error_set(error, ERROR_MEMORY, "out of memory");
        sitting_free(s);
        return NULL;
    }
    memcpy(s->rules, m->rules.at, m->rules.n);
    s->rules[m->rules.n] = '\0';
    s->rules_size = m->rules.n;
    s->heard = arrival;
    memcpy(&s->master, http_peer(request), sizeof s->master);
    s->journal = journal_open_match(config->log, s->id, error);
    if (error->code) fprintf(stderr, "ludens serve: %s\n", error->text); /* the match needs no log */
    set_clock(s, arrival, m->start_clock);
    sitting_note(s, "start",
                 json_pack("{s:s, s:f, s:f, s:i, s:s}", "role", s->role, "start_clock", s->start_clock,
                           "play_clock", s->play_clock, "rules_bytes", (int)s->rules_size, "player",
                           config->player));
    sitting_say(s, "playing %s, %g s to start and %g s per move", s->role, s->start_clock, s->play_clock);
    sitting_keep(s);
    for (int i = 0; i < SITTING_CHILDREN; i++) sitting_start_helper(s, i);
    return s;
}

void sitting_free(struct sitting *s)
{
    if (!s) return;
    reply(s, "busy");
    for (int i = 0; i < SITTING_CHILDREN; i++) child_kill(&s->helpers[i].child);
    begin_turn(s);
    while (s->turn) joint_free(&s->history[--s->turn]);
    free(s->history);
    free(s->unplayable);
    json_decref(s->goals);
    json_decref(s->roles);
    json_decref(s->line);
    journal_close(s->journal);
    free(s->id);
    free(s->role);
    free(s->rules);
    free(s);
}

bool sitting_same(const struct sitting *s, const struct message *m)
{
    char *role = slice_canonical(m->role);
    bool same = role && strcmp(role, s->role) == 0 && m->rules.n == s->rules_size &&
                memcmp(m->rules.at, s->rules, s->rules_size) == 0;
    free(role);
    return same;
}

void sitting_start_again(struct sitting *s, struct http_request *request)
{
    s->heard = clock_now();
    sitting_note(s, "repeated start", NULL);
    if (s->stage == SITTING_STARTING)
        add_guest(s, request);
    else
        http_reply(request, 200, "ready");
}

/* The same question again: the same answer, or the same wait for it. */
static void repeat(struct sitting *s, struct http_request *request, double arrival)
{
    sitting_note(s, "repeated play", json_pack("{s:i}", "turn", (int)s->turn));
    if (s->answer)
        http_reply(request, 200, s->answer);
    else if (add_guest(s, request) && s->stage != SITTING_THINKING)
        sitting_ask(s, arrival);
}

void sitting_ask(struct sitting *s, double arrival)
{
    set_clock(s, arrival, s->play_clock);
    s->stage = SITTING_THINKING;
    sitting_think(s);
    sitting_settle(s, clock_now());
}

static void ready(struct sitting *s)
{
    sitting_note(s, "ready",
                 json_pack("{s:f, s:f}", "seconds", clock_now() - s->arrival, "margin", margin_left(s)));
    reply(s, "ready");
    s->stage = SITTING_WAITING;
}

void sitting_play(struct sitting *s, const struct message *m, struct http_request *request, double arrival)
{
    struct joint j;
    s->heard = clock_now();
    if (s->stage == SITTING_STARTING) ready(s);
    if (m->nmoves == 0) {
        if (s->turn) odd(s, "out of step", "the first turn is asked for again");
        if (s->answer || s->stage == SITTING_THINKING) return repeat(s, request, arrival);
        if (add_guest(s, request)) sitting_ask(s, arrival);
        return;
    }
    if (s->nroles && m->nmoves != s->nroles) {
        odd(s, "out of step", "as many moves as roles are wanted");
        return repeat(s, request, arrival);
    }
    if (!joint_read(&j, m)) return http_reply(request, 200, "busy");
    bool same = s->turn && joint_equal(&j, &s->history[s->turn - 1]);
    /* The same joint move twice in a row is a turn of its own if we have answered, and just that. */
    bool own =
        s->answer && (s->own < 0 || (uint32_t)s->own >= j.n || strcasecmp(j.moves[s->own], s->answer) == 0);
    if (same && (s->stage == SITTING_THINKING || !own)) {
        joint_free(&j);
        return repeat(s, request, arrival);
    }
    if (s->stage == SITTING_THINKING) {
        odd(s, "out of step", "the next turn came before this one was answered");
        s->due = s->last_word = 0;
        sitting_settle(s, clock_now());
    } else if (!s->answer) {
        odd(s, "out of step", "moves of a turn that we were never asked about");
    } else if (!own) {
        odd(s, "replaced", j.moves[s->own]);
    }
    if (!push(s, &j)) {
        joint_free(&j);
        return http_reply(request, 200, "busy");
    }
    begin_turn(s);
    s->doubtful = same;
    sitting_keep(s);
    sitting_follow(s, s->turn - 1);
    if (add_guest(s, request)) sitting_ask(s, arrival);
}

void sitting_end(struct sitting *s, const char *how)
{
    json_t *m =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:I}", "how", how, "role", s->role, "turns",
                  (int)s->turn, "by_search", (int)s->by_search, "by_opinion", (int)s->by_opinion, "by_keeper",
                  (int)s->by_keeper, "by_nobody", (int)s->by_nobody, "restarts", (int)s->restarts, "oddities",
                  (int)s->oddities, "simulations", (json_int_t)s->simulations);
    if (m && s->least_margin < INFINITY) json_object_set_new(m, "least_margin", json_real(s->least_margin));
    const json_t *goal = s->goals && s->own >= 0 ? json_array_get(s->goals, (size_t)s->own) : NULL;
    if (m && s->goals) json_object_set(m, "goals", s->goals);
    if (m && goal) json_object_set_new(m, "goal", json_copy((json_t *)goal));
    sitting_note(s, "summary", m);
    if (json_is_integer(goal))
        sitting_say(s, "%s after %u turns: %d for %s", how, s->turn, (int)json_integer_value(goal), s->role);
    else
        sitting_say(s, "%s after %u turns", how, s->turn);
    sitting_record(s);
    sitting_forget(s);
    s->stage = SITTING_OVER;
}

void sitting_stop(struct sitting *s, const struct message *m, struct http_request *request)
{
    struct joint j;
    http_reply(request, 200, "done");
    reply(s, s->fallback ? s->fallback : "nil");
    s->stage = SITTING_CLOSING;
    s->due = clock_now() + CLOSING_TIME;
    child_kill(&s->helpers[SITTING_SEARCH].child);
    s->helpers[SITTING_SEARCH].start_at = 0;
    sitting_note(s, "stop", NULL);
    if (m->nmoves && joint_read(&j, m)) {
        if (!push(s, &j)) return joint_free(&j);
        begin_turn(s);
        sitting_follow(s, s->turn - 1);
    } else if (s->known) {
        sitting_end(s, "stopped");
    }
}

void sitting_abort(struct sitting *s, struct http_request *request)
{
    http_reply(request, 200, "aborted");
    reply(s, "aborted");
    sitting_end(s, "aborted");
}

double sitting_tick(struct sitting *s, double now)
{
    double again = INFINITY,
           silence = s->config->silence + 3 * s->play_clock + (s->turn ? 0 : s->start_clock);
    for (int i = 0; i < SITTING_CHILDREN; i++) again = fmin(again, sitting_tend_helper(s, i, now));
    switch (s->stage) {
    case SITTING_STARTING:
        if (s->unplayable)
            refuse(s);
        else if (now >= s->due)
            ready(s);
        break;
    case SITTING_THINKING: sitting_settle(s, now); break;
    case SITTING_WAITING:
        if (s->unplayable)
            refuse(s);
        else if (now >= s->heard + s->clock + silence)
            sitting_end(s, "abandoned");
        break;
    case SITTING_CLOSING:
        if (now >= s->due) sitting_end(s, "stopped");
        break;
    case SITTING_OVER: break;
    }
    if (s->stage == SITTING_WAITING) return fmin(again, s->heard + s->clock + silence);
    if (s->stage == SITTING_THINKING && now >= s->due) return fmin(again, s->last_word);
    return fmin(again, s->due);
}
