// SPDX-License-Identifier: GPL-3.0-or-later
/* The processes of a table: started, told, listened to, started again when they die. */
#include "base/clock.h"
#include "web/session_internal.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SETTING_SECONDS 40.0  /* for reading rules and finding boards */
#define FOLLOW_SECONDS 40.0   /* for a step */
#define STARTING_SECONDS 15.0 /* for a search to read the rules, beyond its clock */
#define WATCH_SECONDS 0.2     /* thoughts are told five times a second */

/* ---- telling */

static void tell(struct child *c, const char *a, size_t an, const char *b, size_t bn)
{
    /* If it cannot be told it is dying, which we will hear. */
    if (c->pid) frames_send(&c->frames, a, an, b, bn);
}

static void tell_start(struct session *t, struct child *c, const char *what, const char *name, double seconds,
                       uint64_t seed)
{
    char *head = NULL;
    int n = asprintf(&head, "start %" PRIu64 " %" PRIu64 " %.3f %s\n%s\n", seed, t->limits->megabytes,
                     seconds, what, name);
    if (n > 0) tell(c, head, (size_t)n, t->rules, t->rules_size);
    if (n > 0) free(head);
}

static void tell_steps(const struct session *t, struct child *c, uint32_t first, uint32_t end)
{
    char *text = NULL;
    size_t size, k;
    json_t *move;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    fprintf(out, "follow %u %u", first, end - first);
    for (uint32_t i = first; i < end; i++)
        json_array_foreach(t->steps[i].moves, k, move) fprintf(out, "\n%s", json_string_value(move));
    if (fclose(out) == 0) tell(c, text, size, NULL, 0);
    free(text);
}

/* ---- the referee */

bool work_referee(struct session *t, struct error *error)
{
    if (!child_start(&t->referee, "referee", error)) return false;
    tell_start(t, &t->referee, t->record ? "record" : "rules", t->name, 0, t->seed);
    t->referee_due = clock_now() + SETTING_SECONDS;
    return true;
}

void work_follow(struct session *t, uint32_t first)
{
    tell_steps(t, &t->referee, first, t->turn);
    t->referee_due = clock_now() + FOLLOW_SECONDS;
}

void work_random(struct session *t, uint64_t seed)
{
    char line[80];
    int n = snprintf(line, sizeof line, "random 0 %" PRIu64 " 1000", seed);
    t->stage = SESSION_MOVING;
    t->rolling = true;
    tell(&t->referee, line, (size_t)n, NULL, 0);
    t->referee_due = clock_now() + FOLLOW_SECONDS;
}

/* ---- those who think */

struct thinker *work_thinker(struct session *t, uint32_t worker)
{
    if (worker == 1) return &t->adviser;
    return worker >= 2 && worker < 2 + t->nroles ? &t->seats[worker - 2].thinker : NULL;
}

const struct web_seat *work_seat(const struct session *t, const struct thinker *k)
{
    for (uint32_t i = 0; i < t->nroles; i++)
        if (&t->seats[i].thinker == k) return &t->seats[i];
    return NULL;
}

static bool is_remote(const struct session *t, const struct thinker *k)
{
    const struct web_seat *s = work_seat(t, k);
    return s && s->kind == SEAT_REMOTE;
}

static bool start_thinker(struct session *t, struct thinker *k, uint32_t role)
{
    struct error error;
    const struct web_seat *s = work_seat(t, k);
    const json_t *name = json_array_get(json_object_get(t->game, "roles"), role);
    if (!json_is_string(name) || !child_start(&k->child, is_remote(t, k) ? "courier" : "search", &error))
        return false;
    k->here = false;
    k->told = 0;
    tell_start(t, &k->child, s ? s->player : "champion", json_string_value(name), s ? s->clock : 1,
               t->seed + role + 1);
    if (!is_remote(t, k)) {
        char line[40];
        int n = snprintf(line, sizeof line, "watch %.2f", WATCH_SECONDS);
        tell(&k->child, line, (size_t)n, NULL, 0);
    }
    return true;
}

/* Bring it to the turn it is asked about. */
static void catch_up(struct session *t, struct thinker *k)
{
    if (k->told > k->turn) {
        tell(&k->child, "again", 5, NULL, 0);
        k->told = 0;
    }
    if (k->told < k->turn) tell_steps(t, &k->child, k->told, k->turn);
    k->told = k->turn;
}

/* The clock runs from now. The search is to be done a little before its answer is needed. */
void work_put(struct session *t, struct thinker *k)
{
    char line[100];
    double now = clock_now(), clock = k->due - k->began, margin = fmin(0.5, 0.15 * clock);
    k->began = now;
    k->due = now + clock;
    catch_up(t, k);
    int n = snprintf(line, sizeof line, "think %u %.6f %u", k->turn, k->due - margin, k->role);
    tell(&k->child, line, (size_t)n, NULL, 0);
    if (work_seat(t, k))
        session_tell(
            t, "thinking",
            json_pack("{s:i, s:i, s:f}", "turn", (int)k->turn, "role", (int)k->role, "seconds", clock));
}

void work_prepare(struct session *t)
{
    for (uint32_t i = 0; i < t->nroles && !t->paused && t->stage == SESSION_WAITING; i++)
        if (t->seats[i].kind == SEAT_PLAYER && !t->seats[i].thinker.child.pid)
            start_thinker(t, &t->seats[i].thinker, i);
}

void work_farewell(struct session *t)
{
    for (uint32_t i = 0; i < t->nroles; i++) {
        struct thinker *k = &t->seats[i].thinker;
        if (!is_remote(t, k) || !k->child.pid || !k->here) continue;
        k->turn = t->turn;
        catch_up(t, k);
        tell(&k->child, "stop", 4, NULL, 0);
    }
}

void work_think(struct session *t, struct thinker *k, uint32_t turn, uint32_t role, double seconds)
{
    free(k->opinion);
    k->opinion = NULL;
    json_decref(k->thoughts);
    k->thoughts = NULL;
    k->asked = true;
    k->turn = turn;
    k->role = role;
    k->began = clock_now();
    k->due = k->began + seconds;
    if (k->failures >= FAILURES_MAX || (!k->child.pid && !start_thinker(t, k, role))) {
        k->asked = false;
        if (work_seat(t, k)) session_replace(t, role, "this player cannot play here; a random move is made");
        return;
    }
    if (k->here) work_put(t, k); /* otherwise when it has read the rules */
}

void work_rest(struct session *t, struct thinker *k)
{
    bool was = k->asked;
    k->asked = false;
    free(k->opinion);
    k->opinion = NULL;
    if (was && k->child.pid && k->here && !is_remote(t, k)) tell(&k->child, "rest", 4, NULL, 0);
    if (was && k->advice) session_tell(t, "rest", json_object());
}

void work_end(struct thinker *k)
{
    child_kill(&k->child);
    free(k->opinion);
    json_decref(k->thoughts);
    bool advice = k->advice;
    *k = (struct thinker){.advice = advice};
}

/* It died, or will not do. */
void work_bury(struct session *t, struct thinker *k, const char *why)
{
    bool asked = k->asked;
    uint32_t role = k->role, failures = k->failures + 1;
    double left = k->due - clock_now();
    char *opinion = k->opinion;
    k->opinion = NULL;
    work_end(k);
    k->failures = failures;
    if (asked && !work_seat(t, k)) {
        session_tell(t, "remark", json_pack("{s:n, s:s}", "role", "text", why));
        session_tell(t, "rest", json_object());
    }
    if (asked && work_seat(t, k)) {
        if (failures < FAILURES_MAX)
            work_think(t, k, t->turn, role, fmax(left, work_seat(t, k)->clock / 2));
        else if (opinion)
            session_choose(t, role, opinion, NULL, work_seat(t, k)->clock);
        else
            session_replace(t, role, why);
    }
    free(opinion);
}

/* ---- requests that wait */

void work_ask(struct session *t, struct request *r, uint32_t worker, const char *verb, const char *rest,
              double seconds)
{
    int i = 0;
    while (i < SESSION_MAX_ASKED && t->asked[i].request) i++;
    struct child *c = worker == 0 ? &t->referee : &work_thinker(t, worker)->child;
    char *text = NULL;
    uint32_t id = ++t->next_id;
    if (i == SESSION_MAX_ASKED) return request_error(r, 429, "too many questions at once");
    int n = asprintf(&text, "%s %u%s%s", verb, id, *rest == '\n' ? "" : " ", rest);
    if (n < 0) return request_error(r, 503, "out of memory");
    t->asked[i] = (struct asked){r, id, clock_now() + seconds};
    tell(c, text, (size_t)n, NULL, 0);
    free(text);
}

/* ---- listening */

static struct child *child_of(struct session *t, uint32_t worker)
{
    struct thinker *k = work_thinker(t, worker);
    return worker == 0 ? &t->referee : k ? &k->child : NULL;
}

bool session_wants(const struct session *t, uint32_t worker, struct pollfd *out)
{
    const struct child *c = child_of((struct session *)t, worker);
    return c && child_wants(c, out);
}

struct speaker {
    struct session *session;
    uint32_t worker;
};

static void on_words(void *data, json_t *m)
{
    const struct speaker *who = data;
    if (who->worker == 0)
        hear_referee(who->session, m);
    else
        hear_thinker(who->session, work_thinker(who->session, who->worker), m);
}

void session_hear(struct session *t, uint32_t worker, short events)
{
    struct speaker who = {t, worker};
    struct child *c = child_of(t, worker);
    if (c && !child_hear(c, events, on_words, &who)) child_hasten(c);
}

bool session_child(struct session *t, pid_t pid, int status)
{
    for (uint32_t i = 0; i < 2 + t->nroles; i++) {
        struct child *c = child_of(t, i);
        if (!c || c->pid != pid) continue;
        if (!WIFSTOPPED(status)) session_hear(t, i, POLLIN); /* what it said before it died still counts */
        if (c->pid != pid) return true;
        if (i == 0)
            session_die(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                               ? "these rules took more memory or time than a table may have"
                               : "these rules were too much: the process that follows the game has died");
        else
            work_bury(t, work_thinker(t, i), "the process of this player has died");
        return true;
    }
    return false;
}

/* ---- the clock */

static double tend_thinker(struct session *t, struct thinker *k, double now)
{
    if (!k->asked) return INFINITY;
    double due = k->due + (k->here ? 0 : STARTING_SECONDS);
    if (now < due) return due;
    const struct web_seat *s = work_seat(t, k);
    if (!s) {
        work_rest(t, k);
    } else if (k->opinion) {
        char *opinion = k->opinion;
        k->opinion = NULL;
        uint32_t role = k->role;
        json_t *thoughts = json_incref(k->thoughts);
        work_rest(t, k);
        session_choose(t, role, opinion, thoughts, s->clock);
        json_decref(thoughts);
        free(opinion);
    } else {
        uint32_t role = k->role;
        k->asked = false;
        if (k->here && !is_remote(t, k)) work_rest(t, k);
        session_replace(t, role, "this player had no move in time; a random one is made");
    }
    return now;
}

double session_tick(struct session *t, double now)
{
    double again = INFINITY;
    if (t->stage == SESSION_DEAD) return again;
    if (t->referee_due > 0 && now >= t->referee_due) {
        session_die(t, "these rules take too long to follow");
        return again;
    }
    if (t->referee_due > 0) again = t->referee_due;
    for (uint32_t i = 1; i < 2 + t->nroles; i++)
        again = fmin(again, tend_thinker(t, work_thinker(t, i), now));
    for (int i = 0; i < SESSION_MAX_ASKED; i++) {
        if (!t->asked[i].request) continue;
        if (now < t->asked[i].due) {
            again = fmin(again, t->asked[i].due);
            continue;
        }
        request_error(t->asked[i].request, 504, "there was no answer in time");
        t->asked[i].request = NULL;
    }
    return again;
}
