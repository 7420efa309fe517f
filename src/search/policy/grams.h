/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of policy/: the tables of NST for one role, mean rewards of sequences of one, two and three moves
 * that end with a move of the role. A longer sequence counts once it was seen k times: it is ripe then.
 *
 *     one                  mean by move
 *     two   last         ─> followers ─┬─ replies in a list, the ripe ones in front
 *     three before, last ─> followers ─┘  two: as a row by move when they are many
 *
 * Single moves and rows have ceilings beside their means (dense.h): two bytes a move tell which few can be
 * the best, and only of these the means are looked at. Ripe replies of a list are looked at one by one. Of
 * forty moves that ever followed two others, five are ripe: for three-grams a list is one line of the cache
 * where a row would be four. Long lists have an index, so that learning need not search.
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

/* What a role did after one or two certain moves. */
struct followers {
    uint32_t count : 30, dense : 1, indexed : 1;
    uint32_t ripe; /* the first so many replies were seen k times; unused with a row */
    union {
        struct {
            uint32_t first;    /* several are in replies[first ..], room for the next power of two */
            struct reply only; /* a single one is here */
        };
        struct { /* indexed */
            uint32_t first_too, width;
            uint16_t *where; /* by move below width: which reply it is, from 1; 0: none */
        };
        struct gram_row row; /* dense */
    };
};

struct context {
    uint64_t key; /* the two moves before; 0: empty */
    struct followers f;
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
    struct reply *replies; /* blocks of followers; those that outgrow their block move to the end */
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

/* Learn n <= GRAMS_CHUNK sequences in this order. */
void grams_learn(struct grams *g, const struct gram *v, uint32_t n);
/* Multiply the counts of these sequences (once per occurrence), or of all. */
void grams_scale(struct grams *g, const struct gram *v, uint32_t n, float factor);
void grams_scale_all(struct grams *g, float factor);

/* What followed one move, or two: NULL unless some of it may be ripe. */
const struct followers *grams_after(const struct grams *g, uint32_t last);
const struct followers *grams_after_two(const struct grams *g, uint32_t before, uint32_t last);
void grams_fetch(const struct grams *g, uint32_t before, uint32_t last); /* it will be asked for */
/* The mean of a ripe reply in a row, else -1. */
static inline float grams_ripe(const struct grams *g, const struct gram_row *row, uint32_t move)
{
    if (move >= row->size) return -1;
    const struct stat *s = &gram_row_all(row)[move];
    return s->n >= g->k ? s->mean : -1;
}
static inline const struct reply *grams_replies(const struct grams *g, const struct followers *f)
{
    return f->count > 1 ? g->replies + f->first : &f->only; /* not dense */
}
#endif
