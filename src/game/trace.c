// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/trace.h"

#include "base/sha1.h"

#include <stdlib.h>

void trace_lines_init(struct trace_lines *lines, struct heap *heap)
{
    *lines = (struct trace_lines){.heap = heap};
}

void trace_lines_clear(struct trace_lines *lines)
{
    for (uint32_t i = 0; i < lines->v.n; i++) heap_release(lines->heap, lines->v.v[i]);
    vec_clear(&lines->v);
}

void trace_lines_add(struct trace_lines *lines, const char *line)
{
    size_t size = strlen(line) + 1;
    char *copy = heap_alloc(lines->heap, size);
    memcpy(copy, line, size);
    vec_push(lines->heap, &lines->v, copy);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void trace_lines_sort(struct trace_lines *lines)
{
    if (lines->v.n > 1) qsort(lines->v.v, lines->v.n, sizeof *lines->v.v, compare_lines);
}

/* The list moved from plain memory to the heap: what unwinds from here on loses nothing. */
static uint32_t *adopt(struct heap *heap, struct list *list)
{
    struct heap_guard guard;
    struct error error;
    if (HEAP_ENTER(heap, &guard, &error)) {
        uint32_t *v = heap_alloc(heap, list->n * sizeof *v);
        if (v) memcpy(v, list->v, list->n * sizeof *v);
        heap_leave(heap);
        list_done(list);
        return v;
    }
    list_done(list);
    heap_fail(heap, error.code, "%s", error.text);
}

bool trace_facts(struct reasoner *r, const struct state *s, struct trace_lines *out)
{
    struct list facts = {0};
    struct text line;
    trace_lines_clear(out);
    bool ok = r->ops->facts(r, s, &facts);
    uint32_t n = facts.n, *v = adopt(out->heap, &facts);
    text_init(&line, out->heap);
    for (uint32_t i = 0; ok && i < n; i++) {
        text_clear(&line);
        term_print(r->terms, v[i], true, NULL, &line);
        trace_lines_add(out, text_str(&line));
    }
    heap_release(out->heap, line.s);
    heap_release(out->heap, v);
    trace_lines_sort(out);
    return ok;
}

/* Add the moves of one role, each behind `prefix`. */
static bool add_moves(struct reasoner *r, const struct state *s, uint32_t role, const char *prefix,
                      struct trace_lines *out)
{
    struct list moves = {0};
    struct text line;
    bool ok = r->ops->legal(r, s, role, &moves);
    uint32_t n = moves.n, *v = adopt(out->heap, &moves);
    text_init(&line, out->heap);
    for (uint32_t i = 0; ok && i < n; i++) {
        text_clear(&line);
        text_puts(&line, prefix);
        reasoner_print_move(r, role, v[i], true, &line);
        trace_lines_add(out, text_str(&line));
    }
    heap_release(out->heap, line.s);
    heap_release(out->heap, v);
    return ok;
}

bool trace_moves(struct reasoner *r, const struct state *s, uint32_t role, struct trace_lines *out)
{
    trace_lines_clear(out);
    bool ok = add_moves(r, s, role, "", out);
    trace_lines_sort(out);
    return ok;
}

bool trace_legal(struct reasoner *r, const struct state *s, struct trace_lines *out)
{
    bool ok = true;
    struct text prefix;
    trace_lines_clear(out);
    text_init(&prefix, out->heap);
    for (uint32_t role = 0; ok && role < r->game->nroles; role++) {
        text_clear(&prefix);
        trace_role_name(r->game, role, &prefix);
        text_char(&prefix, ' ');
        ok = add_moves(r, s, role, text_str(&prefix), out);
    }
    heap_release(out->heap, prefix.s);
    trace_lines_sort(out);
    return ok;
}

void trace_hash(const struct trace_lines *lines, char out[TRACE_HASH_DIGITS + 1])
{
    struct text all;
    text_init(&all, lines->heap);
    for (uint32_t i = 0; i < lines->v.n; i++) {
        if (i) text_char(&all, '\n');
        text_puts(&all, lines->v.v[i]);
    }
    sha1_hex(text_str(&all), all.n, out, TRACE_HASH_DIGITS);
    heap_release(lines->heap, all.s);
}

void trace_role_name(const struct game *game, uint32_t role, struct text *out)
{
    term_print(game->program->terms, game->roles[role], true, NULL, out);
}
