// SPDX-License-Identifier: GPL-3.0-or-later
/* Relations that depend on neither state nor moves are worked out once, all of them, callees first. One that
 * is too large for that, or infinite, is left to be proved when asked, like the others. */
#include "logic/lifted_internal.h"

#include <string.h>

enum { STEPS_PER_RELATION = 200000 };

/* ---- views ---- */

static void split_row(const char *pattern, uint32_t arity, const term *row, term *key, term *free_columns)
{
    for (uint32_t i = 0; i < arity; i++) {
        if (pattern[i] == 'b') *key++ = row[i];
        if (pattern[i] == 'f') *free_columns++ = row[i];
    }
}

struct static_view *static_view(struct lifted *e, uint32_t relation, const char *pattern)
{
    struct lifted_relation *r = &e->relations[relation];
    for (uint32_t i = 0; i < r->views.n; i++)
        if (memcmp(r->views.v[i]->pattern, pattern, r->arity) == 0) return r->views.v[i];
    struct heap *heap = e->heap;
    struct static_view *v = heap_zalloc(heap, sizeof *v);
    v->relation = relation;
    v->pattern = heap_strdup(heap, pattern, r->arity);
    uint32_t nbound = 0;
    for (uint32_t i = 0; i < r->arity; i++) nbound += pattern[i] == 'b', v->nfree += pattern[i] == 'f';
    keys_init(heap, &v->keys, nbound);
    /* First pass: numbers for keys and for different pairs of key and free columns. */
    uint32_t width = nbound + v->nfree;
    term *pair = heap_alloc(heap, (width + 1) * sizeof *pair);
    struct keys pairs;
    keys_init(heap, &pairs, width);
    for (uint32_t i = 0; i < r->nrows; i++) {
        split_row(pattern, r->arity, r->rows + (size_t)i * r->arity, pair, pair + nbound);
        keys_add(heap, &pairs, pair);
        keys_add(heap, &v->keys, pair);
    }
    v->start = heap_zalloc(heap, (v->keys.n + 2) * sizeof *v->start);
    for (uint32_t i = 0; i < pairs.n; i++)
        v->start[keys_find(&v->keys, pairs.values.v + (size_t)i * width) + 2]++;
    for (uint32_t k = 0; k < v->keys.n; k++) v->start[k + 2] += v->start[k + 1];
    v->rows = heap_alloc(heap, ((size_t)pairs.n * v->nfree + 1) * sizeof *v->rows);
    for (uint32_t i = 0; i < pairs.n; i++) {
        const term *p = pairs.values.v + (size_t)i * width;
        uint32_t at = v->start[keys_find(&v->keys, p) + 1]++;
        if (v->nfree) memcpy(v->rows + (size_t)at * v->nfree, p + nbound, v->nfree * sizeof *p);
    }
    keys_done(heap, &pairs);
    heap_release(heap, pair);
    vec_push(heap, &r->views, v);
    return v;
}

/* ---- evaluation ---- */

static void mark_reachable(struct lifted *e, uint32_t start, bool *reached, struct vec_u32 *todo)
{
    if (start == NO_RELATION || reached[start]) return;
    reached[start] = true;
    vec_push(e->heap, todo, start);
    while (todo->n) {
        const struct relation *r = &e->program->relations.v[vec_pop(todo)];
        for (uint32_t i = 0; i < r->rules.n; i++) {
            const struct rule *rule = &e->program->rules.v[r->rules.v[i]];
            for (uint32_t j = 0; j < rule->nbody; j++) {
                uint32_t callee = rule->body[j].relation;
                if (rule->body[j].kind == LITERAL_DISTINCT || reached[callee]) continue;
                reached[callee] = true;
                vec_push(e->heap, todo, callee);
            }
        }
    }
}

/* The facts that the sheet states for the relation, without duplicates. */
static void collect_facts(struct lifted *e, uint32_t relation)
{
    const struct relation *rel = &e->program->relations.v[relation];
    struct lifted_relation *r = &e->relations[relation];
    struct keys rows;
    keys_init(e->heap, &rows, rel->arity);
    for (uint32_t i = 0; i < rel->rules.n; i++) {
        const struct rule *rule = &e->program->rules.v[rel->rules.v[i]];
        if (rule->nbody == 0) keys_add(e->heap, &rows, term_args(e->terms, rule->head));
    }
    r->nrows = rows.n;
    r->rows = heap_alloc(e->heap, rows.values.n * sizeof *r->rows);
    if (rows.values.n) memcpy(r->rows, rows.values.v, rows.values.n * sizeof *r->rows);
    keys_done(e->heap, &rows);
}

static void count_distinct(struct lifted *e, struct lifted_relation *r, struct vec_u32 *stamp,
                           uint32_t *serial)
{
    r->distinct = heap_cut(e->heap, (r->arity + 1) * sizeof *r->distinct);
    vec_resize_zero(e->heap, stamp, e->terms->nodes.n);
    for (uint32_t j = 0; j < r->arity; j++) {
        r->distinct[j] = 0;
        ++*serial;
        for (uint32_t i = 0; i < r->nrows; i++) {
            uint32_t *s = &stamp->v[r->rows[(size_t)i * r->arity + j]];
            r->distinct[j] += *s != *serial;
            *s = *serial;
        }
    }
}

/* False if it takes too many steps or too much memory; what it left behind is cleared away. */
static bool work_out(struct lifted *e, uint32_t relation)
{
    struct lifted_relation *r = &e->relations[relation];
    const struct relation *rel = &e->program->relations.v[relation];
    bool rules = false;
    for (uint32_t i = 0; i < rel->rules.n; i++) rules |= e->program->rules.v[rel->rules.v[i]].nbody > 0;
    if (!rules) return true; /* the facts are all there is */
    char *pattern = heap_alloc(e->heap, r->arity + 1);
    memset(pattern, 'f', r->arity);
    struct proc *p = proc_get(e, relation, pattern, PROC_WHOLE);
    heap_release(e->heap, pattern);
    struct heap_guard guard;
    struct error error;
    uint32_t nterms = e->terms->nodes.n;
    e->steps = 0;
    e->alarm = e->step_limit = STEPS_PER_RELATION;
    if (HEAP_ENTER(e->heap, &guard, &error)) {
        struct call *c = call_get(e, p, NULL);
        if (c->state != CALL_DONE) lifted_run(e, c);
        size_t size = (size_t)c->n * r->arity * sizeof *r->rows;
        r->rows = heap_alloc(e->heap, size);
        r->nrows = c->n;
        if (size) memcpy(r->rows, c->rows, size);
        heap_leave(e->heap);
        return true;
    }
    if (e->steps <= e->step_limit && error.code != ERROR_MEMORY)
        heap_fail(e->heap, error.code, "%s", error.text);
    lifted_forget(e);
    for (int i = 0; i < LIFE_COUNT; i++) arena_trim(&e->arena[i], 0);
    arena_trim(&e->frames, 0);
    arena_trim(&e->waiting, 0);
    terms_shrink(e->terms, nterms);
    if (e->depth.n > nterms) e->depth.n = e->names.n = nterms;
    return false;
}

void static_evaluate(struct lifted *e)
{
    const struct program *p = e->program;
    static const enum keyword asked[] = {KW_ROLE, KW_INIT, KW_LEGAL, KW_NEXT, KW_TERMINAL, KW_GOAL};
    bool *reached = heap_zalloc(e->heap, p->relations.n + 1);
    struct vec_u32 todo = {0}, stamp = {0};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        mark_reachable(e, p->keyword[asked[i]], reached, &todo);
    /* Components are numbered callees first. */
    uint32_t *order = heap_alloc(e->heap, (p->relations.n + 1) * sizeof *order), serial = 0;
    uint32_t *count = heap_zalloc(e->heap, (p->components + 1) * sizeof *count);
    for (uint32_t r = 0; r < p->relations.n; r++) count[p->relations.v[r].component + 1]++;
    for (uint32_t i = 0; i < p->components; i++) count[i + 1] += count[i];
    for (uint32_t r = 0; r < p->relations.n; r++) order[count[p->relations.v[r].component]++] = r;
    for (uint32_t r = 0; r < p->relations.n; r++)
        if (reached[r]) collect_facts(e, r);
    for (uint32_t i = 0; i < p->relations.n; i++) {
        uint32_t r = order[i];
        struct lifted_relation *rel = &e->relations[r];
        if (!reached[r] || rel->kind != RELATION_CALLED || !relation_is_static(&p->relations.v[r])) continue;
        if (!work_out(e, r)) continue;
        rel->views.n = 0; /* those of the bare facts */
        count_distinct(e, rel, &stamp, &serial);
        rel->kind = RELATION_STATIC;
    }
    inline_calls(e, order);
    lifted_forget(e); /* the tables the rows were copied from */
    heap_release(e->heap, reached);
    heap_release(e->heap, order);
    heap_release(e->heap, count);
    vec_free(e->heap, &todo);
    vec_free(e->heap, &stamp);
}
