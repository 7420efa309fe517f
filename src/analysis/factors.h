/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Games that fall apart: parts of the state that have nothing to do with each other until the end comes and
 * goals are counted.
 *
 *     time         bits that no move has an influence on: whose turn it is, how many steps were made.
 *                  Everybody may read them, they are part of none
 *     unread       bits that no legal move, no end and no goal depends on in any number of steps
 *     parts        sets of the other bits. What a bit of a part is next, and what a move asks for to be
 * legal, is read from one part, and time. A move that does nothing in a part is for all its bits as any other
 * that does nothing there
 *
 * So a part can be played for itself: the rules tell it of every move only what kind it is in this part.
 * Moves either belong to one part each, or are made of one kind for every part, in all combinations
 * (`at_once`): what is legal in one says nothing of the others.
 *
 * How fine a game is taken apart is a matter of taste: each cell of Hex is a part by the above. So what an
 * operand of the outermost AND or OR of `terminal` reads is one part, and so is what a gate of a goal reads
 * fact by fact. This is all proved on the circuit (forms.h), and holds for every state that can be reached or
 * not.
 */
#ifndef ANALYSIS_FACTORS_H
#define ANALYSIS_FACTORS_H

#include "base/vec.h"
#include "circuit/circuit.h"

enum factor_join {
    JOIN_NONE,     /* time alone, or nothing */
    JOIN_ONE,      /* one part alone, and time */
    JOIN_AND,      /* an AND of what one part each says */
    JOIN_OR,       /* an OR */
    JOIN_FUNCTION, /* another function of them */
};
extern const char *const factor_join_names[]; /* "none", "one", "and", "or", "function" */

#define FACTOR_NONE UINT32_MAX          /* of a bit: time or unread; of a move: it does nothing anywhere */
#define FACTOR_SEVERAL (UINT32_MAX - 1) /* of a move: it does something in several */

struct factor {
    uint32_t bits, moves; /* how many; moves that do something in it, other parts' doings apart */
    bool counts;          /* the end or a goal depends on it; else it need not be played at all */
    bool stays;           /* moves that do nothing in it leave it as it is, with one role */
};

/* What a goal is read from, where it is joined by AND or OR, or read from one part. */
struct factor_operand {
    uint32_t goal, part; /* the goal's number in the circuit; FACTOR_NONE: time alone */
    edge e;
};

struct factors {
    uint32_t n; /* 0: not known (limits), or nothing but time; 1: the game does not fall apart */
    VEC(struct factor) parts;
    uint32_t *bit;                    /* by bit: its part */
    uint32_t *move;                   /* by move: its part */
    uint16_t *when;                   /* by move: the turns in which it is possible, as a set */
    bool at_once;                     /* some moves do something in several parts */
    uint32_t time, unread;            /* bits */
    uint32_t idle;                    /* moves that do nothing anywhere */
    enum factor_join terminal, *goal; /* by goal, as the circuit lists them */
    VEC(struct factor_operand) operands;
    struct heap *heap; /* owns it */
};

/* In no more than so many seconds (0: no limit), until it is cancelled (may be NULL): otherwise false and an
 * error, and no parts. */
bool factors_find(struct factors *f, const struct circuit *c, double seconds, const atomic_bool *cancel,
                  struct error *error);
void factors_done(struct factors *f); /* all zero is fine */

#endif
