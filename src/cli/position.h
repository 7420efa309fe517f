/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The position a person means: in a recorded match, after a list of moves, or typed in. */
#ifndef CLI_POSITION_H
#define CLI_POSITION_H

#include "cli/options.h"
#include "match/match.h"

struct position_options {
    const char *at; /* file of a record */
    int64_t ply;    /* moves of it; negative: all */
    struct option_list moves;
    const char *state; /* facts */
};

#define POSITION_OPTIONS(p)                                                                                \
    {"at", 0, OPTION_STRING, &(p).at, .value = "FILE", .help = "in a recorded match, at its end"},         \
        {"ply",     0,          OPTION_INT,   &(p).ply,                                                    \
         .min = -1, .max = 1e9, .value = "N", .help = "... or after so many of its moves; -1: all"},       \
    {                                                                                                      \
        "moves", 'm', OPTION_LIST, &(p).moves, .value = "MOVES",                                           \
                                               .help = "after these moves, joint moves separated by ';': " \
                                                       "\"(drop 4); (drop 4)\""                            \
    }

/* Go there. `made` (may be NULL) gets the joint moves that lead there, one after the other; none to a
 * position that was typed in. */
bool position_reach(struct reasoner *r, const struct position_options *o, struct state *s, struct list *made,
                    struct error *error);

#endif
