/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of a batch: as many lanes as one sweep moves on (circuit/batch.h), and what is known of their games.
 *
 *     used      lanes that are somebody's            viewed   legal moves and ends are those of the states
 *     over      kept at the end of their game        looked   players are known
 *     ended     with the last step                   age      steps since the game began
 */
#ifndef API_LANES_H
#define API_LANES_H

#include "circuit/batch.h"

/* What all parts of a batch share. */
struct lanes_rules {
    const struct code *code;
    uint32_t nroles, actions; /* the most moves of a role */
    uint32_t *order;          /* 0, 1, 2 ...: moves, and bits of the state */
    bool **idle;              /* by role and move: it is what the role does while others choose */
    bool keep;
    uint32_t max_steps;
};

/* By role and move, on the heap: the moves that are a role's only one while another role chooses, in random
 * games. False without memory. */
bool lanes_find_idle(struct lanes_rules *rules, struct error *error);

struct lanes {
    const struct lanes_rules *rules;
    struct batch *b;
    uint32_t first, n; /* of the whole batch's lanes */
    bool viewed, looked;
    uint64_t used[BATCH_MAX_WORDS], over[BATCH_MAX_WORDS], ended[BATCH_MAX_WORDS];
    uint64_t given_up[BATCH_MAX_WORDS];
    uint64_t crowded[BATCH_MAX_WORDS]; /* several roles choose */
    uint64_t stuck[BATCH_MAX_WORDS];   /* a role has no move: the sheet is faulty */
    uint64_t *players;                 /* by role: a mask */
    uint64_t *saved;                   /* wires of the state, for lanes that stand still */
    uint32_t *age;                     /* by lane, with max_steps */
    int16_t *scratch;                  /* goals by lane and role */
};

bool lanes_init(struct lanes *g, const struct lanes_rules *rules, uint32_t first, uint32_t n, uint64_t seed,
                struct error *error);
void lanes_done(struct lanes *g);

void lanes_view(struct lanes *g); /* unless it was done */
void lanes_look(struct lanes *g);
void lanes_restart(struct lanes *g, const uint64_t *mask);
/* Packed states for all lanes of the part. */
void lanes_load(struct lanes *g, const uint64_t *packed);

/* The first lane and role whose move cannot be made, and why. `actions` by lane, or by lane and role; lanes
 * count from `first`. NULL: all at random. */
enum lanes_fault { LANES_FINE, LANES_ILLEGAL, LANES_CROWDED, LANES_STUCK };
enum lanes_fault lanes_check(struct lanes *g, const int32_t *actions, bool joint, uint32_t *lane,
                             uint32_t *role);
/* Where what games bring goes: by role * stride + lane, lanes of the whole batch. */
struct lanes_goals {
    int16_t *goals;
    float *rewards;
    uint32_t stride;
};
/* Make them; NULL: all at random. */
enum { LANES_RANDOM = -1, LANES_WAIT = -2 };
void lanes_step(struct lanes *g, const int32_t *actions, bool joint, const struct lanes_goals *goals);
/* So many sweeps at random; adds to the tally. */
void lanes_play(struct lanes *g, uint64_t sweeps, const atomic_bool *stop, struct batch_tally *tally);

/* The legal moves: of a role, or of the players (role = UINT32_MAX). Rows of bytes, `stride` apart, and how
 * many; either may be NULL. Both point to the first lane of the whole batch. */
void lanes_legal(struct lanes *g, uint32_t role, uint8_t *rows, uint32_t stride, uint32_t *counts);
void lanes_players(struct lanes *g, uint8_t *out);
void lanes_ended(const struct lanes *g, uint8_t *out);

/* 64 bits as bytes, 0 or 1. */
extern void (*lanes_spread)(const uint64_t *bits, uint32_t words, uint8_t *out);

#endif
