/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of player/: a player, and the search that is made for it. */
#ifndef PLAYER_PLAYER_INTERNAL_H
#define PLAYER_PLAYER_INTERNAL_H

#include "analysis/symmetry.h"
#include "player/audition.h"
#include "player/player.h"
#include "search/solver/memo.h"

struct player {
    struct player_config config;
    const struct game *game;
    struct engine *engine;
    uint32_t role;
    uint64_t seed;
    struct rng rng;
    struct reasoner *reasoner;
    struct state state; /* of the reasoner, before the joint moves in `ahead` */
    bool on_circuit;
    struct list ahead; /* joint moves announced and not made yet, one after the other */
    struct list legal; /* own moves in the last state that was looked at */
    bool legal_here;   /* that is `state`, and all of them */
    /* the search, made on first use and made anew when the engine changes */
    struct crew *crew;       /* of its own; NULL with a driver that others use, too */
    struct driver *driver;   /* that one */
    struct policy *policies; /* one per thread */
    uint32_t npolicies;
    const struct player *lender; /* whose they are; NULL: our own */
    struct outcomes *outcomes;   /* what can come out of the game; NULL: nobody asked */
    struct symmetry symmetry;    /* what was found of it, of the engine's circuit */
    bool mirrored;               /* it was looked for */
    struct judgement *judgement; /* what positions seem worth; NULL: nobody asked, or there is none */
    bool lent;                   /* that is somebody else's */
    struct mcts *mcts;           /* what is reported: the crew's first, or our own */
    bool rooted;                 /* mcts knows the current state */
    struct allies *allies;       /* others who search for us; NULL: nobody */
    bool mustered;               /* they were asked for */
    uint32_t plies;              /* joint moves made since they were told where we are */
    uint32_t cores;              /* for threads; 0: all of the machine */
    uint32_t divergence;         /* which of several with the same seed we are */
    struct {
        struct memo memo;    /* what was proved before */
        double rate, length; /* positions a second; moves of the tree's simulations; 0: not known */
    } finish;                /* finish.h */
    /* the think under way */
    struct budget budget;
    bool sure, searching;
    bool alone; /* solo or minimax has decided: */
    uint32_t alone_move;
    struct player_report report;
    struct audition_report audition;
    struct solo *solo;                     /* games for one: asked before the search; NULL: it is not */
    struct minimax *minimax;               /* kind=minimax: asked before the search, too; made on first use */
    const struct minimax_lessons *lessons; /* somebody else's, for it; NULL: those of the audition, if any */
};

/* --- setup.c: from options to a search */
/* Bytes for the searches of games for one and for the tree, half of it each where there are both. */
size_t player_memory(const struct player *p);
/* By the clock every core; where simulations are counted one, so that the result is the same every time. */
uint32_t player_threads(const struct player *p, const struct budget *b);
bool player_make_search(struct player *p, const struct budget *budget, struct error *error);
void player_drop_search(struct player *p);

#endif
