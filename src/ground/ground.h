/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A game without variables: every atom that can ever be true, and the ground rules between them.
 *
 * Static relations are evaluated exactly and are gone: what is left are atoms whose truth depends on the
 * state or the moves.
 *
 *     inputs                     atoms                                    outputs
 *     fact f  (true f)   ─┐                                            ┌─ next[f]      atom or none
 *     move m  (does r m) ─┼──> atom <── rule ── literals (atom, ¬atom) ┼─ legal[m]
 *                         │    atom <── rule ── ...                    ├─ terminal
 *                                                                      └─ goal (role, value, atom)
 *
 * Atoms are numbered 0..natoms-1: first the facts, then the moves of role 0, of role 1, ..., then the derived
 * atoms. A derived atom is true if the body of one of its rules is; an atom without rules is false. A rule
 * with an empty body is true always. Positive cycles among derived atoms mean the least fixpoint; no cycle
 * contains a negation.
 *
 * Only derived atoms that the outputs depend on are there. "Can ever be true" is an upper bound, for where an
 * atom that may change is negated, both were taken as possible.
 */
#ifndef GROUND_GROUND_H
#define GROUND_GROUND_H

#include "logic/program.h"

#define GROUND_NONE UINT32_MAX

struct ground_rule {
    uint32_t head;     /* a derived atom */
    uint32_t first, n; /* its body: literals.v[first .. first+n-1] */
};

struct ground_goal {
    uint32_t role, value, atom;
};

struct ground {
    struct heap *heap;   /* owns everything here */
    struct terms *terms; /* own copy; numbers of program->terms stay valid in it */
    uint32_t nroles;
    uint32_t natoms, nfacts;
    term *atom; /* by atom: (true f), (does r m), or the derived atom; 0 for helpers that have no name */
    term *fact; /* by fact: f */
    bool *init; /* by fact: true in the initial state */
    uint32_t *move_base; /* by role, nroles + 1 entries: atoms of role r's moves are move_base[r] ..
                            move_base[r+1]-1 */
    term *move;          /* by atom - nfacts: the move's term */
    uint32_t *next;      /* by fact: derived atom (next f), GROUND_NONE if it is never true again */
    uint32_t *legal;     /* by atom - nfacts: derived atom (legal r m) */
    uint32_t terminal;   /* derived atom or GROUND_NONE */
    VEC(struct ground_goal) goals;
    VEC(struct ground_rule) rules; /* grouped by head, heads ascending */
    VEC(uint32_t) literals;        /* atom << 1 | negated */
    /* Facts that a sheet only passes on unchanged are ordinary facts here whose next atom has an empty body;
     * no other rule mentions them. */
};

struct ground_limits {
    double seconds;            /* 0: none */
    size_t bytes;              /* 0: none */
    const atomic_bool *cancel; /* may be NULL */
    /* When to look for a better way; 0: the usual. Tests set them low so that it is looked for everywhere. */
    uint32_t split_instances; /* take a rule apart that has more ground instances */
    uint32_t large_table;     /* compute relations on demand that have more tuples */
    uint32_t patience;        /* do one or the other when a join tries more tuples */
};

/* What was done, also when it failed: for `ludens info --circuit` and messages about running over the budget.
 */
struct ground_report {
    const char
        *stage; /* the one that ran last: "flat rules", "possible atoms", "ground rules", "numbering" */
    double seconds;
    size_t peak_bytes;
    uint64_t tuples;      /* derived so far */
    uint32_t split_rules; /* rules that were taken apart */
    uint32_t demanded;    /* times that relations were restricted to what is asked of them */
    char worst[64];       /* when it failed: the relation whose rule took the most work, or empty */
};

struct ground *ground_build(const struct program *program, const struct ground_limits *limits,
                            struct ground_report *report, struct error *error);
void ground_free(struct ground *g);

#endif
