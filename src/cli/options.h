/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options from a table: one row says name, type, range, place to store and help; the table makes the parser,
 * the --help text, the manual page and completion.
 *
 *     struct sim_options o = {.games = 100};
 *     const struct option table[] = {
 *         {"games", 'n', OPTION_INT, &o.games, .min = 1, .max = 1e9, .value = "N",
 *          .help = "number of games"},
 *         {"quiet", 'q', OPTION_FLAG, &o.quiet, .help = "print only the summary"},
 *         {0}};
 *
 * The variables' values before parsing are the defaults, and are shown as such. Options may stand anywhere;
 * `--` ends them. `--name value` and `--name=value` both work.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

enum option_type {
    OPTION_FLAG,   /* bool */
    OPTION_INT,    /* int64_t, within min..max */
    OPTION_SEED,   /* uint64_t, any */
    OPTION_REAL,   /* double, within min..max */
    OPTION_STRING, /* const char * */
    OPTION_LIST,   /* struct option_list: may be given several times */
};

struct option_list {
    const char *v[64];
    int n;
};

struct option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* 0: none */
    enum option_type type;
    void *store;
    double min, max;   /* both 0: no limits */
    const char *value; /* what the help calls the value; completion knows some of these names (complete.h) */
    const char *choices; /* of a string: "lifted|circuit|auto", the values there are; NULL: any */
    const char *help;
};

/* Parse argv[1..]; what is not an option is moved to the front of argv[1..] in order and counted in
 * *operands. `--help` and `-h` are always there: they give true with *help set. False and an error that names
 * the option and what is allowed otherwise. */
bool options_parse(const struct option *table, int argc, char **argv, int *operands, bool *help,
                   struct error *error);
void options_help(FILE *out, const struct option *table);
/* Choices as a text: append one; take the first off, false if there is none. */
void options_add_choice(char *choices, size_t size, const char *name);
bool options_next_choice(const char **choices, char *name, size_t size);
/* The default of an option as text; false if there is nothing to say. */
bool options_default(const struct option *o, char *text, size_t size);

#endif
