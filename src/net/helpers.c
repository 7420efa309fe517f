// SPDX-License-Identifier: GPL-3.0-or-later
/* The two processes of a match: started, told, listened to, and started again when they die. */
#include "base/clock.h"
#include "net/sitting_internal.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define LEAD 0.125 /* of the margin: the search is to be done so much before its answer is needed */
#define LONGEST_PAUSE 30.0

static const char *const names[] = {"search", "keeper"};

/* ---- telling ---- */

static bool alive(const struct sitting *s, int which)
{
    return s->helpers[which].child.pid != 0;
}

static void tell(struct sitting *s, int which, const char *a, size_t an, const char *b, size_t bn)
{
    /* If it cannot be told it is dying, which we will hear. */
    if (alive(s, which)) frames_send(&s->helpers[which].child.frames, a, an, b, bn);
}

static void tell_start(struct sitting *s, int which)
{
    char *head = NULL;
    int n = asprintf(&head, "start %" PRIu64 " %" PRIu64 " %.3f %s\n%s\n", s->seed, s->config->megabytes,
                     s->play_clock, s->config->player, s->role);
    if (n > 0) tell(s, which, head, (size_t)n, s->rules, s->rules_size);
    if (n > 0) free(head);
}

/* Until when the start clock runs. */
static void tell_clock(struct sitting *s)
{
    char line[100];
    int n = snprintf(line, sizeof line, "prepare %.6f", s->due);
    tell(s, SITTING_SEARCH, line, (size_t)n, NULL, 0);
}

static void tell_history(struct sitting *s, int which, uint32_t first)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    fprintf(out, "follow %u %u", first, s->turn - first);
    for (uint32_t i = first; i < s->turn; i++)
        for (uint32_t k = 0; k < s->history[i].n; k++) fprintf(out, "\n%s", s->history[i].moves[k]);
    if (fclose(out) == 0) tell(s, which, text, size, NULL, 0);
    free(text);
}

/* What an earlier search found in a game for one: the next one need not find it again. */
static void tell_line(struct sitting *s)
{
    char *text = NULL;
    size_t size, i;
    json_t *move;
    FILE *out = s->line ? open_memstream(&text, &size) : NULL;
    if (!out) return;
    fprintf(out, "line %d %zu", s->line_goal, json_array_size(s->line));
    json_array_foreach(s->line, i, move) fprintf(out, "\n%s", json_string_value(move));
    if (fclose(out) == 0) tell(s, SITTING_SEARCH, text, size, NULL, 0);
    free(text);
}

void sitting_follow(struct sitting *s, uint32_t first)
{
    for (int i = 0; i < SITTING_CHILDREN; i++) tell_history(s, i, first);
}

void sitting_think(struct sitting *s)
{
    char line[100];
    double margin = s->arrival + s->clock - s->due;
    int n = snprintf(line, sizeof line, "think %u %.6f", s->turn, s->due - LEAD * margin);
    tell(s, SITTING_SEARCH, line, (size_t)n, NULL, 0);
}

void sitting_rest(struct sitting *s)
{
    tell(s, SITTING_SEARCH, "rest", 4, NULL, 0);
}

static void check(struct sitting *s)
{
    char *line = NULL;
    int n = asprintf(&line, "check %u\n%s", s->turn, s->word);
    if (n > 0) tell(s, SITTING_KEEPER, line, (size_t)n, NULL, 0);
    if (n > 0) free(line);
}

/* ---- living and dying ---- */

void sitting_start_helper(struct sitting *s, int which)
{
    struct helper *h = &s->helpers[which];
    struct error error;
    h->start_at = 0;
    h->here = false;
    if (!child_start(&h->child, names[which], &error)) {
        sitting_note(s, "trouble", json_pack("{s:s}", "why", error.text));
        h->start_at = clock_now() + 1;
        return;
    }
    if (h->starts++) s->restarts++;
    sitting_note(s, h->starts > 1 ? "restarted" : "started",
                 json_pack("{s:s, s:i}", "helper", names[which], "pid", (int)h->child.pid));
    tell_start(s, which);
    if (which == SITTING_SEARCH) tell_line(s);
    if (s->turn) tell_history(s, which, 0);
    if (which == SITTING_SEARCH && s->turn == 0) tell_clock(s);
    if (which == SITTING_SEARCH && s->stage == SITTING_THINKING) sitting_think(s);
    if (which == SITTING_KEEPER && s->word) check(s);
}

/* Start another at once; after that at growing intervals, until one proves useful. */
static void bury(struct sitting *s, int which, const char *why)
{
    struct helper *h = &s->helpers[which];
    sitting_note(s, "lost",
                 json_pack("{s:s, s:i, s:s}", "helper", names[which], "turn", (int)s->turn, "why", why));
    sitting_say(s, "turn %u: the %s is gone (%s)", s->turn, names[which], why);
    child_kill(&h->child);
    if (s->stage == SITTING_CLOSING && which == SITTING_SEARCH) return;
    double pause = h->failures ? fmin(0.25 * exp2(h->failures), LONGEST_PAUSE) : 0;
    h->failures++;
    h->start_at = clock_now() + pause;
    if (which == SITTING_SEARCH) s->overdue = 0;
}

double sitting_tend_helper(struct sitting *s, int which, double now)
{
    struct helper *h = &s->helpers[which];
    if (s->stage == SITTING_OVER) return INFINITY;
    if (which == SITTING_SEARCH && s->overdue > 0) {
        if (now < s->overdue) return s->overdue;
        s->overdue = 0;
        if (alive(s, which)) bury(s, which, "it does not answer");
    }
    if (alive(s, which) || h->start_at <= 0) return INFINITY;
    if (now < h->start_at) return h->start_at;
    sitting_start_helper(s, which);
    return h->start_at > 0 ? h->start_at : INFINITY;
}

bool sitting_child(struct sitting *s, pid_t pid, int status)
{
    char why[60];
    for (int i = 0; i < SITTING_CHILDREN; i++) {
        if (s->helpers[i].child.pid != pid) continue;
        if (WIFSTOPPED(status))
            snprintf(why, sizeof why, "stopped by signal %d", WSTOPSIG(status));
        else if (WIFSIGNALED(status))
            snprintf(why, sizeof why, "killed by signal %d", WTERMSIG(status));
        else
            snprintf(why, sizeof why, "exit status %d", WEXITSTATUS(status));
        /* What it said before it died still counts. */
        if (!WIFSTOPPED(status)) sitting_hear(s, i, POLLIN);
        if (s->helpers[i].child.pid == pid) bury(s, i, why);
        return true;
    }
    return false;
}

/* ---- listening ---- */

static void replace(char **text, const char *with)
{
    free(*text);
    *text = strdup(with);
}

static int turn_of(const json_t *m)
{
    return (int)json_integer_value(json_object_get(m, "turn"));
}

static const char *string_of(const json_t *m, const char *key)
{
    const char *text = json_string_value(json_object_get(m, key));
    return text ? text : "";
}

/* The search's opinion: best so far, or final. */
static void on_word(struct sitting *s, json_t *m, bool final)
{
    const char *move = string_of(m, "move");
    if (final) {
        json_int_t n = json_integer_value(json_object_get(m, "simulations"));
        s->simulations += (uint64_t)(n + json_integer_value(json_object_get(m, "pondered")));
    }
    if (turn_of(m) != (int)s->turn || s->answer) return;
    if (*move) s->helpers[SITTING_SEARCH].failures = 0;
    s->final |= final;
    s->guess = json_is_true(json_object_get(m, "guess"));
    if (final) {
        json_decref(s->thoughts);
        s->thoughts = json_incref(m);
    }
    if (*move && (!s->word || strcmp(s->word, move) != 0)) {
        replace(&s->word, move);
        if (s->opinion && strcmp(s->opinion, move) == 0) return;
        check(s);
    }
}

/* The best line of a game for one, from the state of the turn: kept as a line from the beginning. */
static void on_line(struct sitting *s, const json_t *m)
{
    json_t *moves = json_object_get(m, "moves"), *line = json_array();
    if (turn_of(m) != (int)s->turn || !json_is_array(moves)) {
        json_decref(line);
        return;
    }
    for (uint32_t i = 0; i < s->turn; i++)
        json_array_append_new(line, json_string(s->history[i].n ? s->history[i].moves[0] : ""));
    json_array_extend(line, moves);
    json_decref(s->line);
    s->line = line;
    s->line_goal = (int)json_integer_value(json_object_get(m, "goal"));
    sitting_keep(s);
    sitting_note(s, "line",
                 json_pack("{s:i, s:i, s:i, s:s, s:b}", "turn", (int)s->turn, "goal", s->line_goal, "moves",
                           (int)json_array_size(moves), "by", string_of(m, "by"), "solved",
                           json_is_true(json_object_get(m, "solved"))));
}

static void on_checked(struct sitting *s, const json_t *m)
{
    const char *move = string_of(m, "move");
    if (turn_of(m) != (int)s->turn || !s->word || strcmp(s->word, move) != 0) return;
    if (json_is_true(json_object_get(m, "legal"))) {
        replace(&s->opinion, move);
        return;
    }
    sitting_note(s, "illegal opinion",
                 json_pack("{s:i, s:s, s:b}", "turn", (int)s->turn, "move", move, "guess", s->guess));
    free(s->word);
    s->word = NULL;
    if (s->guess) return;
    /* Our own mistake, if it ever happens: the search lives in another state. */
    s->oddities++;
    bury(s, SITTING_SEARCH, "it wants an illegal move");
}

static void on_state(struct sitting *s, const json_t *m)
{
    const char *step = string_of(m, "step");
    bool refused = strcmp(step, "refused") == 0, legal = strcmp(step, "legal") == 0;
    json_t *goals = json_object_get(m, "goals");
    if (refused && s->stage == SITTING_CLOSING) return sitting_end(s, "stopped");
    if (refused && turn_of(m) + 1 == (int)s->turn) {
        /* The search may have followed what cannot be followed. */
        sitting_note(s, "out of step",
                     json_pack("{s:i, s:s}", "turn", (int)s->turn, "why", string_of(m, "why")));
        s->oddities++;
        sitting_take_back(s);
        bury(s, SITTING_SEARCH, "a turn was taken back");
    } else if (turn_of(m) != (int)s->turn) {
        return; /* it is behind */
    } else if (!legal && s->doubtful) {
        /* Not possible a second time: so it was the question that came twice. */
        sitting_take_back(s);
        for (int i = 0; i < SITTING_CHILDREN; i++) bury(s, i, "a turn was repeated");
        return;
    } else if (!legal) {
        s->oddities++;
        sitting_note(s, "illegal move",
                     json_pack("{s:i, s:s}", "turn", (int)s->turn, "why", string_of(m, "why")));
        sitting_say(s, "turn %u: the master announced that %s", s->turn, string_of(m, "why"));
    }
    s->helpers[SITTING_KEEPER].failures = 0;
    s->known = true;
    s->legal = (uint32_t)json_integer_value(json_object_get(m, "legal"));
    s->all = json_is_true(json_object_get(m, "all"));
    if (*string_of(m, "move")) replace(&s->fallback, string_of(m, "move"));
    if (goals) {
        json_decref(s->goals);
        s->goals = json_incref(goals);
    }
    if (s->stage == SITTING_CLOSING) sitting_end(s, "stopped");
}

static void on_game(struct sitting *s, const json_t *m)
{
    s->own = (int)json_integer_value(json_object_get(m, "role"));
    s->nroles = (uint32_t)json_array_size(json_object_get(m, "roles"));
    json_decref(s->roles);
    s->roles = json_incref(json_object_get(m, "roles"));
    if (s->helpers[SITTING_KEEPER].starts == 1)
        sitting_note(s, "game",
                     json_pack("{s:s, s:O, s:f}", "digest", string_of(m, "digest"), "roles",
                               json_object_get(m, "roles"), "seconds", clock_now() - s->arrival));
}

static void on_refused(struct sitting *s, int which, const json_t *m)
{
    sitting_note(s, "refused", json_pack("{s:s, s:s}", "helper", names[which], "why", string_of(m, "why")));
    sitting_say(s, "the %s cannot play these rules: %s", names[which], string_of(m, "why"));
    if (which == SITTING_KEEPER && json_is_true(json_object_get(m, "for_ever")))
        replace(&s->unplayable, string_of(m, "why"));
}

static void on_message(struct sitting *s, int which, json_t *m)
{
    const char *type = string_of(m, "type");
    bool search = which == SITTING_SEARCH;
    s->helpers[which].here = true;
    if (search) s->overdue = 0;
    if (search && strcmp(type, "best") == 0)
        on_word(s, m, false);
    else if (search && strcmp(type, "move") == 0)
        on_word(s, m, true);
    else if (search && strcmp(type, "line") == 0)
        on_line(s, m);
    else if (!search && strcmp(type, "checked") == 0)
        on_checked(s, m);
    else if (!search && strcmp(type, "state") == 0)
        on_state(s, m);
    else if (!search && strcmp(type, "game") == 0)
        on_game(s, m);
    else if (strcmp(type, "refused") == 0)
        on_refused(s, which, m);
    else if (strcmp(type, "lost") == 0)
        bury(s, which, string_of(m, "why"));
    sitting_settle(s, clock_now());
}

bool sitting_wants(const struct sitting *s, int helper, struct pollfd *out)
{
    return child_wants(&s->helpers[helper].child, out);
}

struct speaker {
    struct sitting *sitting;
    int helper;
};

static void on_words(void *data, json_t *m)
{
    const struct speaker *who = data;
    on_message(who->sitting, who->helper, m);
}

void sitting_hear(struct sitting *s, int helper, short events)
{
    struct speaker who = {s, helper};
    struct child *c = &s->helpers[helper].child;
    if (!child_hear(c, events, on_words, &who)) child_hasten(c);
}
