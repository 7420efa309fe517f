// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate.h"

#include "base/scc.h"
#include "base/sha1.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define HASH_DIGITS 16

struct ground *ground_sheet(struct heap *heap, struct source *source, const struct ground_limits *limits,
                            struct ground_report *report, struct error *error)
{
    struct diags diags;
    diags_init(&diags, heap, source);
    struct syntax *syntax = syntax_parse(heap, source, &diags);
    struct program *program = program_build(heap, syntax, &diags);
    if (diags_to_error(&diags, error)) return NULL;
    return ground_build(program, limits, report, error);
}

void evaluator_init(struct evaluator *e, struct heap *heap, const struct ground *g)
{
    *e = (struct evaluator){.heap = heap, .ground = g};
    uint32_t n = g->natoms;
    e->value = heap_zalloc(heap, n + 1);
    e->first = heap_zalloc(heap, (n + 2) * sizeof *e->first);
    for (uint32_t i = 0; i < g->rules.n; i++) e->first[g->rules.v[i].head + 1]++;
    for (uint32_t a = 0; a < n; a++) e->first[a + 1] += e->first[a];
    uint32_t *edges = heap_zalloc(heap, (n + 1) * sizeof *edges), at = 0;
    uint32_t *to = heap_alloc(heap, (g->literals.n + 1) * sizeof *to);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t r = e->first[a]; r < e->first[a + 1]; r++)
            for (uint32_t k = 0; k < g->rules.v[r].n; k++)
                to[at++] = g->literals.v[g->rules.v[r].first + k] >> 1;
        edges[a + 1] = at;
    }
    uint32_t *component = heap_alloc(heap, (n + 1) * sizeof *component);
    e->components = scc_find(heap, n, edges, to, component);
    e->start = heap_alloc(heap, (e->components + 1) * sizeof *e->start);
    e->order = heap_alloc(heap, (n + 1) * sizeof *e->order);
    scc_sort(n, component, e->components, e->start, e->order);
}

static bool body_holds(const struct evaluator *e, const struct ground_rule *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t l = e->ground->literals.v[r->first + k];
        if (e->value[l >> 1] == (l & 1)) return false;
    }
    return true;
}

void evaluator_run(struct evaluator *e)
{
    const struct ground *g = e->ground;
    memset(e->value + g->move_base[g->nroles], 0, g->natoms - g->move_base[g->nroles]);
    for (uint32_t c = 0; c < e->components; c++)
        for (bool again = true; again;) {
            again = false;
            for (uint32_t i = e->start[c]; i < e->start[c + 1]; i++) {
                uint32_t a = e->order[i];
                for (uint32_t r = e->first[a]; r < e->first[a + 1] && !e->value[a]; r++)
                    if (body_holds(e, &g->rules.v[r])) e->value[a] = again = true;
            }
            again &= e->start[c + 1] - e->start[c] > 1;
        }
}

/* One step of a trace: the facts are set; the moves are not. */
struct step_check {
    struct evaluator e;
    struct text text; /* lines, each ended by NUL */
    VEC(size_t) lines;
    json_t *roles;
};

static void lines_begin(struct step_check *s)
{
    text_clear(&s->text);
    vec_clear(&s->lines);
}

static void line_begin(struct step_check *s)
{
    if (s->lines.n) text_char(&s->text, '\0');
    vec_push(s->e.heap, &s->lines, s->text.n);
}

static int compare_lines(const void *a, const void *b, void *text)
{
    return strcmp((char *)text + *(const size_t *)a, (char *)text + *(const size_t *)b);
}

/* Is the fingerprint of the lines, sorted, the one the trace has? */
static bool lines_match(struct step_check *s, const json_t *fingerprint)
{
    struct text all;
    char hex[HASH_DIGITS + 1];
    text_init(&all, s->e.heap);
    if (s->lines.n) qsort_r(s->lines.v, s->lines.n, sizeof *s->lines.v, compare_lines, s->text.s);
    for (uint32_t i = 0; i < s->lines.n; i++) {
        if (i) text_char(&all, '\n');
        text_puts(&all, s->text.s + s->lines.v[i]);
    }
    sha1_hex(text_str(&all), all.n, hex, HASH_DIGITS);
    heap_release(s->e.heap, all.s);
    return strcmp(hex, json_string_value(fingerprint)) == 0;
}

static bool check_state(struct step_check *s, const json_t *step, struct error *error)
{
    const struct ground *g = s->e.ground;
    lines_begin(s);
    for (uint32_t f = 0; f < g->nfacts; f++) {
        if (!s->e.value[f]) continue;
        line_begin(s);
        term_print(g->terms, g->fact[f], true, NULL, &s->text);
    }
    if (!lines_match(s, json_object_get(step, "state_hash")))
        return error_set(error, ERROR_INTERNAL, "the state has %u facts, should have %d", s->lines.n,
                         (int)json_integer_value(json_object_get(step, "state_size")));
    return true;
}

static bool check_legal(struct step_check *s, const json_t *step, struct error *error)
{
    const struct ground *g = s->e.ground;
    const json_t *legal_hash = json_object_get(step, "legal_hash");
    if (!legal_hash) return true;
    lines_begin(s);
    for (uint32_t r = 0; r < g->nroles; r++)
        for (uint32_t a = g->move_base[r]; a < g->move_base[r + 1]; a++) {
            uint32_t legal = g->legal[a - g->nfacts];
            if (legal == GROUND_NONE || !s->e.value[legal]) continue;
            line_begin(s);
            text_printf(&s->text, "%s ", json_string_value(json_array_get(s->roles, r)));
            term_print(g->terms, g->move[a - g->nfacts], true, NULL, &s->text);
        }
    if (!lines_match(s, legal_hash))
        return error_set(error, ERROR_INTERNAL, "other legal moves (%u in all)", s->lines.n);
    return true;
}

static bool check_end(struct step_check *s, const json_t *step, struct error *error)
{
    const struct ground *g = s->e.ground;
    bool terminal = g->terminal != GROUND_NONE && s->e.value[g->terminal];
    if (terminal != json_is_true(json_object_get(step, "terminal")))
        return error_set(error, ERROR_INTERNAL, "terminal is %d", terminal);
    for (uint32_t r = 0; r < g->nroles; r++) {
        const char *name = json_string_value(json_array_get(s->roles, r));
        const json_t *should = json_object_get(json_object_get(step, "goals"), name);
        int goal = -1;
        uint32_t values = 0;
        for (uint32_t i = 0; i < g->goals.n; i++)
            if (g->goals.v[i].role == r && s->e.value[g->goals.v[i].atom])
                values++, goal = (int)g->goals.v[i].value;
        if (values != 1) goal = -1;
        if (goal != (json_is_integer(should) ? (int)json_integer_value(should) : -1))
            return error_set(error, ERROR_INTERNAL, "goal of %s is %d", name, goal);
    }
    return true;
}

/* Make the recorded moves: the facts become those of the next state. */
static bool make_moves(struct step_check *s, const json_t *step, struct error *error)
{
    const struct ground *g = s->e.ground;
    memset(s->e.value + g->nfacts, 0, g->move_base[g->nroles] - g->nfacts);
    for (uint32_t r = 0; r < g->nroles; r++) {
        const char *text = json_string_value(json_array_get(json_object_get(step, "moves"), r));
        term move = term_read(g->terms, text, strlen(text), error);
        uint32_t a = g->move_base[r];
        while (a < g->move_base[r + 1] && g->move[a - g->nfacts] != move) a++;
        if (a == g->move_base[r + 1]) return error_set(error, ERROR_INTERNAL, "no move %s", text);
        s->e.value[a] = true;
    }
    evaluator_run(&s->e);
    bool *next = heap_alloc(s->e.heap, g->nfacts + 1);
    for (uint32_t f = 0; f < g->nfacts; f++) next[f] = g->next[f] != GROUND_NONE && s->e.value[g->next[f]];
    memcpy(s->e.value, next, g->nfacts);
    heap_release(s->e.heap, next);
    return true;
}

static bool check_playouts(struct step_check *s, const json_t *trace, uint64_t budget, uint64_t *states,
                           struct error *error)
{
    const struct ground *g = s->e.ground;
    size_t p, k;
    json_t *playout, *step;
    uint64_t spent = 0;
    json_array_foreach(json_object_get(trace, "playouts"), p, playout)
    {
        memcpy(s->e.value, g->init, g->nfacts);
        json_array_foreach(json_object_get(playout, "steps"), k, step)
        {
            if ((spent += 2 * (uint64_t)g->literals.n) > budget && *states > 3) return true;
            memset(s->e.value + g->nfacts, 0, g->move_base[g->nroles] - g->nfacts);
            if (!check_state(s, step, error)) return error_prefix(error, "playout %zu, step %zu", p, k);
            evaluator_run(&s->e);
            if (!check_legal(s, step, error) || !check_end(s, step, error))
                return error_prefix(error, "playout %zu, step %zu", p, k);
            ++*states;
            if (!json_object_get(step, "moves")) break;
            if (!make_moves(s, step, error)) return error_prefix(error, "playout %zu, step %zu", p, k);
        }
    }
    return true;
}

bool trace_check(const struct ground *g, const char *trace_path, uint64_t budget, uint64_t *states,
                 struct error *error)
{
    json_error_t why;
    json_t *trace = json_load_file(trace_path, 0, &why);
    if (!trace) return error_set(error, ERROR_INPUT, "%s: %s", trace_path, why.text);
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    volatile bool ok = false;
    *states = 0;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct step_check s = {.roles = json_object_get(trace, "roles")};
        text_init(&s.text, heap);
        evaluator_init(&s.e, heap, g);
        struct heap_guard inner; /* reading moves adds to the ground program's terms */
        if (HEAP_ENTER(g->heap, &inner, error)) {
            ok = check_playouts(&s, trace, budget, states, error);
            heap_leave(g->heap);
        }
        heap_leave(heap);
    }
    heap_free(heap);
    json_decref(trace);
    return ok;
}
