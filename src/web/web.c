// SPDX-License-Identifier: GPL-3.0-or-later
#include "web/web.h"

#include "base/clock.h"
#include "game/library.h"
#include "net/daemon.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOB_DESCRIPTORS 16

static void on_signals(struct web *w)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;
    while (read(w->signals, &info, sizeof info) == sizeof info)
        w->ends |= info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (jobs_child(&w->jobs, pid, status) || lab_child(w, pid)) continue;
        for (struct session *t = w->sessions; t && !session_child(t, pid, status); t = t->next) {
        }
    }
}

static void clear_sessions(struct web *w, double now, bool all)
{
    for (struct session **link = &w->sessions; *link;) {
        struct session *t = *link;
        if (!all && !session_is_over(t, now)) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        w->nsessions--;
        session_free(t);
    }
}

/* Whom a descriptor belongs to. */
struct listener_of {
    struct session *session;
    uint32_t worker;
};

static void wait_for_news(struct web *w, double until)
{
    uint32_t room = 3 + JOB_DESCRIPTORS, n = 2;
    for (struct session *t = w->sessions; t; t = t->next) room += 2 + t->nroles;
    struct pollfd *fds = calloc(room, sizeof *fds);
    struct listener_of *whose = calloc(room, sizeof *whose);
    if (!fds || !whose) {
        free(fds);
        free(whose);
        return;
    }
    fds[0] = (struct pollfd){door_fd(w->door), POLLIN, 0};
    fds[1] = (struct pollfd){w->signals, POLLIN, 0};
    uint32_t jobs_at = n, jobs = jobs_wants(&w->jobs, fds + n, JOB_DESCRIPTORS);
    n += jobs;
    uint32_t lab_at = n, lab = lab_wants(w, &fds[n]);
    n += lab;
    for (struct session *t = w->sessions; t; t = t->next)
        for (uint32_t i = 0; i < 2 + t->nroles; i++)
            if (session_wants(t, i, &fds[n])) whose[n++] = (struct listener_of){t, i};
    double wait = fmin(fmax(until - clock_now(), 0), 60);
    poll(fds, n, (int)ceil(wait * 1000));
    if (fds[1].revents) on_signals(w);
    jobs_hear(&w->jobs, fds + jobs_at, jobs);
    if (lab && fds[lab_at].revents && w->archive.pid) lab_hear(w, fds[lab_at].revents);
    for (uint32_t i = lab_at + lab; i < n; i++)
        if (fds[i].revents) session_hear(whose[i].session, whose[i].worker, fds[i].revents);
    free(fds);
    free(whose);
}

static void serve(struct web *w)
{
    while (!w->ends) {
        double again = clock_now() + door_run(w->door), now = clock_now();
        for (struct session *t = w->sessions; t; t = t->next) again = fmin(again, session_tick(t, now));
        again = fmin(again, jobs_tick(&w->jobs, now));
        again = fmin(again, lab_tick(w, now));
        clear_sessions(w, now, false);
        if (w->sessions) again = fmin(again, now + 10);
        wait_for_news(w, again);
    }
}

static void say_where(const struct web *w)
{
    const char *bind = w->options->door.bind, *token = door_token(w->door);
    bool any = strcmp(bind, "0.0.0.0") == 0 || strcmp(bind, "::") == 0, v6 = strchr(bind, ':') && !any;
    char own[256] = "localhost";
    if (any && gethostname(own, sizeof own - 1) == 0) bind = own;
    if (strcmp(bind, "127.0.0.1") == 0) bind = "localhost";
    printf("Ludens is at http://%s%s%s:%d/%s%s\n", v6 ? "[" : "", bind, v6 ? "]" : "", door_port(w->door),
           token, *token ? "/" : "");
    if (!w->options->quiet) printf("Ctrl-C ends it.\n");
    fflush(stdout);
}

bool web_run(const struct web_options *options, struct error *error)
{
    struct web w = {.options = options, .signals = -1, .archive.frames.socket = -1};
    daemon_raise_limits();
    jobs_init(&w.jobs, options->limits.megabytes);
    w.library = library_list(error);
    if (!w.library) w.library = json_array(); /* there are still sheets to paste */
    w.pictures = json_object();
    w.signals = daemon_signals(error);
    bool good = w.signals >= 0;
    if (good) w.door = door_open(&options->door, web_request, &w, error);
    if (w.door) {
        say_where(&w);
        serve(&w);
    }
    clear_sessions(&w, 0, true);
    jobs_done(&w.jobs);
    lab_close(&w);
    good = w.door != NULL;
    door_close(w.door);
    json_decref(w.library);
    json_decref(w.pictures);
    if (w.signals >= 0) close(w.signals);
    return good;
}
