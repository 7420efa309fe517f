// SPDX-License-Identifier: GPL-3.0-or-later
/* The desk: looks at one sheet, says what it found, and is done. */
#include "game/trial.h"
#include "gdl/format.h"
#include "web/stage.h"
#include "web/worker.h"

#include <stdlib.h>
#include <string.h>

#define TRIAL_SECONDS 1.0

/* ---- format */

static json_t *format(const struct assignment *a, struct error *error)
{
    struct heap *heap = heap_new((size_t)a->megabytes << 20);
    struct heap_guard guard;
    json_t *volatile out = NULL;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct source *source = source_copy(heap, a->role, a->rules, a->rules_size);
        struct diags diags;
        struct text text;
        diags_init(&diags, heap, source);
        text_init(&text, heap);
        struct syntax *syntax = syntax_parse(heap, source, &diags);
        if (!diags.errors) format_sheet(heap, syntax, &text);
        out = json_pack("{s:o}", "findings", findings_json(&diags));
        if (!diags.errors) json_object_set_new(out, "rules", json_stringn(text_str(&text), text.n));
        heap_leave(heap);
    }
    heap_free(heap);
    return out;
}

/* ---- check and picture */

/* Random games that look for faults; they add to the game's remarks. */
static void try_out(struct stage *s, json_t *out)
{
    struct trial_options o = {.games = 30, .steps = 1000, .seed = 1, .seconds = TRIAL_SECONDS};
    struct trial t = {0};
    struct heap_guard guard;
    struct error error = {0};
    if (HEAP_ENTER(s->game->heap, &guard, &error)) {
        trial_run(s->reasoner, &o, &s->game->diags, &t);
        heap_leave(s->game->heap);
    }
    if (t.games)
        json_object_set_new(out, "trial",
                            json_pack("{s:i, s:i, s:i, s:i}", "games", (int)t.games, "ended", (int)t.ended,
                                      "shortest", (int)t.shortest, "longest", (int)t.longest));
}

/* The first position. */
static void show_first(struct stage *s, bool legal, json_t *out)
{
    struct state first = {0};
    struct error error = {0};
    json_t *p = NULL;
    if (s->reasoner->ops->initial(s->reasoner, &first))
        p = stage_position(s, &first, NULL, &error);
    else
        error = s->reasoner->error;
    if (p && !legal) json_object_del(p, "legal");
    if (p) json_object_set_new(p, "turn", json_integer(0));
    if (p)
        json_object_set_new(out, "position", p);
    else
        json_object_set_new(out, "trouble", json_string(error.text));
    state_done(&first);
}

static json_t *look(const struct assignment *a, bool check)
{
    struct error error = {0};
    struct game *refused = NULL;
    json_t *out = json_object();
    size_t memory = (size_t)a->megabytes << 20;
    struct game *game = game_from_text(a->role, a->rules, a->rules_size, memory / 2, &refused, &error);
    if (!game) {
        if (refused) json_object_set_new(out, "findings", findings_json(&refused->diags));
        json_object_set_new(out, "trouble", json_string(error.text));
        game_free(refused);
        return out;
    }
    struct stage s;
    if (!stage_open(&s, game, memory, &error)) {
        json_object_set_new(out, "findings", findings_json(&game->diags));
        json_object_set_new(out, "trouble", json_string(error.text));
        return out;
    }
    show_first(&s, check, out);
    if (check) try_out(&s, out);
    json_t *about = stage_game(&s); /* after the trial, which has remarks of its own */
    if (about) json_object_update(out, about);
    json_decref(about);
    stage_close(&s);
    return out;
}

void desk_run(struct inbox *b, const struct assignment *a)
{
    struct error error = {0};
    json_t *m =
        strcmp(a->player, "format") == 0 ? format(a, &error) : look(a, strcmp(a->player, "check") == 0);
    if (!m) m = json_pack("{s:s}", "trouble", error.text);
    json_object_set_new(m, "type", json_string("desk"));
    inbox_send(b, m);
    for (;;) free(inbox_take(b, true)); /* the server ends us */
}
