// SPDX-License-Identifier: GPL-3.0-or-later
/* What both workers share: being a child of the server, and talking to it. */
#include "net/worker.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SERVER = 0 };     /* file descriptor */
enum { WATCH_MS = 100 }; /* between two looks around */

char *order_line(struct order *l)
{
    char *line = l->rest, *end;
    if (!line || !*line) return NULL;
    end = strchr(line, '\n');
    if (end) *end = '\0';
    l->rest = end ? end + 1 : NULL;
    return line;
}

static void deliver(struct inbox *b, const char *text, size_t n)
{
    struct order *l = malloc(sizeof *l + n + 1);
    if (!l) _exit(1); /* the server notices, and starts another */
    *l = (struct order){.size = n, .rest = l->text};
    memcpy(l->text, text, n);
    l->text[n] = '\0';
    size_t word = strcspn(l->text, " \n");
    snprintf(l->verb, sizeof l->verb, "%.*s", (int)word, l->text);
    l->rest += word + (word < n && l->text[word] == ' ');
    pthread_mutex_lock(&b->lock);
    *b->last = l;
    b->last = &l->next;
    atomic_store(&b->stop, true);
    pthread_cond_signal(&b->news);
    pthread_mutex_unlock(&b->lock);
}

static void look_around(struct inbox *b)
{
    pthread_mutex_lock(&b->lock);
    if (b->watch && b->watch(b->watch_data)) {
        b->other_news = true;
        atomic_store(&b->stop, true);
        pthread_cond_signal(&b->news);
    }
    pthread_mutex_unlock(&b->lock);
}

static void *listen_to_server(void *data)
{
    struct inbox *b = data;
    struct pollfd wait = {.fd = b->frames.socket, .events = POLLIN};
    for (;;) {
        int n = poll(&wait, 1, WATCH_MS);
        if (n > 0 && !frames_fill(&b->frames)) _exit(0); /* nobody is left to work for */
        size_t size;
        for (char *text; n > 0 && (text = frames_take(&b->frames, &size));) deliver(b, text, size);
        look_around(b);
    }
    return NULL;
}

void inbox_watch(struct inbox *b, bool (*watch)(void *data), void *data)
{
    pthread_mutex_lock(&b->lock);
    b->watch = watch;
    b->watch_data = data;
    pthread_mutex_unlock(&b->lock);
}

struct order *inbox_take(struct inbox *b, bool wait)
{
    pthread_mutex_lock(&b->lock);
    while (wait && !b->first && !b->other_news) pthread_cond_wait(&b->news, &b->lock);
    struct order *l = b->first;
    if (l) b->first = l->next;
    if (!b->first) {
        b->last = &b->first;
        atomic_store(&b->stop, l && b->other_news);
        if (!l) b->other_news = false;
    }
    pthread_mutex_unlock(&b->lock);
    return l;
}

void inbox_send_bytes(struct inbox *b, const char *bytes, size_t size)
{
    if (!frames_send(&b->frames, bytes, size, NULL, 0)) _exit(1);
    struct pollfd wait = {.fd = b->frames.socket, .events = POLLOUT};
    while (frames_waiting(&b->frames)) {
        poll(&wait, 1, -1);
        if (!frames_flush(&b->frames)) _exit(1);
    }
}

void inbox_send(struct inbox *b, json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text) _exit(1);
    inbox_send_bytes(b, text, strlen(text));
    free(text);
}

void inbox_refuse(struct inbox *b, const struct error *why)
{
    bool for_ever = why->code == ERROR_INPUT; /* starting again would not help */
    inbox_send(b, json_pack("{s:s, s:s, s:b}", "type", "refused", "why", why->text, "for_ever", for_ever));
    if (!for_ever) return;
    for (;;) free(inbox_take(b, true));
}

void inbox_lost(struct inbox *b, const char *why)
{
    inbox_send(b, json_pack("{s:s, s:s}", "type", "lost", "why", why));
    _exit(1);
}

/* Malloc gives NULL beyond the limit; what cannot live with that dies, which the server survives. Address
 * sanitizers map terabytes, and are left alone. */
static void limit_memory(uint64_t megabytes)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit limit = {.rlim_cur = (megabytes + 64) << 20, .rlim_max = (megabytes + 64) << 20};
    setrlimit(RLIMIT_DATA, &limit);
#else
    (void)megabytes;
#endif
}

static void be_a_child(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1) _exit(0); /* the server was quicker */
    if (getpriority(PRIO_PROCESS, 0) < 0) setpriority(PRIO_PROCESS, 0, 0);
    signal(SIGINT, SIG_IGN); /* Ctrl-C is for the server, which ends us */
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    /* When the machine runs out of memory the kernel shall take us, not the server. */
    FILE *file = fopen("/proc/self/oom_score_adj", "w");
    if (file) {
        fputs("500", file);
        fclose(file);
    }
}

static bool read_assignment(struct order *l, struct assignment *a)
{
    char *head = order_line(l), *end = head;
    if (strcmp(l->verb, "start") != 0 || !head) return false;
    a->seed = strtoull(end, &end, 10);
    a->megabytes = strtoull(end, &end, 10);
    a->seconds = strtod(end, &end);
    if (*end++ != ' ') return false;
    a->player = end;
    a->role = order_line(l);
    a->rules = l->rest ? l->rest : "";
    a->rules_size = strlen(a->rules);
    return a->role != NULL;
}

int worker_main(const struct worker_kind *kind)
{
    static struct inbox b;
    struct assignment a;
    pthread_t listener;
    be_a_child();
    frames_init(&b.frames, SERVER);
    b.last = &b.first;
    pthread_mutex_init(&b.lock, NULL);
    pthread_cond_init(&b.news, NULL);
    if (kind->batch) {
        /* The same share of the processor, but those who wait go first when they wake up. */
        struct sched_param none = {0};
        sched_setscheduler(0, SCHED_BATCH, &none);
    }
    if (pthread_create(&listener, NULL, listen_to_server, &b)) return 1;
    struct order *l = inbox_take(&b, true);
    if (!read_assignment(l, &a)) return 1;
    limit_memory(a.megabytes);
    kind->run(&b, &a);
    return 0;
}
