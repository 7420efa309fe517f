/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lifted engine: answers questions about a game directly from its rules, without grounding them.
 *
 * It is always "in" one state, a set of facts. A fact is a number that the engine gives to its term when it
 * first meets it; numbers start at 1 and stay. Terms are numbers of the engine's own store (lifted_terms),
 * which begins as a copy of the program's, so the program's terms can be used as they are.
 *
 * All functions that return bool give false and an error when the engine gave up: out of memory, over the
 * time limit, terms growing without end. The engine stays usable after that. Lists handed out belong to the
 * engine and are valid until the next call. One thread at a time.
 *
 * How it works: docs/lifted.md.
 */
#ifndef LOGIC_LIFTED_H
#define LOGIC_LIFTED_H

#include "logic/program.h"

struct lifted;

struct lifted_list {
    const uint32_t *v;
    uint32_t n;
};

struct lifted_limits {
    size_t memory;  /* bytes for everything the engine holds; 0: none */
    double seconds; /* for one question; 0: none */
};

/* The program must outlive the engine and is not changed. */
struct lifted *lifted_new(const struct program *program, const struct lifted_limits *limits,
                          struct error *error);
void lifted_free(struct lifted *e);

struct terms *lifted_terms(struct lifted *e);
struct heap *lifted_heap(struct lifted *e); /* accounts all of the engine's memory; for limits and figures */

/* Facts. lifted_fact makes a number for a term that has none yet. */
bool lifted_fact(struct lifted *e, term fact, uint32_t *number, struct error *error);
term lifted_fact_term(const struct lifted *e, uint32_t number);

/* The facts of the initial state, and the roles as the rules give them, as terms. */
struct lifted_list lifted_initial(const struct lifted *e);
bool lifted_roles(struct lifted *e, struct lifted_list *roles, struct error *error);

/* Go to a state: fact numbers, ascending. What was derived is kept if it is the state the engine is in. A
 * question that failed leaves the engine in no state: go again. */
bool lifted_go(struct lifted *e, const uint32_t *facts, uint32_t n, struct error *error);

/* Questions from now on end with an error soon after `deadline` (clock_now() time; 0: none) or when `*cancel`
 * becomes true (another thread may set it; NULL: nobody does), whatever they are doing. Short ones are still
 * answered. This is in addition to the limit for one question. */
void lifted_until(struct lifted *e, double deadline, const atomic_bool *cancel);

/* Questions about the state the engine is in. */
bool lifted_terminal(struct lifted *e, bool *out, struct error *error);
/* Also when it fails, `moves` has those that were found: what is proved stays true, only more could follow.
 */
bool lifted_legal(struct lifted *e, term role, struct lifted_list *moves, struct error *error);
/* Goal values as terms, whatever the sheet has there. */
bool lifted_goals(struct lifted *e, term role, struct lifted_list *values, struct error *error);
/* The facts of the next state, ascending, after roles[i] does moves[i]. */
bool lifted_next(struct lifted *e, const term *roles, const term *moves, uint32_t n,
                 struct lifted_list *facts, struct error *error);

/* The plans made so far, as text. Call inside a guard of out's heap. */
void lifted_dump(const struct lifted *e, struct text *out);

#endif
