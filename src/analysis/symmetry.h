/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symmetries of a board that the rules do not tell apart: turned or mirrored positions, worth the same to
 * every role.
 *
 *     analysis: where the board is ── eight ways to turn and mirror it ── facts and moves go along
 *     ground rules: are they the same with facts and moves exchanged?  yes: a symmetry; else it is none
 *
 * What analysis observed only says where to look. That a way is a symmetry is proved: the rules for what is
 * legal, what comes next, the end and the goals are compared down to facts and moves, whatever the order of
 * rules and of what they ask. Rules that say the same in different words here and there do not pass, nor do
 * those that go round in circles; nothing wrong does, but for a collision of hashes of 64 bits.
 */
#ifndef ANALYSIS_SYMMETRY_H
#define ANALYSIS_SYMMETRY_H

#include "analysis/analysis.h"
#include "circuit/circuit.h"

enum { SYMMETRY_MOST = 7 }; /* besides the identity */

struct symmetry {
    uint32_t n, nbits;
    uint32_t *bit[SYMMETRY_MOST];  /* by bit of the state: where it goes */
    uint32_t *move[SYMMETRY_MOST]; /* by move of the circuit: the same */
    const uint32_t *first_move;    /* by role: the circuit's */
};

struct symmetry_limits {
    double deadline;           /* clock_now() time; 0: none */
    const atomic_bool *cancel; /* somebody else's wish; may be NULL */
};

/* For states of the circuit made of these ground rules, whose store of terms may grow. None where there is no
 * such board, or no memory; those found until then where time is over. */
void symmetry_find(struct symmetry *s, const struct analysis *a, const struct ground *g,
                   const struct circuit *c, const struct symmetry_limits *limits);
/* The same for a game of which nothing else is known yet: a few random games are looked at, and the rules are
 * grounded once more. */
void symmetry_look(struct symmetry *s, struct reasoner *reasoner, const struct circuit *c,
                   const struct symmetry_limits *limits);
void symmetry_done(struct symmetry *s); /* all zero is fine */

#endif
