/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of ground/: clauses over flat predicates, and the stages that work on them.
 *
 *     program ──flatten──> clauses ──reach──> tables of all possible atoms ──emit──> instances ─┐
 *              shapes.c               plan.c, join.c (both use them)                            │
 *                                                               ground <──finish (finish.c)─────┘
 *
 * Flat: arguments of predicates are registers and ground terms, nothing nested. Two devices get us there.
 *   - `true`, `init`, `next`, `does`, `legal` are told apart by the functor of the fact or move they carry:
 *     (true (cell ?x ?y ?p)) is a tuple of three columns of the predicate true:cell/3. Facts and moves
 *     without arguments share one predicate, true:0, whose column is the fact. A rule with a variable for a
 *     whole fact becomes one clause per functor that can stand there.
 *   - any other compound pattern f(..) becomes a register t and a literal "t is f(..)", which is a join with
 *     the table of all terms f(..) seen so far, unless t is known (take it apart) or the arguments are (look
 *     it up).
 */
#ifndef GROUND_INTERNAL_H
#define GROUND_INTERNAL_H

#include "ground/ground.h"
#include "ground/table.h"

#define NONE UINT32_MAX

#define HELPER_RELATION (NO_RELATION - 1) /* of predicates invented here */

/* A register, or a ground term. */
typedef uint32_t operand;
#define OPERAND_REGISTER 0x80000000u
static inline bool is_register(operand o)
{
    return o & OPERAND_REGISTER;
}
static inline uint32_t register_of(operand o)
{
    return o & ~OPERAND_REGISTER;
}

struct predicate {
    uint32_t relation; /* NO_RELATION: the terms f(..) themselves, column 0 the term, then the arguments */
    symbol functor;    /* of the fact, move or terms; 0 if they have no arguments, or for other relations */
    uint32_t arity;    /* of the functor */
    struct table table;
    bool demanded;        /* computed only as far as asked for, or not worth the attempt; see demand.c */
    bool frozen;          /* facts that never change */
    bool exact;           /* static: its table is its meaning. Otherwise the table is what can be true. */
    bool late;            /* no fact or move depends on it, except by dynamic negation */
    bool visible;         /* its rows become atoms of the ground program */
    bool changed;         /* rows came since its users were last told */
    uint32_t feeds;       /* rows are copied to this predicate: init and next to true, legal to does */
    struct vec_u32 users; /* clauses with a positive literal on it */
    uint32_t component; /* of the graph of predicates; those it depends on have smaller numbers or the same */
    uint32_t base;      /* number of the atom of row 0, once everything is reached */
};

enum item_kind {
    ITEM_POSITIVE, /* predicate(args) */
    ITEM_TERM,     /* args[0] is functor(args[1..]), with a table of such terms behind it */
    ITEM_NEGATIVE, /* not predicate(args) */
    ITEM_DISTINCT, /* args[0] != args[1] */
    ITEM_CONSTANT, /* args[0] is a term without arguments */
    ITEM_BUILD,    /* args[0] := functor(args[1..]) */
};

struct item {
    enum item_kind kind;
    uint32_t predicate; /* of terms for ITEM_TERM, and for ITEM_BUILD if there is one, else NONE; NONE also
                           for a negated literal on a variable for a whole fact or move */
    uint32_t relation;  /* of positive and negative items */
    symbol functor;
    uint32_t nargs;
    operand *args;
};

/* One step of a join; see join.c. */
enum step_kind {
    STEP_SCAN,    /* all rows in range */
    STEP_PROBE,   /* the rows an index finds */
    STEP_MEMBER,  /* the one row that is fully known */
    STEP_APART,   /* take the term apart */
    STEP_LOOK_UP, /* find the term with these arguments */
    STEP_FILTER,  /* not, distinct, constant */
    STEP_BUILD,   /* make the term */
};

struct transfer {
    uint32_t column;
    operand with; /* the register to set, or what the cell must equal */
};

struct step {
    enum step_kind kind;
    uint32_t item;      /* in the clause's body */
    uint32_t predicate; /* whose table is looked at */
    uint32_t index;     /* of the table, for STEP_PROBE */
    uint64_t columns;   /* of that index */
    uint32_t nset, ncheck;
    struct transfer *set, *check; /* set first, then check: a register may occur twice in one literal */
    bool once;                    /* what it binds is not needed later: the first row will do */
    bool exists;                  /* nothing that matters is bound from here on: one success will do */
};

struct plan {
    bool made;
    struct step *steps;
    struct transfer *transfers;
    uint32_t nsteps;
    uint32_t *sizes; /* by item: rows it was made for */
};

struct clause {
    uint32_t rule; /* of the program it comes from */
    uint32_t predicate;
    operand *head;
    struct item *body; /* positive items on predicates first */
    uint32_t nbody, npositive;
    uint32_t nbuild; /* the last nbuild items make terms of the head */
    uint32_t nregisters;
    bool gone;          /* others have taken its place */
    bool dirty;         /* has to be looked at again */
    uint32_t *seen;     /* by positive item: rows already joined with everything else */
    struct plan *plans; /* by positive item as the one with new rows; the last for a join of everything */
    uint64_t work;      /* rows tried for it so far */
    uint64_t patience;  /* when work exceeds this, something is done about it */
};

struct functor {
    symbol name;
    uint32_t arity;
};

/* A predicate invented for a body; see decompose.c. */
struct helper {
    const uint32_t *key;
    uint32_t n, predicate;
};

/* A ground rule on its way out; atoms by base + row. */
struct instance {
    uint32_t head, first, n;
};

struct grounder {
    struct heap *heap; /* scratch: everything but the terms and the result */
    const struct program *program;
    struct terms *terms; /* the result's */
    struct ground_report *report;
    struct ground_limits limits; /* with the usual values where nothing was said */
    VEC(struct predicate) predicates;
    uint32_t *slots; /* (relation, functor, arity) -> predicate + 1 */
    uint32_t mask;
    VEC(struct clause) clauses;
    bool *relevant; /* by relation: needed for legal, next, goal, terminal, init or role */
    VEC(struct functor) fact_functors, move_functors; /* that true and does can carry; name 0: no arguments */
    uint32_t *registers;                              /* of the clause being joined */
    uint32_t nregisters;
    struct stamps stamps;
    struct vec_u32 depth;   /* by term that was built: how deep it is nested */
    struct vec_u32 changed; /* predicates whose users are to be told */
    uint32_t components;
    struct vec_u32 *members; /* by component: its clauses */
    bool *dirty;             /* by component: may have a dirty clause */
    bool late;               /* late predicates have their turn */
    uint32_t low;            /* no clause of a smaller component is dirty */
    VEC(struct helper) helpers;
    /* emission */
    uint32_t natoms;
    VEC(struct instance) instances;
    struct vec_u32 literals;
};

/* clause.c: predicates are found by what they stand for, or made; predicates and clauses keep their numbers.
 */
uint32_t predicate_get(struct grounder *g, uint32_t relation, symbol functor, uint32_t arity);
uint32_t predicate_find(const struct grounder *g, uint32_t relation, symbol functor,
                        uint32_t arity); /* or NONE */
/* A predicate of our own that stands for part of what `parent` does, and is computed when that is. */
uint32_t predicate_invent(struct grounder *g, uint32_t width, bool exact, uint32_t parent);
/* A clause from loose items: the first nbody are its body in any order, the rest build terms of the head. */
uint32_t clause_make(struct grounder *g, uint32_t rule, uint32_t predicate, operand *head,
                     const struct item *items, uint32_t nbody, uint32_t nitems, uint32_t nregisters);
operand *cut_operands(struct grounder *g, uint32_t n); /* on the arena */
/* Put the terms that stand in heads into the tables of terms. Call when the clauses are complete. */
void register_heads(struct grounder *g);
static inline bool item_is_exact(const struct grounder *g, const struct item *item)
{
    if (item->predicate != NONE) return g->predicates.v[item->predicate].exact;
    return relation_is_static(&g->program->relations.v[item->relation]);
}

/* flatten.c: the relevant rules as clauses. */
void flatten_program(struct grounder *g);

/* strata.c: components of predicates, which of them are exact, which visible. */
void strata_find(struct grounder *g);

/* shapes.c: which relations are needed, which functors facts and moves can have. */
void shapes_find(struct grounder *g);
/* The argument that carries a fact or move, -1 for other relations. */
int carrier_argument(const struct grounder *g, uint32_t relation);

struct range {
    uint32_t from, to; /* rows */
};

/* plan.c: the order of a join, given the rows each positive item ranges over. `emit` plans keep every row
 * that becomes part of a ground rule; others only care for the different heads. */
void plan_make(struct grounder *g, const struct clause *c, struct plan *plan, const struct range *ranges,
               bool emit);
void plan_free(struct grounder *g, struct plan *plan);

/* join.c: run a plan; `found` is called with the registers set for every match. */
struct join {
    struct grounder *g;
    struct clause *clause;
    const struct plan *plan;
    const struct range *ranges; /* by positive item */
    uint32_t *rows;             /* by positive item: the row it is at */
    void (*found)(struct join *j);
    bool stopped;            /* no more: set by found, or when out of patience */
    uint64_t patience;       /* stop when the clause's work exceeds this */
    uint64_t matches, limit; /* for found to use */
    void *data;
};
void join_run(struct join *j);
/* Make the terms that the head needs; then its operands have values. */
void join_build(struct grounder *g, const struct clause *c);
static inline uint32_t join_value(const struct grounder *g, operand o)
{
    return is_register(o) ? g->registers[register_of(o)] : o;
}

/* The row of a positive or negative item whose operands are all known, and its predicate; NO_ROW if there is
 * none. */
uint32_t item_find(struct grounder *g, const struct item *item, uint32_t *predicate);

/* decompose.c: replace a clause by several that have fewer instances, if they are expected to have less than
 * `most` (0: clearly less than it). They are added at the end of g->clauses, helpers before those that use
 * them. */
bool clause_decompose(struct grounder *g, uint32_t clause, double most);

/* unfold.c: the same, a static relation of its body being written out first. The tables are complete. */
bool clause_unfold(struct grounder *g, uint32_t clause, double most);

/* demand.c: from now on compute the predicate only as far as it is asked for. Clauses are replaced and added;
 * reaching must start over. False if its callers do not know enough to ask. */
bool demand_apply(struct grounder *g, uint32_t predicate);

/* reach.c: fill the tables. */
void reach_all(struct grounder *g);
/* Join one clause with what has come since the last time; false if that took more work than the clause is
 * allowed in all, and nothing counts as seen. */
bool reach_clause(struct grounder *g, struct clause *c, uint64_t patience);
/* emit.c: the instances of all clauses. */
void emit_all(struct grounder *g);
uint64_t instance_hash(const struct grounder *g, const struct instance *x);
bool instance_same(const struct grounder *g, const struct instance *a, const struct instance *b);
/* finish.c: number the atoms, drop what nothing needs, write the result. */
void finish(struct grounder *g, struct ground *out);

#endif
