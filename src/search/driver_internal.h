/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the loop: a simulation under way, and what the files around the driver share. */
#ifndef SEARCH_DRIVER_INTERNAL_H
#define SEARCH_DRIVER_INTERNAL_H

#include "search/decisive.h"
#include "search/driver.h"
#include "search/prove.h"

enum stage {
    IDLE,
    ENTERING, /* the state of a tree node goes into the lane after the next step */
    LEAVING,  /* it is there and was viewed: the chosen moves are made */
    ARRIVED,  /* one step outside the tree, or at a state the tree knows */
    PLAYING,  /* playing out */
    WAITING,  /* at an ended node whose goals somebody else is fetching */
    PARKED,   /* ended; goals to come */
    STAGES
};

#define FLIGHT_REFUTED 3

struct flight {
    /* what every step looks at comes first */
    struct hand *hand; /* whose simulation it is */
    uint32_t *moves;   /* steps * nroles */
    uint8_t *forced;   /* steps * nroles: there was no other move */
    uint32_t steps;    /* moves made since the root */
    uint32_t playout_steps;
    enum stage stage; /* changed by flight_stage alone: the driver's masks follow it */
    uint32_t lane;    /* where it flies */
    uint32_t cap;     /* steps there is room for */
    bool has_way;     /* it has one of its own: `way` */
    bool stateless;   /* there was no memory for states */
    bool end;         /* the last one was noted: the state after all steps */
    bool expanded;    /* its new node is made: from there on it plays out */
    bool teaches;     /* the playout policy learns from it */
    bool cut;         /* broken off: without goals it is a draw */
    bool again;       /* decisive.h: the step to come is to be chosen again */
    uint32_t began;   /* the round its playout began */
    uint32_t node;    /* where the descent is; when ARRIVED, the parent; when PARKED, the ended node (or 0) */
    uint32_t proved;  /* when it is finished: the node at its end of which something is proved, or 0 */
    uint32_t tree_steps; /* of the steps, how many belong to path nodes */
    uint32_t *path;      /* nodes, tree_steps */
    uint32_t *choice;    /* tree_steps * nroles: index of the action */
    /* if wanted: the state before step t is states[state_start[t]] up to states[state_start[t + 1]] */
    uint64_t *states;
    uint32_t *state_start, starts_cap;
    size_t states_cap;
    const float *own; /* rewards of what it played, where those it is worth are a mean of several; or NULL */
    /* decisive.h: moves of the step to come that were taken back */
    uint32_t refuted[FLIGHT_REFUTED];
    uint32_t nrefuted;
    struct way way;
    struct errand *errand; /* leaf parallelisation: the playout is done for somebody else (relay.c) */
};

struct lane {
    struct hand *hand;              /* NULL: free */
    struct flight *flying, *parked; /* two per lane: one under way, one waiting for its goals */
};

/* For each lane `i` of a mask; `mask` is an expression in the number `w` of a word. */
#define FOR_LANES(d, i, w, mask)                        \
    for (uint32_t w = 0, i; w < (d)->world->words; w++) \
        for (uint64_t left_##i = (mask);                \
             left_##i && (i = w * 64 + (uint32_t)__builtin_ctzll(left_##i), true); left_##i &= left_##i - 1)

/* What a reward is worth so many steps before the end: reward * discount * discount ..., one after the other.
 */
enum { FADINGS = 8, FADED = 256 };
struct fading {
    float reward, discount;
    uint32_t n; /* so many are known; 0: none */
    float v[FADED];
};

struct driver {
    struct world *world;
    const struct code *code;      /* NULL: on the reasoner */
    uint32_t nroles, lanes, held; /* lanes there are; lanes that belong to hands */
    struct lane *lane;
    struct flight *flights; /* two per lane */
    struct hand **hands;    /* at work */
    uint32_t nhands;
    /* of these, how many have a deadline; share their tree with other threads; have one simulation at a time
     * and ask for nothing but moves */
    uint32_t watched, shared, plain;
    uint32_t leafy;    /* and have their playouts elsewhere, on the wires or on a device */
    bool in_turns;     /* waiting until all lanes are in the same turn pays */
    double goal_share; /* goals are swept when so many of the lanes wait for theirs, where each waits with its
                          next simulation */
    bool finished;     /* one of them may have nothing left to do */
    bool crowded;      /* a tree had no room */
    /* Who is where, as masks: a round looks at lanes that enter or leave the tree, not at those that go on.
     */
    uint64_t in[STAGES][BATCH_MAX_WORDS]; /* by stage of the flight under way */
    uint64_t uniform[BATCH_MAX_WORDS];    /* playing, by uniform choice that nobody records */
    uint64_t recorded[BATCH_MAX_WORDS];   /* playing, by uniform choice that somebody does */
    uint64_t stated[BATCH_MAX_WORDS];     /* playing, and somebody learns from states */
    uint64_t parked[BATCH_MAX_WORDS];     /* the lane's other flight waits for its goals */
    uint64_t due[BATCH_MAX_WORDS];        /* scratch */
    uint64_t entered[BATCH_MAX_WORDS];    /* scratch: states were put into these lanes */
    uint32_t next_due;                    /* no lane must be looked at before */
    uint32_t *until;  /* by lane: the round in which a playout must be looked at, ended or not */
    uint64_t *stream; /* by lane: what uniform choices are drawn from */
    uint32_t now;     /* rounds so far */
    uint32_t nparked;
    double clock, ticked; /* seconds, each divided by the hands at work; when it was last put forward */
    double round;         /* seconds that a round takes, rather too many */
    /* scratch */
    int16_t *goals;
    uint32_t *chosen;   /* by lane */
    uint64_t *draws;    /* by lane */
    struct list *legal; /* by role */
    uint64_t
        *arrived; /* on the circuit, by lane: the hash of the state one step outside the tree, then that */
    struct state state;
    struct prover prover;
    struct decisive *decisive;             /* NULL: nobody has asked for it */
    uint32_t *stamp, stamp_now, stamp_cap; /* RAVE: moves seen further down, by role and move */
    struct fading fadings[FADINGS];        /* of the rewards seen last */
};

/* --- driver.c */
bool hand_may_launch(const struct hand *h); /* its budget allows one more simulation */

/* --- flight.c */
void flight_stage(struct flight *f, enum stage stage);
/* From the root down, until it leaves the tree or ends. */
void flight_launch(struct flight *f);
/* Whether the playout tables of a hand are to learn from the simulation it has just launched. */
bool flight_is_lesson(const struct hand *h);
void flight_descend(struct flight *f); /* the same from f->node */
/* E-UCT where several choose at once: the moves were chosen one by one, together they may lead to what is
 * solved. Then the last role takes another one of its moves: the least tried of those that lead elsewhere. */
void flight_avoid_solved(struct hand *h, uint32_t node, uint32_t *choice);
bool flight_reserve(struct flight *f); /* room for one more step; false without memory */
void flight_release(struct flight *f); /* its memory */
/* The state before the step to come, for policies that want it. */
void flight_note_state(struct flight *f, const uint64_t *state, uint32_t words);
/* The state in which there is no step to come. */
void flight_note_end(struct flight *f, const uint64_t *state, uint32_t words);
void flight_take(struct flight *f, uint32_t node, const uint32_t *choice);
void flight_abort(struct flight *f);
/* Where a role is to choose next, but for the state. */
static inline void flight_situation(const struct flight *f, uint32_t nroles, uint32_t role,
                                    struct situation *s)
{
    const uint32_t *next = f->moves + (size_t)f->steps * nroles;
    *s = (struct situation){.role = role,
                            .nroles = nroles,
                            .last = f->steps >= 1 ? next - nroles : NULL,
                            .before = f->steps >= 2 ? next - 2 * (size_t)nroles : NULL,
                            .way = f->has_way ? &f->way : NULL};
}

/* --- backup.c: rewards go up the path and to those who learn; the flight is idle then. */
void flight_finish(struct flight *f, const float *goals);
/* What goals are worth to those who play: themselves, or of two how far each is ahead, on the scale from 0 to
 * 100, where nothing changes if they add up to 100. */
const float *mcts_rewards(const struct mcts *m, const float *goals, float lead[2]);
void flight_settle(struct flight *f, const float *reward); /* flight_finish, with what mcts_rewards said */
void flight_draw(struct flight *f);                        /* flight_finish, with 50 for everybody */
void flight_undo_pending(struct flight *f);
/* What a flight will write to, on its way to the cache: called with the one, then with the other. */
enum fetching { FETCH_NODES, FETCH_ACTIONS };
void flight_fetch(const struct flight *f, enum fetching what);
/* The playout tables of its hand learn from it; will soon, which they may prepare for. */
void flight_teach(struct flight *f, const float *reward);
void flight_expect(const struct flight *f);

/* --- relay.c: playouts done by other threads */
/* The playout after a new node goes to somebody else: true, and the flight is idle. */
bool relay_send(struct flight *f, const struct state *state);
/* Back up what has come back; give this driver's free lanes something to play. Called between rounds. */
void relay_exchange(struct hand *h);
/* A playout for somebody else is over. */
void relay_return(struct flight *f, const float *reward);
bool relay_busy(const struct hand *h);   /* something is still to come */
bool relay_serves(const struct hand *h); /* it has playouts of others to do, and no simulations of its own */
void relay_lose(struct flight *f);       /* such a playout is given up */
void relay_renumber(struct hand *h);     /* its tree was collected */
const struct state *relay_state(const struct flight *f); /* where such a playout begins */

#endif
