/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers by counting: Philox 4x32 of Salmon et al. (SC 2011) with seven rounds. The same counter and
 * key give the same four words on the processor and on the device, in any order and by any thread. */
#ifndef GPU_PHILOX_H
#define GPU_PHILOX_H

#include <stdint.h>

#define PHILOX_ROUNDS 7
#define PHILOX_M0 0xd2511f53u
#define PHILOX_M1 0xcd9e8d57u
#define PHILOX_W0 0x9e3779b9u
#define PHILOX_W1 0xbb67ae85u

/* The keys of all rounds: what device code gets as parameters. */
static inline void philox_keys(uint64_t seed, uint32_t keys[2 * PHILOX_ROUNDS])
{
    for (uint32_t i = 0; i < PHILOX_ROUNDS; i++) {
        keys[2 * i] = (uint32_t)seed + i * PHILOX_W0;
        keys[2 * i + 1] = (uint32_t)(seed >> 32) + i * PHILOX_W1;
    }
}

static inline void philox(const uint32_t keys[2 * PHILOX_ROUNDS], uint32_t x[4])
{
    for (uint32_t i = 0; i < PHILOX_ROUNDS; i++) {
        uint64_t a = (uint64_t)PHILOX_M0 * x[0], b = (uint64_t)PHILOX_M1 * x[2];
        x[0] = (uint32_t)(b >> 32) ^ x[1] ^ keys[2 * i];
        x[1] = (uint32_t)b;
        x[2] = (uint32_t)(a >> 32) ^ x[3] ^ keys[2 * i + 1];
        x[3] = (uint32_t)a;
    }
}

#endif
