// SPDX-License-Identifier: GPL-3.0-or-later
/* The laboratory's database, read by a process of its own that is there while somebody looks. */
#include "base/clock.h"
#include "web/web.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define READING_SECONDS 30.0
#define IDLE_SECONDS 60.0

static void tell(struct web *w, const char *text)
{
    if (w->archive.pid) frames_send(&w->archive.frames, text, strlen(text), NULL, 0);
}

static bool open_archive(struct web *w, struct error *error)
{
    char *order = NULL;
    if (w->archive.pid) return true;
    if (!child_start(&w->archive, "archive", error)) return false;
    if (asprintf(&order, "start 1 %" PRIu64 " 0 -\n%s\n", w->options->limits.megabytes,
                 w->options->database) < 0)
        return error_set(error, ERROR_MEMORY, "out of memory");
    tell(w, order);
    free(order);
    return true;
}

static void ask(struct web *w, struct request *r, const char *verb, const char *number, const char *rest)
{
    struct error error = {0};
    char *order = NULL;
    int i = 0;
    while (i < WEB_READINGS && w->readings[i].request) i++;
    if (i == WEB_READINGS) return request_error(r, 429, "too many questions at once");
    if (!open_archive(w, &error)) return request_error(r, 503, "%s", error.text);
    uint32_t id = ++w->next_reading;
    if (asprintf(&order, "%s %u %s%s", verb, id, number, rest) < 0)
        return request_error(r, 503, "out of memory");
    w->read = clock_now();
    w->readings[i] = (struct reading){r, id, w->read + READING_SECONDS};
    tell(w, order);
    free(order);
}

static bool is_name(const char *s)
{
    if (!s || strlen(s) > 300) return false;
    for (; *s; s++)
        if ((unsigned char)*s < ' ') return false;
    return true;
}

/* /api/lab, /api/lab/experiment?name=, /api/lab/game?name=&game=&pairing=&number= */
void lab_request(struct web *w, struct request *r, const char *path)
{
    const char *name = request_query(r, "name"), *game = request_query(r, "game");
    const char *pairing = request_query(r, "pairing"), *number = request_query(r, "number");
    char *rest = NULL;
    if (!*path) return ask(w, r, "report", "", "");
    if (!is_name(name)) return request_error(r, 400, "an experiment needs a name");
    if (strcmp(path, "/experiment") == 0) {
        if (asprintf(&rest, "\n%s", name) < 0) return request_error(r, 503, "out of memory");
        ask(w, r, "report", "", rest);
    } else if (strcmp(path, "/game") == 0) {
        char digits[20];
        if (!is_name(game ? game : "") || !is_name(pairing ? pairing : ""))
            return request_error(r, 400, "there is no such game");
        snprintf(digits, sizeof digits, "%lu", number ? strtoul(number, NULL, 10) : 0);
        if (asprintf(&rest, "\n%s\n%s\n%s", name, game ? game : "", pairing ? pairing : "") < 0)
            return request_error(r, 503, "out of memory");
        ask(w, r, "record", digits, rest);
    } else {
        request_error(r, 404, "the laboratory does not know that");
    }
    free(rest);
}

bool lab_wants(const struct web *w, struct pollfd *out)
{
    return child_wants(&w->archive, out);
}

static void answer(void *data, json_t *m)
{
    struct web *w = data;
    const char *id = json_string_value(json_object_get(m, "id"));
    const char *trouble = json_string_value(json_object_get(m, "trouble"));
    for (int i = 0; i < WEB_READINGS; i++) {
        struct request *r = w->readings[i].request;
        if (!r || !id || w->readings[i].id != strtoul(id, NULL, 10)) continue;
        w->readings[i].request = NULL;
        json_object_del(m, "type");
        json_object_del(m, "id");
        if (trouble)
            request_error(r, 404, "%s", trouble);
        else
            request_json(r, 200, json_incref(m));
        return;
    }
}

void lab_hear(struct web *w, short events)
{
    if (!child_hear(&w->archive, events, answer, w)) lab_close(w);
}

void lab_close(struct web *w)
{
    child_kill(&w->archive);
    for (int i = 0; i < WEB_READINGS; i++)
        if (w->readings[i].request) {
            request_error(w->readings[i].request, 503, "the database could not be read");
            w->readings[i].request = NULL;
        }
}

bool lab_child(struct web *w, pid_t pid)
{
    if (!w->archive.pid || w->archive.pid != pid) return false;
    lab_close(w);
    return true;
}

double lab_tick(struct web *w, double now)
{
    double again = INFINITY;
    if (!w->archive.pid) return again;
    for (int i = 0; i < WEB_READINGS; i++) {
        if (!w->readings[i].request) continue;
        if (now >= w->readings[i].due) {
            lab_close(w);
            return again;
        }
        again = fmin(again, w->readings[i].due);
    }
    if (isinf(again) && now > w->read + IDLE_SECONDS) lab_close(w);
    return fmin(again, w->read + IDLE_SECONDS + 1);
}
