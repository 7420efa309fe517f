/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a match in this process needs: a game, its engine working in the background, players by name, a
 * budget. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/engine.h"
#include "match/match.h"

struct table {
    struct session session; /* the game, and a reasoner for drawing and looking at it */
    struct engine *engine;  /* NULL when "--engine lifted" was asked for */
};

/* False: the reason was printed; return *status. The engine gets `wait` seconds to be ready at once. */
bool table_open(struct table *t, const char *command, const char *game, const char *engine, double wait,
                int *status);
void table_close(struct table *t);

/* `ROLE=PLAYER` options: who sits where; roles that are not named get `others`, and chance plays at random,
 * which is said on standard error. `seats` has room for all
 * roles and is freed by seats_free, also after an error. */
bool seats_open(struct seat **seats, struct table *t, const struct option_list *given, const char *others,
                uint64_t seed, struct error *error);
void seats_free(struct seat **seats, uint32_t n);

/* The two halves of that: who sits where, by role; and one seat. */
bool seats_named(const char **who, const struct game *game, const struct option_list *given,
                 const char *others, struct error *error);
struct seat *seat_open(struct table *t, const char *who, uint32_t role, uint64_t seed, struct error *error);

/* The role a person means; UINT32_MAX and an error that lists them if there is none. */
uint32_t role_by_name(const struct game *game, const char *name, size_t n, struct error *error);

/* A seed for who did not ask for one: another each time, short enough to be typed again from a record. */
uint64_t seed_fresh(void);

/* With a budget in counts no clock runs, and what --start gave is of the same kind. */
void budget_settle(struct match_budget *b);

#define BUDGET_OPTIONS(b)                                                                         \
    {"clock",     'c',        OPTION_REAL,  &(b).seconds,                                         \
     .min = 1e-3, .max = 1e6, .value = "S", .help = "seconds per move"},                          \
        {"start",                                                                                 \
         0,                                                                                       \
         OPTION_REAL,                                                                             \
         &(b).start_seconds,                                                                      \
         .min = 0,                                                                                \
         .max = 1e15,                                                                             \
         .value = "S",                                                                            \
         .help = "seconds before the first move; where moves are counted, simulations or steps"}, \
        {"sims",   0,           OPTION_INT,   &(b).simulations,                                   \
         .min = 0, .max = 1e15, .value = "N", .help = "simulations per move instead of time"},    \
        {"steps",  0,           OPTION_INT,   &(b).steps,                                         \
         .min = 0, .max = 1e15, .value = "N", .help = "positions entered per move, instead"},     \
    {                                                                                             \
        "nodes", 0, OPTION_INT, &(b).expansions, .min = 0, .max = 1e15, .value = "N",             \
                                                 .help = "tree nodes added per move, instead"     \
    }

#endif
