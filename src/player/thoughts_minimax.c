// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/thoughts_minimax.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {"max^n", "paranoid", "BRS", "alpha-beta"};

static char *move_text(struct heap *heap, struct player *p, uint32_t role, uint32_t move)
{
    struct text t;
    text_init(&t, heap);
    reasoner_print_move(player_reasoner(p), role, move, false, &t);
    return t.s;
}

static char *line_text(struct heap *heap, struct player *p)
{
    const struct minimax_report *r = player_report(p)->minimax;
    struct text t;
    text_init(&t, heap);
    text_puts(&t, "");
    for (uint32_t i = 0; i < r->nline; i++) {
        const char *move = move_text(heap, p, r->line[i].role, r->line[i].move);
        if (strcasecmp(move, "noop") != 0) text_printf(&t, "%s%s", t.n ? " " : "", move);
    }
    return t.s;
}

static int better(const void *a, const void *b)
{
    const struct minimax_move *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->exact != y->exact ? (x->exact ? -1 : 1) : 0;
}

static void print_moves(FILE *out, struct heap *heap, struct player *p, uint32_t role, uint32_t most)
{
    const struct minimax_report *r = player_report(p)->minimax;
    const struct minimax_move *moves;
    uint32_t n = minimax_moves(player_minimax(p), &moves);
    if (!r->nline || r->line[0].role != role) return; /* others' moves */
    struct minimax_move *sorted = heap_alloc(heap, (n + 1) * sizeof *sorted);
    if (n) memcpy(sorted, moves, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, better);
    for (uint32_t i = 0; i < n && i < most; i++)
        fprintf(out, "    %-28s %s %7.2f%s%s\n", move_text(heap, p, role, sorted[i].move),
                sorted[i].exact ? "        score" : "at most, score", (double)sorted[i].score,
                sorted[i].move == r->line[0].move ? "   " : "",
                sorted[i].move == r->line[0].move ? line_text(heap, p) : "");
}

bool thoughts_minimax_print(FILE *out, struct player *p, uint32_t role, const char *name, uint32_t moves)
{
    const struct player_report *report = player_report(p);
    const struct minimax_report *r = report->minimax;
    struct heap *heap = r ? heap_new(0) : NULL;
    struct heap_guard guard;
    struct error error;
    if (report->remark && *report->remark) fprintf(out, "  %s: %s\n", name, report->remark);
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        fprintf(out,
                "  %s: %s, depth %u%s, %llu nodes, %llu opened, in %.2f s (%.0f/s, %s); judged by: %s; score "
                "%.2f\n",
                name, names[r->policy], r->depth, r->exhausted ? " (to the end)" : "",
                (unsigned long long)r->nodes, (unsigned long long)r->fans, r->seconds,
                (double)r->nodes / (r->seconds > 0 ? r->seconds : 1e-9), report->engine, r->evaluation,
                (double)r->score);
        print_moves(out, heap, p, role, moves);
        heap_leave(heap);
    }
    heap_free(heap);
    return r != NULL;
}

json_t *thoughts_minimax_json(struct heap *heap, struct player *p, uint32_t role)
{
    const struct player_report *report = player_report(p);
    const struct minimax_report *r = report->minimax;
    const struct minimax_move *moves;
    if (!r) return NULL;
    uint32_t n = minimax_moves(player_minimax(p), &moves);
    json_t *list = json_array();
    for (uint32_t i = 0; i < n && r->nline && r->line[0].role == role; i++)
        json_array_append_new(list, json_pack("{s:s, s:i, s:f, s:b}", "move",
                                              move_text(heap, p, role, moves[i].move), "visits", 1, "value",
                                              (double)moves[i].score, "exact", moves[i].exact));
    return json_pack("{s:I, s:f, s:s, s:i, s:i, s:f, s:s, s:o, s:{s:s, s:s, s:f, s:f, s:b, s:s}}",
                     "simulations", (json_int_t)r->nodes, "seconds", r->seconds, "engine", report->engine,
                     "depth", (int)r->depth, "nodes", (int)(report->nodes & INT32_MAX), "value",
                     (double)report->value, "line", line_text(heap, p), "moves", list, "minimax", "search",
                     names[r->policy], "judged by", r->evaluation, "explains", (double)r->explains, "score",
                     (double)r->score, "exhausted", r->exhausted, "remark", report->remark);
}

json_t *thoughts_minimax_steps(struct heap *heap, struct player *p)
{
    const struct minimax_report *r = player_report(p)->minimax;
    uint32_t nroles = player_reasoner(p)->game->nroles;
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->nline; i++) {
        json_t *joint = json_array();
        for (uint32_t role = 0; role < nroles; role++)
            json_array_append_new(
                joint, json_string(role == r->line[i].role ? move_text(heap, p, role, r->line[i].move) : ""));
        json_array_append_new(list, joint);
    }
    return list;
}
