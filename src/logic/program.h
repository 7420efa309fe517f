/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of a game as a logic program: what every engine starts from.
 *
 *   syntax tree --program_build--> rules in normal form --program_depend--> components, strata, what depends
 * on what
 *
 * Normal form: a rule is a head and a conjunction of literals, each a relation applied to terms, negated or
 * not, or `distinct`. Disjunctions are multiplied out, `and` is flattened, negation stands in front of atoms
 * only, equations that come from `(not (distinct ...))` are solved. Every variable of the head, of a negated
 * literal and of a `distinct` occurs in a positive literal. Where a sheet negates an atom with variables
 * nothing binds, the usual reading is "for no value of them": a helper relation is invented that forgets
 * these variables, so that the rule obeys the above. Variables are numbered 0..nvars-1 within their rule.
 *
 * A relation is a name with an arity: a sheet may use one name with two arities. The keywords are relations
 * too: role/1, init/1, true/1, does/2, legal/2, next/1, terminal/0, goal/2, base/1, input/2. `true` and
 * `does` have no rules.
 */
#ifndef LOGIC_PROGRAM_H
#define LOGIC_PROGRAM_H

#include "gdl/syntax.h"
#include "gdl/term.h"

enum literal_kind { LITERAL_POSITIVE, LITERAL_NEGATIVE, LITERAL_DISTINCT };

struct literal {
    enum literal_kind kind;
    uint32_t relation; /* of the atom; meaningless for distinct */
    term atom;         /* for distinct: (distinct a b) */
    uint32_t node;     /* where it stands in the sheet */
};

struct rule {
    uint32_t relation;
    term head;
    struct literal *body;
    uint32_t nbody;
    uint32_t nvars;
    const char **names; /* of the variables, "?x" as written */
    uint32_t node;      /* the whole form in the sheet */
    uint32_t head_node;
};

struct relation {
    symbol name;
    uint32_t arity;
    struct vec_u32 rules; /* numbers of the rules with this head, in the order of the sheet */
    uint32_t node;        /* where it is first mentioned */
    bool invented; /* by normalisation; its name is that of a relation of the sheet, a blank and a mark */
    bool is_union; /* of the invented relations it was split into */
    /* filled in by program_depend: */
    bool needs_true, needs_does; /* its truth depends on the state; on the moves. Neither: static. */
    bool recursive;              /* is in a cycle of the dependency graph */
    uint32_t component;          /* strongly connected component; those it depends on have smaller numbers */
};

/* In GDL-II the role of this name is chance: it chooses uniformly among its legal moves. */
#define CHANCE_ROLE "random"

struct program {
    struct heap *heap;
    struct terms *terms;
    const struct syntax *syntax;
    VEC(struct rule) rules;
    VEC(struct relation) relations;
    uint32_t *slots; /* (name, arity) -> relation + 1 */
    uint32_t mask;
    uint32_t components;
    uint32_t keyword[KW_COUNT]; /* the relation of each keyword that is one, at its proper arity */
};

/* Bring the sheet into normal form. Faults go to `diags`: errors mean that the program must not be played,
 * warnings that a dialect slip was understood. Includes program_depend. Call inside a guard of `heap`. */
struct program *program_build(struct heap *heap, const struct syntax *syntax, struct diags *diags);

/* Components, static or not; reports negation through a cycle ("unstratified") as an error. */
void program_depend(struct program *p, struct diags *diags);

uint32_t program_relation(struct program *p, symbol name, uint32_t arity, uint32_t node); /* found or made */
#define NO_RELATION UINT32_MAX
uint32_t program_find_relation(const struct program *p, symbol name, uint32_t arity); /* or NO_RELATION */

static inline bool relation_is_static(const struct relation *r)
{
    return !r->needs_true && !r->needs_does;
}

/* The relation's name as the sheet has it, for "%.*s". */
#define RELATION_NAME(p, r) relation_name_length(p, r), symbol_name((p)->terms, (p)->relations.v[r].name)
int relation_name_length(const struct program *p, uint32_t relation);

/* The arity a keyword has as a relation, or -1 if it is not one. */
int keyword_arity(symbol s);

#endif
