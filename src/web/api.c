// SPDX-License-Identifier: GPL-3.0-or-later
/* What can be asked for: the table of routes. docs/web-api.md describes each for those who use them. */
#include "base/clock.h"
#include "game/game.h"
#include "game/library.h"
#include "player/config.h"
#include "web/web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the page */

static void on_page(struct web *w, struct request *r, const char *path)
{
    (void)w;
    if (strcmp(path, "/") == 0) path = "/index.html";
    for (const struct page *p = web_pages; p->path; p++)
        if (strcmp(p->path, path) == 0)
            return request_answer(r, 200, p->type, (const char *)p->bytes, p->size, p->etag);
    request_error(r, 404, "there is no such page");
}

/* ---- the library */

/* A game of the library by its name, which must be one of the list: no path leads anywhere else. */
static bool is_game(const struct web *w, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(w->library, i, entry)
    {
        const char *known = json_string_value(json_object_get(entry, "name"));
        if (known && strcmp(known, name) == 0) return true;
    }
    return false;
}

/* The text of a sheet of the library; the caller frees it. */
static char *read_game(const struct web *w, const char *name, size_t *size)
{
    char path[4400], folder[4200];
    struct error error;
    if (!is_game(w, name) || !game_library(folder, sizeof folder, &error)) return NULL;
    snprintf(path, sizeof path, "%s/%.150s.kif", folder, name);
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(w->options->rules_bytes + 1) : NULL;
    *size = text ? fread(text, 1, w->options->rules_bytes, file) : 0;
    if (text) text[*size] = '\0';
    if (file) fclose(file);
    return text;
}

static void on_games(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)rest, (void)body;
    request_json(r, 200, json_pack("{s:O}", "games", w->library));
}

static void keep_picture(void *data, const char *name, const json_t *answer)
{
    struct web *w = data;
    if (json_object_get(answer, "position")) json_object_set(w->pictures, name, (json_t *)answer);
}

static void on_game(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)body;
    char name[200];
    size_t n = strcspn(rest, "/"), size;
    snprintf(name, sizeof name, "%.*s", (int)n, rest);
    char *rules = read_game(w, name, &size);
    if (!rules) return request_error(r, 404, "the library has no such game");
    json_t *known = json_object_get(w->pictures, name);
    if (strcmp(rest + n, "/picture") == 0) {
        if (known)
            request_json(r, 200, json_incref(known));
        else
            jobs_add(&w->jobs, r, "picture", name, rules, size, keep_picture, w);
    } else if (rest[n] == '\0') {
        json_t *text = json_stringn(rules, size);
        request_json(r, 200, json_pack("{s:s, s:o}", "name", name, "rules", text ? text : json_string("")));
    } else {
        request_error(r, 404, "there is nothing like that about a game");
    }
    free(rules);
}

static void on_players(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)rest, (void)body;
    json_t *presets = json_array(), *options = json_array();
    for (const struct player_preset *p = player_presets; p->name; p++)
        json_array_append_new(presets, json_pack("{s:s, s:s, s:s}", "name", p->name, "options",
                                                 p->options ? p->options : "", "help", p->help));
    for (const struct player_option *o = player_options; o->name; o++) {
        char value[100];
        player_option_default(o, value, sizeof value);
        json_array_append_new(
            options, json_pack("{s:s, s:s, s:s}", "name", o->name, "default", value, "help", o->help));
    }
    request_json(r, 200,
                 json_pack("{s:o, s:o, s:f}", "players", presets, "options", options, "longest",
                           w->options->limits.think));
}

/* ---- sheets */

static const char *rules_of(struct web *w, struct request *r, const json_t *body, size_t *size)
{
    const json_t *rules = json_object_get(body, "rules");
    *size = json_string_length(rules);
    if (!json_is_string(rules)) {
        request_error(r, 400, "there are no rules");
        return NULL;
    }
    if (*size > w->options->rules_bytes) {
        request_error(r, 413, "rule sheets may have %zu kB here, and this one has %zu",
                      w->options->rules_bytes / 1024, *size / 1024);
        return NULL;
    }
    if (strlen(json_string_value(rules)) != *size) {
        request_error(r, 400, "rules contain no NUL characters");
        return NULL;
    }
    return json_string_value(rules);
}

static const char *name_of(const json_t *body, const char *otherwise)
{
    const char *name = json_string_value(json_object_get(body, "name"));
    return name && *name ? name : otherwise;
}

static void on_check(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)rest;
    size_t size;
    const char *rules = rules_of(w, r, body, &size);
    if (rules) jobs_add(&w->jobs, r, "check", name_of(body, "sheet"), rules, size, NULL, NULL);
}

static void on_format(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)rest;
    size_t size;
    const char *rules = rules_of(w, r, body, &size);
    if (rules) jobs_add(&w->jobs, r, "format", name_of(body, "sheet"), rules, size, NULL, NULL);
}

/* ---- tables */

static struct session *find_session(struct web *w, const char *id, size_t n)
{
    for (struct session *t = w->sessions; t; t = t->next)
        if (strlen(t->id) == n && memcmp(t->id, id, n) == 0) return t;
    return NULL;
}

static void add_session(struct web *w, struct request *r, struct session *t, const struct error *error)
{
    if (!t) return request_error(r, 422, "%s", error->text);
    t->next = w->sessions;
    w->sessions = t;
    w->nsessions++;
    request_json(r, 201, json_pack("{s:s}", "id", t->id));
}

static void on_new_session(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)rest;
    struct error error = {0};
    const char *game = json_string_value(json_object_get(body, "game"));
    size_t size;
    if (w->nsessions >= w->options->sessions)
        return request_error(r, 429, "all %d tables are taken; close one, or try again later",
                             (int)w->options->sessions);
    if (game) {
        char *rules = read_game(w, game, &size);
        if (!rules) return request_error(r, 404, "the library has no such game");
        add_session(w, r, session_new(&w->options->limits, body, game, rules, size, &error), &error);
        free(rules);
    } else if (json_is_string(json_object_get(body, "record"))) {
        add_session(w, r, session_new(&w->options->limits, body, "record", NULL, 0, &error), &error);
    } else {
        const char *rules = rules_of(w, r, body, &size);
        if (rules)
            add_session(w, r,
                        session_new(&w->options->limits, body, name_of(body, "sheet"), rules, size, &error),
                        &error);
    }
}

static void on_session(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    size_t n = strcspn(rest, "/");
    struct session *t = find_session(w, rest, n);
    if (!t) return request_error(r, 404, "this table was cleared");
    if (strcmp(request_method(r), "DELETE") == 0 && !rest[n]) {
        session_end(t); /* the loop clears it */
        return request_json(r, 200, json_object());
    }
    session_request(t, r, rest[n] ? rest + n + 1 : "", body);
}

static void on_lab(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)body;
    lab_request(w, r, rest);
}

static void on_status(struct web *w, struct request *r, const char *rest, const json_t *body)
{
    (void)rest, (void)body;
    request_json(r, 200,
                 json_pack("{s:s, s:i, s:i, s:i, s:f, s:f}", "version", LUDENS_VERSION, "sessions",
                           (int)w->nsessions, "most_sessions", (int)w->options->sessions, "rules_bytes",
                           (int)w->options->rules_bytes, "longest", w->options->limits.think, "idle",
                           w->options->limits.idle));
}

/* ---- routes */

struct route {
    const char *method, *path; /* a path that ends in '/' takes what follows */
    void (*run)(struct web *w, struct request *r, const char *rest, const json_t *body);
};

static const struct route routes[] = {
    {"GET", "/api/status", on_status},
    {"GET", "/api/games", on_games},
    {"GET", "/api/games/", on_game},
    {"GET", "/api/players", on_players},
    {"POST", "/api/check", on_check},
    {"POST", "/api/format", on_format},
    {"POST", "/api/sessions", on_new_session},
    {"GET", "/api/sessions/", on_session},
    {"POST", "/api/sessions/", on_session},
    {"DELETE", "/api/sessions/", on_session},
    {"GET", "/api/lab", on_lab},
    {"GET", "/api/lab/", on_lab},
};

static bool matches(const struct route *route, const char *path, const char **rest)
{
    size_t n = strlen(route->path);
    bool prefix = route->path[n - 1] == '/';
    if (strncmp(path, route->path, n) != 0 || (!prefix && path[n])) return false;
    *rest = path + n;
    return true;
}

void web_request(void *data, struct request *r)
{
    struct web *w = data;
    const char *path = request_path(r), *method = request_method(r), *rest;
    size_t size;
    const char *text = request_body(r, &size);
    if (strncmp(path, "/api/", 5) != 0) {
        if (strcmp(method, "GET") != 0) return request_error(r, 405, "pages can only be read");
        return on_page(w, r, path);
    }
    json_error_t fault;
    json_t *body = size ? json_loadb(text, size, 0, &fault) : json_object();
    if (!json_is_object(body)) {
        json_decref(body);
        return request_error(r, 400, "what was sent is no JSON object");
    }
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(method, routes[i].method) != 0 || !matches(&routes[i], path, &rest)) continue;
        if (strncmp(path, "/api/lab/", 9) == 0) rest--; /* with its slash */
        routes[i].run(w, r, rest, body);
        json_decref(body);
        return;
    }
    json_decref(body);
    request_error(r, 404, "there is nothing at that address");
}
