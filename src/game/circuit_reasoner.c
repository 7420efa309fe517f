// SPDX-License-Identifier: GPL-3.0-or-later
/* The circuit behind struct reasoner: one state at a time.
 *
 * A state is the bits of the circuit's state. All 64 lanes of a small batch hold the same state (`here`),
 * which is remembered, so that asking several things about one state sets and sweeps it once, and walking
 * down a game sets nothing at all. */
#include "circuit/batch.h"
#include "game/engine.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    term key;
    uint32_t number;
};

struct circuit_reasoner {
    struct reasoner base;
    struct heap *heap;
    struct engine *engine; /* when it is ours */
    const struct circuit *c;
    struct batch *batch;
    uint64_t all[BATCH_MAX_WORDS];
    struct state here;    /* what the lanes hold */
    bool placed;          /* they do */
    bool viewed;          /* it was swept, too */
    struct entry *facts;  /* by term */
    struct entry **moves; /* by role: by term */
    uint32_t *scratch;
    uint8_t *mark; /* by bit, for assemble */
};

static struct circuit_reasoner *self(struct reasoner *r)
{
    return (struct circuit_reasoner *)r;
}

static bool no_memory(struct reasoner *r)
{
    return error_set(&r->error, ERROR_MEMORY, "out of memory");
}

static bool place(struct reasoner *r, const struct state *s)
{
    struct circuit_reasoner *m = self(r);
    if (m->placed && state_equal(&m->here, s)) return true;
    if (!state_copy(&m->here, s)) return m->placed = false, no_memory(r);
    batch_restart_from(m->batch, m->all, s->w);
    m->placed = true;
    m->viewed = false;
    return true;
}

static bool view(struct reasoner *r, const struct state *s)
{
    if (!place(r, s)) return false;
    if (!self(r)->viewed) batch_view_turn(self(r)->batch);
    return self(r)->viewed = true;
}

static bool initial(struct reasoner *r, struct state *out)
{
    const struct circuit *c = self(r)->c;
    out->words = 0;
    if (!state_reserve(out, self(r)->batch->state_words)) return no_memory(r);
    out->words = self(r)->batch->state_words;
    memset(out->w, 0, out->words * sizeof *out->w);
    for (uint32_t i = 0; i < c->nbits; i++) out->w[i / 64] |= (uint64_t)c->init[i] << i % 64;
    return true;
}

static bool terminal(struct reasoner *r, const struct state *s, bool *out)
{
    if (!view(r, s)) return false;
    *out = self(r)->batch->terminal[0] & 1;
    return true;
}

static bool fill(struct reasoner *r, const uint32_t *v, uint32_t n, struct list *out)
{
    if (out->cap < n) {
        uint32_t *grown = realloc(out->v, n * sizeof *grown);
        if (!grown) return no_memory(r);
        out->v = grown;
        out->cap = n;
    }
    if (n) memcpy(out->v, v, n * sizeof *v);
    out->n = n;
    return true;
}

static bool legal(struct reasoner *r, const struct state *s, uint32_t role, struct list *out)
{
    struct circuit_reasoner *m = self(r);
    out->n = 0;
    return view(r, s) && fill(r, m->scratch, batch_legal(m->batch, 0, role, m->scratch), out);
}

static bool next(struct reasoner *r, const struct state *s, const uint32_t *joint, struct state *out)
{
    struct circuit_reasoner *m = self(r);
    if (!view(r, s)) return false; /* the step reads what the view has computed */
    for (uint32_t role = 0; role < m->c->nroles; role++) batch_set_move(m->batch, 0, role, joint[role]);
    batch_step(m->batch);
    m->placed = m->viewed = false;
    if (!state_reserve(&m->here, m->batch->state_words)) return no_memory(r);
    m->here.words = m->batch->state_words;
    batch_get_state(m->batch, 0, m->here.w);
    return (m->placed = state_copy(out, &m->here)) || no_memory(r);
}

static bool goals(struct reasoner *r, const struct state *s, uint32_t role, struct list *out)
{
    struct circuit_reasoner *m = self(r);
    out->n = 0;
    if (!view(r, s)) return false;
    uint32_t n = batch_lane_goals(m->batch, 0, role, m->scratch), kept = 0;
    for (uint32_t i = 0; i < n; i++) { /* ascending, without duplicates */
        uint32_t value = m->scratch[i], at = kept;
        while (at > 0 && m->scratch[at - 1] > value) at--;
        if (at > 0 && m->scratch[at - 1] == value) continue;
        memmove(m->scratch + at + 1, m->scratch + at, (kept - at) * sizeof *m->scratch);
        m->scratch[at] = value;
        kept++;
    }
    return fill(r, m->scratch, kept, out);
}

static bool facts(struct reasoner *r, const struct state *s, struct list *out)
{
    const struct circuit *c = self(r)->c;
    out->n = 0;
    for (uint32_t i = 0; i < c->nfacts; i++) {
        uint32_t w = c->fact_edge[i] >> 1;
        bool value = w == 0 || (s->w[(w - 1) / 64] >> (w - 1) % 64 & 1);
        if (value != (c->fact_edge[i] & 1) && !list_push(out, c->fact[i])) return no_memory(r);
    }
    return true;
}

/* --- Terms ---------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    term x = ((const struct entry *)a)->key, y = ((const struct entry *)b)->key;
    return (x > y) - (x < y);
}

static struct entry *index_terms(struct heap *heap, const term *terms, uint32_t n)
{
    struct entry *index = heap_alloc(heap, (n + 1) * sizeof *index);
    for (uint32_t i = 0; i < n; i++) index[i] = (struct entry){terms[i], i};
    qsort(index, n, sizeof *index, compare);
    return index;
}

static const struct entry *find(const struct entry *index, uint32_t n, term key)
{
    return bsearch(&(struct entry){.key = key}, index, n, sizeof *index, compare);
}

static bool about_term(struct reasoner *r, term x, const char *what)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    if (heap && HEAP_ENTER(heap, &guard, &r->error)) {
        struct text text;
        text_init(&text, heap);
        term_print(r->terms, x, false, NULL, &text);
        error_set(&r->error, ERROR_INPUT, "%.300s %s", text_str(&text), what);
        heap_leave(heap);
    }
    heap_free(heap);
    return false;
}

enum { MARK_SET = 1, MARK_TRUE = 2 };

/* Facts that hold always, never, or together with others are not bits of their own: a state that has them
 * otherwise cannot be reached, and the circuit cannot express it. */
static bool assemble(struct reasoner *r, const term *fact_terms, uint32_t n, struct state *out)
{
    struct circuit_reasoner *m = self(r);
    const struct circuit *c = m->c;
    uint8_t *there = m->mark + c->nbits;
    memset(m->mark, 0, c->nbits + c->nfacts);
    for (uint32_t i = 0; i < n; i++) {
        const struct entry *e = find(m->facts, c->nfacts, fact_terms[i]);
        if (!e) return about_term(r, fact_terms[i], "is true in no state that can be reached");
        there[e->number] = 1;
    }
    out->words = 0;
    if (!state_reserve(out, m->batch->state_words)) return no_memory(r);
    memset(out->w, 0, m->batch->state_words * sizeof *out->w);
    for (uint32_t i = 0; i < c->nfacts; i++) {
        uint32_t w = c->fact_edge[i] >> 1;
        bool value = there[i] ^ (c->fact_edge[i] & 1);
        if (w == 0) {
            if (!value) return about_term(r, c->fact[i], "is true in all states that can be reached");
            continue;
        }
        uint8_t mark = value ? MARK_SET | MARK_TRUE : MARK_SET;
        if (m->mark[w - 1] && m->mark[w - 1] != mark)
            return about_term(r, c->fact[i], "is never without, or never with, another of these facts");
        m->mark[w - 1] = mark;
        out->w[(w - 1) / 64] |= (uint64_t)value << (w - 1) % 64;
    }
    out->words = m->batch->state_words;
    return true;
}

static term move_term(struct reasoner *r, uint32_t role, uint32_t move)
{
    return self(r)->c->move[self(r)->c->move_base[role] + move];
}

static bool move_number(struct reasoner *r, uint32_t role, term move, uint32_t *out)
{
    const uint32_t *base = self(r)->c->move_base;
    const struct entry *e = find(self(r)->moves[role], base[role + 1] - base[role], move);
    if (!e) return about_term(r, move, "is never a legal move");
    *out = e->number;
    return true;
}

/* --- Life ----------------------------------------------------------------------------------------------- */

static void release(struct reasoner *r)
{
    struct circuit_reasoner *m = self(r);
    batch_free(m->batch);
    engine_free(m->engine);
    state_done(&m->here);
    heap_free(m->heap);
    free(m);
}

static const struct reasoner_ops ops = {
    .name = "circuit",
    .initial = initial,
    .terminal = terminal,
    .legal = legal,
    .next = next,
    .goals = goals,
    .facts = facts,
    .assemble = assemble,
    .move_term = move_term,
    .move_number = move_number,
    .free = release,
};

static void set_up(struct circuit_reasoner *m, const struct code *code)
{
    const struct circuit *c = m->c;
    struct heap *heap = m->heap;
    uint32_t room = code->goals.n + 1;
    m->base.terms = terms_clone(heap, c->terms);
    m->facts = index_terms(heap, c->fact, c->nfacts);
    m->moves = heap_zalloc(heap, (c->nroles + 1) * sizeof *m->moves);
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t n = c->move_base[r + 1] - c->move_base[r];
        m->moves[r] = index_terms(heap, c->move + c->move_base[r], n);
        if (n >= room) room = n + 1;
    }
    m->scratch = heap_alloc(heap, room * sizeof *m->scratch);
    m->mark = heap_alloc(heap, c->nbits + c->nfacts + 1);
    memset(m->all, 0xff, sizeof m->all);
}

struct reasoner *reasoner_circuit(const struct game *game, const struct code *code, struct error *error)
{
    struct circuit_reasoner *m = calloc(1, sizeof *m);
    struct heap_guard guard;
    if (!m) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    m->base = (struct reasoner){.ops = &ops, .game = game};
    m->c = code->circuit;
    m->heap = heap_new(0);
    m->batch = m->heap ? batch_new(code, 64, 0, error) : NULL;
    if (!m->heap)
        error_set(error, ERROR_MEMORY, "out of memory");
    else if (m->batch && HEAP_ENTER(m->heap, &guard, error)) {
        set_up(m, code);
        heap_leave(m->heap);
        return &m->base;
    }
    release(&m->base);
    return NULL;
}

struct reasoner *reasoner_ground(const struct game *game, const struct ground_limits *limits,
                                 struct error *error)
{
    struct engine *engine = engine_start(game, limits, error);
    if (!engine) return NULL;
    struct reasoner *r = NULL;
    if (engine_wait(engine, -1) == ENGINE_READY)
        r = reasoner_circuit(game, engine_code(engine), error);
    else
        *error = *engine_error(engine);
    if (r)
        self(r)->engine = engine;
    else
        engine_free(engine);
    return r;
}

const struct code *reasoner_code(struct reasoner *r)
{
    return r->ops == &ops ? self(r)->batch->code : NULL;
}
