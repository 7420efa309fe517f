// SPDX-License-Identifier: GPL-3.0-or-later
/* States, lists, and what can be said about any engine in terms of its operations. */
#include "game/reasoner.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void state_done(struct state *s)
{
    free(s->w);
    *s = (struct state){0};
}

bool state_reserve(struct state *s, uint32_t words)
{
    if (words <= s->cap && s->w) return true; /* even a state without words has an address */
    uint32_t cap = words + words / 4 + 4;
    uint64_t *w = realloc(s->w, cap * sizeof *w);
    if (!w) return false;
    s->w = w;
    s->cap = cap;
    return true;
}

bool state_copy(struct state *to, const struct state *from)
{
    if (to == from) return true;
    if (!state_reserve(to, from->words)) return false;
    if (from->words) memcpy(to->w, from->w, from->words * sizeof *to->w);
    to->words = from->words;
    return true;
}

bool state_equal(const struct state *a, const struct state *b)
{
    return a->words == b->words && (a->words == 0 || memcmp(a->w, b->w, a->words * sizeof *a->w) == 0);
}

uint64_t state_hash(const struct state *s)
{
    return hash_bytes(s->w, s->words * sizeof *s->w);
}

void list_done(struct list *l)
{
    free(l->v);
    *l = (struct list){0};
}

bool list_push(struct list *l, uint32_t x)
{
    if (l->n == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : 16;
        uint32_t *v = realloc(l->v, cap * sizeof *v);
        if (!v) return false;
        l->v = v;
        l->cap = cap;
    }
    l->v[l->n++] = x;
    return true;
}

void reasoner_free(struct reasoner *r)
{
    if (r) r->ops->free(r);
}

bool reasoner_goal(struct reasoner *r, const struct state *s, uint32_t role, int *out)
{
    struct list values = {0};
    bool good = r->ops->goals(r, s, role, &values);
    if (good) *out = values.n == 1 ? (int)values.v[0] : GOAL_UNDEFINED;
    list_done(&values);
    return good;
}

/* The facts of the state with `fact` among them or not, put together again. */
static bool change_fact(struct reasoner *r, struct state *s, term fact, bool there)
{
    struct list facts = {0};
    bool good = r->ops->facts(r, s, &facts);
    if (good) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < facts.n; i++)
            if (facts.v[i] != fact) facts.v[kept++] = facts.v[i];
        facts.n = kept;
        if (there && !list_push(&facts, fact)) good = error_set(&r->error, ERROR_MEMORY, "out of memory");
        good = good && r->ops->assemble(r, facts.v, facts.n, s);
    }
    list_done(&facts);
    return good;
}

bool reasoner_add_fact(struct reasoner *r, struct state *s, term fact)
{
    return change_fact(r, s, fact, true);
}

bool reasoner_remove_fact(struct reasoner *r, struct state *s, term fact)
{
    return change_fact(r, s, fact, false);
}

/* A term of another reasoner in this one's store; 0 if there is no memory for it. */
static term carry_term(struct reasoner *to, const struct reasoner *from, term x)
{
    struct heap_guard guard;
    volatile term y = 0;
    if (HEAP_ENTER(to->terms->heap, &guard, &to->error)) {
        y = term_import(to->terms, from->terms, x);
        heap_leave(to->terms->heap);
    }
    return y;
}

bool reasoner_carry_state(struct reasoner *to, struct reasoner *from, const struct state *s,
                          struct state *out)
{
    struct list facts = {0};
    bool good = from->ops->facts(from, s, &facts);
    if (!good) to->error = from->error;
    for (uint32_t i = 0; i < facts.n && good; i++)
        good = (facts.v[i] = carry_term(to, from, facts.v[i])) != 0;
    good = good && to->ops->assemble(to, facts.v, facts.n, out);
    list_done(&facts);
    return good;
}

bool reasoner_carry_move(struct reasoner *to, struct reasoner *from, uint32_t role, uint32_t move,
                         uint32_t *out)
{
    term x = carry_term(to, from, from->ops->move_term(from, role, move));
    return x && to->ops->move_number(to, role, x, out);
}

bool reasoner_read_move(struct reasoner *r, uint32_t role, const char *text, uint32_t *out)
{
    term move = term_read(r->terms, text, strlen(text), &r->error);
    if (!move) return error_prefix(&r->error, "'%.60s' is no move", text);
    return r->ops->move_number(r, role, move, out);
}

bool reasoner_read_state(struct reasoner *r, const char *text, struct state *out)
{
    struct list facts = {0};
    bool good = true;
    for (const char *at = text + strspn(text, " \t\r\n"); good && *at; at += strspn(at, " \t\r\n")) {
        size_t n = 0;
        int depth = 0;
        do {
            depth += at[n] == '(' ? 1 : at[n] == ')' ? -1 : 0;
            n++;
        } while (at[n] && (depth > 0 || !strchr(" \t\r\n()", at[n])));
        term fact = term_read(r->terms, at, n, &r->error);
        good = fact && list_push(&facts, fact);
        if (!good) error_set(&r->error, ERROR_INPUT, "'%.*s' is no fact", (int)(n < 60 ? n : 60), at);
        at += n;
    }
    if (good && facts.n == 0) good = error_set(&r->error, ERROR_INPUT, "the state has no facts");
    good = good && r->ops->assemble(r, facts.v, facts.n, out);
    list_done(&facts);
    return good;
}

void reasoner_print_move(struct reasoner *r, uint32_t role, uint32_t move, bool lower, struct text *out)
{
    term_print(r->terms, r->ops->move_term(r, role, move), lower, NULL, out);
}
