// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/policy/table.h"

bool stat_row_reserve(struct stat_row *row, uint32_t size)
{
    if (size <= row->size) return true;
    uint32_t n = row->size / 2 * 3; /* when moves become known one by one */
    n = ((n > size ? n : size) + 63) / 64 * 64;
    float *mean = calloc(2 * (size_t)n, sizeof *mean);
    if (!mean) return false;
    for (uint32_t i = row->size; i < n; i++) mean[i] = UNSEEN;
    if (row->size) {
        memcpy(mean, row->mean, row->size * sizeof *mean);
        memcpy(mean + n, row->n, row->size * sizeof *mean);
    }
    free(row->mean);
    *row = (struct stat_row){mean, mean + n, n};
    return true;
}
