/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A GPU, and random games on it: the door.
 *
 *     struct gpu *gpu = gpu_open(&error);                   one line says why there is none
 *     struct gpu_games *g = gpu_games_new(gpu, code, ...);  device code made, all lanes at the start
 *     gpu_games_play(g, rounds, 0, &error);                 so many steps of all lanes, without the host
 *     gpu_games_sums(g, sums, &error);                      games, transitions, goals
 *
 * After a failure of the device everything but freeing fails with the same words; the processor is not
 * touched by it. One thread at a time. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include "circuit/code.h"
#include "gpu/plan.h"

struct gpu;

struct gpu *gpu_open(struct error *error);
void gpu_close(struct gpu *gpu); /* NULL is fine */
const char *gpu_name(const struct gpu *gpu);

struct gpu_games_options {
    uint64_t seed;
    uint32_t words; /* of 32 lanes, rounded up to whole blocks; 0: as many as run at once */
    uint32_t
        blocks; /* of a multiprocessor, 1 to 8: more have fewer registers each; 0: by the size of the code */
    uint32_t registers; /* for wires; 0: what the blocks leave */
    uint32_t sync;      /* of struct ptx_options */
    uint32_t threads;   /* of a block, a multiple of 32; 0: by the size of the code */
    uint32_t turns;     /* of a round from the initial state: 1, or 0 for what suits the game */
    uint32_t level;     /* how much the driver shall improve on our code, 1 to 4; 0: by its size */
    /* Where lanes begin: word w in state w % roots, all of them in the same turn, as batches have states.
     * They must outlive the games. NULL: in the initial state. */
    const uint64_t *starts;
    uint32_t roots;
};

struct gpu_games_report {
    uint32_t words, blocks, turns, roots;
    uint32_t gates, loads, stores;   /* of a round */
    uint32_t registers, local_bytes; /* of a thread, as the driver says */
    uint32_t shared_slots, text_bytes;
    double make_seconds, load_seconds;
};

/* Time and memory that commands give to making device code. */
extern const struct ground_limits gpu_default_limits;

/* Limits as for grounding, NULL: none. NULL and an error: too large, no memory here or there, or the driver
 * refused the code. */
struct gpu_games *gpu_games_new(struct gpu *gpu, const struct code *code,
                                const struct gpu_games_options *options, const struct ground_limits *limits,
                                struct error *error);
void gpu_games_free(struct gpu_games *g); /* NULL is fine */
const struct gpu_games_report *gpu_games_report(const struct gpu_games *g);
/* All lanes at the beginning once more, as many as `words` of gpu_games_options says; nothing is counted yet.
 */
bool gpu_games_begin(struct gpu_games *g, uint64_t seed, uint32_t words, struct error *error);

/* As many rounds (plan.h) of all lanes, at most GPU_MOST_ROUNDS, and wait for the end. */
#define GPU_MOST_ROUNDS (1u << 20)
enum {
    GPU_LAST = 1,    /* lanes whose game ends begin no other */
    GPU_GIVE_UP = 2, /* games that have not ended since the last time this was given are given up */
};
bool gpu_games_play(struct gpu_games *g, uint32_t rounds, int how, struct error *error);
/* What was counted since the beginning: gpu_counters(circuit) sums for each root, or for all if there are
 * none. */
bool gpu_games_sums(struct gpu_games *g, uint64_t *sums, struct error *error);
/* One bit of the state in all words, in their order. Bits that only tell whose turn it is are not kept. */
bool gpu_games_bit(struct gpu_games *g, uint32_t bit, uint32_t *words, struct error *error);

/* So many rounds here and on the processor (twin.h): false and an error that names the first difference, in a
 * state or in what was counted. The games must be new, and few: the processor is slow. */
#define GPU_REPLAY_WORDS 128 /* as many as one block has */
bool gpu_games_replay(struct gpu_games *g, uint32_t rounds, struct error *error);

#endif
