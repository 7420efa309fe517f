/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment as people write it (docs/laboratory.md has the format), read and checked.
 *
 *                 pairings[0]  pairings[1] ...
 *     games[0]       cell         cell            a cell is number (game * npairings + pairing);
 *     games[1]       cell         cell            some may be empty (`only`)
 *
 * Everything lies on the spec's own heap. */
#ifndef LAB_SPEC_H
#define LAB_SPEC_H

#include "match/match.h"

#define SPEC_MAX_PLAYERS 8 /* in one pairing */

enum spec_measure { MEASURE_WINS, MEASURE_GOAL };

struct spec_player {
    const char *name;
    const char *text; /* PRESET[,OPTION=VALUE]... or a URL */
    bool remote;
    double speed;
    bool own_budget;
    struct match_budget budget;
};

struct spec_game {
    const char *name; /* of the library or a path, as written */
    const char *path; /* where it was found */
    const char *label;
    uint32_t number; /* 0: the experiment's */
    bool own_budget;
    struct match_budget budget;
};

struct spec_pairing {
    const char *label;
    uint32_t n, players[SPEC_MAX_PLAYERS]; /* the cell's figure is that of the first */
    double times;                          /* budgets are multiplied by it; 0: as they are */
    bool own_budget;
    struct match_budget budget;
};

struct spec_figure { /* one the papers print */
    bool there;
    double value, half; /* value +- half, in percent; half < 0: none given */
    bool apart;         /* shown, but not counted when it comes to agreement */
};

struct spec {
    struct heap *heap;
    const char *file, *name, *title, *description; /* description may be "" */
    struct spec_game *games;
    struct spec_player *players;
    struct spec_pairing *pairings;
    uint32_t ngames, nplayers, npairings;
    bool *empty; /* by cell: not played */
    uint32_t number;
    struct match_budget budget;
    enum spec_measure measure;
    uint64_t seed;
    const char *source;            /* of the published figures; NULL: there are none */
    struct spec_figure *published; /* by cell */
};

/* What the command line changes. All but the number of games makes it another experiment: `first:quick`,
 * `first:sims=50`. */
struct spec_changes {
    bool quick;
    uint32_t number;            /* 0: as it is */
    struct match_budget budget; /* all zero: as it is; otherwise it replaces every budget of the spec */
    double times;               /* every budget is multiplied by it; 0: as it is */
    bool new_seed;
    uint64_t seed;
};

/* Read an experiment: a path, or a name of those `ludens lab list` shows. NULL and an error with file, line
 * and column if it is not one. */
struct spec *spec_load(const char *path_or_name, const struct spec_changes *changes, struct error *error);
/* The same from text; `file` is for messages, paths in it are relative to its folder. */
struct spec *spec_read(const char *file, const char *text, size_t size, const struct spec_changes *changes,
                       struct error *error);
void spec_free(struct spec *s);

/* A game by name or label, a pairing by label; UINT32_MAX: there is none. */
uint32_t spec_row(const struct spec *s, const char *name);
uint32_t spec_column(const struct spec *s, const char *label);

/* The budget of one player in one cell. */
struct match_budget spec_budget(const struct spec *s, uint32_t game, uint32_t pairing, uint32_t player);

#endif
