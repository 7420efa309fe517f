/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A race of searches through one puzzle.
 *
 *     race ── space, judge, line          what they share: the rules, opinions, the best line
 *          └─ entrants: breadth-first, ida, plan, goal count, fill, beam, nested, nrpa,
 *                       part by part, a guest
 *
 * They work in turns. Whoever improves the line earns longer turns for a while. It is over when the line
 * brings the most that can be had, or when one has seen everything there is: then the line is proved best.
 * Where states were taken for one because only time tells them apart, a search that has seen everything
 * begins again with all facts, before that counts as a proof. */
#ifndef SEARCH_PUZZLE_RACE_H
#define SEARCH_PUZZLE_RACE_H

#include "analysis/factors.h"
#include "search/budget.h"
#include "search/puzzle/judge.h"
#include "search/puzzle/method.h"

enum race_method {
    RACE_FRONTIER = 1,
    RACE_IDA = 2,
    RACE_PLAN = 4,
    RACE_COUNT = 8,
    RACE_BEAM = 16,
    RACE_NESTED = 32,
    RACE_NRPA = 64,
    RACE_FILL = 128,
    RACE_PARTS = 256,
    RACE_ALL = 511,
};

#define RACE_MOST 10

/* A search that is not one of ours: it works for a turn and offers what it found to the line. False: it has
 * nothing more to say. */
typedef bool race_guest(void *data, struct turn *turn, struct line *line);

struct entrant {
    enum race_method which;
    struct method *method; /* NULL: it is over */
    const char *name;
    char note[120];
    double late;     /* seconds it once went on after its turn was over: turns end sooner by this */
    double spent;    /* seconds, or positions where there is no clock */
    double merit;    /* 1 at first */
    uint64_t steps;  /* positions entered */
    uint32_t better; /* how often it found something better */
    int goal;        /* the best it found itself; -1: nothing */
};

struct race {
    struct reasoner *reasoner;   /* not owned */
    const struct code *code;     /* NULL: none */
    const struct factors *apart; /* NULL: the game is not known to fall apart */
    struct state root;
    uint32_t which;
    size_t memory;
    uint64_t seed;
    struct space *space;
    struct judge judge;
    struct line line; /* from the root */
    struct entrant entrants[RACE_MOST];
    uint32_t nentrants;
    bool exact, proved;
    bool full; /* breadth-first search has no memory for more */
    struct error trouble;
    race_guest *guest; /* NULL: none */
    void *guest_data;
    const char *guest_name;
};

/* `which`: enum race_method joined by |. `memory` bytes for all together. NULL and an error without memory.
 */
struct race *race_new(struct reasoner *reasoner, const struct code *code, const struct state *root,
                      uint32_t which, size_t memory, uint64_t seed, struct error *error);
/* The same for a game that falls apart: `factors` are the code's and must outlive it. NULL: it does not. */
struct race *race_new_apart(struct reasoner *reasoner, const struct code *code, const struct state *root,
                            const struct factors *factors, uint32_t which, size_t memory, uint64_t seed,
                            struct error *error);
void race_free(struct race *r);
/* Let it take part; `name` is a constant. Without memory it does not. */
void race_invite(struct race *r, race_guest *guest, void *data, const char *name);

/* Whoever got somewhere before, from an earlier state of the same match, begins with what it has earned. */
void race_inherit(struct race *r, const struct entrant *before, uint32_t n);
/* Free all of it but what race_adopt can use: it will not go on. */
void race_shed(struct race *r);
/* A new race takes over what one that was shed knows of its root and what is below. */
void race_adopt(struct race *r, struct race *before);

/* Go on. Ends with the budget, or when race_over. With a budget in simulations or expansions the turns are
 * counted in positions, so that it goes the same way every time. */
void race_run(struct race *r, const struct budget *budget);
/* Nothing better is to be found, or there is nobody left to look for it. */
bool race_over(const struct race *r);
/* The line is known to be the best there is. */
bool race_solved(const struct race *r);
/* The first move towards what looks most promising where no line is worth following; false: no idea. */
bool race_promise(struct race *r, uint32_t *move);

#endif
