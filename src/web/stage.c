// SPDX-License-Identifier: GPL-3.0-or-later
#include "web/stage.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

#define QUESTION_SECONDS 10.0 /* one question to the rules */
#define SAMPLE_SECONDS 2.0    /* of random games to find boards in */
#define ANALYSIS_SECONDS 8.0  /* all of the analysis */
#define TRY_SECONDS 0.25      /* finding out what moves do */

static bool make_glyphs(struct stage *s, struct error *error)
{
    struct heap_guard guard;
    if (!s->analysis) return true;
    if (!HEAP_ENTER(s->heap, &guard, error)) return false;
    s->glyphs = picture_glyphs(s->heap, s->analysis, true);
    heap_leave(s->heap);
    return true;
}

bool stage_open(struct stage *s, struct game *game, size_t memory, struct error *error)
{
    struct error ignored = {0};
    *s = (struct stage){.game = game, .heap = heap_new(0)};
    s->legal = calloc(game->nroles, sizeof *s->legal);
    s->joint = calloc(game->nroles, sizeof *s->joint);
    if (!s->heap || !s->legal || !s->joint) return error_set(error, ERROR_MEMORY, "out of memory");
    s->reasoner = reasoner_lifted_within(game, memory / 2, QUESTION_SECONDS, error);
    if (!s->reasoner) return false;
    struct analysis_options o = {
        .seconds = SAMPLE_SECONDS, .deadline = clock_now() + ANALYSIS_SECONDS, .seed = 1};
    s->reasoner->deadline = o.deadline;
    s->analysis = analysis_new(s->reasoner, &o, &ignored); /* games without boards are games, too */
    s->reasoner->deadline = 0;
    return make_glyphs(s, error);
}

void stage_close(struct stage *s)
{
    for (uint32_t i = 0; s->legal && i < s->game->nroles; i++) list_done(&s->legal[i]);
    free(s->legal);
    free(s->joint);
    analysis_free(s->analysis);
    reasoner_free(s->reasoner);
    game_free(s->game);
    heap_free(s->heap);
    *s = (struct stage){0};
}

/* ---- what is known of the game */

json_t *findings_json(const struct diags *d)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->list.n; i++) {
        const struct diag *g = &d->list.v[i];
        json_t *text = json_string(g->text);
        if (!text) text = json_string("(what is wrong here cannot be told in plain text)");
        json_t *o = json_pack("{s:s, s:s, s:o}", "severity", g->error ? "error" : "warning", "id", g->id,
                              "text", text);
        if (g->hint) json_object_set_new(o, "hint", json_string(g->hint));
        if (g->note) json_object_set_new(o, "note", json_string(g->note));
        if (g->offset != DIAG_NOWHERE && d->source) {
            struct source_place at = source_place(d->source, g->offset);
            json_object_set_new(o, "line", json_integer(at.line));
            json_object_set_new(o, "column", json_integer(at.column));
            json_object_set_new(o, "length", json_integer(g->length));
            json_object_set_new(o, "offset", json_integer(g->offset));
        }
        json_array_append_new(list, o);
    }
    return list;
}

/* Without an analysis: the roles. */
static json_t *bare_layout(const struct game *game)
{
    json_t *roles = json_array();
    for (uint32_t r = 0; r < game->nroles; r++)
        json_array_append_new(roles, json_pack("{s:s}", "name", game->role_names[r]));
    return json_pack("{s:[], s:[], s:o, s:s}", "boards", "pieces", "roles", roles, "turns",
                     game->nroles == 1 ? "alone" : "alternating");
}

json_t *stage_game(const struct stage *s)
{
    json_t *roles = json_array();
    for (uint32_t r = 0; r < s->game->nroles; r++)
        json_array_append_new(roles, json_string(s->game->role_names[r]));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", s->game->name, "digest", s->game->digest, "roles",
                     roles, "layout",
                     s->analysis ? layout_json(s->analysis, s->glyphs) : bare_layout(s->game), "findings",
                     findings_json(&s->game->diags));
}

/* ---- positions */

static json_t *move_text(struct reasoner *r, struct heap *heap, uint32_t role, uint32_t move)
{
    struct text t;
    text_init(&t, heap);
    reasoner_print_move(r, role, move, false, &t);
    json_t *out = json_string(text_str(&t));
    heap_release(heap, t.s);
    return out;
}

json_t *stage_move(struct stage *s, uint32_t role, uint32_t move)
{
    struct heap_guard guard;
    struct error error;
    struct heap *heap = heap_new(0);
    json_t *volatile out = NULL;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        out = move_text(s->reasoner, heap, role, move);
        heap_leave(heap);
    }
    heap_free(heap);
    return out;
}

static json_t *legal_json(struct stage *s, struct heap *heap, const struct state *state, uint32_t role)
{
    const struct list *legal = &s->legal[role];
    struct touch *touches = heap_zalloc(heap, (legal->n + 1) * sizeof *touches);
    json_t *list = json_array();
    if (s->analysis)
        touch_moves(s->analysis, heap, s->reasoner, state, role, legal, s->joint, s->glyphs,
                    clock_now() + TRY_SECONDS, touches);
    for (uint32_t i = 0; i < legal->n; i++) {
        json_t *move = json_pack("{s:o}", "move", move_text(s->reasoner, heap, role, legal->v[i]));
        json_t *touch = s->analysis ? touch_json(s->analysis, &touches[i]) : NULL;
        if (touch) json_object_set_new(move, "touch", touch);
        json_array_append_new(list, move);
    }
    return list;
}

/* Goals, or the moves of all roles. False: the rules do not tell. */
static bool ask_rules(struct stage *s, const struct state *state, bool *terminal, json_t *goals,
                      struct error *error)
{
    struct reasoner *r = s->reasoner;
    bool good = r->ops->terminal(r, state, terminal);
    for (uint32_t i = 0; i < s->game->nroles && good; i++) {
        int goal;
        if (*terminal) {
            good = reasoner_goal(r, state, i, &goal);
            if (good) json_array_append_new(goals, goal == GOAL_UNDEFINED ? json_null() : json_integer(goal));
            continue;
        }
        good = r->ops->legal(r, state, i, &s->legal[i]);
        if (good && s->legal[i].n == 0)
            return error_set(error, ERROR_INPUT, "%.100s has no legal move, but the game is not over",
                             s->game->role_names[i]);
        if (good) s->joint[i] = s->legal[i].v[0];
    }
    if (!good) *error = r->error;
    return good;
}

static json_t *changes_json(const struct analysis *a, const struct picture *now, const struct picture *before)
{
    json_t *list = json_array();
    for (uint32_t c = 0; c < now->ncanvases; c++) {
        const struct board *b = &a->boards.v[now->canvases[c].board];
        for (uint32_t cell = 0; cell < b->cells; cell++) {
            if (square_same(&now->canvases[c].squares[cell], &before->canvases[c].squares[cell])) continue;
            struct touch t = {.board = now->canvases[c].board, .n = 1};
            t.cells[0] = b->stacked ? cell % (b->x.n * b->y.n) : cell;
            json_t *at = touch_json(a, &t);
            if (at) json_array_append_new(list, at);
        }
    }
    return list;
}

static void describe(struct stage *s, struct heap *heap, const struct list *facts, const struct list *old,
                     const struct state *state, bool terminal, json_t *out)
{
    struct analysis none = {0};
    struct picture now, before;
    const struct analysis *a = s->analysis ? s->analysis : &none;
    picture_make(&now, heap, a, s->glyphs, s->reasoner->terms, facts);
    json_object_set_new(out, "picture", position_json(&now, s->reasoner->terms, facts));
    if (old && s->analysis) {
        picture_make(&before, heap, a, s->glyphs, s->reasoner->terms, old);
        json_object_set_new(out, "changed", changes_json(a, &now, &before));
    }
    if (terminal) return;
    json_t *legal = json_array();
    for (uint32_t i = 0; i < s->game->nroles; i++)
        json_array_append_new(legal, legal_json(s, heap, state, i));
    json_object_set_new(out, "legal", legal);
}

json_t *stage_position(struct stage *s, const struct state *state, const struct state *before,
                       struct error *error)
{
    struct reasoner *r = s->reasoner;
    struct list facts = {0}, old = {0};
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    json_t *goals = json_array(), *volatile out = NULL;
    bool terminal = false, done = false;
    bool good = heap || error_set(error, ERROR_MEMORY, "out of memory");
    good = good && ask_rules(s, state, &terminal, goals, error);
    if (good && !(r->ops->facts(r, state, &facts) && (!before || r->ops->facts(r, before, &old)))) {
        *error = r->error;
        good = false;
    }
    if (good && HEAP_ENTER(heap, &guard, error)) {
        out = json_pack("{s:b}", "terminal", terminal);
        if (terminal) json_object_set(out, "goals", goals);
        describe(s, heap, &facts, before ? &old : NULL, state, terminal, out);
        heap_leave(heap);
        done = true;
    }
    if (!done) {
        json_decref(out);
        out = NULL;
    }
    list_done(&facts);
    list_done(&old);
    json_decref(goals);
    heap_free(heap);
    return out;
}
