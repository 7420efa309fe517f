/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A game for one as its searches see it: packed states, and what can be made of them, many at once.
 *
 *     n packed states ──space_expand──> broods of children: parent, move, packed state, ended with which goal
 *                     ──space_roll────> games played to the end at random or by weights: moves, goals
 *
 * On the circuit a sweep does hundreds at a time. Where there is no circuit the reasoner is asked one by one,
 * and a packed state is the number of a state that the space keeps.
 *
 * What only counts time is not part of a packed state (ticking.h): the depth below the root tells it. So two
 * states that differ in the number of moves made alone are one, and whoever meets a state twice keeps the one
 * with the smaller depth: what can be done with less time left can mostly be done with more. Where that is
 * not so, `exact` makes a space in which every fact counts.
 *
 * A state that has ended is never expanded: its goal is known when it is born.
 */
#ifndef SEARCH_PUZZLE_SPACE_H
#define SEARCH_PUZZLE_SPACE_H

#include "base/rng.h"
#include "game/engine.h"
#include "search/puzzle/turn.h"

#define SPACE_GOES_ON INT16_MIN /* no goal yet: the game goes on */

/* Children that one sweep made. Whoever gets them may overwrite them. */
struct brood {
    uint32_t n;
    uint64_t *state;  /* packed, one after the other */
    uint32_t *parent; /* index into the states that were expanded */
    uint32_t *move;
    int16_t *goal; /* SPACE_GOES_ON, or what the game ended with (0 where the sheet names none) */
    bool cut_off;  /* one ended although it has legal moves; only looked at where moves are avoided */
};
/* What becomes of them; false: enough. */
typedef bool brood_sink(void *to, struct brood *brood);

/* Games to be played to their end: where each begins, and what became of it. */
struct roll {
    uint32_t n; /* games, at most the space's lanes */
    uint64_t *state;
    uint32_t *depth;
    const float *weight; /* by move: how likely beside others; NULL: all alike */
    uint32_t nweights;
    uint32_t max_steps; /* games longer than this are given up */
    /* out: */
    uint32_t *length;
    uint32_t *moves; /* game i's begin at i * max_steps */
    int16_t *goal;   /* SPACE_GOES_ON: given up, or the turn was over */
};

/* The legal moves before step i of a line. */
typedef void legal_sink(void *to, uint32_t step, const uint32_t *legal, uint32_t n);

struct space;

struct space_ops {
    bool (*expand)(struct space *s, const uint64_t *states, const uint32_t *depth, uint32_t n,
                   brood_sink *sink, void *to);
    void (*roll)(struct space *s, struct roll *roll, struct turn *turn);
    bool (*follow)(struct space *s, const uint32_t *moves, uint32_t n, legal_sink *sink, void *to);
    const uint32_t *(*kept)(struct space *s, uint32_t *n);
    void (*free)(struct space *s);
};

struct space {
    const struct space_ops *ops;
    struct reasoner *reasoner;    /* moves are its; not owned */
    const struct code *code;      /* NULL: on the reasoner */
    uint32_t words;               /* of a packed state */
    uint32_t lanes;               /* states expanded together at most */
    uint32_t nmoves;              /* moves are 0 .. nmoves-1; on the reasoner it grows */
    uint64_t *root;               /* packed */
    const uint64_t *const *avoid; /* by state of the next expand: moves not to be made, as a set, or NULL for
                                     none; NULL: nowhere. On the reasoner it is not looked at */
    const uint64_t *always;       /* moves made in every state, legal or not, as a set; NULL: none */
    int most;                     /* no line can bring more */
    bool merges;                  /* states that differ in what counts time are taken for one */
    struct error trouble; /* the rules could not be asked, or no memory; what was found is still true */
    struct rng rng;
};

/* The game from `root` (a state of the reasoner) on. `code` NULL: work on the reasoner. `memory` is for the
 * states that a space on the reasoner keeps. NULL and an error without memory. */
struct space *space_new(struct reasoner *reasoner, const struct code *code, const struct state *root,
                        bool exact, size_t memory, uint64_t seed, struct error *error);
void space_free(struct space *s);
/* On the circuit, with the other bits as they are at the root, whatever is moved: `keep`, by bit. */
struct space *space_of_bits(struct reasoner *reasoner, const struct code *code, const struct state *root,
                            const bool *keep, bool exact, uint64_t seed, struct error *error);

/* How many states to expand at a time, when so many parents had so many children: nobody looks at the clock
 * in between. */
static inline uint32_t space_handful(const struct space *s, uint32_t parents, uint64_t children)
{
    enum { MOST = 1 << 16 };
    if (children * s->lanes <= (uint64_t)MOST * parents) return s->lanes;
    uint64_t n = (uint64_t)MOST * parents / children;
    return n > 1 ? (uint32_t)n : 1;
}

/* The children of n states (at most s->lanes), none of which has ended; depth: moves from the root. False if
 * the sink had enough, or there was trouble. */
static inline bool space_expand(struct space *s, const uint64_t *states, const uint32_t *depth, uint32_t n,
                                brood_sink *sink, void *to)
{
    return s->ops->expand(s, states, depth, n, sink, to);
}
static inline void space_roll(struct space *s, struct roll *roll, struct turn *turn)
{
    s->ops->roll(s, roll, turn);
}

/* Walk along a line from the root; false: there was trouble. */
static inline bool space_follow(struct space *s, const uint32_t *moves, uint32_t n, legal_sink *sink,
                                void *to)
{
    return s->ops->follow(s, moves, n, sink, to);
}
/* The bits of the circuit that a packed state consists of; NULL on the reasoner. */
static inline const uint32_t *space_kept(struct space *s, uint32_t *n)
{
    return s->ops->kept ? s->ops->kept(s, n) : NULL;
}

/* Room for as many games as the space has lanes; false without memory (to be taken apart all the same). */
bool roll_init(struct roll *roll, const struct space *s);
void roll_done(struct roll *roll);
/* So many of its games were given up: where that is most of them, the next may be twice as long. False
 * without memory. */
bool roll_lengthen(struct roll *roll, const struct space *s, uint32_t given_up);

/* The two kinds; for space_new. */
struct space *space_circuit(struct reasoner *reasoner, const struct code *code, const struct state *root,
                            bool exact, uint64_t seed, struct error *error);
struct space *space_lifted(struct reasoner *reasoner, const struct state *root, bool exact, size_t memory,
                           uint64_t seed, struct error *error);

#endif
