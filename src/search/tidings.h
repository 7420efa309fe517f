/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Proofs that searches of the same position tell each other while they run (root parallelisation): what each
 * joint move of the root leads to, and the root itself.
 *
 *     search A ── a child of its root is proved ──> tidings ── before its next simulation ──> search B
 *
 * Any thread may tell and read at any time; bounds only get closer. */
#ifndef SEARCH_TIDINGS_H
#define SEARCH_TIDINGS_H

#include "search/bound.h"

#define TIDINGS_JOINTS 4096 /* roots with more joint moves keep what they know to themselves */

struct tidings;

/* `widest`: by role, where bounds begin. NULL: too many joint moves, or no memory. */
struct tidings *tidings_new(uint32_t nroles, uint64_t joints, const struct bound *widest);
void tidings_free(struct tidings *t);

/* How often something was told. */
uint32_t tidings_count(const struct tidings *t);
/* The bounds of a joint move, by role, and the moves to the end as far as they are known; TIDINGS_ROOT is the
 * root. Telling what is known already does nothing. */
#define TIDINGS_ROOT UINT32_MAX
void tidings_tell(struct tidings *t, uint32_t joint, const struct bound *bounds, uint32_t plies);
struct bound tidings_bound(const struct tidings *t, uint32_t joint, uint32_t role);
uint32_t tidings_plies(const struct tidings *t, uint32_t joint);
uint32_t tidings_joints(const struct tidings *t);

#endif
