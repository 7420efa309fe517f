/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of analysis/: the sampled games, and the finders that look at them. */
#ifndef ANALYSIS_ANALYSIS_INTERNAL_H
#define ANALYSIS_ANALYSIS_INTERNAL_H

#include "analysis/analysis.h"
#include "game/playout.h"

#define NOWHERE UINT32_MAX

/* One state of a sampled game. */
struct snapshot {
    uint32_t facts, nfacts; /* sample.facts.v[facts ..] */
    uint32_t ply;
    uint32_t moves; /* sample.moves.v[moves .. + nroles-1]: the move each role made; NOWHERE: none was made */
    uint32_t
        choices; /* sample.choices.v[choices .. + nroles-1]: legal moves of each role; NOWHERE: the end */
};

/* All facts with one name and arity. */
struct predicate {
    symbol name;
    uint32_t arity;
    bool flat;            /* all arguments are atoms */
    uint32_t least, most; /* facts in one state */
    VEC(term) facts;      /* the different ones */
};

/* The sampled games. Snapshots of one game follow each other; each game begins with ply 0. */
struct sample {
    struct heap *heap;
    struct terms *terms;
    const struct game *game;
    VEC(struct snapshot) shots;
    VEC(term) facts;
    VEC(term) moves;
    VEC(uint32_t) choices;
    VEC(term) offered; /* different moves that were legal in some state, made or not; not all, if very many */
    VEC(uint8_t) offers; /* by move * nroles + role: is among them */
    VEC(struct predicate) predicates;
    VEC(uint32_t) predicate_of; /* by term: of the facts that occur; NOWHERE otherwise */
};

/* sample.c: play, filling the counters, goals and statistics of `a` on the way. */
void sample_play(struct analysis *a, struct sample *s, struct playout *playout, struct list *scratch,
                 const struct analysis_options *options);

/* axis.c: put the values in order and fill gaps. False if only AXIS_SHEET would be left. */
bool axis_order(const struct sample *s, const term *values, uint32_t n, struct axis *out);
bool axis_within(const struct axis *a, const struct axis *b); /* all values of a are values of b */
/* The value of a number of up to 9 digits, or -1. */
long axis_number(const struct terms *t, term value);

/* The search for boards: one predicate at a time. */
struct finder {
    struct analysis *a;
    const struct sample *s;
    uint32_t predicate;
    const struct predicate *p;
    struct axis axis[BOARD_MAX_ARGS]; /* by argument */
    bool ordered[BOARD_MAX_ARGS];
    uint32_t *index; /* by argument * nterms + term: place on the argument's axis, NOWHERE if not there */
    uint32_t nterms;
    uint32_t *stamp, *first; /* by key: when it was last seen, and with what */
    uint32_t now;
    uint32_t step; /* every how many snapshots a dependency is tried */
};

/* Copies of what the search knows, that live as long as the analysis. */
uint32_t *finder_copy_index(struct finder *f, uint32_t arg);
/* Complete the board (name, cells, pieces) and keep it. */
void finder_add(struct finder *f, struct board *b);
/* board_named.c: is the argument the name of a cell, such as a1? Keeps the board then. */
bool board_named(struct finder *f, uint32_t arg);

void turns_find(struct analysis *a, const struct sample *s);                   /* turns.c */
void boards_find(struct analysis *a, const struct sample *s);                  /* board.c */
void pieces_find(struct analysis *a, const struct sample *s, struct board *b); /* pieces.c */
void boards_overlay(struct analysis *a, const struct sample *s); /* overlay.c: fills board.parent */
void boards_shape(struct analysis *a, const struct sample *s);   /* shape.c */

#endif
