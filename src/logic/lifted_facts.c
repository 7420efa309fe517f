// SPDX-License-Identifier: GPL-3.0-or-later
/* The facts of the state, grouped by functor, and views of the groups.
 *
 * A view gives every fact ever met a key number once, so that arranging the facts of a new state by key is
 * counting and copying, without hashing; and only views that are asked in a state are arranged for it. */
#include "logic/lifted_internal.h"

#include <string.h>

struct fact_group *fact_group(struct lifted *e, symbol functor, uint32_t arity)
{
    for (uint32_t i = 0; i < e->groups.n; i++)
        if (e->groups.v[i]->functor == functor && e->groups.v[i]->arity == arity) return e->groups.v[i];
    struct fact_group *g = heap_cut(e->heap, sizeof *g);
    *g = (struct fact_group){.functor = functor, .arity = arity};
    vec_push(e->heap, &e->groups, g);
    return g;
}

static uint32_t group_number(struct lifted *e, symbol functor, uint32_t arity)
{
    const struct fact_group *g = fact_group(e, functor, arity);
    uint32_t i = 0;
    while (e->groups.v[i] != g) i++;
    return i;
}

uint32_t fact_number(struct lifted *e, term fact)
{
    if (fact < e->fact_of.n && e->fact_of.v[fact]) return e->fact_of.v[fact];
    const struct term_node *t = term_get(e->terms, fact);
    uint32_t group = group_number(e, t->head, t->nargs);
    struct fact_group *g = e->groups.v[group];
    if (fact >= e->fact_of.n) vec_resize_zero(e->heap, &e->fact_of, e->terms->nodes.n);
    if (!e->facts.n) vec_push(e->heap, &e->facts, (struct fact_info){0});
    vec_reserve(e->heap, &g->facts, g->facts.n + 1);
    vec_reserve(e->heap, &e->facts, e->facts.n + 1);
    vec_resize_zero(e->heap, &e->present, e->facts.n + 1);
    e->facts.v[e->facts.n++] = (struct fact_info){fact, group, g->facts.n};
    g->facts.v[g->facts.n++] = e->facts.n - 1;
    return e->fact_of.v[fact] = e->facts.n - 1;
}

void fact_announce(struct lifted *e, term fact)
{
    uint32_t number = fact_number(e, fact);
    if (number / 64 >= e->bits.n) vec_resize_zero(e->heap, &e->bits, number / 64 + 1);
    e->bits.v[number / 64] |= (uint64_t)1 << (number % 64);
}

void facts_set(struct lifted *e, const uint32_t *facts, uint32_t n)
{
    vec_reserve(e->heap, &e->state, n);
    vec_reserve(e->heap, &e->state_terms, n);
    uint64_t now = ++e->epoch[LIFE_STATE];
    e->state.n = 0; /* until all is in place the engine is in no state that anybody asks for */
    for (uint32_t i = 0; i < e->groups.n; i++) e->groups.v[i]->present.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct fact_info *f = &e->facts.v[facts[i]];
        e->present.v[facts[i]] = now;
        e->state_terms.v[i] = f->fact;
        vec_push(e->heap, &e->groups.v[f->group]->present, f->place);
    }
    if (n) memcpy(e->state.v, facts, n * sizeof *facts);
    e->state.n = e->state_terms.n = n;
    for (uint32_t i = 0; i < e->groups.n; i++) e->groups.v[i]->seen += e->groups.v[i]->present.n;
    e->states++;
}

struct fact_view *fact_view(struct lifted *e, struct fact_group *g, const char *pattern)
{
    for (uint32_t i = 0; i < g->views.n; i++)
        if (memcmp(g->views.v[i]->pattern, pattern, g->arity + 1) == 0) return g->views.v[i];
    struct fact_view *v = heap_cut(e->heap, sizeof *v);
    *v = (struct fact_view){.group = g, .pattern = heap_strdup(e->heap, pattern, g->arity + 1)};
    for (uint32_t i = 0; i < g->arity; i++) v->nbound += pattern[i] == 'b', v->nfree += pattern[i] == 'f';
    v->nfree += pattern[g->arity] == 't';
    keys_init(e->heap, &v->keys, v->nbound);
    vec_push(e->heap, &g->views, v);
    return v;
}

/* Take up the facts that came since the last time. */
static void learn(struct lifted *e, struct fact_view *v)
{
    const struct fact_group *g = v->group;
    vec_reserve(e->heap, &e->key, g->arity);
    for (; v->known < g->facts.n; v->known++) {
        term fact = e->facts.v[g->facts.v[v->known]].fact;
        const term *args = term_args(e->terms, fact);
        v->column.n = v->known * v->nfree;
        vec_reserve(e->heap, &v->column, v->column.n + v->nfree);
        uint32_t nkey = 0;
        for (uint32_t i = 0; i < g->arity; i++) {
            if (v->pattern[i] == 'b') e->key.v[nkey++] = args[i];
            if (v->pattern[i] == 'f') v->column.v[v->column.n++] = args[i];
        }
        if (v->pattern[g->arity] == 't') v->column.v[v->column.n++] = fact;
        uint32_t key = keys_add(e->heap, &v->keys, e->key.v);
        v->key_of.n = v->known;
        vec_push(e->heap, &v->key_of, key);
    }
    vec_resize_zero(e->heap, &v->buckets, v->keys.n);
}

/* Arrange the facts of the state by key. With '_' in the pattern there can be equal rows; they are left in,
 * since whoever takes them removes duplicates anyway. */
void fact_view_update(struct lifted *e, struct fact_view *v)
{
    const struct fact_group *g = v->group;
    if (v->known < g->facts.n || v->buckets.n < v->keys.n) learn(e, v);
    uint64_t now = e->epoch[LIFE_STATE];
    uint32_t n = g->present.n, width = v->nfree;
    vec_reserve(e->heap, &v->rows, (uint64_t)n * width + 1);
    if (v->nbound == 0 && n) {
        v->buckets.v[0] = (struct bucket){now, 0, n};
        for (uint32_t i = 0; i < n; i++) {
            const term *from = v->column.v + (size_t)g->present.v[i] * width;
            for (uint32_t j = 0; j < width; j++) v->rows.v[i * width + j] = from[j];
        }
        v->epoch = now;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct bucket *b = &v->buckets.v[v->key_of.v[g->present.v[i]]];
        if (b->epoch != now) *b = (struct bucket){now, NO_KEY, 0};
        b->count++;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < n && width; i++) {
        uint32_t place = g->present.v[i];
        struct bucket *b = &v->buckets.v[v->key_of.v[place]];
        if (b->start == NO_KEY) b->start = next, next += b->count, b->count = 0;
        term *row = v->rows.v + (size_t)(b->start + b->count++) * width;
        const term *from = v->column.v + (size_t)place * width;
        for (uint32_t j = 0; j < width; j++) row[j] = from[j];
    }
    v->epoch = now;
}

void facts_measure(struct lifted *e)
{
    struct vec_u32 stamp = {0};
    uint32_t serial = 0;
    vec_resize_zero(e->heap, &stamp, e->terms->nodes.n);
    for (uint32_t k = 0; k < e->groups.n; k++) {
        struct fact_group *g = e->groups.v[k];
        if (!g->facts.n) continue;
        g->rows = (uint32_t)((g->seen + e->states - 1) / e->states);
        if (!g->distinct) g->distinct = heap_cut(e->heap, (g->arity + 1) * sizeof *g->distinct);
        for (uint32_t j = 0; j < g->arity; j++) {
            g->distinct[j] = 0;
            serial++;
            for (uint32_t i = 0; i < g->facts.n; i++) {
                uint32_t *s = &stamp.v[term_arg(e->terms, e->facts.v[g->facts.v[i]].fact, j)];
                g->distinct[j] += *s != serial;
                *s = serial;
            }
        }
    }
    vec_free(e->heap, &stamp);
}
