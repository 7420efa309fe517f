/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Players by name: a preset and options, "nst,epsilon=0.1,decay=move:0.6". One table names all options: it
 * makes the parser, the list that `ludens players` prints, and the messages about what is allowed. */
#ifndef PLAYER_CONFIG_H
#define PLAYER_CONFIG_H

#include "player/solo.h"
#include "search/mcts.h"
#include "search/minimax/minimax.h"

enum player_kind { PLAYER_SEARCH, PLAYER_RANDOM, PLAYER_LEGAL, PLAYER_SCRIPT, PLAYER_MINIMAX };
enum playout_scheme {
    PLAYOUT_UNIFORM,
    PLAYOUT_MAST,
    PLAYOUT_TOMAST,
    PLAYOUT_PAST,
    PLAYOUT_FAST,
    PLAYOUT_NST,
    PLAYOUT_MAST_FAST,
    PLAYOUT_WIRES, /* from here on, the same on the wires: */
    PLAYOUT_UNIFORM_WIRES = PLAYOUT_WIRES,
    PLAYOUT_MAST_WIRES,
    PLAYOUT_TOMAST_WIRES,
    PLAYOUT_NST_WIRES
};

struct player_config {
    char spec[200]; /* as given */
    int64_t kind;   /* enum player_kind */
    bool tree;
    double c, discount;
    int64_t goals;          /* 1: of two, the difference; of several, FAST's */
    int64_t rave, rave_mix; /* enum rave_mix */
    double finish;          /* share of the time for proving the end */
    int64_t prior;          /* simulations that RAVE begins with, by what playouts know */
    int64_t learn;          /* simulations of which one teaches */
    int64_t urgency;        /* enum urgency */
    bool cutoff, forced;
    int64_t final; /* enum final_move */
    int64_t window, carry;
    int64_t playout; /* enum playout_scheme */
    int64_t sampler; /* enum sampler_kind */
    double tau, epsilon;
    int64_t k, threshold;
    bool turns;    /* N-grams by who moved */
    double weight; /* of FAST beside MAST */
    double cells;  /* FAST's c for cell features */
    bool lgr;
    int64_t solver; /* enum solving */
    int64_t scout;  /* visits */
    bool outlook, symmetry;
    int64_t decisive; /* enum decisive_moves */
    double implicit;  /* weight of minimax over judged positions in the tree */
    int64_t horizon;  /* playout moves after which positions are judged; -1: never */
    double sharpness; /* of judgement */
    struct decay decay;
    char prefer[100]; /* patterns of moves (script.h) */
    bool solo;        /* decay in one-player games, too: 001 table VI measures that it does not pay */
    int64_t lanes;    /* 0: what measurement recommends */
    int64_t threads;  /* 0: every core by the clock, one where simulations are counted */
    int64_t parallel; /* enum parallel */
    int64_t ranks;    /* processes of an MPI job that search for it; 0: all there are */
    int64_t playouts; /* per new node, on the wires and with parallel=leaf; 0: as is best */
    int64_t device;   /* 1: playouts on a GPU */
    int64_t memory;   /* MB; 0: a quarter of the machine's */
    int64_t arm;      /* which way of searching: ARM_OFF, ARM_AUTO, ARM_FIRST and so on (audition.h) */
    int64_t control;  /* one simulation in so many is uniform */
    int64_t alarm;    /* enum alarm */
    int64_t adapt;    /* enum adapt_roles: bandits over parameters in play */
    int64_t factors;  /* enum adapt_what */
    bool parts;       /* games for one that fall apart are searched part by part, too */
    int64_t puzzle;   /* enum solo_way: what searches games for one before anything else */
    /* kind=minimax */
    int64_t minimax; /* enum minimax_policy */
    int64_t eval;    /* enum minimax_eval */
    bool table, history, killers, order;
    int64_t depth; /* plies at most; 0: no limit */
    double noise;
};

/* Parse "PRESET[,OPTION=VALUE]...". False and an error that says what is allowed. */
bool player_config_parse(const char *spec, struct player_config *out, struct error *error);

/* Options on top of those that are there: "OPTION=VALUE,...". */
bool player_config_apply(struct player_config *c, const char *options, struct error *error);

/* The tables, for lists and help. */
struct player_preset {
    const char *name, *options, *help;
};
extern const struct player_preset player_presets[]; /* ends with a NULL name */

struct player_option {
    const char *name;
    enum { PLAYER_BOOL, PLAYER_REAL, PLAYER_INT, PLAYER_CHOICE, PLAYER_DECAY, PLAYER_PATTERNS } type;
    size_t offset;
    double min, max;
    const char *choices; /* "uniform|mast|..." in the order of the enum */
    const char *help;
};
extern const struct player_option player_options[]; /* ends with a NULL name */

/* What an option is by default, as text. */
void player_option_default(const struct player_option *o, char *out, size_t size);

#endif
