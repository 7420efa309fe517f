// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/twodeep.h"

#include "base/pages.h"

#include <string.h>

#define MOST_WORDS (2 + TWODEEP_VALUES / 2)

static size_t bytes_of(const struct twodeep *t)
{
    return (size_t)(t->mask + 1) * 2 * t->words * sizeof *t->v;
}

bool twodeep_init(struct twodeep *t, size_t bytes, uint32_t width)
{
    size_t words = 2 + width / 2; /* the first value lies beside move and depth */
    *t = (struct twodeep){.words = words, .width = width};
    uint64_t places = 1024;
    while (places * 4 * words * sizeof *t->v <= bytes) places *= 2;
    t->mask = places - 1;
    t->v = pages_map(bytes_of(t)); /* only there where it is touched */
    return t->v != NULL;
}

void twodeep_done(struct twodeep *t)
{
    pages_unmap(t->v, t->v ? bytes_of(t) : 0);
    *t = (struct twodeep){0};
}

static _Atomic uint64_t *entry_at(const struct twodeep *t, uint64_t key, uint32_t which)
{
    return t->v + ((key & t->mask) * 2 + which) * t->words;
}

/* Each turned by its own number of bits, so that two words which both are another's do not make up for each
 * other. */
static uint64_t turned(uint64_t word, size_t i)
{
    return word << 11 * i % 64 | word >> (64 - 11 * i % 64) % 64;
}

/* The words as they lie there, and the fingerprint they belong to; 0: of an empty one. */
static uint64_t load(const struct twodeep *t, const _Atomic uint64_t *entry, uint64_t *words)
{
    words[0] = atomic_load_explicit(&entry[0], memory_order_relaxed);
    words[1] = atomic_load_explicit(&entry[1], memory_order_relaxed);
    uint64_t check = words[0] ^ turned(words[1], 1);
    for (size_t i = 2; i < t->words; i++) {
        words[i] = atomic_load_explicit(&entry[i], memory_order_relaxed);
        check ^= turned(words[i], i);
    }
    return check;
}

static void save(const struct twodeep *t, _Atomic uint64_t *entry, const uint64_t *words)
{
    for (size_t i = 0; i < t->words; i++) atomic_store_explicit(&entry[i], words[i], memory_order_relaxed);
}

/* move 16, depth 8, bound 2, ends 1 and the first value in the upper half */
static uint32_t depth_of(const uint64_t *words)
{
    return words[1] >> 16 & 0xff;
}

static void unpack(const struct twodeep *t, const uint64_t *words, struct twodeep_entry *out)
{
    uint32_t first = (uint32_t)(words[1] >> 32);
    out->move = (uint16_t)words[1];
    out->depth = (uint8_t)depth_of(words);
    out->bound = words[1] >> 24 & 3;
    out->ends = words[1] >> 26 & 1;
    memcpy(out->value, &first, sizeof first);
    if (t->width > 1) memcpy(out->value + 1, words + 2, (t->width - 1) * sizeof *out->value);
}

static void pack(const struct twodeep *t, const struct twodeep_news *news, uint64_t check, uint64_t *words)
{
    uint32_t first;
    memset(words, 0, t->words * sizeof *words);
    memcpy(&first, news->value, sizeof first);
    words[1] = (news->move < TWODEEP_NO_MOVE ? news->move : TWODEEP_NO_MOVE) |
               (uint64_t)(uint8_t)news->depth << 16 | (uint64_t)news->bound << 24 |
               (uint64_t)news->ends << 26 | (uint64_t)first << 32;
    if (t->width > 1) memcpy(words + 2, news->value + 1, (t->width - 1) * sizeof *news->value);
    words[0] = check;
    for (size_t i = 1; i < t->words; i++) words[0] ^= turned(words[i], i);
}

bool twodeep_find(const struct twodeep *t, uint64_t key, uint64_t check, struct twodeep_entry *out)
{
    uint64_t deep[MOST_WORDS], late[MOST_WORDS];
    bool first = load(t, entry_at(t, key, 0), deep) == check;
    bool second = load(t, entry_at(t, key, 1), late) == check;
    if (!first && !second) return false;
    unpack(t, !first || (second && depth_of(late) > depth_of(deep)) ? late : deep, out);
    return true;
}

void twodeep_fetch(const struct twodeep *t, uint64_t key)
{
    __builtin_prefetch((const void *)entry_at(t, key, 0));
}

void twodeep_store(struct twodeep *t, uint64_t key, uint64_t check, const struct twodeep_news *news)
{
    _Atomic uint64_t *deep = entry_at(t, key, 0), *late = entry_at(t, key, 1), *to = deep;
    uint64_t words[MOST_WORDS], old[MOST_WORDS];
    uint64_t holder = load(t, deep, old);
    if (holder && holder != check) {
        if (news->depth >= depth_of(old))
            save(t, late, old);
        else
            to = late;
    } else if (load(t, late, old) == check) {
        memset(old, 0, sizeof old);
        save(t, late, old); /* one is enough */
    }
    pack(t, news, check, words);
    save(t, to, words);
}
