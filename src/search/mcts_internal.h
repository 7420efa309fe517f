/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the search: a simulation under way, and what the files of MCTS share. */
#ifndef SEARCH_MCTS_INTERNAL_H
#define SEARCH_MCTS_INTERNAL_H

#include "search/mcts.h"

enum stage {
    IDLE,
    ENTERING, /* the state of a tree node goes into the lane after the next step */
    LEAVING,  /* it is there and was viewed: the chosen moves are made */
    ARRIVED,  /* one step outside the tree, or at a state the tree knows */
    PLAYING,  /* playing out */
    WAITING,  /* at an ended node whose goals somebody else is fetching */
    PARKED,   /* ended; goals to come */
};

struct flight {
    enum stage stage;
    uint32_t node;  /* where the descent is; when ARRIVED, the parent; when PARKED, the ended node (or 0) */
    uint32_t steps; /* moves made since the root */
    uint32_t tree_steps; /* of these, how many belong to path nodes */
    uint32_t playout_steps;
    uint32_t *path;   /* nodes, tree_steps */
    uint32_t *choice; /* tree_steps * nroles: index of the action */
    uint32_t *moves;  /* steps * nroles */
    uint8_t *forced;  /* steps * nroles: there was no other move */
    uint32_t cap;     /* steps there is room for */
    /* if wanted: the state before step t is states[state_start[t]] up to states[state_start[t + 1]] */
    uint64_t *states;
    uint32_t *state_start, starts_cap;
    size_t states_cap;
    bool stateless; /* there was no memory for them */
    bool end;       /* the last one was noted: the state after all steps */
    bool expanded;  /* its new node is made: from there on it plays out */
};

/* flight.c */
void flight_launch(struct mcts *m,
                   struct flight *f); /* from the root down, until it leaves the tree or ends */
void flight_descend(struct mcts *m, struct flight *f); /* the same from f->node */
bool flight_reserve(struct mcts *m, struct flight *f); /* room for one more step; false without memory */
/* The state before the step to come, for policies that want it. */
void flight_note_state(struct mcts *m, struct flight *f, const uint64_t *state, uint32_t words);
/* The state in which there is no step to come. */
void flight_note_end(struct mcts *m, struct flight *f, const uint64_t *state, uint32_t words);
void flight_take(struct mcts *m, struct flight *f, uint32_t node, const uint32_t *choice);
void flight_abort(struct mcts *m, struct flight *f);
struct situation flight_situation(const struct mcts *m, const struct flight *f, uint32_t role);

/* backup.c: rewards go up the path and to those who learn; the flight is idle then. */
void flight_finish(struct mcts *m, struct flight *f, const float *reward);
void flight_draw(struct mcts *m, struct flight *f); /* the same with 50 for everybody */
void flight_undo_pending(struct mcts *m, struct flight *f);

#endif
