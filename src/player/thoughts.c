// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/thoughts.h"

#include "player/audition.h"
#include "player/thoughts_minimax.h"
#include "search/judgement.h"
#include "search/prove.h"

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

static bool same(float a, float b)
{
    return a - b < 1e-3f && b - a < 1e-3f;
}

/* What a value that is proved means to a role: " in 5" where the number of moves is known. */
static void put_verdict(struct text *t, const struct mcts *m, uint32_t role, float value, uint32_t plies)
{
    bool wins = same(value, prove_most(m, role)), loses = same(value, prove_least(m, role));
    if (m->nroles > 1 && wins)
        text_puts(t, "wins");
    else if (m->nroles > 1 && loses)
        text_puts(t, plies ? "loses at best" : "loses");
    else if (m->nroles == 2 && same(value, 50) && m->constant_sum && m->sum == 100)
        text_puts(t, "draws");
    else
        text_printf(t, "gets %g", (double)value);
    if (plies && (wins || loses)) text_printf(t, " in %u", plies);
}

/* "white wins in 5", "draw", "white loses at best in 8", "white gets at least 50"; empty: nothing is proved.
 */
static char *verdict_text(struct heap *heap, struct player *p, uint32_t role)
{
    struct mcts *m = player_search(p);
    struct bound b = prove_root(m, role);
    const char *name = player_reasoner(p)->game->role_names[role];
    struct text t;
    text_init(&t, heap);
    text_puts(&t, "");
    if (!prove_is_on(m) || !m->tree->root) return t.s;
    if (same(b.low, b.high) && m->nroles == 2 && same(b.low, 50) && m->constant_sum && m->sum == 100)
        text_puts(&t, "draw");
    else if (same(b.low, b.high)) {
        text_printf(&t, "%s ", name);
        put_verdict(&t, m, role, b.low, tree_node(m->tree, m->tree->root)->plies);
    } else if (!same(b.low, prove_least(m, role)) || !same(b.high, prove_most(m, role))) {
        bool least = !same(b.low, prove_least(m, role));
        text_printf(&t, "%s gets at %s %g", name, least ? "least" : "most", (double)(least ? b.low : b.high));
        if (least && !same(b.high, prove_most(m, role))) text_printf(&t, ", at most %g", (double)b.high);
    }
    return t.s;
}

/* The same of a move; empty: its value is not known. */
static char *move_verdict(struct heap *heap, struct player *p, uint32_t role, const struct mcts_move *move)
{
    struct mcts *m = player_search(p);
    struct text t;
    text_init(&t, heap);
    text_puts(&t, "");
    if (prove_is_on(m) && same(move->low, move->high)) put_verdict(&t, m, role, move->low, move->plies);
    return t.s;
}

static void print_moves(FILE *out, struct heap *heap, struct player *p, uint32_t role, uint32_t moves)
{
    struct mcts *m = player_search(p);
    struct mcts_move *best = heap_alloc(heap, (moves + 1) * sizeof *best);
    uint32_t n = mcts_ranking(m, role, best, moves), first;
    const char *line = line_text(heap, p, role, &first);
    for (uint32_t i = 0; i < n && i < moves && (best[i].n || best[i].plies); i++) {
        fprintf(out, "    %-28s %8u visits  %5.1f", move_text(heap, player_reasoner(p), role, best[i].move),
                best[i].n, (double)best[i].mean);
        if (m->opt.rave) fprintf(out, "  with RAVE %5.1f", (double)best[i].value);
        const char *known = move_verdict(heap, p, role, &best[i]);
        if (*known) fprintf(out, "   %s", known);
        if (best[i].move == first) fprintf(out, "   %s", line);
        fputc('\n', out);
    }
}

/* "matches with 150 simulations a move for 6.0 s say rave; minimax 1 of 4 (46 expected), rave 26.5 of 36 (55
 * expected) against its own way", or "no time for matches in 1.0 s, minimax is expected to be best; ..." */
void thoughts_choice(FILE *out, const struct player *p, const char *name)
{
    const struct audition_report *a = player_audition(p);
    if (!a->arms) return;
    if (a->simulations)
        fprintf(out, "  %s: matches with %u simulations a move for %.1f s say %s;", name, a->simulations,
                a->seconds, player_arms[a->chosen].name);
    else
        fprintf(out, "  %s: no time for matches in %.1f s, %s is expected to be best;", name, a->seconds,
                player_arms[a->chosen].name);
    for (uint32_t i = 1, n = 0; i < a->arms; i++) {
        if (!a->arm[i].heard) continue;
        fprintf(out, "%s %s", n++ ? "," : "", player_arms[i].name);
        if (a->arm[i].games) fprintf(out, " %.3g of %u", a->arm[i].points, a->arm[i].games);
        fprintf(out, " (%.0f expected)", 100 * a->arm[i].expected);
    }
    fprintf(out, " against its own way\n");
}

/* "guided playouts say 81.2, uniform ones 50.3: apart, playouts are uniform from here on" */
static void print_control(FILE *out, const struct hand *h, const char *name)
{
    const struct adapt *a = &h->adapt;
    if (!a->control) return;
    fprintf(out, "  %s: ", name);
    if (a->drift.n[1] > 0)
        fprintf(out, "guided playouts say %.1f, uniform ones %.1f", a->drift.mean[0], a->drift.mean[1]);
    else
        fprintf(out, "guided playouts have not been compared with uniform ones");
    if (a->off)
        fprintf(out, "; they had run away, all are uniform now");
    else if (a->alarms)
        fprintf(out, "; they had run away %u times, guidance was forgotten", a->alarms);
    fputc('\n', out);
}

/* "of 35000 simulations drawn: epsilon 0.2 61% (54.3), ..." the arm drawn most of each factor */
static void print_factors(FILE *out, const struct hand *h, const char *name)
{
    const struct adapt *a = &h->adapt;
    if (a->who == ADAPT_NOBODY || !a->launched || a->role >= WAY_ROLES) return;
    fprintf(out, "  %s: drawn for each simulation", name);
    for (int f = 0; f < ADAPT_FACTORS; f++) {
        uint32_t best = adapt_favourite(a, f);
        const struct adapt_arm *arm = &a->arm[a->role][f][best];
        if (!arm->drawn) continue;
        fprintf(out, "; %s %g in %.0f%% for %.1f", adapt_names[f], (double)adapt_value(h, f, best),
                100 * (double)arm->drawn / (double)a->launched, arm->n > 0 ? arm->sum / arm->n : 0);
    }
    fputc('\n', out);
}

static json_t *adapt_json(const struct hand *h)
{
    const struct adapt *a = &h->adapt;
    json_t *out = json_object();
    if (a->control)
        json_object_set_new(out, "control",
                            json_pack("{s:f, s:f, s:i, s:b}", "guided", a->drift.mean[0], "uniform",
                                      a->drift.mean[1], "alarms", (int)a->alarms, "off", a->off));
    for (int f = 0; f < ADAPT_FACTORS && a->who != ADAPT_NOBODY && a->role < WAY_ROLES; f++) {
        const struct adapt_arm *arm = a->arm[a->role][f];
        json_t *arms = json_array();
        for (uint32_t i = 0; i < ADAPT_ARMS; i++)
            if (arm[i].drawn)
                json_array_append_new(arms,
                                      json_pack("{s:f, s:I, s:f}", "value", (double)adapt_value(h, f, i),
                                                "drawn", (json_int_t)arm[i].drawn, "reward",
                                                arm[i].n > 0 ? arm[i].sum / arm[i].n : 0.0));
        json_object_set_new(out, adapt_names[f], arms);
    }
    return out;
}

static json_t *audition_json(const struct player *p)
{
    const struct audition_report *a = player_audition(p);
    json_t *list = json_array();
    for (uint32_t i = 1; i < a->arms; i++)
        if (a->arm[i].heard)
            json_array_append_new(list,
                                  json_pack("{s:s, s:f, s:i, s:f, s:f, s:f}", "arm", player_arms[i].name,
                                            "points", a->arm[i].points, "games", (int)a->arm[i].games,
                                            "expected", a->arm[i].expected, "speed", a->arm[i].signs.speed,
                                            "explains", a->arm[i].signs.explains));
    return json_pack("{s:s, s:i, s:f, s:o}", "chosen", player_arms[a->chosen].name, "simulations",
                     (int)a->simulations, "seconds", a->seconds, "arms", list);
}

void thoughts_print(FILE *out, struct player *p, uint32_t role, const char *name, uint32_t moves)
{
    print_solo(out, p, name);
    thoughts_choice(out, p, name);
    struct mcts *m = player_search(p);
    const struct player_report *report = player_report(p);
    if (report->trouble.code) fprintf(out, "  %s: %s\n", name, report->trouble.text);
    if (thoughts_minimax_print(out, p, role, name, moves)) return;
    if (!m || (report->stats.simulations == 0 && !m->settled)) return;
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    const struct mcts_stats *s = &report->stats;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        fprintf(out, "  %s: %llu simulations in %.2f s (%.0f/s, %s), tree %u deep, %u nodes; ", name,
                (unsigned long long)s->simulations, s->seconds,
                (double)s->simulations / (s->seconds > 0 ? s->seconds : 1e-9), report->engine, s->max_depth,
                report->nodes);
        const char *verdict = verdict_text(heap, p, role);
        if (*verdict) fprintf(out, "proved: %s; ", verdict);
        if (s->playouts > 2 * s->simulations)
            fprintf(out, "%llu playouts; ", (unsigned long long)s->playouts);
        if (report->of) fprintf(out, "%u of %u ranks; ", report->allied, report->of);
        if (m->opt.judgement)
            fprintf(out, "judged by: %s (explains %.2f); ", judgement_name(m->opt.judgement),
                    (double)judgement_explains(m->opt.judgement));
        fprintf(out, "expects %.1f\n", (double)report->value);
        print_control(out, &m->hands[0], name);
        print_factors(out, &m->hands[0], name);
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
    if (heap && report->minimax && HEAP_ENTER(heap, &guard, &error)) {
        out = thoughts_minimax_json(heap, p, role);
        if (player_audition(p)->arms) json_object_set_new(out, "audition", audition_json(p));
        heap_leave(heap);
        heap_free(heap);
        return out;
    }
    if (!heap || (!m && !player_solo(p))) { /* nobody searched, or it could not begin */
        heap_free(heap);
        return json_pack("{s:i, s:f, s:s, s:[]}", "simulations", 0, "seconds", 0.0, "engine", report->engine,
                         "moves");
    }
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        const struct mcts_stats *s = &report->stats;
        if (!m) { /* the searches of games for one did it alone */
            json_t *puzzle = solo_json(heap, p);
            out = json_pack("{s:i, s:f, s:s, s:i, s:i, s:f, s:s, s:[]}", "simulations", 0, "seconds",
                            report->stats.seconds, "engine", report->engine, "depth", 0, "nodes", 0, "value",
                            (double)report->value, "line", kept_text(heap, p), "moves");
            if (puzzle) json_object_set_new(out, "puzzle", puzzle);
            heap_leave(heap);
            heap_free(heap);
            return out;
        }
        uint32_t n = mcts_moves(m, role, NULL, 0);
        struct mcts_move *all = heap_alloc(heap, (n + 1) * sizeof *all);
        mcts_moves(m, role, all, n);
        json_t *list = json_array();
        for (uint32_t i = 0; i < n; i++) {
            json_t *move =
                json_pack("{s:s, s:i, s:f}", "move", move_text(heap, player_reasoner(p), role, all[i].move),
                          "visits", (int)all[i].n, "value", (double)all[i].mean);
            const char *known = move_verdict(heap, p, role, &all[i]);
            if (*known) json_object_set_new(move, "proved", json_string(known));
            json_array_append_new(list, move);
        }
        out = json_pack("{s:I, s:f, s:s, s:i, s:i, s:f, s:s, s:o}", "simulations", (json_int_t)s->simulations,
                        "seconds", s->seconds, "engine", report->engine, "depth", (int)s->max_depth, "nodes",
                        (int)report->nodes, "value", (double)report->value, "line",
                        line_text(heap, p, role, &first), "moves", list);
        if (s->playouts > s->simulations) /* several from a position */
            json_object_set_new(out, "playouts", json_integer((json_int_t)s->playouts));
        if (s->meetings) /* of threads that share a tree */
            json_object_set_new(
                out, "meetings",
                json_pack("{s:I, s:f}", "attended", (json_int_t)s->meetings, "seconds", s->waited));
        const char *verdict = verdict_text(heap, p, role);
        if (*verdict) json_object_set_new(out, "proved", json_string(verdict));
        if (*report->remark) json_object_set_new(out, "remark", json_string(report->remark));
        if (m->opt.judgement)
            json_object_set_new(out, "judgement",
                                json_pack("{s:s, s:f}", "name", judgement_name(m->opt.judgement), "explains",
                                          (double)judgement_explains(m->opt.judgement)));
        if (report->of) json_object_set_new(out, "ranks", json_pack("[ii]", report->allied, report->of));
        json_t *puzzle = solo_json(heap, p);
        if (puzzle) json_object_set_new(out, "puzzle", puzzle);
        if (m->opt.adapt.control || m->opt.adapt.who != ADAPT_NOBODY)
            json_object_set_new(out, "adapt", adapt_json(&m->hands[0]));
        if (player_audition(p)->arms) json_object_set_new(out, "audition", audition_json(p));
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
    bool minimax = player_report(p)->minimax != NULL;
    json_t *out = minimax || (m && m->tree->root) ? thoughts_json(p, role) : NULL;
    struct heap *heap = out ? heap_new(0) : NULL;
    struct heap_guard guard;
    struct error error;
    if (heap && minimax && HEAP_ENTER(heap, &guard, &error)) {
        json_object_set_new(out, "steps", thoughts_minimax_steps(heap, p));
        heap_leave(heap);
    } else if (heap && HEAP_ENTER(heap, &guard, &error)) {
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
