/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processor's twin of the device: the same random games (plan.h says by which rule), lane by lane, on the
 * batches that everything else is tested with. Slow, and the measure of what device code must do: any words
 * of lanes can be played here and compared. */
#ifndef GPU_TWIN_H
#define GPU_TWIN_H

#include "circuit/batch.h"
#include "gpu/plan.h"

struct gpu_twin;

/* So many words of lanes, an even number, from word 0 on. `starts` are `roots` states in which they begin:
 * word w in state w % roots; NULL: in the initial state. They must outlive it. */
struct gpu_twin *gpu_twin_new(const struct code *code, struct gpu_setup setup, uint32_t n, uint64_t seed,
                              const uint64_t *starts, uint32_t roots, struct error *error);
void gpu_twin_free(struct gpu_twin *t);

/* As many rounds; with last, lanes whose game ends begin no other; with give_up, games that have not ended
 * since the last time it was given are given up. */
void gpu_twin_play(struct gpu_twin *t, uint32_t rounds, bool last, bool give_up);

/* What was counted so far: by root, enum gpu_counter. */
const uint64_t *gpu_twin_sums(const struct gpu_twin *t);
/* 32 lanes of one bit of the state; `word` counts from the twin's first. Bits that only tell whose turn it is
 * are not kept on the device. */
uint32_t gpu_twin_state(const struct gpu_twin *t, uint32_t word, uint32_t bit);

#endif
