// SPDX-License-Identifier: GPL-3.0-or-later
#include "web/jobs.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 3
#define WAITING_MAX 200
#define JOB_SECONDS 30.0

struct job {
    struct job *next;
    struct request *request; /* NULL: answered */
    struct child child;
    double due; /* 0: not begun */
    char *order, *rules, *name;
    size_t size;
    void (*done)(void *data, const char *name, const json_t *answer);
    void *data;
};

void jobs_init(struct jobs *j, uint64_t megabytes)
{
    *j = (struct jobs){.megabytes = megabytes};
    j->last = &j->first;
}

static void job_free(struct job *x)
{
    child_kill(&x->child);
    if (x->request) request_error(x->request, 503, "the server ends");
    free(x->order);
    free(x->rules);
    free(x->name);
    free(x);
}

void jobs_done(struct jobs *j)
{
    while (j->first) {
        struct job *x = j->first;
        j->first = x->next;
        job_free(x);
    }
}

static bool begin(struct jobs *j, struct job *x, double now)
{
    struct error error;
    if (!child_start(&x->child, "desk", &error)) {
        request_error(x->request, 503, "%s", error.text);
        x->request = NULL;
        return false;
    }
    x->due = now + JOB_SECONDS;
    j->running++;
    frames_send(&x->child.frames, x->order, strlen(x->order), x->rules, x->size);
    return true;
}

void jobs_add(struct jobs *j, struct request *r, const char *what, const char *name, const char *rules,
              size_t size, void (*done)(void *data, const char *name, const json_t *answer), void *data)
{
    struct job *x = j->n < WAITING_MAX ? calloc(1, sizeof *x) : NULL;
    if (!x) return request_error(r, 503, "too many sheets are being looked at; try again");
    *x = (struct job){.request = r, .size = size, .done = done, .data = data, .child.frames.socket = -1};
    x->rules = malloc(size + 1);
    x->name = strdup(name);
    if (x->name)
        for (char *c = x->name; *c; c++)
            if ((unsigned char)*c < ' ') *c = ' ';
    if (asprintf(&x->order, "start 1 %" PRIu64 " 0 %s\n%s\n", j->megabytes, what, x->name ? x->name : "") < 0)
        x->order = NULL;
    if (!x->rules || !x->name || !x->order) {
        request_error(r, 503, "out of memory");
        x->request = NULL;
        return job_free(x);
    }
    memcpy(x->rules, rules, size);
    *j->last = x;
    j->last = &x->next;
    j->n++;
    jobs_tick(j, clock_now());
}

static void finish(struct jobs *j, struct job *x, json_t *answer, const char *why)
{
    if (x->child.pid) j->running--;
    child_kill(&x->child);
    if (!x->request) return;
    if (answer) {
        json_object_del(answer, "type");
        if (x->done) x->done(x->data, x->name, answer);
        request_json(x->request, 200, json_incref(answer));
    } else {
        request_json(x->request, 200, json_pack("{s:s, s:[]}", "trouble", why, "findings"));
    }
    x->request = NULL;
}

uint32_t jobs_wants(const struct jobs *j, struct pollfd *out, uint32_t max)
{
    uint32_t n = 0;
    for (struct job *x = j->first; x && n < max; x = x->next) n += child_wants(&x->child, &out[n]);
    return n;
}

static void hear(struct jobs *j, struct job *x)
{
    size_t n;
    frames_flush(&x->child.frames);
    frames_fill(&x->child.frames);
    char *text = frames_take(&x->child.frames, &n);
    json_t *m = text ? json_loadb(text, n, 0, NULL) : NULL;
    if (m) finish(j, x, m, NULL);
    json_decref(m);
}

void jobs_hear(struct jobs *j, const struct pollfd *fds, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (struct job *x = j->first; x && fds[i].revents; x = x->next)
            if (x->child.pid && x->child.frames.socket == fds[i].fd) {
                hear(j, x);
                break;
            }
}

bool jobs_child(struct jobs *j, pid_t pid, int status)
{
    (void)status;
    for (struct job *x = j->first; x; x = x->next)
        if (x->child.pid == pid) {
            hear(j, x);
            if (x->child.pid) finish(j, x, NULL, "this sheet took more memory than there is for it");
            return true;
        }
    return false;
}

double jobs_tick(struct jobs *j, double now)
{
    double again = INFINITY;
    for (struct job **link = &j->first; *link;) {
        struct job *x = *link;
        if (x->request && !x->due && j->running < AT_ONCE) begin(j, x, now);
        if (x->request && x->due && now >= x->due) finish(j, x, NULL, "this sheet takes too long to look at");
        if (x->request) {
            if (x->due) again = fmin(again, x->due);
            link = &x->next;
            continue;
        }
        *link = x->next;
        if (!*link) j->last = link;
        j->n--;
        job_free(x);
    }
    return again;
}
