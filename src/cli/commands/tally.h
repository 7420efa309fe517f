/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came out of several matches, as a table: rewards, errors and times of each player. */
#ifndef CLI_TALLY_H
#define CLI_TALLY_H

#include "match/match.h"

#include <stdio.h>

struct tally {
    uint32_t completed, aborted, forfeited;
    struct tally_row {
        uint32_t rewards; /* defined ones */
        double sum, squares;
        uint32_t errors[MATCH_FAILED + 1]; /* by kind */
        uint32_t forfeits, mute;           /* matches lost that way; without a legal move of its own */
        uint64_t moves;
        double seconds, longest;
    } row[MCTS_MAX_ROLES];
};

void tally_add(struct tally *t, const struct match *m);
/* All matches were played to their end, by everybody. */
bool tally_fine(const struct tally *t);
void tally_print(FILE *out, const struct tally *t, const struct game *game, const char *const *players);

#endif
