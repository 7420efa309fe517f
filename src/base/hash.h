/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashing: XXH3 for bytes, one multiply-mix for pairs of words on hot paths. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *data, size_t size); /* XXH3, 64 bits */

static inline uint64_t hash_mix(uint64_t h, uint64_t x)
{
    unsigned __int128 m = (unsigned __int128)(h ^ x ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

#endif
