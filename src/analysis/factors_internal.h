/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of factors: what its files share. Wires are joined to sets; the parts are what is left of these. */
#ifndef ANALYSIS_FACTORS_INTERNAL_H
#define ANALYSIS_FACTORS_INTERNAL_H

#include "analysis/factors.h"
#include "analysis/forms.h"

/* What a move has to do with the set of a wire in one turn: it changes a bit of it, or asks something of it
 * to be legal. Wire 0: of time. */
struct claim {
    uint32_t turn, move, wire;
    uint64_t what;
};

struct finder {
    struct heap *heap;
    const struct circuit *c;
    struct forms forms;
    uint32_t
        *above;  /* by wire, once more for what the move changes: another of its set; itself: it stands for it
                  */
    bool *dull;  /* by wire: it is read from time and moves alone */
    bool *read;  /* by bit: something depends on it */
    bool *stays; /* by bit: a move that does nothing to it leaves it as it is */
    bool *counts;   /* by bit: the end or a goal depends on it now */
    uint32_t sets;  /* of bits that are read and no time */
    uint32_t turns; /* that are told apart */
    uint16_t *when; /* by move: those in which it is possible, as a set */
    VEC(struct claim) claims;
};

uint32_t finder_set(struct finder *f, uint32_t wire);
bool finder_join(struct finder *f, uint32_t a, uint32_t b); /* true: they were two */
/* A wire of the first so many gates has a property if all have it that it is read from. */
void finder_spread(const struct finder *f, bool *all, uint32_t gates);
/* Everything that the wires of a set are read from joins it. */
void finder_reach(const struct finder *f, bool *needed);
/* What is given has changed: gates may depend on other bits now. Sets of bits stay. */
void finder_base(struct finder *f);
/* Forget the move. */
void finder_undo(struct finder *f);
/* Everything that an edge depends on becomes one set, with this wire. */
void finder_join_below(struct finder *f, edge e, uint32_t with);

/* factors_moves.c: what moves do and ask for */
void finder_study(struct finder *f);
/* Parts that moves do not leave apart become one. */
void finder_settle(struct finder *f);
/* factors_goals.c: how the end and the goals read the parts */
void finder_read_goals(struct finder *f, struct factors *out);

#endif
