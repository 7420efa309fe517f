// SPDX-License-Identifier: GPL-3.0-or-later
/* The lifted engine behind struct reasoner.
 *
 * A state is the ascending list of its facts' numbers, two to a word (0 fills the last one up). Moves are
 * numbered per role in the order they are met. */
#include "base/vec.h"
#include "game/reasoner.h"
#include "logic/lifted.h"

#include <stdlib.h>

#define DEFAULT_SECONDS 10 /* for one question: rules that take longer cannot be played */

struct moves {
    VEC(term) terms;       /* by number */
    struct vec_u32 number; /* by term: number + 1 */
};

struct lifted_reasoner {
    struct reasoner base;
    struct lifted *engine;
    struct heap *heap;
    struct moves *moves; /* by role */
    term *joint;
    struct vec_u32 facts; /* scratch */
    VEC(uint64_t) bits;   /* scratch for sorting */
};

static struct lifted_reasoner *self(struct reasoner *r)
{
    return (struct lifted_reasoner *)r;
}

static bool no_memory(struct reasoner *r)
{
    return error_set(&r->error, ERROR_MEMORY, "out of memory");
}

static bool pack(struct reasoner *r, struct lifted_list facts, struct state *out)
{
    uint32_t words = (facts.n + 1) / 2;
    if (!state_reserve(out, words)) return no_memory(r);
    if (words) out->w[words - 1] = 0;
    if (facts.n) memcpy(out->w, facts.v, facts.n * sizeof *facts.v);
    out->words = words;
    return true;
}

static struct lifted_list unpack(const struct state *s)
{
    const uint32_t *v = (const uint32_t *)s->w;
    uint32_t n = 2 * s->words;
    if (n && v[n - 1] == 0) n--;
    return (struct lifted_list){v, n};
}

static bool go(struct reasoner *r, const struct state *s)
{
    struct lifted_list facts = unpack(s);
    lifted_until(self(r)->engine, r->deadline, r->cancel);
    return lifted_go(self(r)->engine, facts.v, facts.n, &r->error);
}

static bool initial(struct reasoner *r, struct state *out)
{
    return pack(r, lifted_initial(self(r)->engine), out);
}

static bool terminal(struct reasoner *r, const struct state *s, bool *out)
{
    return go(r, s) && lifted_terminal(self(r)->engine, out, &r->error);
}

/* The number of a move, made if need be. Call inside a guard. */
static uint32_t number_of(struct lifted_reasoner *l, uint32_t role, term move)
{
    struct moves *m = &l->moves[role];
    if (move >= m->number.n) vec_resize_zero(l->heap, &m->number, move + 1);
    if (m->number.v[move] == 0) {
        vec_push(l->heap, &m->terms, move);
        m->number.v[move] = m->terms.n;
    }
    return m->number.v[move] - 1;
}

static void sort_moves(struct lifted_reasoner *l, uint32_t role, struct lifted_list moves)
{
    for (uint32_t i = 0; i < moves.n; i++) {
        uint32_t k = number_of(l, role, moves.v[i]);
        if (k / 64 >= l->bits.n) vec_resize_zero(l->heap, &l->bits, k / 64 + 1);
        l->bits.v[k / 64] |= (uint64_t)1 << (k % 64);
    }
}

static bool legal(struct reasoner *r, const struct state *s, uint32_t role, struct list *out)
{
    struct lifted_reasoner *l = self(r);
    struct lifted_list moves = {0};
    struct heap_guard guard;
    bool all = go(r, s) && lifted_legal(l->engine, r->game->roles[role], &moves, &r->error);
    struct error error;
    volatile bool good = false;
    out->n = 0;
    if (HEAP_ENTER(l->heap, &guard, &error)) {
        sort_moves(l, role, moves);
        heap_leave(l->heap);
        good = true;
    }
    for (uint32_t w = 0; w < l->bits.n; w++)
        for (; l->bits.v[w]; l->bits.v[w] &= l->bits.v[w] - 1)
            if (good && !list_push(out, w * 64 + (uint32_t)__builtin_ctzll(l->bits.v[w]))) {
                error_set(&error, ERROR_MEMORY, "out of memory");
                good = false;
            }
    if (all && !good) r->error = error;
    return all && good;
}

static bool next(struct reasoner *r, const struct state *s, const uint32_t *joint, struct state *out)
{
    struct lifted_reasoner *l = self(r);
    struct lifted_list facts;
    for (uint32_t i = 0; i < r->game->nroles; i++) l->joint[i] = l->moves[i].terms.v[joint[i]];
    return go(r, s) && lifted_next(l->engine, r->game->roles, l->joint, r->game->nroles, &facts, &r->error) &&
           pack(r, facts, out);
}

/* The value of a term such as 50; -1 if it is no number from 0 to a million. */
static long value_of(const struct terms *t, term x)
{
    const struct term_node *n = term_get(t, x);
    const char *name = symbol_name(t, n->head);
    char *end;
    if (n->nargs || name[0] < '0' || name[0] > '9') return -1;
    long v = strtol(name, &end, 10);
    return *end || v > 1000000 ? -1 : v;
}

static bool goals(struct reasoner *r, const struct state *s, uint32_t role, struct list *out)
{
    struct lifted_reasoner *l = self(r);
    struct lifted_list values;
    out->n = 0;
    if (!go(r, s) || !lifted_goals(l->engine, r->game->roles[role], &values, &r->error)) return false;
    for (uint32_t i = 0; i < values.n; i++) {
        long v = value_of(r->terms, values.v[i]);
        if (v < 0) continue;
        uint32_t at = 0; /* 0 and 00 are two names for one value */
        while (at < out->n && out->v[at] < (uint32_t)v) at++;
        if (at < out->n && out->v[at] == (uint32_t)v) continue;
        if (!list_push(out, 0)) return no_memory(r);
        memmove(out->v + at + 1, out->v + at, (out->n - 1 - at) * sizeof *out->v);
        out->v[at] = (uint32_t)v;
    }
    return true;
}

static bool facts(struct reasoner *r, const struct state *s, struct list *out)
{
    struct lifted_list list = unpack(s);
    out->n = 0;
    for (uint32_t i = 0; i < list.n; i++)
        if (!list_push(out, lifted_fact_term(self(r)->engine, list.v[i]))) return no_memory(r);
    return true;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool assemble(struct reasoner *r, const term *fact_terms, uint32_t n, struct state *out)
{
    struct lifted_reasoner *l = self(r);
    struct heap_guard guard;
    lifted_until(l->engine, r->deadline, r->cancel);
    if (!HEAP_ENTER(l->heap, &guard, &r->error)) return false;
    l->facts.n = 0;
    vec_reserve(l->heap, &l->facts, n);
    heap_leave(l->heap);
    for (uint32_t i = 0; i < n; i++)
        if (!lifted_fact(l->engine, fact_terms[i], &l->facts.v[i], &r->error)) return false;
    if (n) qsort(l->facts.v, n, sizeof *l->facts.v, compare);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || l->facts.v[i] != l->facts.v[i - 1]) l->facts.v[kept++] = l->facts.v[i];
    return pack(r, (struct lifted_list){l->facts.v, kept}, out);
}

static term move_term(struct reasoner *r, uint32_t role, uint32_t move)
{
    return self(r)->moves[role].terms.v[move];
}

/* Any term can be a move: only the rules say which, state by state. */
static bool move_number(struct reasoner *r, uint32_t role, term move, uint32_t *out)
{
    struct lifted_reasoner *l = self(r);
    struct heap_guard guard;
    if (!HEAP_ENTER(l->heap, &guard, &r->error)) return false;
    *out = number_of(l, role, move);
    heap_leave(l->heap);
    return true;
}

static void release(struct reasoner *r)
{
    lifted_free(self(r)->engine);
    free(r);
}

static const struct reasoner_ops ops = {
    .name = "lifted",
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

struct reasoner *reasoner_lifted(const struct game *game, size_t memory, struct error *error)
{
    return reasoner_lifted_within(game, memory, DEFAULT_SECONDS, error);
}

struct reasoner *reasoner_lifted_within(const struct game *game, size_t memory, double seconds,
                                        struct error *error)
{
    struct lifted_limits limits = {.memory = memory ? memory : GAME_DEFAULT_MEMORY, .seconds = seconds};
    struct lifted_reasoner *l = calloc(1, sizeof *l);
    if (!l) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    l->base = (struct reasoner){.ops = &ops, .game = game};
    l->engine = lifted_new(game->program, &limits, error);
    struct heap_guard guard;
    if (l->engine) {
        l->base.terms = lifted_terms(l->engine);
        l->heap = lifted_heap(l->engine);
        if (HEAP_ENTER(l->heap, &guard, error)) {
            l->moves = heap_zalloc(l->heap, (game->nroles + 1) * sizeof *l->moves);
            l->joint = heap_zalloc(l->heap, (game->nroles + 1) * sizeof *l->joint);
            heap_leave(l->heap);
            return &l->base;
        }
    }
    release(&l->base);
    return NULL;
}
