// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"

#include <xxhash.h>

uint64_t hash_bytes(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}
