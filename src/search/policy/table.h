/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of policy/: running means, in rows by move number and in hash tables. Learning never fails: without
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

struct stat_row {
    struct stat *v;
    uint32_t n; /* moves numbered below this have an entry */
};

static inline struct stat *stat_row_at(struct stat_row *row, uint32_t move)
{
    if (move >= row->n) {
        uint32_t n = row->n ? row->n : 64;
        while (n <= move) n *= 2;
        struct stat *grown = realloc(row->v, (size_t)n * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + row->n, 0, (size_t)(n - row->n) * sizeof *grown);
        row->v = grown;
        row->n = n;
    }
    return &row->v[move];
}

static inline void stat_row_scale(struct stat_row *row, float gamma)
{
    for (uint32_t i = 0; i < row->n; i++) row->v[i].n *= gamma;
}

/* Hash table from 64-bit keys (not 0) to means. */
struct stat_entry {
    uint64_t key;
    struct stat s;
};

struct stat_table {
    struct stat_entry *v;
    uint32_t mask, used;
};

struct stat *stat_table_find(const struct stat_table *t, uint64_t key); /* NULL: not there */
struct stat *stat_table_at(struct stat_table *t, uint64_t key); /* made if need be; NULL without memory */
void stat_table_scale(struct stat_table *t, float gamma);

#endif
