/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the lifted engine.
 *
 * A literal of a rule is asked with some arguments bound. That pattern, one letter per argument, makes a
 * *view* of the relation: 'b' bound when asked, 'f' free and wanted, '_' free and not wanted. A view is
 * asked with the values of its bound arguments, the *key*, and gives rows of its free ones, without
 * duplicates. There are three kinds of views behind one loop:
 *
 *     static_view   relation that depends on neither state nor moves: rows sorted by key, made once
 *     fact_view     (true (f ...)): rows sorted by key, made per state when first asked
 *     proc          any other relation: key -> call, a table that is filled by running the rules
 *
 *     proc "line bf_"  ── plans: one per rule, ops in join order
 *        │
 *        └ keys ─> call (x) ── rows        state: new, open (being worked out), done
 *                  call (o) ── rows
 *
 * All values are terms without variables, so equality is equality of numbers.
 */
#ifndef LOGIC_LIFTED_INTERNAL_H
#define LOGIC_LIFTED_INTERNAL_H

#include "base/arena.h"
#include "logic/lifted.h"
#include "logic/lifted_keys.h"

#ifdef LIFTED_COUNT /* see lifted_dump.c */
#define COUNT(x) ((x)++)
#else
#define COUNT(x) ((void)0)
#endif
#define MAX_TERM_NAMES 1000000

struct rows {
    const term *from, *to;
};

struct static_view {
    uint32_t relation;
    const char *pattern;
    uint32_t nfree;
    struct keys keys;
    uint32_t *start; /* by key, n + 1 entries: row numbers */
    term *rows;
};

/* All facts with one functor that were ever met. */
struct fact_group {
    symbol functor;
    uint32_t arity;
    struct vec_u32 facts;   /* their numbers */
    struct vec_u32 present; /* places in `facts` of those in the state */
    VEC(struct fact_view *) views;
    uint64_t seen;      /* facts present, summed over all states */
    uint32_t rows;      /* for join orders: how many there are in a state, and how many different values */
    uint32_t *distinct; /* per argument; NULL when not measured yet */
};

/* The rows of one key in the current state, if it is stamped with its epoch. */
struct bucket {
    uint64_t epoch;
    uint32_t start, count;
};

struct fact_view {
    struct fact_group *group;
    const char
        *pattern; /* one letter more than arguments: 't' if the term of the fact itself is wanted, too */
    uint32_t nbound, nfree;
    struct keys keys;
    uint32_t known;             /* facts of the group that are in the next two */
    struct vec_u32 key_of;      /* by place in the group */
    struct vec_u32 column;      /* by place in the group, nfree each: the free arguments */
    uint64_t epoch;             /* the state that the rest is about */
    VEC(struct bucket) buckets; /* by key */
    struct vec_u32 rows;
};

/* What a call's answer depends on, and so when it must be forgotten. */
enum lifetime { LIFE_STATIC, LIFE_STATE, LIFE_MOVE, LIFE_COUNT };

enum call_state { CALL_NEW, CALL_OPEN, CALL_DONE };

struct call {
    struct proc *proc;
    uint64_t epoch; /* of its lifetime; an older one means that it is new again */
    uint8_t state;
    bool dirty;       /* is in the engine's list of open calls with fresh rows */
    uint32_t serial;  /* counts the times it was opened: consumers of earlier times are dead */
    uint32_t at, low; /* its place in the stack of open calls; the lowest one it depends on */
    uint32_t n, cap;  /* rows */
    term *rows;       /* proc->nfree columns */
    uint32_t *slots;  /* row number + 1, for many rows */
    uint32_t mask;
    struct consumer *consumers;
    term key[];
};

enum proc_kind {
    PROC_TABLE, /* rows go to the table of the call */
    PROC_WHOLE, /* the same; works out all of a static relation, bottom-up */
    PROC_STATE, /* rows are facts, and go to the set of facts of the next state */
};

#define NO_CHOICE UINT32_MAX

struct proc {
    uint32_t relation;
    const char *pattern;
    uint32_t number;
    uint32_t nbound, nfree;
    const uint64_t *now; /* the epoch that its calls are good for */
    uint8_t lifetime, kind;
    bool recursive;
    bool compiled; /* plans are made when it is first called */
    uint32_t frame_slots, frame_iters;
    /* Rules told apart by a constant in a bound argument are not all tried: */
    uint32_t choice;           /* the place of that argument in the key, or NO_CHOICE */
    struct keys constants;     /* that occur there */
    struct plan ***plans;      /* by constant, one more for all other values: plans up to a NULL */
    struct static_view *given; /* the facts among the rules, or NULL */
    struct keys keys;
    VEC(struct call *) calls; /* by key */
    /* measured, for join orders: calls worked out, their rows, and steps taken with all they called */
    uint64_t opened, answers, steps;
};

/* An operand is a slot of the frame, or the complement of a term. */
typedef int32_t operand;
#define OPERAND_CONST(t) (~(int32_t)(t))
#define VALUE(env, x) ((x) >= 0 ? (env)[x] : (term) ~(x))

enum action_kind { ACTION_SKIP, ACTION_BIND, ACTION_SAME, ACTION_CONST };
struct action {
    uint32_t kind, x; /* slot or term */
};

struct loose {
    uint32_t slot, column;
};

/* Generators run through rows; tests only ask whether there is one. */
enum op_code {
    OP_EQUAL,    /* in[0] == in[1] */
    OP_DISTINCT, /* in[0] != in[1] */
    OP_BUILD,    /* slot = functor(in...) */
    OP_UNPACK,   /* in[0] is functor(out...) */
    OP_STATIC,   /* generators: key in[], rows matched by out[] */
    OP_FACTS,
    OP_CALL,
    OP_DOES,
    OP_ALL_FACTS,
    OP_IS_STATIC, /* tests */
    OP_IS_FACTS,
    OP_HOLDS,
    OP_NOT_STATIC,
    OP_NOT_FACTS,
    OP_NOT_HOLDS,
    OP_NOT_DOES,
    OP_IS_FACT, /* in[0] is a fact of the state */
    OP_NOT_IS_FACT,
    OP_EMIT, /* in[] is an answer */
};

/* Backtracking is worked out beforehand: every op knows the op to go back to when it fails, which is the last
 * generator that has a say in its inputs; a generator that has run out goes back to the one before it. NULL:
 * the rule is through. */
struct op {
    uint8_t code;
    bool plain; /* every column of out[] is bound to a slot */
    uint16_t nin, nout;
    uint32_t iter; /* of a generator */
    struct op *fail, *back;
    operand *in;
    struct action *out;
    /* The key, taken apart: what its constants contribute to the index, as of a version of the keys; and the
     * columns that come from slots. */
    uint32_t fixed, version;
    uint32_t nloose;
    struct loose *loose;
    union {
        struct static_view *facts_always;
        struct fact_view *facts;
        struct proc *proc;
        symbol functor;
    };
    uint32_t slot;
#ifdef LIFTED_COUNT
    uint64_t hits;
#endif
};

struct plan {
    const struct rule *rule;
    uint32_t nops, nslots, niters;
    struct op *ops;
};

struct iter {
    const term *at, *end;
};

/* A rule that waits for rows of an open call. */
struct consumer {
    struct consumer *next;
    struct call *owner;
    uint32_t serial; /* of the owner when this was made */
    uint32_t seen;   /* rows it has had */
    const struct plan *plan;
    struct op *op; /* the one that calls */
    term env[];
};

struct frame {
    struct frame *below;
    struct call *call; /* that answers go to */
    struct arena_mark mark;
    struct plan *const *rule; /* the next one to try */
    const struct plan *plan;
    struct op *op;        /* the one that waits for `waiting` */
    struct call *waiting; /* the callee, when there is a frame above */
    struct op *base;      /* backtracking to this op or before it ends the run of the plan */
    struct iter *iters;
    uint64_t steps; /* when it began */
    uint32_t dirty_mark;
    bool leading;              /* rules are through; feeding consumers */
    struct consumer *consumer; /* the frame runs this one */
    struct consumer *resumed;  /* the frame works off the consumers of `fresh`: the next one to run */
    struct call *fresh;
    term env[];
};

enum relation_kind {
    RELATION_CALLED, /* proved when asked */
    RELATION_STATIC, /* all rows are known */
    RELATION_TRUE,
    RELATION_DOES,
};

/* What asking once is thought to give and to cost. */
struct guess {
    double rows, cost;
};

struct known_guess {
    const char *pattern;
    struct guess guess;
};

struct lifted_relation {
    enum relation_kind kind;
    uint32_t arity, nrows;
    term *rows;         /* of a static relation, all; of others, those that the sheet states as facts */
    uint32_t *distinct; /* by column: number of different values */
    VEC(struct static_view *) views;
    VEC(struct proc *) procs;
    VEC(struct known_guess) guesses;
    double *domain; /* by column, when it has been looked at */
};

struct fact_info {
    term fact;
    uint32_t group, place;
};

struct lifted {
    struct heap *heap;
    const struct program *program;
    struct terms *terms;
    double seconds;  /* for one question */
    double until;    /* for all of them; 0: none */
    uint64_t steps;  /* work done in this question */
    uint64_t alarm;  /* steps at which to look at limits */
    uint32_t opened; /* calls, ever */
    bool timed;      /* the question's own time limit is set */
    uint64_t step_limit;

    struct lifted_relation *relations;
    struct rule *rules; /* those of the program, with short calls written out; by the same numbers */
    VEC(struct proc *) procs;

    /* facts */
    VEC(struct fact_info) facts; /* by number, from 1 */
    struct vec_u32 fact_of;      /* by term */
    VEC(struct fact_group *) groups;
    bool in_state;        /* the next two are set */
    struct vec_u32 state; /* facts of the current state, ascending */
    struct vec_u32 state_terms, initial;
    VEC(uint64_t) present; /* by fact: epoch of the state it was last in */
    struct vec_u32 does;   /* pairs role, move */
    struct vec_u32 depth;  /* of terms, as far as they were looked at */
    struct vec_u32 names;  /* the same: how many names they are made of; 0 is 1 */

    /* calls */
    uint64_t epoch[LIFE_COUNT];
    struct arena arena[LIFE_COUNT]; /* rows of calls */
    struct arena calls[LIFE_COUNT]; /* the calls themselves */
    uint32_t ncalls[LIFE_COUNT];
    struct arena frames, waiting;
    struct arena plans, scratch;
    VEC(struct call *) open;         /* stack of open calls */
    VEC(struct call *) dirty;        /* stack */
    uint64_t states;                 /* gone to */
    uint64_t measure_at, planned_at; /* states when to make plans anew, and when that was done last */
    uint64_t work;                   /* steps since then */
    double usual_work;               /* steps per state before */
    uint32_t nguesses, guess_depth;
    struct vec_u32 key; /* scratch */
    struct vec_u32 out; /* lists handed out */
    VEC(uint64_t) bits; /* scratch for sorting numbers */
};

/* lifted_static.c: relations that depend on nothing. */
void static_evaluate(struct lifted *e);
struct static_view *static_view(struct lifted *e, uint32_t relation, const char *pattern);

/* lifted_inline.c: write out short calls; `order` lists the relations callees first. */
void inline_calls(struct lifted *e, const uint32_t *order);

/* lifted_facts.c: the state. */
uint32_t fact_number(struct lifted *e, term fact);
void fact_announce(struct lifted *e, term fact); /* it is in the next state */
struct fact_group *fact_group(struct lifted *e, symbol functor, uint32_t arity);
struct fact_view *fact_view(struct lifted *e, struct fact_group *g, const char *pattern);
void fact_view_update(struct lifted *e, struct fact_view *v);
void facts_set(struct lifted *e, const uint32_t *facts, uint32_t n);
void facts_measure(struct lifted *e); /* sizes, for join orders */

/* lifted_call.c: procs and calls. */
struct proc *proc_get(struct lifted *e, uint32_t relation, const char *pattern, enum proc_kind kind);
struct call *call_get(struct lifted *e, struct proc *p, const term *key);
void call_renew(struct lifted *e, struct call *c);
void calls_trim(struct lifted *e); /* between states: forget calls if there are too many */
bool call_add(struct lifted *e, struct call *c, const term *row);

/* lifted_order.c: the order in which to join the literals of a rule whose head is called with this pattern.
 * `whole`: bottom-up, a literal of the head's own component comes first. */
void order_body(struct lifted *e, const struct rule *rule, const char *pattern, bool whole, uint32_t *order);
bool order_drives(const struct lifted *e, const struct rule *rule, const struct literal *l);
void order_forget(struct lifted *e); /* guesses: sizes have changed */

/* lifted_plan.c */
void proc_compile(struct lifted *e, struct proc *p);
void plans_forget(struct lifted *e); /* make them anew when needed */

/* lifted.c */
void lifted_forget(struct lifted *e);

/* lifted_run.c: work out a call completely. */
void lifted_run(struct lifted *e, struct call *goal);
term lifted_build(struct lifted *e, symbol functor, const term *args, uint32_t n);

#endif
