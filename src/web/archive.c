// SPDX-License-Identifier: GPL-3.0-or-later
/* The archive: reads the laboratory's database for the page. The database is opened for every question, so
 * that it may be made, moved or grow meanwhile. */
#include "lab/database/export.h"
#include "lab/report/report.h"
#include "web/worker.h"

#include <stdlib.h>
#include <string.h>

struct listing {
    struct db *db;
    json_t *list;
};

/* What the list says of an experiment: how far it is. */
static void add_experiment(void *data, const char *name)
{
    struct listing *l = data;
    json_array_append_new(l->list, json_string(name));
}

static json_t *summary(struct db *db, const char *name)
{
    struct error error;
    struct results *r = results_read(db, name, &error);
    if (!r) return json_pack("{s:s, s:s}", "name", name, "trouble", error.text);
    json_t *out = json_pack("{s:s, s:s, s:I, s:I, s:i, s:i, s:f}", "name", name, "title", r->title, "played",
                            (json_int_t)r->played, "wanted", (json_int_t)r->wanted, "games", (int)r->ngames,
                            "pairings", (int)r->npairings, "seconds", r->seconds);
    results_free(r);
    return out;
}

static json_t *list_all(struct db *db, struct error *error)
{
    struct listing l = {.db = db, .list = json_array()};
    json_t *out = json_array(), *name;
    size_t i;
    if (!results_each(db, add_experiment, &l, error)) {
        json_decref(l.list);
        json_decref(out);
        return NULL;
    }
    json_array_foreach(l.list, i, name) json_array_append_new(out, summary(db, json_string_value(name)));
    json_decref(l.list);
    return json_pack("{s:o}", "experiments", out);
}

static json_t *report(struct db *db, const char *name, struct error *error)
{
    struct results *r = results_read(db, name, error);
    json_t *out = r ? report_json(r) : NULL;
    if (r && !out) error_set(error, ERROR_MEMORY, "out of memory");
    results_free(r);
    return out;
}

static json_t *record(struct db *db, const char *experiment, const char *game, const char *pairing,
                      uint32_t number, struct error *error)
{
    struct record *r = export_game(db, experiment, game, pairing, number, error);
    struct heap_guard guard;
    json_t *volatile out = NULL;
    if (r && HEAP_ENTER(r->heap, &guard, error)) {
        struct text t;
        text_init(&t, r->heap);
        record_print(r, RECORD_JSON, &t);
        out = json_pack("{s:o}", "record", json_stringn(text_str(&t), t.n));
        heap_leave(r->heap);
    }
    record_free(r);
    return out;
}

static void answer(struct inbox *b, const char *id, json_t *m, const struct error *error)
{
    if (!m) m = json_pack("{s:s}", "trouble", error->text);
    json_object_set_new(m, "type", json_string("archive"));
    json_object_set_new(m, "id", json_string(id));
    inbox_send(b, m);
}

void archive_run(struct inbox *b, const struct assignment *a)
{
    for (;;) {
        struct order *l = inbox_take(b, true);
        if (!l) continue;
        struct error error = {0};
        char *head = order_line(l), *id = strsep(&head, " "), *number = strsep(&head, " ");
        char *experiment = order_line(l), *game = order_line(l), *pairing = order_line(l);
        struct db *db = db_open(a->role, false, &error);
        json_t *m = NULL;
        if (db && strcmp(l->verb, "report") == 0)
            m = experiment ? report(db, experiment, &error) : list_all(db, &error);
        if (db && strcmp(l->verb, "record") == 0 && experiment)
            m = record(db, experiment, game && *game ? game : NULL, pairing && *pairing ? pairing : NULL,
                       number ? (uint32_t)strtoul(number, NULL, 10) : 0, &error);
        db_close(db);
        answer(b, id ? id : "", m, &error);
        free(l);
    }
}
