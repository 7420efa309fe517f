// SPDX-License-Identifier: GPL-3.0-or-later
/* Tuples numbered in order of arrival, found by hashing. Room is made before anything is changed, so that
 * running out of memory leaves the table as it was. */
#include "base/hash.h"
#include "logic/lifted_internal.h"

#include <string.h>

void keys_init(struct keys *k, uint32_t width)
{
    *k = (struct keys){.width = width};
}

static uint32_t slot_of(const struct keys *k, const term *values)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < k->width; i++) h = hash_mix(h, values[i]);
    uint32_t slot = (uint32_t)h & k->mask;
    for (; k->slots[slot]; slot = (slot + 1) & k->mask) {
        const term *other = k->values.v + (size_t)(k->slots[slot] - 1) * k->width;
        uint32_t i = 0;
        while (i < k->width && other[i] == values[i]) i++;
        if (i == k->width) break;
    }
    return slot;
}

uint32_t keys_find(const struct keys *k, const term *values)
{
    if (k->n == 0) return NO_KEY;
    if (k->width == 0) return 0;
    return k->slots[slot_of(k, values)] - 1; /* an empty slot wraps to NO_KEY */
}

static void grow(struct heap *heap, struct keys *k)
{
    uint32_t size = k->slots ? (k->mask + 1) * 2 : 16;
    uint32_t *slots = heap_zalloc(heap, size * sizeof *slots);
    heap_release(heap, k->slots);
    k->slots = slots;
    k->mask = size - 1;
    for (uint32_t i = 0; i < k->n; i++) k->slots[slot_of(k, k->values.v + (size_t)i * k->width)] = i + 1;
}

uint32_t keys_add(struct heap *heap, struct keys *k, const term *values)
{
    if (k->width == 0) {
        k->n = 1;
        return 0;
    }
    if (!k->slots || k->n * 2 > k->mask) grow(heap, k);
    uint32_t slot = slot_of(k, values);
    if (k->slots[slot]) return k->slots[slot] - 1;
    vec_reserve(heap, &k->values, (uint64_t)k->values.n + k->width);
    memcpy(k->values.v + k->values.n, values, k->width * sizeof *values);
    k->values.n += k->width;
    k->slots[slot] = ++k->n;
    return k->n - 1;
}

void keys_clear(struct keys *k)
{
    k->n = k->values.n = 0;
    if (k->slots) memset(k->slots, 0, ((size_t)k->mask + 1) * sizeof *k->slots);
}
