// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/thoughts.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_STEPS = 8 };

static char *move_text(struct heap *heap, struct reasoner *r, uint32_t role, uint32_t move)
{
    struct text t;
    text_init(&t, heap);
    reasoner_print_move(r, role, move, false, &t);
    return t.s;
}

/* The expected line in words: per step the moves of those who had a choice. *first is the role's own first
 * move in it. */
static char *line_text(struct heap *heap, struct player *p, uint32_t role, uint32_t *first)
{
    struct mcts *m = player_search(p);
    struct reasoner *r = player_reasoner(p);
    uint32_t moves[LINE_STEPS * MCTS_MAX_ROLES], steps = mcts_line(m, moves, LINE_STEPS);
    struct text t;
    text_init(&t, heap);
    text_puts(&t, "");
    *first = steps ? moves[role] : UINT32_MAX;
    for (uint32_t i = 0; i < steps; i++)
        for (uint32_t k = 0; k < m->nroles; k++) {
            const char *name = move_text(heap, r, k, moves[i * m->nroles + k]);
            if (m->nroles > 1 && strcasecmp(name, "noop") == 0) continue;
            text_printf(&t, "%s%s", t.n ? " " : "", name);
        }
    return t.s;
}

static void print_moves(FILE *out, struct heap *heap, struct player *p, uint32_t role, uint32_t moves)
{
    struct mcts *m = player_search(p);
    struct mcts_move *best = heap_alloc(heap, (moves + 1) * sizeof *best);
    uint32_t n = mcts_ranking(m, role, best, moves), first;
    const char *line = line_text(heap, p, role, &first);
    for (uint32_t i = 0; i < n && i < moves && best[i].n; i++) {
        fprintf(out, "    %-28s %8u visits  %5.1f", move_text(heap, player_reasoner(p), role, best[i].move),
                best[i].n, (double)best[i].mean);
        if (m->opt.rave) fprintf(out, "  with RAVE %5.1f", (double)best[i].value);
        if (best[i].move == first) fprintf(out, "   %s", line);
        fputc('\n', out);
    }
}

void thoughts_print(FILE *out, struct player *p, uint32_t role, const char *name, uint32_t moves)
{
    struct mcts *m = player_search(p);
    const struct player_report *report = player_report(p);
    if (report->trouble.code) fprintf(out, "  %s: %s\n", name, report->trouble.text);
    if (!m || report->stats.simulations == 0) return;
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    const struct mcts_stats *s = &report->stats;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        fprintf(out, "  %s: %llu simulations in %.2f s (%.0f/s, %s), tree %u deep, %u nodes; expects %.1f\n",
                name, (unsigned long long)s->simulations, s->seconds,
                (double)s->simulations / (s->seconds > 0 ? s->seconds : 1e-9), report->engine, s->max_depth,
                report->nodes, (double)report->value);
        print_moves(out, heap, p, role, moves);
        heap_leave(heap);
    }
    heap_free(heap);
}

json_t *thoughts_json(struct player *p, uint32_t role)
{
    struct mcts *m = player_search(p);
    const struct player_report *report = player_report(p);
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    json_t *out = NULL;
    uint32_t first;
    if (!m) { /* nobody searched, or it could not begin */
        heap_free(heap);
        return json_pack("{s:i, s:f, s:s, s:[]}", "simulations", 0, "seconds", 0.0, "engine", report->engine,
                         "moves");
    }
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        const struct mcts_stats *s = &report->stats;
        uint32_t n = mcts_moves(m, role, NULL, 0);
        struct mcts_move *all = heap_alloc(heap, (n + 1) * sizeof *all);
        mcts_moves(m, role, all, n);
        json_t *list = json_array();
        for (uint32_t i = 0; i < n; i++)
            json_array_append_new(list, json_pack("{s:s, s:i, s:f}", "move",
                                                  move_text(heap, player_reasoner(p), role, all[i].move),
                                                  "visits", (int)all[i].n, "value", (double)all[i].mean));
        out = json_pack("{s:I, s:f, s:s, s:i, s:i, s:f, s:s, s:o}", "simulations", (json_int_t)s->simulations,
                        "seconds", s->seconds, "engine", report->engine, "depth", (int)s->max_depth, "nodes",
                        (int)report->nodes, "value", (double)report->value, "line",
                        line_text(heap, p, role, &first), "moves", list);
        heap_leave(heap);
    }
    heap_free(heap);
    return out;
}

static json_t *steps_json(struct heap *heap, struct player *p)
{
    struct mcts *m = player_search(p);
    uint32_t moves[LINE_STEPS * MCTS_MAX_ROLES], steps = mcts_line(m, moves, LINE_STEPS);
    json_t *list = json_array();
    for (uint32_t i = 0; i < steps; i++) {
        json_t *joint = json_array();
        for (uint32_t role = 0; role < m->nroles; role++)
            json_array_append_new(
                joint, json_string(move_text(heap, player_reasoner(p), role, moves[i * m->nroles + role])));
        json_array_append_new(list, joint);
    }
    return list;
}

json_t *thoughts_live(struct player *p, uint32_t role)
{
    struct mcts *m = player_search(p);
    json_t *out = m && m->tree->root ? thoughts_json(p, role) : NULL;
    struct heap *heap = out ? heap_new(0) : NULL;
    struct heap_guard guard;
    struct error error;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        json_t *values = json_array();
        for (uint32_t i = 0; i < m->nroles; i++)
            json_array_append_new(values, json_real((double)mcts_value(m, i)));
        json_object_set_new(out, "values", values);
        json_object_set_new(out, "steps", steps_json(heap, p));
        heap_leave(heap);
    }
    heap_free(heap);
    return out;
}
