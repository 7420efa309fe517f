/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Circuits that are made from a game's circuit and tell something else about the same states
 * (circuit_foresee, circuit_outlook), with code for batches beside those of the game. */
#ifndef CIRCUIT_DERIVE_H
#define CIRCUIT_DERIVE_H

#include "circuit/code.h"

struct derived {
    struct circuit *circuit;
    struct code *code;
};

typedef struct circuit *derivation(const struct circuit *c, double seconds, const atomic_bool *cancel,
                                   struct error *error);

/* In no more than so many seconds (0: no limit), until it is cancelled (may be NULL). False and an error
 * otherwise. With machine code where there can be any. */
bool derived_make(struct derived *d, derivation *how, const struct circuit *c, double seconds,
                  const atomic_bool *cancel, struct error *error);
void derived_done(struct derived *d); /* all zero is fine */

#endif
