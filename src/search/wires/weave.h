/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of wires/: choosing moves for all lanes at once. A wire is one bit per lane, `words` words; the
 * wires of a role's moves lie one behind the other. Chosen moves are ORed into `does`; lanes that got one are
 * taken out of `open`. The same source is compiled for each number of lanes (weave_kernel.h). */
#ifndef SEARCH_WIRES_WEAVE_H
#define SEARCH_WIRES_WEAVE_H

#include <stdbool.h>
#include <stdint.h>

/* The best moves of a role after a certain move of the role before it, the first one first. */
#define RANKING_MOVES 48
struct ranking {
    uint16_t n;
    uint16_t reply; /* the last good reply, RANKING_NONE: there is none */
    uint32_t due;   /* simulations learned from when it should be made anew */
    uint16_t moves[RANKING_MOVES];
};
#define RANKING_NONE UINT16_MAX

struct weave {
    /* Which of these lanes have several legal moves. */
    void (*many)(const uint64_t *legal, uint32_t n, const uint64_t *lanes, uint64_t *many);
    /* These lanes, which have one legal move, make it. */
    void (*only)(const uint64_t *legal, uint64_t *does, uint32_t n, const uint64_t *lanes);
    /* The first legal move in an order. */
    void (*walk)(const uint64_t *legal, uint64_t *does, const uint16_t *order, uint32_t n, uint64_t *open);
    /* By what was played last: lanes in which that is move j walk ranking j. Which j there are is written to
     * `active`; returns how many. */
    uint32_t (*contexts)(const uint64_t *legal, uint64_t *does, const uint64_t *last, uint32_t nlast,
                         const struct ranking *rankings, uint64_t *open, uint16_t *active);
    /* The same for the replies alone; `does` may be NULL. */
    void (*replies)(const uint64_t *legal, uint64_t *does, const uint64_t *last, uint32_t nlast,
                    const struct ranking *rankings, uint64_t *open);
    /* ever[i] becomes true where move i is legal in one of the lanes. */
    void (*census)(const uint64_t *legal, uint32_t n, const uint64_t *lanes, bool *ever);
};

/* For batches of so many words: 1, 4 or 8. */
const struct weave *weave_for(uint32_t words);

#endif
