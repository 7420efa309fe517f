/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions as people name them: by moves from the beginning, or at the end of a recorded match. */
#ifndef CLI_POSITION_H
#define CLI_POSITION_H

#include "cli/options.h"
#include "game/reasoner.h"

/* The state after the moves of the record `at` (NULL: none), then `moves`: joint moves separated by ';', each
 * a move per role, or the one move of the only role that has a choice. */
bool position_reach(struct reasoner *r, struct state *s, const char *at, const struct option_list *moves,
                    struct error *error);

#define POSITION_OPTIONS(moves_list, at_file)                                                              \
    {"moves",          'm',                                                                                \
     OPTION_LIST,      &(moves_list),                                                                      \
     .value = "MOVES", .help = "moves made before, joint moves separated by ';': \"(drop 4); (drop 4)\""}, \
    {                                                                                                      \
        "at", 0, OPTION_STRING, &(at_file), .value = "FILE", .help = "at the end of a recorded match"      \
    }

#endif
