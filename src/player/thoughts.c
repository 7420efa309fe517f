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

/* The expected line in words: per step the moves of those who had a choice. */
static char *line_text(struct heap *heap, struct player *p)
{
    struct mcts *m = player_search(p);
    struct reasoner *r = player_reasoner(p);
    uint32_t moves[LINE_STEPS * MCTS_MAX_ROLES], steps = mcts_line(m, moves, LINE_STEPS);
    struct text t;
    text_init(&t, heap);
    text_puts(&t, "");
    for (uint32_t i = 0; i < steps; i++)
        for (uint32_t role = 0; role < m->nroles; role++) {
            const char *name = move_text(heap, r, role, moves[i * m->nroles + role]);
            if (m->nroles > 1 && strcasecmp(name, "noop") == 0) continue;
            text_printf(&t, "%s%s", t.n ? " " : "", name);
        }
    return t.s;
}

static char *kept_text(struct heap *heap, struct player *p)
{
    const uint32_t *moves;
    uint32_t n;
    struct text t;
    text_init(&t, heap);
    text_puts(&t, "");
    if (solo_line(player_solo(p), &moves, &n) >= 0)
        for (uint32_t i = 0; i < n; i++)
            text_printf(&t, "%s%s", t.n ? " " : "", move_text(heap, player_reasoner(p), 0, moves[i]));
    return t.s;
}

/* Who found what in a game for one. */
static void print_solo(FILE *out, struct player *p, const char *name)
{
    const struct solo_report *s = player_solo(p) ? solo_report(player_solo(p)) : NULL;
    struct heap *heap = s && s->asked ? heap_new(0) : NULL;
    struct heap_guard guard;
    struct error error;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        if (s->goal < 0)
            fprintf(out, "  %s: no line to an end of the game found\n", name);
        else
            fprintf(out, "  %s: goal %d in %u moves%s, found by %s after %.2f s\n    %s\n", name, s->goal,
                    s->moves, s->solved ? ", the best there is" : "", s->who ? s->who : "somebody",
                    s->seconds, kept_text(heap, p));
        for (uint32_t i = 0; i < s->nentrants; i++) {
            const struct entrant *e = &s->entrants[i];
            fprintf(out, "    %-24s %12llu positions  %s%s\n", e->name, (unsigned long long)e->steps, e->note,
                    e->better ? "; improved the line" : "");
        }
        heap_leave(heap);
    }
    heap_free(heap);
}

static json_t *solo_json(struct heap *heap, struct player *p)
{
    const struct solo_report *s = player_solo(p) ? solo_report(player_solo(p)) : NULL;
    if (!s || !s->asked) return NULL;
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->nentrants; i++) {
        const struct entrant *e = &s->entrants[i];
        json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:i, s:i, s:s}", "name", e->name, "positions",
                                              (json_int_t)e->steps, "spent", e->spent, "improved",
                                              (int)e->better, "goal", e->goal, "note", e->note));
    }
    return json_pack("{s:i, s:i, s:s, s:f, s:i, s:b, s:s, s:o}", "goal", s->goal, "length", (int)s->moves,
                     "by", s->who ? s->who : "", "after", s->seconds, "most", s->most, "solved", s->solved,
                     "line", kept_text(heap, p), "searches", list);
}

void thoughts_print(FILE *out, struct player *p, uint32_t role, const char *name, uint32_t moves)
{
    print_solo(out, p, name);
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
        struct mcts_move *best = heap_alloc(heap, (moves + 1) * sizeof *best);
        uint32_t n = mcts_moves(m, role, best, moves);
        for (uint32_t i = 0; i < n && i < moves && best[i].n; i++)
            fprintf(out, "    %-28s %8u visits  %5.1f%s%s\n",
                    move_text(heap, player_reasoner(p), role, best[i].move), best[i].n, (double)best[i].mean,
                    i ? "" : "   ", i ? "" : line_text(heap, p));
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
    if (!heap || (!m && !player_solo(p))) {
        heap_free(heap);
        return NULL;
    }
    if (HEAP_ENTER(heap, &guard, &error)) {
        const struct mcts_stats *s = &report->stats;
        if (!m) { /* the searches of games for one did it alone */
            json_t *puzzle = solo_json(heap, p);
            out = json_pack("{s:i, s:s}", "simulations", 0, "engine", report->engine);
            if (puzzle) json_object_set_new(out, "puzzle", puzzle);
            heap_leave(heap);
            heap_free(heap);
            return out;
        }
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
                        (int)report->nodes, "value", (double)report->value, "line", line_text(heap, p),
                        "moves", list);
        json_t *puzzle = solo_json(heap, p);
        if (puzzle) json_object_set_new(out, "puzzle", puzzle);
        heap_leave(heap);
    }
    heap_free(heap);
    return out;
}
