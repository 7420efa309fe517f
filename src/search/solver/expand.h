/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The positions below a position, all at once: one lane of the circuit for each joint move. One step and one
 * view tell of all children where they lead, whether they are ends and how many moves they have.
 *
 *     struct place     a position: state, fingerprints, end or not, goals or number of joint moves
 *     struct fan       a place opened: who chooses, the moves, the children by joint move
 *
 *     joint move k:  move k / stride[role] % count[role] of each role; the last role's changes fastest
 *
 * Fans live on a stack, as depth-first searches open and close them. Without a circuit the lifted engine
 * answers, child by child.
 */
#ifndef SEARCH_SOLVER_EXPAND_H
#define SEARCH_SOLVER_EXPAND_H

#include "analysis/symmetry.h"
#include "circuit/batch.h"
#include "game/reasoner.h"

struct place {
    const uint64_t *state;
    uint64_t key, check; /* two fingerprints of 64 bits */
    uint32_t words;
    uint32_t joints;   /* joint moves; 0 at an end */
    uint32_t choosers; /* roles with more than one move */
    /* how many moves each role has, then the moves, role after role; NULL: not looked at yet, or an end */
    const uint32_t *moves;
    bool end;
    const int16_t *goals; /* by role, at an end */
    /* By role, the least and the most that can still come; NULL: nobody asked, it is an end, or everything
     * can. */
    const int16_t *outlook;
};

struct fan {
    uint32_t choosers, mover; /* roles with a choice; the (first) one of them, or 0 */
    uint32_t n;               /* joint moves */
    const uint32_t *count;    /* by role */
    uint32_t *stride;         /* by role */
    const uint32_t **moves;   /* by role: move numbers of the reasoner */
    struct place *child;      /* by joint move */
    size_t mark;              /* of the stack, for fan_close */
    struct fan_block *block;
};

/* What is wanted of children; all zero: everything, as the rules say. */
struct opening {
    bool leaves; /* nobody will open them: no fingerprints, and their moves are not counted */
    bool ends;   /* the same, and of children that are no ends not even states */
    bool moves;  /* moves are wanted even of leaves */
    bool goals;  /* goals of all of them, not of ends only; -1 where there is not exactly one */
    bool lazily; /* one at a time by the reasoner, and only when fans_make is asked for them */
    /* These bits of the state are so in every child, whatever the rules say: whose turn it is, where players
     * are made to pass. On the circuit only. */
    const uint32_t *bits;
    uint32_t nbits;
    const uint64_t *row;
};

struct expander;

/* `code` may be NULL: then everything is asked of the reasoner, whose states and moves are meant in any case.
 */
struct expander *expander_new(struct reasoner *r, const struct code *code, struct error *error);
void expander_free(struct expander *e);

/* From now on positions that are symmetric have the same fingerprints. Once, before the first is read. */
bool expander_fold(struct expander *e, const struct symmetry *s, struct error *error);

/* From now on children that are no ends are told what can still come of them, by the code of engine_outlook.
 * Needs a circuit; once is enough. */
bool expander_look_out(struct expander *e, const struct code *outlook, struct error *error);
/* The same of a state, as in a place: NULL where everything can come. Valid until the next call. After
 * expander_look_out alone. */
const int16_t *expander_outlook(struct expander *e, const uint64_t *state);

/* A position from outside; it lives until the expander is freed. */
bool place_read(struct expander *e, const struct state *s, struct place *out, struct error *error);
/* Open a place that is not an end. False and an error: memory, a role without a move, an end without goals.
 */
bool fan_open(struct expander *e, const struct place *p, struct fan *f, struct error *error);
/* Several at once, in the same sweeps; `joints` of a place may be 0: not counted yet. Whoever closes the
 * first of them closes all. */
bool fans_open(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
               struct fan *f, struct error *error);
/* The same in two steps, for those who do not want all children: first the moves, of all places at once; the
 * children have no state yet. Then some of them: children first .. first + n - 1 of one fan each. */
struct fan_part {
    uint32_t fan, first, n;
};
bool fans_list(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
               struct fan *f, struct error *error);
bool fans_make(struct expander *e, const struct place *const *p, struct fan *f, const struct fan_part *parts,
               uint32_t nparts, const struct opening *how, struct error *error);
uint32_t expander_lanes(const struct expander *e); /* children that come from one sweep; 0: no circuit */
void fan_close(struct expander *e, struct fan *f);

/* Room on the stack of fans, for what lives as long as they do. NULL: no memory. A release gives back
 * everything since the mark: fans as well. */
struct expander_mark {
    struct fan_block *block;
    size_t used;
};
void *expander_room(struct expander *e, size_t bytes);
struct expander_mark expander_mark(const struct expander *e);
void expander_release(struct expander *e, struct expander_mark mark);

uint64_t expander_fans(const struct expander *e);     /* opened so far */
uint64_t expander_children(const struct expander *e); /* seen so far */

static inline uint32_t fan_move(const struct fan *f, uint32_t role, uint32_t joint)
{
    return f->moves[role][joint / f->stride[role] % f->count[role]];
}

#endif
