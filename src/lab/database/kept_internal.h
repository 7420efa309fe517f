/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that read and write kept results share. */
#ifndef LAB_KEPT_INTERNAL_H
#define LAB_KEPT_INTERNAL_H

#include "lab/database/kept.h"

#include <jansson.h>

struct kept_cell {
    json_t *json;                          /* the line; what follows points into it */
    const char *digest, *settings, *games; /* width characters for each of n games */
    uint32_t n, width, ngoals, nroles, nplayers;
};

struct kept {
    struct kept_cell *cells;
    uint32_t n, cap;
};

extern const char kept_digits[]; /* 62 of them */

/* Which of the goals a game ended with; -1: it was not played. */
int kept_result(const struct kept_cell *c, uint32_t number);

#endif
