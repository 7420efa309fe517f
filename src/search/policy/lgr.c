// SPDX-License-Identifier: GPL-3.0-or-later
/* Last Good Reply with forgetting, LGRF-2 (000 §IV-C): per role the reply that last did well after one and
 * after two moves. A reply is stored when the role's reward was at least as high as everybody's, and
 * forgotten when it occurs in a simulation where somebody had more. */
#include "search/policy/table.h"

#include "base/hash.h"

struct reply {
    uint64_t key; /* 0: empty */
    uint32_t move;
};

struct replies {
    struct reply *v;
    uint32_t mask, used;
};

struct lgr {
    uint32_t nroles;
    struct replies *two; /* by role, as `one`; behind these */
    struct replies one[];
};

static uint32_t slot_of(const struct replies *t, uint64_t key)
{
    uint32_t i = (uint32_t)hash_mix(key, 1) & t->mask;
    while (t->v[i].key && t->v[i].key != key) i = (i + 1) & t->mask;
    return i;
}

static struct reply *find(const struct replies *t, uint64_t key)
{
    if (!t->v) return NULL;
    struct reply *r = &t->v[slot_of(t, key)];
    return r->key ? r : NULL;
}

static void store(struct replies *t, uint64_t key, uint32_t move)
{
    if (!t->v || t->used * 3ull > t->mask * 2ull) {
        struct replies old = *t;
        size_t size = old.v ? ((size_t)old.mask + 1) * 2 : 256;
        struct reply *v = calloc(size, sizeof *v);
        if (!v && (!old.v || old.used == old.mask)) return;
        if (v) {
            t->v = v;
            t->mask = (uint32_t)size - 1;
            for (uint32_t i = 0; old.v && i <= old.mask; i++)
                if (old.v[i].key) t->v[slot_of(t, old.v[i].key)] = old.v[i];
            free(old.v);
        }
    }
    struct reply *r = &t->v[slot_of(t, key)];
    if (!r->key) r->key = key, t->used++;
    r->move = move;
}

static uint64_t key_one(uint32_t last)
{
    return (uint64_t)last + 1;
}

static uint64_t key_two(uint32_t before, uint32_t last)
{
    return ((uint64_t)before << 32 | last) + 1;
}

static uint32_t index_of(const uint32_t *moves, uint32_t n, uint32_t move)
{
    for (uint32_t i = 0; i < n; i++)
        if (moves[i] == move) return i;
    return MOVE_NONE;
}

static void fetch(const struct replies *t, uint64_t key)
{
    if (t->v) __builtin_prefetch(&t->v[(uint32_t)hash_mix(key, 1) & t->mask]);
}

void lgr_fetch(const struct lgr *l, const struct situation *s, int stage)
{
    if (stage == 0) {
        __builtin_prefetch(l);
        __builtin_prefetch(&l->two[s->role]);
        return;
    }
    uint32_t last = situation_last(s), before = situation_before(s);
    if (last == MOVE_NONE) return;
    fetch(&l->one[s->role], key_one(last));
    if (before != MOVE_NONE) fetch(&l->two[s->role], key_two(before, last));
}

uint32_t lgr_replies(const struct lgr *l, const struct situation *s, uint32_t out[2])
{
    uint32_t last = situation_last(s), before = situation_before(s), n = 0;
    if (last == MOVE_NONE) return 0;
    const struct reply *r;
    if (before != MOVE_NONE && (r = find(&l->two[s->role], key_two(before, last))) && r->move != MOVE_NONE)
        out[n++] = r->move;
    if ((r = find(&l->one[s->role], key_one(last))) && r->move != MOVE_NONE) out[n++] = r->move;
    return n;
}

uint32_t lgr_reply(const struct lgr *l, const struct situation *s, const uint32_t *moves, uint32_t n)
{
    uint32_t replies[2], stored = lgr_replies(l, s, replies), at = MOVE_NONE;
    for (uint32_t i = 0; i < stored && at == MOVE_NONE; i++) at = index_of(moves, n, replies[i]);
    return at;
}

static void learn_reply(struct replies *t, uint64_t key, uint32_t move, bool good)
{
    if (good) {
        store(t, key, move);
        return;
    }
    struct reply *r = find(t, key);
    if (r && r->move == move) r->move = MOVE_NONE;
}

void lgr_expect(const struct lgr *l, const struct episode *e)
{
    uint32_t n = e->nroles;
    for (uint32_t r = 0; r < n; r++) {
        uint32_t r1 = role_before(r, n), r2 = role_before(r1, n);
        for (uint32_t t = 1; t < e->steps; t++) {
            uint32_t last = e->moves[(t - 1) * n + r1];
            fetch(&l->one[r], key_one(last));
            if (t >= 2) fetch(&l->two[r], key_two(e->moves[(t - 2) * n + r2], last));
        }
    }
}

void lgr_learn(struct lgr *l, const struct episode *e)
{
    uint32_t n = e->nroles;
    float top = e->reward[0];
    for (uint32_t r = 1; r < n; r++)
        if (e->reward[r] > top) top = e->reward[r];
    for (uint32_t r = 0; r < n; r++) {
        bool good = e->reward[r] >= top;
        uint32_t r1 = role_before(r, n), r2 = role_before(r1, n);
        for (uint32_t t = 1; t < e->steps; t++) {
            uint32_t move = e->moves[t * n + r], last = e->moves[(t - 1) * n + r1];
            learn_reply(&l->one[r], key_one(last), move, good);
            if (t >= 2) learn_reply(&l->two[r], key_two(e->moves[(t - 2) * n + r2], last), move, good);
        }
    }
}

void lgr_free(struct lgr *l)
{
    if (!l) return;
    for (uint32_t r = 0; r < l->nroles; r++) {
        free(l->one[r].v);
        free(l->two[r].v);
    }
    free(l);
}

struct lgr *lgr_new(uint32_t nroles)
{
    struct lgr *l = calloc(1, sizeof *l + 2 * nroles * sizeof *l->one);
    if (!l) return NULL;
    l->nroles = nroles;
    l->two = l->one + nroles;
    return l;
}
