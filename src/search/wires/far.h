/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves on a GPU: they go out in batches, hundreds of uniform playouts are played from each, and the means
 * come back while the next batch is filled.
 *
 *     far_put ──> batch that is filled ──far_turn──> batch under way ──next far_turn──> over(leaf, mean)
 *
 * The device and its code are got ready by a thread of their own, which may take seconds; nobody waits for
 * it who has a clock to obey. */
#ifndef SEARCH_WIRES_FAR_H
#define SEARCH_WIRES_FAR_H

#include "gpu/sampler.h"

struct far;
enum far_state { FAR_MAKING, FAR_READY, FAR_FAILED };

/* What a leaf's playouts came to; called from far_turn. */
typedef void far_over(void *data, void *leaf, const struct gpu_sample *sample, const float *mean);

/* So many leaves under way at most. NULL without memory. */
struct far *far_new(const struct code *code, const struct gpu_sampler_options *options, far_over *over,
                    void *data);
void far_free(struct far *f); /* NULL is fine */
enum far_state far_state(struct far *f);
const char *far_trouble(const struct far *f); /* why it has failed */

/* False: this position cannot be played there. */
bool far_put(struct far *f, void *leaf, const uint64_t *state);
uint32_t far_waiting(const struct far *f); /* have been put, are not under way */
/* What is under way, if anything, is ready to come back. */
bool far_ready(struct far *f);
/* What waits sets out, and what is under way comes back; it is waited for. False: it has failed; far_clear.
 */
bool far_turn(struct far *f);
void far_clear(struct far *f); /* forget all of them, without waiting */

#endif
