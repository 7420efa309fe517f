/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of wires/: what the lanes played in the last rounds. */
#ifndef SEARCH_WIRES_HISTORY_H
#define SEARCH_WIRES_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_DIFFER UINT32_MAX

/* A ring of rounds; of each, by role, the moves of all lanes and the lanes that had a choice. */
struct history {
    uint32_t nroles, lanes, words;
    uint32_t rounds; /* a power of two; 0: nothing is kept */
    uint16_t *moves; /* (round * nroles + role) * lanes + lane */
    uint64_t *many;  /* (round * nroles + role) * words + word */
    uint32_t *all;   /* round * nroles + role: the only move that all lanes had, else HISTORY_DIFFER */
    uint32_t first;  /* the oldest round that is there */
    bool full;       /* a playout was longer than the ring */
    /* a playout read back */
    uint32_t *out;
    uint8_t *forced;
    uint32_t cap; /* steps */
};

bool history_init(struct history *h, uint32_t nroles, uint32_t lanes); /* false without memory */
void history_done(struct history *h);
/* A round begins: grow if that was too little. */
void history_begin(struct history *h, uint32_t round);
void history_write(struct history *h, uint32_t round, uint32_t role, const uint32_t *moves,
                   const uint64_t *many);
/* The same where all lanes made this move and had no other. */
void history_fill(struct history *h, uint32_t round, uint32_t role, uint32_t move);
/* Moves of a lane in the rounds from .. to - 1, in h->out and h->forced. */
bool history_read(struct history *h, uint32_t lane, uint32_t from, uint32_t to, uint32_t now);

#endif
