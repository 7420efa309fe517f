/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols and hash-consed terms: equal terms have equal numbers.
 *
 * A symbol is a name; names that differ only in case are the same symbol and keep the spelling seen first. A
 * term is a variable (numbered within its rule) or a symbol applied to zero or more terms; `(f)` and `f` are
 * the same term.
 *
 *     term 17 ── symbol "cell" (arity 3) ── args ──> [ 4 ][ 5 ][ 9 ]      cells of one pool
 *
 * Term 0 is none. The GDL keywords are the first symbols, so that a symbol can be compared with an enum
 * keyword. A store grows; only its newest terms can be forgotten again. Copies (terms_clone) keep all
 * numbers, so that threads can go on by themselves.
 */
#ifndef GDL_TERM_H
#define GDL_TERM_H

#include "base/text.h"
#include "base/vec.h"

typedef uint32_t term;
typedef uint32_t symbol;

enum keyword {
    KW_NONE,
    KW_ROLE,
    KW_INIT,
    KW_TRUE,
    KW_DOES,
    KW_LEGAL,
    KW_NEXT,
    KW_TERMINAL,
    KW_GOAL,
    KW_BASE,
    KW_INPUT,
    KW_DISTINCT,
    KW_NOT,
    KW_OR,
    KW_AND,
    KW_ARROW, /* <= */
    KW_COUNT
};

struct term_node {
    uint32_t head; /* symbol, or number of the variable */
    uint32_t args; /* where the arguments begin in the pool */
    uint32_t nargs;
    bool variable;
    bool ground;
    bool bracketed; /* without arguments, but written (f) when first seen, and printed like that */
};

#define TERM_MAX_DEPTH 2000 /* deeper terms mean rules that count without end */

struct terms {
    struct heap *heap;
    VEC(const char *) names; /* by symbol */
    VEC(struct term_node) nodes;
    VEC(term) pool;
    uint32_t *symbol_slots, *term_slots; /* open addressing; sizes are powers of two */
    uint32_t symbol_mask, term_mask;
};

struct terms *terms_new(struct heap *heap);
struct terms *terms_clone(struct heap *heap, const struct terms *from);

/* Forget all terms from number `count` on and give their memory back; nobody may use them any more. */
void terms_shrink(struct terms *t, uint32_t count);

symbol symbol_intern(struct terms *t, const char *name, size_t length);
symbol symbol_find(const struct terms *t, const char *name, size_t length); /* 0 if never seen */
static inline const char *symbol_name(const struct terms *t, symbol s)
{
    return t->names.v[s];
}

term term_make(struct terms *t, symbol head, const term *args,
               uint32_t nargs); /* args may point into the pool */
term term_find(const struct terms *t, symbol head, const term *args, uint32_t nargs); /* 0 if never made */
term term_bracketed(struct terms *t, symbol head); /* written (f): the same term as f */
term term_variable(struct terms *t, uint32_t number);
static inline term term_atom(struct terms *t, symbol s)
{
    return term_make(t, s, NULL, 0);
}

static inline const struct term_node *term_get(const struct terms *t, term x)
{
    return &t->nodes.v[x];
}
static inline const term *term_args(const struct terms *t, term x)
{
    return t->pool.v + t->nodes.v[x].args;
}
static inline term term_arg(const struct terms *t, term x, uint32_t i)
{
    return t->pool.v[t->nodes.v[x].args + i];
}

/* The same term with variables replaced: `binding[number]`, where 0 leaves the variable as it is. */
term term_substitute(struct terms *t, term x, const term *binding);
/* The number of a term of another store in this one. Variables keep their numbers. */
term term_import(struct terms *t, const struct terms *from, term x);

/* `(cell 1 1 b)` with single blanks; variables as ?0, ?1, or by `names` when given. `lower` prints symbols in
 * lower case. */
void term_print(const struct terms *t, term x, bool lower, const char *const *names, struct text *out);

/* Read one term without variables, such as a move, from text. 0 and an error if it is not one. */
term term_read(struct terms *t, const char *s, size_t n, struct error *error);

#endif
