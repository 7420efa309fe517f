/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of policy/: running means in rows by number. Learning never fails: without
 * memory the sample is lost. */
#ifndef SEARCH_POLICY_TABLE_H
#define SEARCH_POLICY_TABLE_H

#include "search/policy.h"

#include <stdlib.h>
#include <string.h>

#define UNSEEN 100.0f /* moves never tried look like wins, so that they are tried */

struct stat {
    float mean, n; /* n is a real number: it decays */
};

static inline void stat_add(struct stat *s, float reward)
{
    s->n += 1;
    s->mean += (reward - s->mean) / s->n;
}

/* Means by move number, UNSEEN where there is none; values and counts in arrays of their own, in whole blocks
 * of 64, so that the values are scores: see dense.h. */
struct stat_row {
    float *mean, *n; /* one allocation, mean first */
    uint32_t size;   /* moves numbered below this have an entry */
};

bool stat_row_reserve(struct stat_row *row, uint32_t size); /* false without memory */

static inline void stat_row_add(struct stat_row *row, uint32_t move, float reward)
{
    if (move >= row->size && !stat_row_reserve(row, move + 1)) return;
    row->n[move] += 1;
    row->mean[move] += (reward - row->mean[move]) / row->n[move];
}

static inline void stat_row_scale_one(struct stat_row *row, uint32_t move, float factor)
{
    if (move >= row->size) return;
    row->n[move] *= factor;
    if (row->n[move] == 0) row->mean[move] = UNSEEN;
}

static inline void stat_row_scale(struct stat_row *row, float gamma)
{
    for (uint32_t i = 0; i < row->size; i++) {
        row->n[i] *= gamma;
        row->mean[i] = row->n[i] == 0 ? UNSEEN : row->mean[i];
    }
}

static inline void stat_row_done(struct stat_row *row)
{
    free(row->mean);
}

#endif
