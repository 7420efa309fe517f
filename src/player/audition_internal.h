/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rooms of the audition share:
 *
 *     audition   who takes part, who is next, who is chosen      (audition.c; the candidates' turn: queue.c)
 *       └─ stage   a thread with a driver, some bouts abreast    (stage.c)
 *            └─ bout   a match: a player for each role           (bout.c)
 */
#ifndef PLAYER_AUDITION_INTERNAL_H
#define PLAYER_AUDITION_INTERNAL_H

#include "player/audition.h"
#include "player/player.h"

#include <pthread.h>

enum {
    AUDITION_TRIALS = 8,   /* bouts to find out how long a match is */
    AUDITION_ABREAST = 24, /* bouts at a time on a thread, at most */
};

struct audition {
    const struct game *game;
    struct engine *engine;
    struct player_config configs[ARMS_MOST];
    struct arm_signs signs[ARMS_MOST];
    double dear[ARMS_MOST]; /* what a simulation takes in a bout, to one in play */
    double expected[ARMS_MOST];
    struct judgement
        *judgement; /* of those who judge positions in their trees; NULL: each finds out for itself */
    struct minimax_lessons *lessons; /* the same of minimax */
    bool out[ARMS_MOST];             /* takes no part */
    bool unfit[ARMS_MOST];           /* nor can be chosen */
    uint32_t arms;
    uint64_t seed;
    struct budget budget;
    double move;      /* seconds that each will have in play; 0: nobody knows */
    bool in_steps;    /* what is counted: steps, else simulations */
    uint32_t sims;    /* a move, of the first */
    double real;      /* that it will have in play; 0: nobody knows */
    uint32_t abreast; /* bouts at a time on a thread */
    uint32_t lanes;   /* of a player */
    uint32_t wired;   /* of a player on the wires, whose lanes are its own as well */
    uint32_t most;    /* bouts for whose players a thread has lanes */
    uint32_t threads;
    pthread_mutex_t lock;
    /* under the lock */
    uint32_t begun[ARMS_MOST], bouts, wanted;
    double points[ARMS_MOST];
    uint32_t games[ARMS_MOST];
    uint64_t simulations;  /* made */
    uint64_t spent, limit; /* of what is counted; limit 0: by the clock */
    uint64_t taught;       /* spent before the first bout */
    uint32_t ended;
    double lasts; /* seconds that bouts have taken, in the mean; 0: none has ended */
    struct error error;
};

static inline bool audition_minimax(const struct audition *a, uint32_t arm)
{
    return a->configs[arm].kind == PLAYER_MINIMAX;
}

/* It judges positions in its tree. */
static inline bool audition_implicit(const struct audition *a, uint32_t arm)
{
    return a->configs[arm].kind == PLAYER_SEARCH &&
           (a->configs[arm].implicit > 0 || a->configs[arm].horizon >= 0);
}

/* What its players learn is of use to those of the same role alone: minimax, and FAST where all others are
 * against one. */
static inline bool audition_by_role(const struct audition *a, uint32_t arm)
{
    const struct player_config *c = &a->configs[arm];
    bool fast = c->playout == PLAYOUT_FAST || c->playout == PLAYOUT_MAST_FAST;
    return audition_minimax(a, arm) || (fast && c->goals && a->game->nroles > 2);
}

static inline bool audition_wires(const struct audition *a, uint32_t arm)
{
    return a->configs[arm].kind == PLAYER_SEARCH && a->configs[arm].playout >= PLAYOUT_WIRES;
}

/* All its players; those on the wires have lanes of their own number. */
static inline uint32_t audition_bout_lanes(const struct audition *a)
{
    return (audition_wires(a, 0) ? a->wired : a->lanes) * (a->game->nroles - 1) + a->wired;
}

/* Who has to is for this game, and had the time to find out what positions are worth. */
bool audition_judges(const struct audition *a, uint32_t arm, const struct player *p);
/* What was found out about positions is lent to a player of this way, if it asks for it. */
void audition_lend(const struct audition *a, uint32_t arm, struct player *p);

/* --- queue.c: what is expected of a candidate by all that is known; the first has what must be reached */
double queue_expects(const struct audition *a, uint32_t arm);
/* What may well be, before the first bout. */
double queue_hopes(const struct audition *a, uint32_t arm);
/* The next bout: false when there is none any more. */
bool queue_next(struct audition *a, uint32_t *arm, uint32_t *role, uint64_t *seed);

/* --- bout.c: a match on a stage */
struct stage;
struct bout {
    struct player *players[MCTS_MAX_ROLES];
    struct hand *hands[MCTS_MAX_ROLES];
    struct state state;
    uint32_t arm, role, waiting;
    double began;
    double value[2]; /* for two: what each expects, when it last thought; negative: it has not yet */
    bool over;
};
struct bout *bout_new(struct stage *s, uint32_t arm, uint32_t role, uint64_t seed, struct error *error);
void bout_free(struct bout *b, uint32_t nroles);
bool bout_begin(struct stage *s, struct bout *b, struct error *error);
/* As far as it goes without a search. */
bool bout_go_on(struct stage *s, struct bout *b, struct error *error);

/* --- stage.c: a thread with its driver */
struct stage {
    struct audition *audition;
    struct reasoner *reasoner;
    struct driver *driver;
    /* Whose tables all players of a kind have here; by role where that matters, else the first. */
    struct player *models[ARMS_MOST][MCTS_MAX_ROLES];
    bool lacks[ARMS_MOST]; /* had no time to find out what positions are worth */
    struct bout *bouts[AUDITION_ABREAST];
    pthread_t thread;
    bool started;
};
bool stage_init(struct stage *s, struct audition *a, struct error *error);
void stage_done(struct stage *s);
/* Those who learn do it before the first bout, on all stages at once; a->error: what went wrong. */
void stages_prepare(struct stage *stages, uint32_t n);
/* Bouts on all stages until there are as many as wanted, or no time is left. */
void stages_run(struct stage *stages, uint32_t n);

#endif
