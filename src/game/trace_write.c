// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/trace_write.h"

#include "game/trace.h"

#include <errno.h>
#include <jansson.h>

struct trace_writer {
    const struct game *game;
    struct heap *heap; /* of the lines being printed */
    json_t *root;
    json_t *playouts, *steps; /* borrowed: the list of games, the list of the game being played */
    bool full;                /* the first game lists everything */
    bool starved;             /* jansson ran out of memory somewhere */
};

/* jansson hands NULL values through, so that one look at the end of a chain is enough. */
static void put(struct trace_writer *w, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) w->starved = true;
}

static void append(struct trace_writer *w, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0) w->starved = true;
}

static json_t *lines_json(struct trace_writer *w, const struct trace_lines *lines)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < lines->v.n; i++) append(w, array, json_string(lines->v.v[i]));
    return array;
}

struct trace_writer *trace_writer_new(const struct game *game)
{
    struct trace_writer *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->game = game;
    w->heap = heap_new(0);
    w->root = json_object();
    if (!w->heap || !w->root) {
        trace_writer_free(w);
        return NULL;
    }
    json_t *name = json_string(game->name); /* not if the file name is not UTF-8 */
    put(w, w->root, "game", name ? name : json_string("game"));
    put(w, w->root, "kif_sha1", json_string(game->digest));
    struct heap_guard guard;
    struct error error;
    json_t *roles = json_array();
    put(w, w->root, "roles", roles);
    put(w, w->root, "truncated", json_false());
    put(w, w->root, "playouts", w->playouts = json_array());
    if (HEAP_ENTER(w->heap, &guard, &error)) {
        struct text role_name;
        text_init(&role_name, w->heap);
        for (uint32_t role = 0; role < game->nroles; role++) {
            text_clear(&role_name);
            trace_role_name(game, role, &role_name);
            append(w, roles, json_string(text_str(&role_name)));
        }
        heap_leave(w->heap);
    } else {
        w->starved = true;
    }
    return w;
}

void trace_writer_free(struct trace_writer *w)
{
    if (!w) return;
    json_decref(w->root);
    heap_free(w->heap);
    free(w);
}

void trace_writer_game(struct trace_writer *w)
{
    json_t *playout = json_object();
    w->full = json_array_size(w->playouts) == 0;
    put(w, playout, "steps", w->steps = json_array());
    append(w, w->playouts, playout);
}

void trace_writer_truncate(struct trace_writer *w)
{
    json_t *playout = json_array_get(w->playouts, json_array_size(w->playouts) - 1);
    put(w, playout, "truncated", json_true());
    put(w, w->root, "truncated", json_true());
}

/* Legal moves: how many, their fingerprint, and the moves chosen. Full lists go to *lists. */
static bool put_moves(struct trace_writer *w, struct playout *p, json_t *step, json_t **lists)
{
    struct reasoner *r = p->reasoner;
    struct trace_lines lines;
    struct text name, move;
    char hash[TRACE_HASH_DIGITS + 1];
    trace_lines_init(&lines, w->heap);
    text_init(&name, w->heap);
    text_init(&move, w->heap);
    json_t *counts = json_object(), *moves = json_array();
    put(w, step, "legal", counts);
    *lists = w->full ? json_object() : NULL;
    for (uint32_t role = 0; role < w->game->nroles; role++) {
        text_clear(&name);
        text_clear(&move);
        trace_role_name(w->game, role, &name);
        reasoner_print_move(r, role, p->joint[role], true, &move);
        append(w, moves, json_string(text_str(&move)));
        put(w, counts, text_str(&name), json_integer(p->legal[role].n));
        if (!w->full) continue;
        if (!trace_moves(r, &p->state, role, &lines)) return false;
        put(w, *lists, text_str(&name), lines_json(w, &lines));
    }
    if (!trace_legal(r, &p->state, &lines)) return false;
    trace_hash(&lines, hash);
    trace_lines_clear(&lines);
    put(w, step, "legal_hash", json_string(hash));
    put(w, step, "moves", moves);
    heap_release(w->heap, name.s);
    heap_release(w->heap, move.s);
    return true;
}

/* A role whose goal is not one value is written as null, and what there is instead under "goal_values". */
static bool put_goals(struct trace_writer *w, struct playout *p, json_t *step)
{
    struct reasoner *r = p->reasoner;
    json_t *goals = json_object(), *several = NULL;
    struct list values = {0};
    struct text name;
    bool ok = true;
    text_init(&name, w->heap);
    put(w, step, "goals", goals);
    for (uint32_t role = 0; ok && role < w->game->nroles; role++) {
        text_clear(&name);
        trace_role_name(w->game, role, &name);
        values.n = 0;
        ok = r->ops->goals(r, &p->state, role, &values);
        put(w, goals, text_str(&name), ok && values.n == 1 ? json_integer(values.v[0]) : json_null());
        if (!ok || values.n < 2) continue;
        json_t *all = json_array();
        for (uint32_t i = 0; i < values.n; i++) append(w, all, json_sprintf("%u", values.v[i]));
        if (!several) several = json_object();
        put(w, several, text_str(&name), all);
    }
    if (several) put(w, step, "goal_values", several);
    heap_release(w->heap, name.s);
    list_done(&values);
    return ok;
}

bool trace_writer_step(struct trace_writer *w, struct playout *p, struct error *error)
{
    struct heap_guard guard;
    char hash[TRACE_HASH_DIGITS + 1];
    json_t *step = json_object();
    bool ok = false;
    append(w, w->steps, step);
    if (!HEAP_ENTER(w->heap, &guard, error)) return false;
    struct trace_lines facts;
    json_t *moves = NULL;
    trace_lines_init(&facts, w->heap);
    if (trace_facts(p->reasoner, &p->state, &facts)) {
        trace_hash(&facts, hash);
        put(w, step, "state_size", json_integer(facts.v.n));
        put(w, step, "state_hash", json_string(hash));
        ok = p->terminal || put_moves(w, p, step, &moves);
        put(w, step, "terminal", json_boolean(p->terminal));
        ok = ok && put_goals(w, p, step);
        if (w->full) put(w, step, "state", lines_json(w, &facts));
        if (moves) put(w, step, "legal_moves", moves);
        trace_lines_clear(&facts);
    }
    heap_leave(w->heap);
    if (!ok) return error_set(error, p->reasoner->error.code, "%s", p->reasoner->error.text);
    return true;
}

bool trace_writer_save(struct trace_writer *w, const char *path, struct error *error)
{
    if (w->starved) return error_set(error, ERROR_MEMORY, "no memory to write the trace");
    bool out = strcmp(path, "-") == 0;
    FILE *f = out ? stdout : fopen(path, "w");
    if (!f) return error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    bool ok = json_dumpf(w->root, f, JSON_COMPACT) == 0 && fputc('\n', f) != EOF && fflush(f) == 0;
    int why = errno;
    if (!out && fclose(f) != 0 && ok) ok = false, why = errno;
    return ok || error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(why));
}
