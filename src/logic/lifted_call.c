// SPDX-License-Identifier: GPL-3.0-or-later
/* Procs (relation and pattern) and their calls (key and rows).
 *
 * Calls are kept from state to state and only their contents are forgotten, by comparing epochs: the same
 * calls are made again and again. */
#include "base/hash.h"
#include "logic/lifted_internal.h"

#include <string.h>

enum {
    FEW_ROWS = 8,                /* up to this many are compared one by one */
    MANY_CALLS = 1 << 14,        /* of one lifetime, kept from state to state: about what the caches hold */
    MANY_STATIC_CALLS = 1 << 19, /* those never need to be worked out again, but take memory */
};

struct proc *proc_get(struct lifted *e, uint32_t relation, const char *pattern, enum proc_kind kind)
{
    struct lifted_relation *r = &e->relations[relation];
    const struct relation *rel = &e->program->relations.v[relation];
    for (uint32_t i = 0; i < r->procs.n; i++)
        if (r->procs.v[i]->kind == kind && memcmp(r->procs.v[i]->pattern, pattern, r->arity) == 0)
            return r->procs.v[i];
    enum lifetime lifetime = rel->needs_does ? LIFE_MOVE : rel->needs_true ? LIFE_STATE : LIFE_STATIC;
    struct proc *p = heap_cut(e->heap, sizeof *p);
    *p = (struct proc){.relation = relation,
                       .pattern = heap_strdup(e->heap, pattern, r->arity),
                       .number = e->procs.n,
                       .now = &e->epoch[lifetime],
                       .lifetime = (uint8_t)lifetime,
                       .kind = (uint8_t)kind,
                       .recursive = rel->recursive};
    for (uint32_t i = 0; i < r->arity; i++) p->nbound += pattern[i] == 'b', p->nfree += pattern[i] == 'f';
    keys_init(e->heap, &p->keys, p->nbound);
    keys_init(e->heap, &p->constants, 1);
    vec_push(e->heap, &e->procs, p);
    vec_push(e->heap, &r->procs, p);
    return p;
}

void call_renew(struct lifted *e, struct call *c)
{
    c->epoch = *c->proc->now;
    c->state = CALL_NEW;
    c->dirty = false;
    c->n = c->cap = 0;
    c->rows = NULL;
    c->slots = NULL;
    c->consumers = NULL;
}

/* The call with this key, made if there is none yet. */
struct call *call_get(struct lifted *e, struct proc *p, const term *key)
{
    uint32_t k = keys_find(&p->keys, key);
    if (k == NO_KEY) {
        struct call *made = arena_cut(&e->calls[p->lifetime], sizeof *made + p->nbound * sizeof *made->key);
        vec_reserve(e->heap, &p->calls, p->calls.n + 1);
        keys_add(e->heap, &p->keys, key);
        *made = (struct call){.proc = p};
        if (p->nbound) memcpy(made->key, key, p->nbound * sizeof *key);
        p->calls.v[p->calls.n++] = made;
        e->ncalls[p->lifetime]++;
        call_renew(e, made);
        return made;
    }
    struct call *c = p->calls.v[k];
    if (c->epoch != *p->now) call_renew(e, c);
    return c;
}

void calls_trim(struct lifted *e)
{
    for (int life = 0; life < LIFE_COUNT; life++) {
        if (e->ncalls[life] <= (life == LIFE_STATIC ? MANY_STATIC_CALLS : MANY_CALLS)) continue;
        for (uint32_t i = 0; i < e->procs.n; i++) {
            struct proc *p = e->procs.v[i];
            if (p->lifetime != life) continue;
            keys_clear(&p->keys);
            p->calls.n = 0;
        }
        arena_reset(&e->calls[life]);
        arena_reset(&e->arena[life]);
        e->ncalls[life] = 0;
    }
}

static inline bool same_row(const term *a, const term *b, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static uint32_t slot_of(const struct call *c, const term *row, uint32_t width)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < width; i++) h = hash_mix(h, row[i]);
    uint32_t slot = (uint32_t)h & c->mask;
    for (; c->slots[slot]; slot = (slot + 1) & c->mask)
        if (same_row(c->rows + (size_t)(c->slots[slot] - 1) * width, row, width)) break;
    return slot;
}

static void grow(struct lifted *e, struct call *c)
{
    struct arena *a = &e->arena[c->proc->lifetime];
    uint32_t width = c->proc->nfree, cap = c->cap ? c->cap * 2 : 4;
    if (cap > UINT32_MAX / 16) heap_fail(e->heap, ERROR_MEMORY, "a relation has too many rows");
    term *rows = arena_cut(a, (size_t)cap * width * sizeof *rows);
    if (c->n) memcpy(rows, c->rows, (size_t)c->n * width * sizeof *rows);
    c->rows = rows;
    c->cap = cap;
    if (cap <= FEW_ROWS) return;
    c->slots = arena_cut(a, (size_t)cap * 2 * sizeof *c->slots);
    memset(c->slots, 0, (size_t)cap * 2 * sizeof *c->slots);
    c->mask = cap * 2 - 1;
    for (uint32_t i = 0; i < c->n; i++) c->slots[slot_of(c, rows + (size_t)i * width, width)] = i + 1;
}

/* True if the row is new. */
bool call_add(struct lifted *e, struct call *c, const term *row)
{
    uint32_t width = c->proc->nfree, slot = 0;
    if (width == 0) {
        bool fresh = c->n == 0;
        c->n = 1;
        return fresh;
    }
    if (!c->slots) {
        for (uint32_t i = 0; i < c->n; i++)
            if (same_row(c->rows + (size_t)i * width, row, width)) return false;
    } else {
        slot = slot_of(c, row, width);
        if (c->slots[slot]) return false;
    }
    if (c->n == c->cap) {
        grow(e, c);
        if (c->slots) slot = slot_of(c, row, width);
    }
    for (uint32_t i = 0; i < width; i++) c->rows[(size_t)c->n * width + i] = row[i];
    c->n++;
    if (c->slots) c->slots[slot] = c->n;
    return true;
}
