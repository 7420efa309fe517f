// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/commute.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MOVES = 1500, MOST_KIDS = 256, SAMPLES = 12, UNKNOWN = 0, SAME = 1, DIFFERENT = 2 };

struct sampler {
    struct space *space;
    struct commute *c;
    uint64_t *kid;
    uint32_t *kid_move, kids;
    uint64_t *after; /* hash of the state after kid i and move m: i * nmoves + m; 0: cannot be */
    uint32_t first;  /* kid that the brood's parent 0 is */
};

static bool take_kids(void *to, struct brood *b)
{
    struct sampler *s = to;
    uint32_t words = s->space->words;
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->goal[i] != SPACE_GOES_ON) continue;
        if (s->kids == MOST_KIDS) return false;
        memcpy(s->kid + (size_t)s->kids * words, b->state + (size_t)i * words, words * 8);
        s->kid_move[s->kids++] = b->move[i];
    }
    return true;
}

static bool take_grandkids(void *to, struct brood *b)
{
    struct sampler *s = to;
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t h = hash_bytes(b->state + (size_t)i * s->space->words, s->space->words * 8) | 1;
        if (b->goal[i] != SPACE_GOES_ON) h = (h & ~(uint64_t)0xffff) | (uint16_t)(2 * b->goal[i] + 1);
        s->after[(size_t)(s->first + b->parent[i]) * s->c->nmoves + b->move[i]] = h;
    }
    return true;
}

/* All pairs of moves from one state. */
static void sample(struct sampler *s, const uint64_t *state, uint32_t depth)
{
    uint32_t depths[BATCH_MAX_LANES], words = s->space->words, nmoves = s->c->nmoves;
    s->kids = 0;
    if (!space_expand(s->space, state, &depth, 1, take_kids, s)) return;
    memset(s->after, 0, (size_t)s->kids * nmoves * sizeof *s->after);
    for (uint32_t i = 0; i < s->space->lanes; i++) depths[i] = depth + 1;
    for (s->first = 0; s->first < s->kids; s->first += s->space->lanes) {
        uint32_t n = s->kids - s->first < s->space->lanes ? s->kids - s->first : s->space->lanes;
        if (!space_expand(s->space, s->kid + (size_t)s->first * words, depths, n, take_grandkids, s)) return;
    }
    uint32_t *kid_of = malloc((nmoves + 1) * sizeof *kid_of);
    if (!kid_of) return;
    memset(kid_of, 0xff, nmoves * sizeof *kid_of);
    for (uint32_t i = 0; i < s->kids; i++) kid_of[s->kid_move[i]] = i;
    for (uint32_t i = 0; i < s->kids; i++) {
        uint32_t l = s->kid_move[i];
        for (uint32_t m = 0; m < l; m++) {
            uint64_t lm = s->after[(size_t)i * nmoves + m];
            if (!lm) continue; /* nothing to be left out */
            uint64_t ml = kid_of[m] == UINT32_MAX ? 0 : s->after[(size_t)kid_of[m] * nmoves + l];
            uint8_t *pair = &s->c->pair[(size_t)l * nmoves + m];
            *pair = lm == ml && *pair != DIFFERENT ? SAME : DIFFERENT;
        }
    }
    free(kid_of);
}

static void list_skips(struct commute *c)
{
    c->words = (c->nmoves + 63) / 64;
    c->skip = calloc((size_t)c->nmoves * c->words, 8);
    for (uint32_t l = 0; l < c->nmoves && c->skip; l++)
        for (uint32_t m = 0; m < l; m++)
            if (c->pair[(size_t)l * c->nmoves + m] == SAME) {
                c->skip[(size_t)l * c->words + m / 64] |= 1ull << m % 64;
                c->any = true;
            }
}

void commute_init(struct commute *c, struct space *s, struct turn *turn)
{
    *c = (struct commute){.nmoves = s->nmoves};
    if (!s->code || s->nmoves < 2 || s->nmoves > MOST_MOVES || s->words > 64) return;
    struct sampler a = {.space = s, .c = c};
    uint64_t *here = malloc(s->words * 8);
    c->pair = calloc((size_t)c->nmoves * c->nmoves, 1);
    a.kid = malloc((size_t)MOST_KIDS * s->words * 8);
    a.kid_move = malloc(MOST_KIDS * sizeof *a.kid_move);
    a.after = malloc((size_t)MOST_KIDS * c->nmoves * sizeof *a.after);
    if (here && c->pair && a.kid && a.kid_move && a.after) {
        uint32_t depth = 0;
        memcpy(here, s->root, s->words * 8);
        for (uint32_t i = 0; i < SAMPLES && !turn_over(turn); i++) {
            sample(&a, here, depth);
            if (a.kids == 0) { /* an end is near: back to the beginning */
                memcpy(here, s->root, s->words * 8);
                depth = 0;
                continue;
            }
            memcpy(here, a.kid + (size_t)rng_below(&s->rng, a.kids) * s->words, s->words * 8);
            depth++;
        }
        list_skips(c);
    }
    free(here);
    free(a.kid);
    free(a.kid_move);
    free(a.after);
}

void commute_done(struct commute *c)
{
    free(c->pair);
    free(c->skip);
    *c = (struct commute){0};
}
