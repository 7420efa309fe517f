// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/server.h"

#include "base/clock.h"
#include "net/daemon.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOTABLE_DELAY 0.1 /* seconds */

struct server {
    const struct server_options *options;
    struct http *http;
    struct journal *journal;
    int signals;
    bool ends;
    struct sitting *sittings; /* newest first */
    uint64_t started;         /* matches, for their seeds */
    double last_refusal;      /* that was written down */
    uint64_t unwritten;       /* since then */
};

static bool occupied(const struct sitting *s)
{
    return s->stage < SITTING_CLOSING;
}

static uint32_t seats_taken(const struct server *s)
{
    uint32_t n = 0;
    for (const struct sitting *x = s->sittings; x; x = x->next) n += occupied(x);
    return n;
}

static struct sitting *find(const struct server *s, struct slice id)
{
    for (struct sitting *x = s->sittings; x; x = x->next)
        if (occupied(x) && strlen(x->id) == id.n && memcmp(x->id, id.at, id.n) == 0) return x;
    return NULL;
}

/* ---- messages ---- */

static void note(struct server *s, const char *event, const struct message *m)
{
    journal_write(s->journal, event,
                  json_pack("{s:s, s:o}", "message", message_name(m->kind), "match",
                            m->id.n ? journal_string(m->id.at, m->id.n) : json_null()));
    if (!s->options->sitting.quiet)
        printf("%s: %s %.*s\n", event, message_name(m->kind), (int)(m->id.n < 60 ? m->id.n : 60),
               m->id.n ? m->id.at : "");
}

static void on_info(struct server *s, struct http_request *r)
{
    char text[300];
    snprintf(text, sizeof text, "((name %s) (status %s) (species alien))", s->options->name,
             seats_taken(s) < s->options->matches ? "available" : "busy");
    http_reply(r, 200, text);
}

/* What can be said against a START without reading its rules. */
static bool acceptable(const struct server *s, const struct message *m, struct error *why)
{
    double longest = fmax(m->start_clock, m->play_clock);
    struct slice rules = m->rules, term;
    if (longest > s->options->max_clock)
        return error_set(why, ERROR_INPUT, "a %s clock of %g s; here they have %g s at most (--max-clock)",
                         longest == m->play_clock ? "play" : "start", longest, s->options->max_clock);
    if (!slice_term(&rules, &term, why)) return error_set(why, ERROR_INPUT, "there are no rules");
    return true;
}

static void decline(struct server *s, const struct message *m, const struct error *why)
{
    journal_write(s->journal, "declined",
                  json_pack("{s:o, s:s}", "match", journal_string(m->id.at, m->id.n), "why", why->text));
    if (!s->options->sitting.quiet)
        printf("%.*s: declined: %s\n", (int)(m->id.n < 60 ? m->id.n : 60), m->id.at, why->text);
}

/* This machine's people may fill the table; of strangers each may have a share. */
static uint32_t seats_for(const struct server *s, const struct sockaddr *address)
{
    if (s->options->per_address) return (uint32_t)s->options->per_address;
    if (origin_is_loopback(address)) return UINT32_MAX;
    return (uint32_t)(s->options->matches + 1) / 2;
}

static uint32_t seats_of(const struct server *s, const struct sockaddr *address)
{
    uint32_t n = 0;
    for (const struct sitting *x = s->sittings; x; x = x->next)
        n += occupied(x) && subnet_same_host((const struct sockaddr *)&x->master, address);
    return n;
}

static void on_start(struct server *s, const struct message *m, struct http_request *r, double arrival)
{
    struct sitting *known = find(s, m->id);
    struct error error;
    if (known && sitting_same(known, m) && known->turn == 0 && !known->answer)
        return sitting_start_again(known, r);
    if (known && !sitting_same(known, m)) {
        note(s, "a second seat in one match", m);
        return http_reply(r, 200, "busy");
    }
    if (known) sitting_end(known, "started again");
    if (!acceptable(s, m, &error)) {
        decline(s, m, &error);
        char text[sizeof error.text + 16];
        snprintf(text, sizeof text, "refused: %s", error.text);
        return http_reply(r, 200, text);
    }
    uint32_t limit = seats_for(s, http_peer(r));
    if (seats_of(s, http_peer(r)) >= limit) {
        error_set(&error, ERROR_INPUT, "one address has %u matches here already (--per-address)", limit);
        decline(s, m, &error);
        return http_reply(r, 200, "busy");
    }
    if (seats_taken(s) >= s->options->matches) {
        note(s, "no seat is free", m);
        return http_reply(r, 200, "busy");
    }
    uint64_t seed = s->options->sitting.seed + s->started++;
    struct sitting *x = sitting_new(&s->options->sitting, m, seed, r, arrival, &error);
    if (!x) return http_reply(r, 200, "busy");
    x->next = s->sittings;
    s->sittings = x;
}

/* A match that was under way when an earlier server was killed. */
static struct sitting *take_up(struct server *s, const struct message *m, struct http_request *r,
                               double arrival)
{
    if (m->id.n == 0 || seats_taken(s) >= s->options->matches ||
        seats_of(s, http_peer(r)) >= seats_for(s, http_peer(r)))
        return NULL;
    struct sitting *x = sitting_take_up(&s->options->sitting, m->id, r, arrival);
    if (!x) return NULL;
    x->next = s->sittings;
    return s->sittings = x;
}

static void on_message(void *data, struct http_request *r, const char *text, size_t size, double arrival)
{
    struct server *s = data;
    struct message m;
    struct error error;
    if (size == 0) return on_info(s, r); /* somebody looks with a browser */
    if (!message_parse(text, size, &m, &error)) {
        journal_write(s->journal, "bad message",
                      json_pack("{s:o, s:o}", "why", journal_string(error.text, strlen(error.text)), "text",
                                journal_string(text, size < 200 ? size : 200)));
        return http_reply(r, 400, error.text);
    }
    struct sitting *x = m.id.n ? find(s, m.id) : NULL;
    if (!x && (m.kind == MESSAGE_PLAY || m.kind == MESSAGE_STOP)) x = take_up(s, &m, r, arrival);
    switch (m.kind) {
    case MESSAGE_INFO: return on_info(s, r);
    case MESSAGE_PREVIEW: return http_reply(r, 200, "ready");
    case MESSAGE_START: return on_start(s, &m, r, arrival);
    case MESSAGE_PLAY:
        if (x) return sitting_play(x, &m, r, arrival);
        note(s, "unknown match", &m);
        return http_reply(r, 200, "busy");
    case MESSAGE_STOP:
        if (x) return sitting_stop(x, &m, r);
        note(s, "unknown match", &m);
        return http_reply(r, 200, "done");
    case MESSAGE_ABORT:
        if (x) return sitting_abort(x, r);
        note(s, "unknown match", &m);
        return http_reply(r, 200, "aborted");
    }
}

/* Whoever is turned away could fill the disk with it: one line a second says how many there were. */
static void on_refusal(void *data, const struct sockaddr *from, const char *why)
{
    struct server *s = data;
    char address[SUBNET_TEXT];
    double now = clock_now();
    if (now < s->last_refusal + 1) {
        s->unwritten++;
        return;
    }
    json_t *m =
        json_pack("{s:s, s:o}", "from", subnet_print(from, address), "why", journal_string(why, strlen(why)));
    if (m && s->unwritten) json_object_set_new(m, "more", json_integer((json_int_t)s->unwritten));
    journal_write(s->journal, "turned away", m);
    if (!s->options->sitting.quiet) {
        printf("turned away %s: %s\n", address, why);
        fflush(stdout);
    }
    s->last_refusal = now;
    s->unwritten = 0;
}

/* ---- the loop ---- */

static void on_signals(struct server *s)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;
    while (read(s->signals, &info, sizeof info) == sizeof info)
        s->ends |= info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0)
        for (struct sitting *x = s->sittings; x && !sitting_child(x, pid, status); x = x->next) {
        }
}

static void leave_tables(struct server *s)
{
    for (struct sitting **link = &s->sittings; *link;) {
        struct sitting *x = *link;
        if (x->stage == SITTING_OVER) {
            *link = x->next;
            sitting_free(x);
        } else {
            link = &x->next;
        }
    }
}

/* Wait for whatever comes first, but not beyond `until`, and take notice of it. Returns when it came. */
static double wait_for_news(struct server *s, double until)
{
    double woke = clock_now();
    uint32_t n = 2, room = 2;
    for (struct sitting *x = s->sittings; x; x = x->next) room += SITTING_CHILDREN;
    struct pollfd *fds = calloc(room, sizeof *fds);
    struct sitting **whose = calloc(room, sizeof *whose);
    int *which = calloc(room, sizeof *which);
    if (fds && whose && which) {
        fds[0] = (struct pollfd){http_fd(s->http), POLLIN, 0};
        fds[1] = (struct pollfd){s->signals, POLLIN, 0};
        for (struct sitting *x = s->sittings; x; x = x->next)
            for (int i = 0; i < SITTING_CHILDREN; i++)
                if (sitting_wants(x, i, &fds[n])) whose[n] = x, which[n++] = i;
        double wait = fmin(fmax(until - clock_now(), 0), 60);
        poll(fds, n, (int)ceil(wait * 1000));
        woke = clock_now();
        if (fds[1].revents) on_signals(s);
        for (uint32_t i = 2; i < n; i++)
            if (fds[i].revents) sitting_hear(whose[i], which[i], fds[i].revents);
    }
    free(fds);
    free(whose);
    free(which);
    return woke;
}

/* A machine that does not let us run when we want to, or work that took longer than it should, explains
 * answers with little margin. */
static void note_delay(struct server *s, const char *what, double seconds)
{
    if (seconds > NOTABLE_DELAY)
        journal_write(s->journal, "delay", json_pack("{s:s, s:f}", "what", what, "seconds", seconds));
}

static void serve(struct server *s)
{
    double woke = clock_now();
    while (!s->ends) {
        double again = clock_now() + http_run(s->http), now = clock_now();
        for (struct sitting *x = s->sittings; x; x = x->next) again = fmin(again, sitting_tick(x, now));
        leave_tables(s);
        note_delay(s, "work", clock_now() - woke);
        woke = wait_for_news(s, again);
        if (again > now) note_delay(s, "sleep", woke - again);
    }
    for (struct sitting *x = s->sittings; x; x = x->next) sitting_end(x, "the server ends");
    leave_tables(s);
}

bool server_run(const struct server_options *options, struct error *error)
{
    struct server s = {.options = options, .signals = -1};
    daemon_raise_limits();
    s.journal = journal_open_server(options->sitting.log, error);
    if (error->code == ERROR_NONE) s.signals = daemon_signals(error);
    bool good = s.signals >= 0;
    if (good) s.http = http_open(options->bind, (int)options->port, MESSAGE_MAX_BYTES, on_message, &s, error);
    good = s.http != NULL;
    if (good) {
        http_set_guard(s.http, &options->guard, on_refusal);
        printf("ludens listens on %s port %d, %d match%s at once\n", options->bind, http_port(s.http),
               (int)options->matches, options->matches == 1 ? "" : "es");
        fflush(stdout);
        journal_write(s.journal, "listening",
                      json_pack("{s:s, s:i, s:s}", "bind", options->bind, "port", http_port(s.http), "player",
                                options->sitting.player));
        serve(&s);
        journal_write(s.journal, "ended", NULL);
    }
    http_close(s.http);
    journal_close(s.journal);
    if (s.signals >= 0) close(s.signals);
    return good;
}
