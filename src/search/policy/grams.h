/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of policy/: the tables of NST for one role, mean rewards of sequences of one, two and three moves
 * that end with a move of the role. A longer sequence counts once it was seen k times: it is ripe then.
 *
 *     one                  mean by move
 *     two   last         ─> followers ─┬─ the ripe replies in a list
 *     three before, last ─> followers ─┘  two: as a row by move when they are many
 *     rare                 what is not ripe, by the whole sequence
 *
 * Of thirty sequences of three moves one is ever ripe. So what is asked for is small and stays in the caches;
 * the rest lies in one hash table that only learning looks at, a line of the cache for each sequence, whose
 * place is known before anything was looked up.
 *
 * Single moves and rows have ceilings beside their means (dense.h): two bytes a move tell which few can be
 * the best, and only of these the means are looked at. Replies of a list are looked at one by one.
 */
#ifndef SEARCH_POLICY_GRAMS_H
#define SEARCH_POLICY_GRAMS_H

#include "search/policy/dense.h"
#include "search/policy/table.h"

struct gram_row {
    uint16_t *ceilings; /* of the means of what is ripe; behind them the statistics: gram_row_all */
    uint32_t size;      /* in whole blocks of 64; 0: nothing there */
};

static inline struct stat *gram_row_all(const struct gram_row *row)
{
    return (struct stat *)(void *)(row->ceilings + row->size);
}

struct reply {
    uint32_t move;
    struct stat s;
};

/* What a role did after one or two certain moves, often enough. */
struct followers {
    uint32_t count : 26, room : 5, dense : 1; /* replies; there is room for 1 << room; they are a row */
    uint32_t first;                           /* where there is room for several, replies[first ..] */
    union {
        struct reply only; /* where there is room for one, it is here */
        struct gram_row row;
    };
};

struct context {
    uint64_t key; /* the two moves before; 0: empty */
    struct followers f;
};

/* A longer sequence that is not ripe; of one that is, the place it had. */
struct rare {
    uint64_t key; /* the sequence; 0: empty */
    struct stat s;
};

struct slab {
    char *at;
    size_t size;
};

struct grams {
    float k;
    size_t bytes, max_bytes; /* what longer sequences take; beyond the limit they are all forgotten */
    struct stat_row one;
    uint16_t *ceilings; /* of `one`, as many */
    uint32_t nceilings;
    bool wild;             /* a reward was out of the range of ceilings: they tell nothing */
    struct followers *two; /* by the move before */
    uint32_t ntwo;
    struct context *three; /* hash table */
    uint32_t mask, used;
    struct rare *rare;         /* hash table of lines of four */
    float fade;                /* what counts there are multiplied with to be what they are */
    uint32_t rare_mask, nrare; /* lines, less one; entries in use */
    struct reply *replies;     /* blocks of followers; those that outgrow their block move to the end */
    uint32_t nreplies, replies_cap;
    struct slab *slabs; /* where rows are */
    uint32_t nslabs, slabs_cap;
    size_t slab_used; /* of the last */
};

/* A sequence. MOVE_NONE where an earlier move is missing. */
struct gram {
    uint32_t before, last, move;
    float reward;
};

void grams_init(struct grams *g, uint32_t k, size_t max_bytes);
void grams_done(struct grams *g);

enum { GRAMS_CHUNK = 32 };

bool grams_reserve(struct grams *g, uint32_t moves); /* single moves below this number have an entry */

/* A sequence will be learned soon: begin to load where it is counted. */
void grams_expect(const struct grams *g, const struct gram *v);
/* Learn n <= GRAMS_CHUNK sequences in this order. */
void grams_learn(struct grams *g, const struct gram *v, uint32_t n);
/* Multiply the counts of these sequences (once per occurrence), or of all. */
void grams_scale(struct grams *g, const struct gram *v, uint32_t n, float factor);
void grams_scale_all(struct grams *g, float factor);

/* What followed one move, or two, and is ripe: NULL if there is nothing. */
const struct followers *grams_after(const struct grams *g, uint32_t last);
const struct followers *grams_after_two(const struct grams *g, uint32_t before, uint32_t last);
void grams_fetch(const struct grams *g, uint32_t before, uint32_t last); /* it will be asked for */
/* The mean of a ripe reply in a row, else -1. */
static inline float grams_ripe(const struct gram_row *row, uint32_t move)
{
    if (move >= row->size || row->ceilings[move] == CEILING_NONE) return -1;
    return gram_row_all(row)[move].mean;
}
static inline const struct reply *grams_replies(const struct grams *g, const struct followers *f)
{
    return f->room ? g->replies + f->first : &f->only; /* not dense */
}
#endif
