/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweeper does: the operations on all lanes of a batch at once, for one number of lanes.
 *
 * The same source (sweep_kernel.h) is compiled three times, for 64, 256 and 512 lanes, each for the processor
 * that has such vectors; results are the same bit by bit. Memory is an array of slots, one vector each.
 */
#ifndef CIRCUIT_SWEEP_H
#define CIRCUIT_SWEEP_H

#include "circuit/code.h"

#define CHOICE_BLOCK CODE_BLOCK
#define CHOICE_PLANES 24 /* random bits per draw */
#define CHOICE_LEVELS 32

/* Choosing for one role. Leaves are the legal wires, by sixteens; above them a binary tree of counts in bit
 * planes:
 *
 *     level 2                 [       total        ]        each node: planes of the count
 *     level 1          [           ] [             ]
 *     level 0      [      ] [      ] [      ] [      ]
 *     leaves       xxxxxxxx xxxxxxxx xxxxxxxx xxxxxx00
 *
 * A rank below the total is drawn for each lane and carried down: compared with the count on the left, it
 * goes there or, less that count, to the right. A lane takes one way, so on each level there is one rank, one
 * comparison, and a list of the nodes some lanes are in, which are at most as many as lanes. At the bottom
 * the sixteen leaves of each lane's block are gathered, one of them is chosen, and goes to all blocks of the
 * list.
 *
 * Sixteen leaves can have five planes of legal moves, but hardly ever do: the planes of a level are as many
 * as were ever needed. When they do not suffice a level gets one more and is counted again, so nothing is
 * lost.
 *
 * Where moves have parts (struct code_parts) the nodes of level 0 are the groups, and nobody reads the legal
 * wires: what a group counts is a sum of tails where its head is set, and at the bottom the tails of each
 * lane's group are gathered.
 */
struct choice {
    uint32_t legal, does, blocks;   /* the first slots of two rows of so many blocks */
    const struct code_parts *parts; /* NULL: a block is a node of level 0 */
    uint32_t numbers;               /* where these begin in the scratch memory, in vectors */
    uint32_t levels;                /* the root's level */
    uint32_t nodes[CHOICE_LEVELS];  /* by level */
    uint32_t planes[CHOICE_LEVELS]; /* by level: at most one more than the level below has, and not fewer */
    uint32_t at[CHOICE_LEVELS];     /* by level: where its nodes begin in the scratch memory, in vectors */
    bool *dirty;                    /* by block: a move was chosen in it last time */
    uint32_t *hot, nhot;            /* which these are */
};

/* Put the levels one behind the other. Those up to the lowest whose planes have changed stay where they are.
 */
static inline void choice_layout(struct choice *c)
{
    for (uint32_t l = 0; l < c->levels; l++) {
        if (c->planes[l + 1] < c->planes[l]) c->planes[l + 1] = c->planes[l];
        c->at[l + 1] = c->at[l] + c->nodes[l] * c->planes[l];
    }
}

/* The moves were cleared. */
static inline void choice_wipe(struct choice *c)
{
    for (uint32_t i = 0; i < c->nhot; i++) c->dirty[c->hot[i]] = false;
    c->nhot = 0;
}

/* Somebody else wrote to the moves. */
static inline void choice_soil(struct choice *c)
{
    for (c->nhot = 0; c->nhot < c->blocks; c->nhot++) {
        c->hot[c->nhot] = c->nhot;
        c->dirty[c->nhot] = true;
    }
}

/* A row of 64-bit xoroshiro128++ generators, one per 64 lanes: bit i of what word w draws belongs to lane
 * 64 w + i. A draw takes CHOICE_PLANES numbers. `behind` draws have been skipped and are made up for when the
 * generator is used next, so that all lanes are always at the same draw, whoever needs it. */
struct choice_source {
    uint64_t *s0, *s1; /* vectors */
    uint64_t behind;
};

struct choices {
    uint32_t n;        /* roles that choose */
    uint32_t nsources; /* sources without the last */
    struct choice *v;
    struct choice_source
        *sources;      /* nsources + 1: round j of a lane draws from source j; the last one is for tosses */
    uint64_t *scratch; /* vectors for the trees */
    uint64_t *rounds;  /* vectors: n * CHOICE_LEVELS planes, what round j draws for, then the rank */
    uint64_t *takes;   /* vectors: n * n masks, lanes of role i that draw in round j */
    uint32_t *round_planes; /* by round: of its totals */
    uint64_t *used;         /* vectors: n masks, lanes in which more than j roles draw */
    uint64_t *drawn;        /* vectors: n * CHOICE_PLANES, the numbers of each round when they are given */
    bool given;             /* they are: the sources rest */
};

struct sweeper {
    uint32_t lanes;
    bool (*available)(void);
    /* The segments first .. last-1 of the code. */
    void (*sweep)(const struct code *code, uint32_t first, uint32_t last, uint64_t *mem);
    /* One-hot moves for the lanes of the mask, none for the others. */
    void (*choose)(struct choices *c, const uint64_t *mask, uint64_t *mem);
    /* Add to the moves: the first legal of n in order for lanes of the mask. */
    void (*choose_first)(const struct code_role *role, const uint32_t *order, uint32_t n,
                         const uint64_t *mask, uint64_t *mem);
    /* Clear the sums; add the moves of a role that are made in some blocks. */
    void (*clear_sums)(const struct code_sums *sums, uint64_t *mem);
    void (*add_sums)(const struct code_sums *sums, uint32_t first_move, const struct code_role *role,
                     const uint32_t *blocks, uint32_t n, uint64_t *mem);
    void (*toss)(struct choice_source *source, uint32_t p, uint64_t *mask); /* p / 2^CHOICE_PLANES */
    void (*park)(const struct code_park *parks, uint32_t n, const uint64_t *mask, uint64_t *mem);
    /* The first n state bits of the mask's lanes become `bits`. */
    void (*restart)(const uint64_t *bits, uint32_t n, const uint64_t *mask, uint64_t *mem);
    /* out[k] = lanes in which a slot with bit k of its number set is set: which of the slots from .. from+n-1
     * is hot. */
    void (*encode)(uint32_t from, uint32_t n, uint32_t planes, uint64_t *out, const uint64_t *mem);
    /* n slots (at most 64) as words, one for each of the first so many lanes, `stride` words apart: bit i is
     * slot first + which[i] (first + i, if which is NULL). How many are set is added to count[lane], unless
     * count is NULL. Cheap where all are 0. And back, row order[lane] for each (row lane, if order is NULL);
     * what other lanes have there then is undefined. */
    void (*get_rows)(uint32_t first, const uint32_t *which, uint32_t n, uint64_t *rows, uint32_t stride,
                     uint32_t lanes, uint32_t *count, const uint64_t *mem);
    void (*put_rows)(uint32_t first, const uint32_t *which, uint32_t n, const uint64_t *rows, uint32_t stride,
                     const uint32_t *order, uint32_t lanes, uint64_t *mem);
};

extern const struct sweeper sweeper_64, sweeper_256, sweeper_512;

#endif
